/* The Mahalanobis distance of a row and the row before it. */
#include "base/sort.h"
#include "detector/ensemble/series_evidence.h"
#include "table/encoding/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCTS_MAX = 1 << 30 };

puad_status row_distance_new(row_distance *out, size_t count)
{
    size_t side = 2 * count;
    *out = (row_distance){.count = count};
    if (count < 1 || count > ROW_CHANNELS_MAX) FAIL(PUAD_INVALID, "a row with %zu columns", count);
    TRY(arena_new(&out->memory, &out->columns, count, sizeof *out->columns));
    TRY(arena_new(&out->memory, &out->means, count, sizeof *out->means));
    TRY(arena_new(&out->memory, &out->factors, count, sizeof *out->factors));
    return arena_new(&out->memory, &out->whitening, side * (side + 1), sizeof *out->whitening);
}

/* Training rows that are in some window, in order of time. */
typedef struct single_rows {
    float *values; /* rows x channels */
    uint8_t *begins;
    size_t rows, channels;
} single_rows;

static puad_status collect(single_rows *out, arena *memory, const recurrence_rows *rows)
{
    size_t channels = rows->columns / (rows->window + 2), length = rows->window, covered = 0, total = 0;
    window_plan plan = {length, 1, channels};
    float *window = NULL;
    for (int pass = 0; pass < 2; pass++) {
        if (pass) {
            TRY(arena_new(memory, &out->values, total * channels, sizeof *out->values));
            TRY(arena_new(memory, &out->begins, total, 1));
            TRY(arena_new(memory, &window, length * channels, sizeof *window));
        }
        covered = total = 0;
        for (size_t i = 0; i < rows->rows; i++) {
            size_t first = rows->first[i], start = first > covered ? first : covered;
            if (rows->labels[i] == PUAD_LABEL_ANOMALY || (total && first + length <= covered)) continue;
            if (!total) start = first;
            size_t count = first + length - start;
            if (pass) {
                window_decode(window, &plan, rows->values + i * rows->columns);
                memcpy(out->values + total * channels, window + (start - first) * channels,
                       count * channels * sizeof *window);
                memset(out->begins + total, 0, count);
                out->begins[total] = !total || start > covered;
            }
            total += count;
            covered = first + length;
        }
    }
    out->rows = total;
    out->channels = channels;
    return PUAD_OK;
}

static bool has_three_values(const single_rows *rows, size_t channel, float tolerance)
{
    float first = rows->values[channel], second = first;
    for (size_t i = 1; i < rows->rows; i++) {
        float value = rows->values[i * rows->channels + channel];
        if (fabsf(value - first) <= tolerance) continue;
        if (fabsf(second - first) <= tolerance)
            second = value;
        else if (fabsf(value - second) > tolerance)
            return true;
    }
    return false;
}

static void learn_columns(row_distance *out, const single_rows *rows)
{
    for (size_t k = 0; k < out->count; k++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < rows->rows; i++)
            sum += (double)rows->values[i * rows->channels + (size_t)out->columns[k]];
        double mean = sum / (double)rows->rows;
        for (size_t i = 0; i < rows->rows; i++) {
            double off = (double)rows->values[i * rows->channels + (size_t)out->columns[k]] - mean;
            squares += off * off;
        }
        out->means[k] = (float)mean;
        out->factors[k] = (float)(1 / fmax(sqrt(squares / (double)rows->rows), 1e-4 * TABLE_SCALE));
    }
}

/* Both rows in standard deviations. */
static void join(float *out, const row_distance *distance, const float *row, const float *before)
{
    const float max = 5 * SERIES_CLIP;
    for (size_t k = 0; k < 2 * distance->count; k++) {
        size_t i = k % distance->count, column = (size_t)distance->columns[i];
        float value =
            ((k < distance->count ? row : before)[column] - distance->means[i]) * distance->factors[i];
        out[k] = fminf(fmaxf(value, -max), max);
    }
}

static float distance_of(const row_distance *distance, const float *joined)
{
    size_t side = 2 * distance->count;
    const float *center = distance->whitening + side * side;
    float sums[2 * ROW_CHANNELS_MAX] = {0};
    double squares = 0;
    for (size_t k = 0; k < side; k++) {
        const float *line = distance->whitening + k * side;
        float away = joined[k] - center[k];
        for (size_t i = k; i < side; i++) sums[i] += line[i] * away;
    }
    for (size_t i = 0; i < side; i++) squares += (double)sums[i] * (double)sums[i];
    return (float)sqrt(squares);
}

float row_evidence(const series_evidence *evidence, const float *row, const float *before)
{
    const row_distance *rows = &evidence->rows;
    float joined[2 * ROW_CHANNELS_MAX];
    if (rows->count < 2) return 0;
    join(joined, rows, row, before);
    float weight = (float)(rows->count - 1) / (float)rows->count;
    return weight * evidence_excess(rows->unit, distance_of(rows, joined));
}

typedef struct estimating {
    row_distance *out;
    const float *joined; /* rows x side */
    const uint32_t *numbers;
    size_t rows, count, side;
    double *matrix, *center;
    float *distances;
} estimating;

