/* Chooses windows of each block and measures distances to them. Each work item is a batch of rows, so the
 * bits do not depend on the threads. */
#include "detector/ensemble/recurrence.h"

#include "base/sort.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 64,       /* rows per work item */
    SIZE_STEP = 32,   /* the kernel processes this many windows at once */
    BLOCK_LENGTHS = 2 /* minimum length of a block, in windows */
};
#define QUIET 0.1 /* added to the mean square of a row, in scaled units */

void recurrence_free(recurrence *owner)
{
    arena_free(&owner->memory);
    *owner = (recurrence){0};
}

static size_t compared_columns(const recurrence *model)
{
    return model->length * model->channels;
}

puad_status recurrence_new(recurrence *out, size_t window, size_t columns, size_t blocks, size_t size,
                           size_t known)
{
    size_t cells, more;
    *out = (recurrence){.length = window ? window : 1, .plain = !window, .blocks = blocks, .size = size};
    out->known = known;
    out->rank = RECURRENCE_RANK;
    out->channels = window ? columns / (window + 2) : columns;
    if (out->channels < 1 || blocks < 1 || size < 1 ||
        !size_multiply(&cells, blocks * size, compared_columns(out)) ||
        !size_multiply(&more, known, compared_columns(out)))
        FAIL(PUAD_INVALID, "%zu blocks of %zu windows of %zu values", blocks, size, columns);
    TRY(arena_new(&out->memory, &out->scale, out->channels, sizeof *out->scale));
    TRY(arena_new(&out->memory, &out->anomalies, more, sizeof *out->anomalies));
    return arena_new(&out->memory, &out->points, cells, sizeof *out->points);
}

static puad_status check_points(const float *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(points[i]) <= 1.001F))
            FAIL(PUAD_FORMAT, "recurrence: value %zu of the windows is out of bounds", i);
    return PUAD_OK;
}

puad_status recurrence_check(const recurrence *model)
{
    for (size_t c = 0; c < model->channels; c++)
        if (!isfinite(model->scale[c].middle) || !isfinite(model->scale[c].factor) ||
            !(model->scale[c].weight >= 0 && model->scale[c].weight <= 1))
            FAIL(PUAD_FORMAT, "recurrence: the scale of channel %zu is not finite", c);
    if (!(model->level >= 0 && model->level <= 2.01F))
        FAIL(PUAD_FORMAT, "recurrence: the level is out of bounds");
    TRY(check_points(model->points, model->blocks * model->size * compared_columns(model)));
    return check_points(model->anomalies, model->known * compared_columns(model));
}

/* A window in the normalized form used for distances. */
static void compare_as(float *out, const recurrence *model, const float *row)
{
    size_t columns = compared_columns(model), channels = model->channels;
    window_plan plan = {model->length, 1, channels};
    double squares = 0;
    if (model->plain)
        memcpy(out, row, columns * sizeof *out);
    else
        window_decode(out, &plan, row);
    for (size_t i = 0; i < columns; i++) {
        const channel_scale *scale = &model->scale[i % channels];
        double value =
            ((double)out[i] - (double)scale->middle) * (double)scale->factor * (double)scale->weight;
        squares += value * value;
        out[i] = (float)value;
    }
    float factor = (float)(1 / sqrt(squares + QUIET * (double)model->length));
    for (size_t i = 0; i < columns; i++) out[i] *= factor;
}

/* Learns the scale from the values, for rows that are not windows of a series with a known scale. */
static puad_status learn_scale(recurrence *out, const recurrence_rows *rows)
{
    AUTO_FREE float *values = NULL;
    window_plan plan = {out->length, 1, out->channels};
    size_t columns = compared_columns(out);
    TRY(memory_new(&values, rows->rows * columns, sizeof *values, "windows"));
    for (size_t i = 0; i < rows->rows; i++)
        if (out->plain)
            memcpy(values + i * columns, rows->values + i * columns, columns * sizeof *values);
        else
            window_decode(values + i * columns, &plan, rows->values + i * rows->columns);
    channel_scales_learn(out->scale, values, rows->rows * out->length, out->channels, NULL);
    return PUAD_OK;
}

/* Stores the windows of one block, or the labeled anomalies, by column. */
static void keep(float *points, size_t size, const recurrence *model, const recurrence_rows *rows,
                 const uint32_t *numbers, size_t count, float *buffer)
{
    for (size_t i = 0; i < size; i++) {
        compare_as(buffer, model, rows->values + numbers[i * count / size] * rows->columns);
        for (size_t c = 0; c < compared_columns(model); c++) points[c * size + i] = buffer[c];
    }
}

static size_t at_most(size_t value, size_t max)
{
    return value < max ? value : max;
}

