/* Training for pu_linear.h. */
#include "base/sort.h"
#include "detector/ensemble/pu_linear.h"

#include "detector/ensemble/empirical_tail.h"
#include "detector/ensemble/leading_axes.h"
#include "detector/ensemble/logistic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float *row_of(const pu_linear_rows *rows, size_t number)
{
    return rows->values + number * (rows->columns + rows->patches);
}

static void learn_columns(pu_linear *out, const pu_linear_rows *rows)
{
    for (size_t c = 0; c < rows->columns + rows->patches; c++) {
        double sum = 0, squares = 0, count = (double)rows->unlabeled_count;
        for (size_t i = 0; i < rows->unlabeled_count; i++) sum += (double)row_of(rows, rows->unlabeled[i])[c];
        double mean = sum / count;
        for (size_t i = 0; i < rows->unlabeled_count; i++) {
            double off = (double)row_of(rows, rows->unlabeled[i])[c] - mean;
            squares += off * off;
        }
        double deviation = sqrt(squares / count);
        float factor = deviation > 1e-6 * (1e-6 + fabs(mean)) ? (float)(1 / deviation) : 0;
        if (c < rows->columns) {
            out->mean[c] = (float)mean;
            out->factor[c] = factor;
        } else {
            out->patch_weights[c - rows->columns] = factor;
        }
    }
}

static void gather(float *z, const pu_linear *model, const pu_linear_rows *rows, const uint32_t *numbers,
                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        pu_linear_standardize(z + i * model->columns, model, row_of(rows, numbers[i]));
}

/* Center, axes and their strengths from `count` standardized rows, which are centered in place. */
static puad_status learn_axes(pu_linear *out, float *z, size_t count, uint64_t seed, team *workers)
{
    double variances[PU_LINEAR_AXES] = {0}, total = 0, held = 0;
    size_t columns = out->columns, max = count - 1 < columns ? count - 1 : columns, ranks = max;
    if (max > PU_LINEAR_AXES) max = PU_LINEAR_AXES;
    for (size_t c = 0; c < columns; c++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++) sum += (double)z[i * columns + c];
        out->center[c] = (float)(sum / (double)count);
        for (size_t i = 0; i < count; i++) {
            z[i * columns + c] -= out->center[c];
            total += (double)z[i * columns + c] * (double)z[i * columns + c] / (double)count;
        }
    }
    out->kept = 0;
    if (max) TRY(leading_axes(out->axes, variances, &out->kept, z, count, columns, max, seed, workers));
    for (size_t k = 0; k < out->kept; k++) held += variances[k];
    double mean = ranks ? fmax(total / (double)ranks, 1e-9) : 1, floor = PU_LINEAR_SHRINKAGE * mean;
    double others = ranks > out->kept ? fmax(total - held, 0) / (double)(ranks - out->kept) : 0;
    double rest = 1 / (others + floor);
    out->scale[SCALE_REST] = (float)rest;
    for (size_t k = 0; k < out->kept; k++) out->strength[k] = (float)(1 / (variances[k] + floor) - rest);
    return PUAD_OK;
}

/* Keeps the indices whose value is at most the given upper quantile. */
static puad_status drop_highest(uint32_t *numbers, size_t *count, const double *values, double fraction,
                                arena *scratch)
{
    float *order;
    TRY(arena_new(scratch, &order, *count, sizeof *order));
    for (size_t i = 0; i < *count; i++) order[i] = (float)values[i];
    sort_floats(order, *count);
    size_t keep = *count - (size_t)(fraction * (double)*count), kept = 0;
    float level = order[keep ? keep - 1 : 0];
    for (size_t i = 0; i < *count; i++)
        if ((float)values[i] <= level) numbers[kept++] = numbers[i];
    *count = kept;
    return PUAD_OK;
}

static puad_status learn_distance(pu_linear *out, const pu_linear_rows *rows, uint64_t seed, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    size_t count = rows->unlabeled_count, columns = rows->columns;
    float *z;
    uint32_t *numbers;
    double *values;
    TRY(arena_new(&scratch, &z, count * columns, sizeof *z));
    TRY(arena_new(&scratch, &numbers, count, sizeof *numbers));
    TRY(arena_new(&scratch, &values, count, sizeof *values));
    memcpy(numbers, rows->unlabeled, count * sizeof *numbers);
    for (int turn = 0; turn < 2; turn++) {
        memset(out->center, 0, columns * sizeof *out->center);
        gather(z, out, rows, numbers, count);
        TRY(learn_axes(out, z, count, seed, workers));
        if (turn || count < 3) break;
        for (size_t i = 0; i < count; i++) {
            double measured[2];
            pu_linear_measure(measured, out, z + i * columns);
            values[i] = measured[1];
        }
        TRY(drop_highest(numbers, &count, values, PU_LINEAR_TRIM, &scratch));
    }
    return PUAD_OK;
}