/* One line of the covariances. */
static void covary(void *context, size_t item, int thread)
{
    (void)thread;
    estimating *all = context;
    double *line = all->matrix + item * all->side;
    memset(line, 0, all->side * sizeof *line);
    for (size_t r = 0; r < all->count; r++) {
        const float *row = all->joined + all->numbers[r] * all->side;
        double value = (double)row[item] - all->center[item];
        for (size_t k = 0; k <= item; k++) line[k] += value * ((double)row[k] - all->center[k]);
    }
    for (size_t k = 0; k <= item; k++) line[k] /= (double)all->count;
    line[item] += ROW_RIDGE;
}

/* The inverse of the Cholesky factor of the covariances: L with A = L L', then L^-1. */
static void whiten(estimating *all)
{
    size_t side = all->side;
    double *a = all->matrix;
    for (size_t i = 0; i < side; i++)
        for (size_t k = 0; k <= i; k++) {
            double sum = a[i * side + k];
            for (size_t m = 0; m < k; m++) sum -= a[i * side + m] * a[k * side + m];
            a[i * side + k] = i == k ? sqrt(fmax(sum, ROW_RIDGE / 2)) : sum / a[k * side + k];
        }
    float *inverse = all->out->whitening;
    for (size_t k = 0; k < side; k++) {
        for (size_t i = 0; i < k; i++) inverse[k * side + i] = 0;
        inverse[k * side + k] = (float)(1 / a[k * side + k]);
        for (size_t i = k + 1; i < side; i++) {
            double sum = 0;
            for (size_t m = k; m < i; m++) sum -= a[i * side + m] * (double)inverse[k * side + m];
            inverse[k * side + i] = (float)(sum / a[i * side + i]);
        }
    }
    for (size_t i = 0; i < side; i++) inverse[side * side + i] = (float)all->center[i];
}

enum { ROW_BATCH = 256 };

static void measure_rows(void *context, size_t item, int thread)
{
    (void)thread;
    estimating *all = context;
    size_t end = (item + 1) * ROW_BATCH < all->rows ? (item + 1) * ROW_BATCH : all->rows;
    for (size_t i = item * ROW_BATCH; i < end; i++)
        all->distances[i] = distance_of(all->out, all->joined + i * all->side);
}

static puad_status estimate(estimating *all, team *workers)
{
    memset(all->center, 0, all->side * sizeof *all->center);
    for (size_t r = 0; r < all->count; r++)
        for (size_t k = 0; k < all->side; k++)
            all->center[k] += (double)all->joined[all->numbers[r] * all->side + k];
    for (size_t k = 0; k < all->side; k++) all->center[k] /= (double)all->count;
    TRY(team_run_until_stopped(workers, all->side, covary, all));
    whiten(all);
    return team_run_until_stopped(workers, (all->rows + ROW_BATCH - 1) / ROW_BATCH, measure_rows, all);
}

/* Estimates the covariances without the rows that are furthest away, and learns the unit. */
static puad_status learn_whitening(row_distance *out, const single_rows *rows, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    size_t side = 2 * out->count, max = PRODUCTS_MAX / (side * side);
    size_t used = rows->rows < max ? rows->rows : max;
    float *joined, *sorted;
    uint32_t *numbers;
    estimating all = {.out = out, .rows = used, .count = used, .side = side};
    TRY(arena_new(&scratch, &joined, used * side, sizeof *joined));
    TRY(arena_new(&scratch, &sorted, used, sizeof *sorted));
    TRY(arena_new(&scratch, &numbers, used, sizeof *numbers));
    TRY(arena_new(&scratch, &all.distances, used, sizeof *all.distances));
    TRY(arena_new(&scratch, &all.matrix, side * side, sizeof *all.matrix));
    TRY(arena_new(&scratch, &all.center, side, sizeof *all.center));
    for (size_t i = 0; i < used; i++) {
        size_t at = i * rows->rows / used;
        const float *row = rows->values + at * rows->channels;
        join(joined + i * side, out, row, rows->begins[at] ? row : row - rows->channels);
        numbers[i] = (uint32_t)i;
    }
    all.joined = joined;
    all.numbers = numbers;
    for (int round = 0; round <= ROW_ROUNDS; round++) {
        TRY(estimate(&all, workers));
        memcpy(sorted, all.distances, used * sizeof *sorted);
        sort_floats(sorted, used);
        float limit = sorted[used - 1 - used / ROW_TRIMMED];
        all.count = 0;
        for (size_t i = 0; i < used; i++)
            if (all.distances[i] <= limit) numbers[all.count++] = (uint32_t)i;
    }
    return robust_unit(out->unit, all.distances, used);
}

puad_status row_distance_fit(row_distance *out, const recurrence_rows *rows, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    single_rows source = {0};
    size_t count = 0;
    int32_t *columns;
    *out = (row_distance){0};
    if (!rows->window || !rows->first) return PUAD_OK;
    TRY(collect(&source, &scratch, rows));
    TRY(arena_new(&scratch, &columns, source.channels, sizeof *columns));
    for (size_t c = 0; c < source.channels; c++)
        if (has_three_values(&source, c, 1e-3F * (float)TABLE_SCALE)) columns[count++] = (int32_t)c;
    if (count < 2 || count > ROW_CHANNELS_MAX) return PUAD_OK;
    TRY(row_distance_new(out, count));
    memcpy(out->columns, columns, count * sizeof *columns);
    learn_columns(out, &source);
    return learn_whitening(out, &source, workers);
}
