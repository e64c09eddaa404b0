/* Trains on the rows that are not held out, and scores the others with the model. */
#include "decide/calibrate.h"

#include "base/clock.h"
#include "base/sort.h"
#include "dataset/row_keys.h"
#include "decide/cross_fit_labels.h"
#include "prior/anomaly_posterior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t columns_of(const labeled_rows *rows)
{
    return rows->height * rows->width * rows->channels;
}

static void gather(float *out, const labeled_rows *rows, const uint32_t *list, size_t count)
{
    size_t columns = columns_of(rows);
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * columns, rows->values + list[i] * columns, columns * sizeof *out);
}

static double nearest_distance(const float *codes, size_t count, size_t columns, const float *code)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t c = 0; c < columns && sum < nearest; c++) {
            double difference = (double)codes[i * columns + c] - (double)code[c];
            sum += difference * difference;
        }
        if (sum < nearest) nearest = sum;
    }
    return sqrt(nearest);
}

bool calibration_is_known(const calibration *held, const float *code)
{
    return nearest_distance(held->known, held->known_count, held->known_columns, code) <=
           held->known_distance;
}

/* The conformal 95% quantile of the distances of `asked` anomalies to the nearest known one, or to the
 * nearest other one if they are the known ones; the maximum if there are too few to leave one out. */
static puad_status find_distance(calibration *out, const float *asked, size_t count, bool of_known)
{
    AUTO_FREE double *distances = NULL;
    TRY(memory_new(&distances, count, sizeof *distances, "distances"));
    for (size_t i = 0; i < count; i++) {
        size_t apart = of_known ? i : out->known_count, columns = out->known_columns;
        const float *code = asked + i * columns;
        double before = nearest_distance(out->known, apart, columns, code), behind = INFINITY;
        if (apart < out->known_count)
            behind = nearest_distance(out->known + (apart + 1) * columns, out->known_count - apart - 1,
                                      columns, code);
        distances[i] = fmin(before, behind);
    }
    sort_doubles(distances, count);
    size_t rank = (size_t)ceil(0.95 * (double)(count + 1));
    out->known_distance = distances[(rank > count ? count : rank) - 1];
    return PUAD_OK;
}

/* Keeps at most `max` of the listed rows, evenly spaced, because the file may be sorted. */
static size_t thin(uint32_t *list, size_t count, size_t max)
{
    if (count <= max) return count;
    for (size_t i = 0; i < max; i++) list[i] = list[i * count / max];
    return max;
}

/* The indices of the labeled anomalies among the training rows, excluding rows labeled by a reviewer. */
static size_t list_labeled(uint32_t *out, const labeled_rows *rows, const calibration_parts *parts,
                           const uint8_t *asked)
{
    size_t count = 0;
    for (size_t i = 0; i < parts->kept_count; i++)
        if (rows->labels[i] == PUAD_LABEL_ANOMALY && !(asked && asked[parts->kept[i]]))
            out[count++] = (uint32_t)i;
    return count;
}

/* The known anomalies are those trained on. If none were, half of the held-out ones are used instead; if
 * all were, the distance of each is to the others. */
static puad_status keep_known(calibration *out, puad_scorer *scorer, const labeled_rows *rows,
                              const calibration_parts *parts)
{
    AUTO_ARENA arena scratch = {0};
    uint32_t *known;
    size_t columns = columns_of(rows), asked = parts->anomalies;
    const float *held = rows->values + (parts->kept_count + parts->unlabeled) * columns;
    TRY(arena_new(&scratch, &known, rows->rows, sizeof *known));
    size_t count = list_labeled(known, rows, parts, NULL);
    if (count == 0) {
        count = asked / 2;
        for (size_t i = 0; i < count; i++) known[i] = (uint32_t)(parts->kept_count + parts->unlabeled + i);
        held += count * columns;
        asked -= count;
    }
    count = thin(known, count, CALIBRATION_KNOWN_MAX);
    float *values, *codes;
    out->known_columns = scorer_code_columns(scorer);
    TRY(arena_new(&scratch, &values, count * columns, sizeof *values));
    TRY(arena_new(&scratch, &codes, asked * out->known_columns, sizeof *codes));
    TRY(arena_new(&out->memory, &out->known, count * out->known_columns, sizeof *out->known));
    gather(values, rows, known, count);
    TRY(scorer_codes(scorer, out->known, values, count));
    out->known_count = count;
    if (out->folded) return find_distance(out, out->known, count, true);
    TRY(scorer_codes(scorer, codes, held, asked));
    return find_distance(out, codes, asked, false);
}

/* Allocates scores, indices and keys of held-out rows, and fills them; in `rows` the held-out rows come
 * last. */
static puad_status score_held(calibration *out, puad_scorer *scorer, const labeled_rows *rows,
                              const calibration_parts *parts, size_t more)
{
    size_t held = parts->unlabeled + parts->anomalies, count = held + more, columns = columns_of(rows);
    const float *values = rows->values + parts->kept_count * columns;
    TRY(arena_new(&out->memory, &out->unlabeled, count, sizeof *out->unlabeled));
    TRY(arena_new(&out->memory, &out->rows, count, sizeof *out->rows));
    memcpy(out->rows, parts->held, held * sizeof *out->rows);
    TRY(arena_new(&out->memory, &out->keys, count, sizeof *out->keys));
    for (size_t i = 0; i < held; i++) out->keys[i] = row_key(values + i * columns, columns);
    TRY(scorer_run(scorer, out->unlabeled, values, held));
    out->anomalies = out->unlabeled + parts->unlabeled;
    out->unlabeled_count = parts->unlabeled;
    out->anomaly_count = parts->anomalies + more;
    return PUAD_OK;
}

