/* Clusters of windows, and the joint score of windows. Each work item is a batch of windows, so the bits do not
 * depend on the threads. */
#include "base/sort.h"
#include "detector/ensemble/series_evidence.h"
#include "table/encoding/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, LANES = CLUSTER_LANES };
#define MAD_TO_SD 1.4826 /* of a normal distribution */

puad_status window_clusters_new(window_clusters *out, size_t window, size_t columns, size_t count)
{
    *out = (window_clusters){.length = window ? window : 1, .plain = !window, .count = count};
    out->channels = window ? columns / (window + 2) : columns;
    if (out->channels < 1 || count < 1 || count > CLUSTERS_MAX)
        FAIL(PUAD_INVALID, "%zu clusters of windows of %zu values", count, columns);
    TRY(arena_new(&out->memory, &out->weights, out->channels, sizeof *out->weights));
    return arena_new(&out->memory, &out->centers, out->length * out->channels * LANES, sizeof *out->centers);
}

static size_t compared_columns(const window_clusters *clusters)
{
    return clusters->length * clusters->channels;
}

static void compare_as(float *out, const window_clusters *clusters, const float *row)
{
    const float max = (float)(SERIES_CLIP * TABLE_SCALE);
    window_plan plan = {clusters->length, 1, clusters->channels};
    if (clusters->plain)
        memcpy(out, row, clusters->channels * sizeof *out);
    else
        window_decode(out, &plan, row);
    for (size_t t = 0; t < clusters->length; t++)
        for (size_t c = 0; c < clusters->channels; c++) {
            float *value = &out[t * clusters->channels + c];
            *value = fminf(fmaxf(*value, -max), max) * clusters->weights[c];
        }
}

/* Squared distances to all centers. */
static void to_centers(float *out, const window_clusters *clusters, const float *window)
{
    for (int k = 0; k < LANES; k++) out[k] = 0;
    for (size_t i = 0; i < compared_columns(clusters); i++)
        for (int k = 0; k < LANES; k++) {
            float off = window[i] - clusters->centers[i * LANES + (size_t)k];
            out[k] += off * off;
        }
}

static size_t nearest(float *distance, const window_clusters *clusters, const float *window)
{
    float squares[LANES];
    size_t best = 0;
    to_centers(squares, clusters, window);
    for (size_t k = 1; k < clusters->count; k++)
        if (squares[k] < squares[best]) best = k;
    *distance = squares[best];
    return best;
}

typedef struct assigning {
    const window_clusters *clusters;
    const float *windows; /* as compared */
    uint8_t *nearest;
    size_t count;
} assigning;

static void assign_batch(void *context, size_t item, int thread)
{
    (void)thread;
    assigning *all = context;
    size_t end = (item + 1) * BATCH < all->count ? (item + 1) * BATCH : all->count;
    for (size_t i = item * BATCH; i < end; i++) {
        float distance;
        all->nearest[i] =
            (uint8_t)nearest(&distance, all->clusters, all->windows + i * compared_columns(all->clusters));
    }
}

static void set_center(window_clusters *out, size_t k, const double *sum, double count)
{
    for (size_t i = 0; i < compared_columns(out); i++) out->centers[i * LANES + k] = (float)(sum[i] / count);
}

static puad_status find_centers(window_clusters *out, const float *given, size_t count, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    size_t columns = compared_columns(out);
    double *sums;
    uint8_t *numbers;
    TRY(arena_new(&scratch, &sums, columns, sizeof *sums));
    TRY(arena_new(&scratch, &numbers, count, 1));
    for (size_t k = 0; k < out->count; k++)
        for (size_t i = 0; i < columns; i++)
            out->centers[i * LANES + k] = given[(2 * k + 1) * count / (2 * out->count) * columns + i];
    assigning all = {out, given, numbers, count};
    for (int round = 0; round < CLUSTER_ROUNDS; round++) {
        TRY(team_run_until_stopped(workers, (count + BATCH - 1) / BATCH, assign_batch, &all));
        for (size_t k = 0; k < out->count; k++) {
            size_t members = 0;
            memset(sums, 0, columns * sizeof *sums);
            for (size_t w = 0; w < count; w++) {
                if (numbers[w] != k) continue;
                members++;
                for (size_t i = 0; i < columns; i++) sums[i] += (double)given[w * columns + i];
            }
            if (members) set_center(out, k, sums, (double)members);
        }
    }
    return PUAD_OK;
}