typedef struct measuring {
    const recurrence *model;
    const float *values;
    float *scores;
    size_t rows, columns; /* as given */
    float *scratch;       /* per thread: BATCH rows, and the distances of each */
} measuring;

static size_t scratch_of_thread(const recurrence *model)
{
    return BATCH * (compared_columns(model) + 1) + model->blocks * (BATCH + 1);
}

static void measure_batch(void *context, size_t item, int thread)
{
    measuring *all = context;
    const recurrence *model = all->model;
    size_t columns = compared_columns(model), first = item * BATCH, blocks = model->blocks;
    size_t count = at_most(all->rows - first, BATCH);
    float *rows = all->scratch + (size_t)thread * scratch_of_thread(model), *alike = rows + BATCH * columns,
          *min = alike + BATCH, *sorted = min + blocks * BATCH;
    for (size_t i = 0; i < count; i++)
        compare_as(rows + i * columns, model, all->values + (first + i) * all->columns);
    /* Block by block, so that the windows of a block stay in the cache. */
    for (size_t b = 0; b < blocks; b++)
        kernels_best()->least_distances(min + b * BATCH, rows, count,
                                        model->points + b * model->size * columns, 1, model->size, columns);
    if (model->known)
        kernels_best()->least_distances(alike, rows, count, model->anomalies, 1, model->known, columns);
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < blocks; b++) sorted[b] = min[b * BATCH + i];
        sort_floats(sorted, blocks);
        double distance = sqrt((double)sorted[at_most(blocks, model->rank) - 1]),
               usual = sqrt((double)sorted[blocks / 2]), level = (double)model->level;
        double anomaly = model->known ? sqrt((double)alike[i]) : usual;
        if (2 * anomaly < usual && distance < level)
            distance += (level - distance) * (usual - 2 * anomaly) / (usual + anomaly);
        all->scores[first + i] = (float)distance;
    }
}

puad_status recurrence_score(float *scores, const recurrence *model, const float *values, size_t rows,
                             team *workers)
{
    AUTO_FREE float *scratch = NULL;
    size_t columns = model->channels * (model->plain ? 1 : model->length + 2);
    TRY(memory_new(&scratch, (size_t)team_size(workers) * scratch_of_thread(model), sizeof *scratch, "rows"));
    measuring all = {model, values, scores, rows, columns, scratch};
    return team_run_until_stopped(workers, (rows + BATCH - 1) / BATCH, measure_batch, &all);
}

/* Indices of windows: those of the blocks, and labeled anomalies. */
typedef struct chosen {
    uint32_t *normal, *anomalies;
    size_t normal_count, anomaly_count;
} chosen;

static size_t place(const recurrence_rows *rows, size_t i)
{
    return rows->first ? rows->first[i] : i;
}

/* For a run of labeled rows shorter than a window, chooses the middle window; for a longer one, all
 * windows except those at its ends: a quarter of the run, at most half a window. */
static void choose_run(chosen *out, const recurrence_rows *rows, size_t begin, size_t end)
{
    size_t count = end - begin, strides = rows->window / (rows->stride ? rows->stride : 1);
    size_t ends = count <= strides ? (count - 1) / 2 : at_most(count / 4, strides / 2);
    for (size_t i = begin + ends; i < end - ends; i++) out->anomalies[out->anomaly_count++] = (uint32_t)i;
}

static puad_status choose(chosen *out, arena *memory, const recurrence_rows *rows, bool labels)
{
    size_t stride = rows->stride ? rows->stride : 1;
    *out = (chosen){0};
    TRY(arena_new(memory, &out->normal, rows->rows, sizeof *out->normal));
    TRY(arena_new(memory, &out->anomalies, rows->rows, sizeof *out->anomalies));
    for (size_t i = 0, end; i < rows->rows; i = end) {
        end = i + 1;
        if (!labels || rows->labels[i] != PUAD_LABEL_ANOMALY) {
            out->normal[out->normal_count++] = (uint32_t)i;
            continue;
        }
        while (end < rows->rows && rows->labels[end] == PUAD_LABEL_ANOMALY &&
               place(rows, end) - place(rows, end - 1) <= stride)
            end++;
        choose_run(out, rows, i, end);
    }
    return PUAD_OK;
}