/* Scores the labeled anomalies that were cross-fitted. */
static puad_status score_folded(calibration *out, const labeled_rows *rows, const calibration_parts *parts,
                                const uint32_t *which, size_t count, const fit_options *options)
{
    size_t held = parts->unlabeled, columns = columns_of(rows);
    labeled_rows kept = *rows;
    kept.rows = parts->kept_count;
    for (size_t i = 0; i < count; i++) {
        out->rows[held + i] = parts->kept[which[i]];
        out->keys[held + i] = row_key(rows->values + which[i] * columns, columns);
    }
    fold_scale scale = {rows->values + parts->kept_count * columns, out->unlabeled, parts->unlabeled};
    return fold_labels(out->anomalies, which, count, &kept, &scale, options);
}

static puad_status score_all(calibration *out, puad_scorer *scorer, const labeled_rows *rows,
                             const calibration_parts *parts, const calibration_plan *plan,
                             const fit_options *options)
{
    AUTO_FREE uint32_t *which = NULL;
    size_t count = 0;
    TRY(memory_new(&which, rows->rows, sizeof *which, "rows"));
    if (out->folded) count = list_labeled(which, rows, parts, plan->asked);
    TRY(score_held(out, scorer, rows, parts, count));
    if (count) TRY(score_folded(out, rows, parts, which, count, options));
    return out->anomaly_count ? keep_known(out, scorer, rows, parts) : PUAD_OK;
}

/* All rows, training rows first, then held-out ones, encoded with the means and deviations of the training
 * rows. */
static puad_status arrange(labeled_rows *out, arena *memory, const labeled_rows *rows,
                           const calibration_parts *parts, transform *encoding)
{
    float *values;
    int8_t *labels;
    uint8_t *asked;
    size_t held = parts->unlabeled + parts->anomalies, kept = parts->kept_count, columns = columns_of(rows);
    AUTO_FREE uint32_t *places = NULL;
    *out = *rows;
    out->rows = kept + held;
    TRY(arena_new(memory, &values, out->rows * columns, sizeof *values));
    TRY(arena_new(memory, &labels, out->rows, 1));
    TRY(arena_new(memory, &asked, out->rows, 1));
    gather(values, rows, parts->kept, kept);
    gather(values + kept * columns, rows, parts->held, held);
    for (size_t i = 0; i < out->rows; i++) {
        size_t start = i < kept ? parts->kept[i] : parts->held[i - kept];
        if (rows->labels) labels[i] = rows->labels[start];
        if (rows->asked) asked[i] = rows->asked[start];
    }
    out->values = values;
    out->labels = labels;
    out->asked = asked;
    if (!encoding) return PUAD_OK;
    TRY(memory_new(&places, kept, sizeof *places, "rows"));
    for (size_t i = 0; i < kept; i++) places[i] = (uint32_t)i;
    transform_refit(encoding, values, out->rows, places, kept);
    return PUAD_OK;
}

/* Estimates alpha from the held-out scores; with too few labels, uses the given one. */
puad_status calibration_read_alpha(calibration *out, const calibration_plan *plan)
{
    AUTO_PURITY purity found = {0};
    if (out->anomaly_count < PURITY_LABELS_MIN) {
        out->alpha = out->alpha_low = out->alpha_high = plan->alpha;
        out->alpha_unknown = !plan->alpha_given;
        return PUAD_OK;
    }
    pu_sample sample = calibration_sample(out);
    TRY(purity_estimate(&found, &out->alpha, &out->alpha_low, &out->alpha_high, &sample));
    out->alpha_estimated = true;
    return PUAD_OK;
}

static puad_status calibrate(puad_detector *model, const labeled_rows *rows, const calibration_parts *parts,
                             const calibration_plan *plan, const fit_options *options)
{
    calibration *out = &model->held_out;
    out->share = plan->share;
    out->folded = calibration_folds(model->config.kind);
    out->modeled = true;
    AUTO_SCORER puad_scorer *scorer = NULL;
    TRY(scorer_new(&scorer, model, options->workers, options->head));
    TRY(score_all(out, scorer, rows, parts, plan, options));
    return calibration_read_alpha(out, plan);
}

puad_status calibrated_fit(puad_detector **out, const labeled_rows *rows, const calibration_parts *parts,
                           const fit_options *options, const calibration_plan *plan, transform *encoding)
{
    AUTO_ARENA arena memory = {0};
    labeled_rows all, kept;
    TRY(arrange(&all, &memory, rows, parts, encoding));
    kept = all;
    kept.rows = parts->kept_count;
    AUTO_DETECTOR puad_detector *model = NULL;
    TRY(detector_fit(&model, &kept, options));
    double begin = seconds_now();
    TRY(calibrate(model, &all, parts, plan, options));
    model->seconds += seconds_now() - begin;
    *out = model;
    model = NULL;
    return PUAD_OK;
}