puad_status window_clusters_fit(window_clusters *out, const recurrence *recurring,
                                const recurrence_rows *rows, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    size_t count = 0, step = rows->window / WINDOW_STRIDES, last = 0;
    size_t columns = recurring->length * recurring->channels, max = CLUSTER_VALUES_MAX / columns;
    uint32_t *numbers;
    float *given;
    TRY(arena_new(&scratch, &numbers, rows->rows, sizeof *numbers));
    for (size_t i = 0; i < rows->rows; i++) {
        size_t at = rows->first ? rows->first[i] : i;
        if (rows->labels[i] == PUAD_LABEL_ANOMALY || (count && at >= last && at < last + step)) continue;
        numbers[count++] = (uint32_t)i;
        last = at;
    }
    if (count == 0) FAIL(PUAD_INVALID, "clusters need windows that are not labeled anomalies");
    if (max < CLUSTERS_MAX) max = CLUSTERS_MAX;
    size_t used = count < max ? count : max;
    TRY(window_clusters_new(out, rows->window, rows->columns, used < CLUSTERS_MAX ? used : CLUSTERS_MAX));
    for (size_t c = 0; c < out->channels; c++) out->weights[c] = recurring->scale[c].weight;
    TRY(arena_new(&scratch, &given, used * columns, sizeof *given));
    for (size_t i = 0; i < used; i++)
        compare_as(given + i * columns, out, rows->values + numbers[i * count / used] * rows->columns);
    return find_centers(out, given, used, workers);
}

typedef struct measuring {
    const window_clusters *clusters;
    const float *values;
    float *distances, *scratch; /* a window per thread */
    size_t rows, columns;
} measuring;

static void measure_batch(void *context, size_t item, int thread)
{
    measuring *all = context;
    size_t end = (item + 1) * BATCH < all->rows ? (item + 1) * BATCH : all->rows;
    float *window = all->scratch + (size_t)thread * compared_columns(all->clusters);
    for (size_t i = item * BATCH; i < end; i++) {
        float squares;
        compare_as(window, all->clusters, all->values + i * all->columns);
        nearest(&squares, all->clusters, window);
        all->distances[i] = sqrtf(squares);
    }
}

puad_status window_clusters_score(float *distances, const window_clusters *clusters, const float *values,
                                  size_t rows, team *workers)
{
    AUTO_FREE float *scratch = NULL;
    size_t columns = clusters->channels * (clusters->plain ? 1 : clusters->length + 2);
    TRY(memory_new(&scratch, (size_t)team_size(workers) * compared_columns(clusters), sizeof *scratch,
                   "rows"));
    measuring all = {clusters, values, distances, scratch, rows, columns};
    return team_run_until_stopped(workers, (rows + BATCH - 1) / BATCH, measure_batch, &all);
}

puad_status robust_unit(float unit[2], const float *values, size_t count)
{
    AUTO_FREE float *sorted = NULL;
    double sum = 0, squares = 0;
    TRY(memory_new(&sorted, count, sizeof *sorted, "scores"));
    memcpy(sorted, values, count * sizeof *sorted);
    sort_floats(sorted, count);
    double median = (double)sorted[count / 2];
    for (size_t i = 0; i < count; i++) {
        double off = (double)values[i] - median;
        sorted[i] = (float)fabs(off);
        sum += off;
        squares += off * off;
    }
    sort_floats(sorted, count);
    double mean = sum / (double)count, deviation = sqrt(fmax(squares / (double)count - mean * mean, 0));
    unit[0] = (float)median;
    unit[1] = (float)fmax(fmax(MAD_TO_SD * (double)sorted[count / 2], deviation / 2), 1e-6);
    return PUAD_OK;
}