static puad_status fit_chosen(recurrence *out, const recurrence_rows *rows, const chosen *choice)
{
    size_t normal = choice->normal_count;
    if (normal == 0) FAIL(PUAD_INVALID, "recurrence needs windows that are not labeled anomalies");
    size_t columns = rows->window ? rows->columns / (rows->window + 2) * rows->window : rows->columns;
    size_t strides = rows->window ? BLOCK_LENGTHS * rows->window / (rows->stride ? rows->stride : 1) : 1;
    size_t blocks = at_most(normal / (strides ? strides : 1), RECURRENCE_BLOCKS);
    if (blocks < 2) blocks = at_most(normal, 2);
    size_t size = (normal + blocks - 1) / blocks,
           max = RECURRENCE_VALUES_MAX / at_most(blocks * columns, RECURRENCE_VALUES_MAX);
    if (size > max) size = max > SIZE_STEP ? max - max % SIZE_STEP : max;
    TRY(recurrence_new(
        out, rows->window, rows->columns, blocks, size,
        at_most(choice->anomaly_count, RECURRENCE_VALUES_MAX / at_most(columns, RECURRENCE_VALUES_MAX))));
    if (rows->scale)
        memcpy(out->scale, rows->scale, out->channels * sizeof *out->scale);
    else
        TRY(learn_scale(out, rows));
    AUTO_FREE float *buffer = NULL;
    TRY(memory_new(&buffer, columns, sizeof *buffer, "a window"));
    for (size_t b = 0; b < blocks; b++) {
        size_t first = b * normal / blocks, end = (b + 1) * normal / blocks;
        keep(out->points + b * size * columns, size, out, rows, choice->normal + first, end - first, buffer);
    }
    keep(out->anomalies, out->known, out, rows, choice->anomalies, choice->anomaly_count, buffer);
    return PUAD_OK;
}

/* Whether labeled anomalies resemble each other; see the header. True if no two can be compared. */
static puad_status check_labels(bool *out, recurrence *made, const recurrence_rows *rows,
                                const chosen *choice, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    size_t columns = compared_columns(made), known = made->known, count = choice->anomaly_count;
    size_t checked = 0, alike = 0;
    float *labeled, *compared, *scores;
    uint32_t *numbers;
    TRY(arena_new(&scratch, &labeled, known * rows->columns, sizeof *labeled));
    TRY(arena_new(&scratch, &compared, known * columns, sizeof *compared));
    TRY(arena_new(&scratch, &scores, known, sizeof *scores));
    TRY(arena_new(&scratch, &numbers, known, sizeof *numbers));
    for (size_t i = 0; i < known; i++) {
        numbers[i] = choice->anomalies[i * count / known];
        const float *window = rows->values + numbers[i] * rows->columns;
        memcpy(labeled + i * rows->columns, window, rows->columns * sizeof *labeled);
        compare_as(compared + i * columns, made, window);
    }
    made->known = 0; /* measure the distance to unlabeled windows */
    puad_status status = recurrence_score(scores, made, labeled, known, workers);
    made->known = known;
    TRY(status);
    for (size_t i = 0; i < known; i++) {
        double min = INFINITY;
        for (size_t k = 0; k < known; k++) {
            size_t a = place(rows, numbers[i]), b = place(rows, numbers[k]), sum_of = 0;
            if ((a < b ? b - a : a - b) < made->length) continue;
            double sum = 0;
            for (; sum_of < columns && sum < min; sum_of++) {
                double off = (double)compared[i * columns + sum_of] - (double)compared[k * columns + sum_of];
                sum += off * off;
            }
            min = fmin(min, sum);
        }
        checked += isfinite(min) != 0;
        alike += sqrt(min) < (double)scores[i];
    }
    *out = 2 * alike > checked || checked == 0;
    return PUAD_OK;
}

static puad_status learn_level(recurrence *out, const recurrence_rows *rows, const chosen *choice,
                               team *workers)
{
    enum { SAMPLE = 4096, LEVEL_SHARE = 50 };
    AUTO_ARENA arena scratch = {0};
    size_t count = at_most(choice->normal_count, SAMPLE), known = out->known;
    float *sample, *scores;
    TRY(arena_new(&scratch, &sample, count * rows->columns, sizeof *sample));
    TRY(arena_new(&scratch, &scores, count, sizeof *scores));
    for (size_t i = 0; i < count; i++)
        memcpy(sample + i * rows->columns,
               rows->values + choice->normal[i * choice->normal_count / count] * rows->columns,
               rows->columns * sizeof *sample);
    out->known = 0;
    puad_status status = recurrence_score(scores, out, sample, count, workers);
    out->known = known;
    TRY(status);
    sort_floats(scores, count);
    out->level = scores[count - 1 - count / LEVEL_SHARE];
    return PUAD_OK;
}

puad_status recurrence_fit(recurrence *out, const recurrence_rows *rows, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    chosen choice;
    bool useful = true;
    TRY(choose(&choice, &scratch, rows, true));
    TRY(fit_chosen(out, rows, &choice));
    if (out->known) TRY(check_labels(&useful, out, rows, &choice, workers));
    if (useful) return out->known ? learn_level(out, rows, &choice, workers) : PUAD_OK;
    recurrence_free(out);
    TRY(choose(&choice, &scratch, rows, false));
    return fit_chosen(out, rows, &choice);
}