/* Standardizes all rows, anomalies last; then trains the classifier twice. */
static puad_status learn_classifier(pu_linear *out, const pu_linear_rows *rows, double alpha, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    size_t unlabeled = rows->unlabeled_count, others = unlabeled + rows->normal_count,
           count = others + rows->anomaly_count, columns = rows->columns;
    float *z;
    double *w, *weight, *outputs;
    int8_t *sign;
    uint32_t *numbers;
    TRY(arena_new(&scratch, &z, count * columns, sizeof *z));
    TRY(arena_new(&scratch, &w, columns + 1, sizeof *w));
    TRY(arena_new(&scratch, &weight, count, sizeof *weight));
    TRY(arena_new(&scratch, &outputs, count, sizeof *outputs));
    TRY(arena_new(&scratch, &sign, count, sizeof *sign));
    TRY(arena_new(&scratch, &numbers, unlabeled, sizeof *numbers));
    gather(z, out, rows, rows->unlabeled, unlabeled);
    gather(z + unlabeled * columns, out, rows, rows->normals, rows->normal_count);
    gather(z + others * columns, out, rows, rows->anomalies, rows->anomaly_count);
    size_t kept = unlabeled;
    for (size_t i = 0; i < unlabeled; i++) numbers[i] = (uint32_t)i;
    logistic_rows training = {z, weight, sign, count, columns};
    for (int turn = 0; turn < 2; turn++) {
        double total = PU_LINEAR_COST * (double)(kept + rows->normal_count) / 2;
        for (size_t i = 0; i < count; i++) {
            sign[i] = i < others ? -1 : 1;
            weight[i] = i < unlabeled ? 0
                        : i < others  ? total / (double)(kept + rows->normal_count)
                                      : total / (double)rows->anomaly_count;
        }
        for (size_t i = 0; i < kept; i++) weight[numbers[i]] = total / (double)(kept + rows->normal_count);
        TRY(logistic_fit(w, &training, workers));
        if (turn) break;
        logistic_outputs(outputs, w, &training, workers);
        double fraction = isnan(alpha) ? PU_LINEAR_ALPHA : fmin(alpha, 0.5);
        TRY(drop_highest(numbers, &kept, outputs, fraction, &scratch));
    }
    for (size_t c = 0; c < columns; c++) out->weights[c] = (float)w[c];
    return PUAD_OK;
}

/* The terms of the labeled anomalies or of the unlabeled rows: PU_LINEAR_TERMS for each row. */
static puad_status measure_rows(double **out, const pu_linear *model, const pu_linear_rows *rows,
                                bool anomalies, team *workers, arena *memory)
{
    size_t count = anomalies ? rows->anomaly_count : rows->unlabeled_count,
           width = rows->columns + rows->patches;
    float *values;
    TRY(arena_new(memory, &values, count * width, sizeof *values));
    TRY(arena_new(memory, out, PU_LINEAR_TERMS * count, sizeof **out));
    for (size_t i = 0; i < count; i++)
        memcpy(values + i * width, row_of(rows, anomalies ? rows->anomalies[i] : rows->unlabeled[i]),
               width * sizeof *values);
    return count ? pu_linear_measures(*out, model, values, count, workers, memory) : PUAD_OK;
}

/* Means and deviations of the terms over the unlabeled rows. */
static puad_status learn_scale(pu_linear *out, const pu_linear_rows *rows, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    size_t count = rows->unlabeled_count;
    double *measured;
    TRY(measure_rows(&measured, out, rows, false, workers, &scratch));
    for (size_t term = 0; term < PU_LINEAR_TERMS; term++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < count; i++) sum += measured[PU_LINEAR_TERMS * i + term];
        for (size_t i = 0; i < count; i++) {
            double off = measured[PU_LINEAR_TERMS * i + term] - sum / (double)count;
            squares += off * off;
        }
        double deviation = sqrt(squares / (double)count);
        out->scale[SCALE_OUTPUT_MEAN + 2 * term] = (float)(sum / (double)count);
        out->scale[SCALE_OUTPUT_DEVIATION + 2 * term] = deviation > 1e-12 ? (float)deviation : 1;
    }
    return PUAD_OK;
}

/* Weights of the terms; values of those that do not learn from labels are limited to [-2, 6]. */
static puad_status learn_weights(pu_linear *out, const pu_linear_rows *rows, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    size_t count = rows->anomaly_count;
    double *measured;
    TRY(measure_rows(&measured, out, rows, true, workers, &scratch));
    for (size_t term = 1; term <= 2; term++) {
        const float *scale = out->scale + SCALE_OUTPUT_MEAN + 2 * term;
        double sum = 2 * PU_LINEAR_PRIOR_LABELS;
        for (size_t i = 0; i < count; i++)
            sum += fmin(
                fmax((measured[PU_LINEAR_TERMS * i + term] - (double)scale[0]) / (double)scale[1], -2), 6);
        double weight = sum / ((double)count + PU_LINEAR_PRIOR_LABELS) / 2;
        out->scale[SCALE_DISTANCE_WEIGHT + term - 1] =
            (float)fmin(fmax(weight, PU_LINEAR_WEIGHT_MIN), PU_LINEAR_WEIGHT_MAX);
    }
    double labels = (double)count, few = fmin(PU_LINEAR_PATCH_LABELS / fmax(labels, 1), 1);
    out->scale[SCALE_OUTPUT_WEIGHT] = (float)(PU_LINEAR_WEIGHT * labels / (labels + PU_LINEAR_HALF_LABELS));
    out->scale[SCALE_LIKE_WEIGHT] = (float)(PU_LINEAR_PATCH_WEIGHT * few);
    return PUAD_OK;
}

puad_status pu_linear_fit(pu_linear *out, const pu_linear_rows *rows, double alpha, uint64_t seed,
                          team *workers)
{
    if (rows->unlabeled_count == 0) FAIL(PUAD_INVALID, "pulinear needs unlabeled rows, and there are none");
    TRY(pu_linear_new(out, rows->columns, rows->columns < PU_LINEAR_AXES ? rows->columns : PU_LINEAR_AXES,
                      rows->patches));
    learn_columns(out, rows);
    TRY(learn_distance(out, rows, seed, workers));
    if (rows->anomaly_count) TRY(learn_classifier(out, rows, alpha, workers));
    TRY(learn_scale(out, rows, workers));
    return learn_weights(out, rows, workers);
}