float evidence_excess(const float unit[2], float distance)
{
    return fmaxf((distance - unit[0]) / unit[1] - 1, 0);
}

puad_status series_evidence_fit(series_evidence *out, const recurrence *recurring,
                                const recurrence_rows *rows, team *workers)
{
    enum { SAMPLE = 4096 };
    AUTO_ARENA arena scratch = {0};
    size_t normal = 0, count = 0;
    float *sample, *found;
    for (size_t i = 0; i < rows->rows; i++) normal += rows->labels[i] != PUAD_LABEL_ANOMALY;
    TRY(window_clusters_fit(&out->clusters, recurring, rows, workers));
    size_t taken = normal < SAMPLE ? normal : SAMPLE;
    TRY(arena_new(&scratch, &sample, taken * rows->columns, sizeof *sample));
    TRY(arena_new(&scratch, &found, taken, sizeof *found));
    for (size_t i = 0, seen = 0; i < rows->rows && count < taken; i++) {
        if (rows->labels[i] == PUAD_LABEL_ANOMALY || seen++ != count * normal / taken) continue;
        memcpy(sample + count++ * rows->columns, rows->values + i * rows->columns,
               rows->columns * sizeof *sample);
    }
    TRY(recurrence_score(found, recurring, sample, count, workers));
    TRY(robust_unit(out->units, found, count));
    TRY(window_clusters_score(found, &out->clusters, sample, count, workers));
    TRY(robust_unit(out->units + 2, found, count));
    return row_distance_fit(&out->rows, rows, workers);
}

puad_status series_evidence_score(float *scores, const series_evidence *evidence, const float *values,
                                  size_t rows, team *workers)
{
    AUTO_FREE float *distances = NULL;
    TRY(memory_new(&distances, rows, sizeof *distances, "windows"));
    TRY(window_clusters_score(distances, &evidence->clusters, values, rows, workers));
    for (size_t i = 0; i < rows; i++)
        scores[i] = (scores[i] - evidence->units[0]) / evidence->units[1] +
                    evidence_excess(evidence->units + 2, distances[i]);
    return PUAD_OK;
}

void series_evidence_free(series_evidence *owner)
{
    arena_free(&owner->clusters.memory);
    arena_free(&owner->rows.memory);
    *owner = (series_evidence){0};
}

static puad_status check_finite(const char *name, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(values[i]) < 1e18F)) FAIL(PUAD_FORMAT, "%s: value %zu is out of bounds", name, i);
    return PUAD_OK;
}

puad_status series_evidence_check(const series_evidence *evidence)
{
    const window_clusters *clusters = &evidence->clusters;
    const row_distance *rows = &evidence->rows;
    TRY(check_finite("clusters", clusters->centers, compared_columns(clusters) * LANES));
    TRY(check_finite("weights of channels", clusters->weights, clusters->channels));
    TRY(check_finite("units", evidence->units, 4));
    if (!(evidence->units[1] > 0 && evidence->units[3] > 0))
        FAIL(PUAD_FORMAT, "units of windows are not positive");
    if (rows->count == 0) return PUAD_OK;
    if (!(rows->unit[1] > 0)) FAIL(PUAD_FORMAT, "the unit of rows is not positive");
    for (size_t i = 0; i < rows->count; i++)
        if (rows->columns[i] < 0 || (size_t)rows->columns[i] >= clusters->channels)
            FAIL(PUAD_FORMAT, "column %d of a row does not exist", rows->columns[i]);
    TRY(check_finite("unit of rows", rows->unit, 2));
    TRY(check_finite("means of rows", rows->means, rows->count));
    TRY(check_finite("factors of rows", rows->factors, rows->count));
    return check_finite("covariances of rows", rows->whitening, 2 * rows->count * (2 * rows->count + 1));
}
