/* Compares rows to score with the training rows. */
#include "checks/drift.h"

#include "base/sort.h"
#include "checks/hypothesis_tests.h"
#include "detector/ensemble/empirical_tail.h"
#include "input/dataset_api.h"
#include "series/time_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_ROWS = 4096, SAMPLE_VALUES = 1 << 22, ROWS_MIN = 20, SHOWN_MAX = 8, ADDED_SHOWN = 3 };
#define ERROR_RATE 0.01   /* probability of any false warning if nothing has changed */
#define DISTANCE_MIN 0.15 /* between the distribution functions of a column */
#define SCORE_DISTANCE_MIN 0.1
#define MISSING_MIN 0.05  /* additional fraction of rows */
#define UNKNOWN_MIN 0.02  /* fraction of rows with a category not seen in training */
#define CATEGORY_MIN 0.15 /* change of the fraction of rows */
#define UNITS_MIN 4       /* factor of the median size, or its inverse */

puad_status drift_begin(drift_sample *out, const puad_detector *model, size_t rows)
{
    *out = (drift_sample){.model = model, .stride = 1};
    if (!transform_of_table(model->table) || !model->profile.rows || rows < ROWS_MIN) return PUAD_OK;
    size_t columns = model->table->encoded, capacity = SAMPLE_VALUES / columns;
    out->capacity = capacity > SAMPLE_ROWS ? SAMPLE_ROWS : capacity < 2 * ROWS_MIN ? 2 * ROWS_MIN : capacity;
    if (rows < out->capacity) out->capacity = rows;
    TRY(memory_new(&out->values, out->capacity * columns, sizeof *out->values, "a sample of the rows"));
    return memory_new(&out->scores, out->capacity, sizeof *out->scores, "a sample of the rows");
}

void drift_end(drift_sample *sample)
{
    free(sample->values);
    free(sample->scores);
    *sample = (drift_sample){0};
}

/* Drops every second row of the sample, and halves the sampling rate. */
static void thin(drift_sample *sample, size_t columns)
{
    sample->count = (sample->count + 1) / 2;
    sample->stride *= 2;
    for (size_t i = 1; i < sample->count; i++) {
        memcpy(sample->values + i * columns, sample->values + 2 * i * columns,
               columns * sizeof *sample->values);
        sample->scores[i] = sample->scores[2 * i];
    }
}

void drift_add(drift_sample *sample, const float *values, const float *scores, size_t rows)
{
    if (!sample->capacity) return;
    sample->scored = scores != NULL;
    size_t columns = sample->model->table->encoded;
    for (size_t i = 0; i < rows; i++) {
        if (sample->seen++ % sample->stride) continue;
        if (sample->count == sample->capacity) {
            thin(sample, columns);
            if ((sample->seen - 1) % sample->stride) continue;
        }
        memcpy(sample->values + sample->count * columns, values + i * columns, columns * sizeof *values);
        sample->scores[sample->count++] = scores ? scores[i] : 0;
    }
}

typedef struct comparison {
    const drift_sample *sample;
    const puad_options *options;
    double tests; /* number of tests in total */
    size_t warned;
} comparison;

#define WARN(job, column, ...)                                                                               \
    do {                                                                                                     \
        if ((job)->warned++ < SHOWN_MAX) TRY(guard_warn((job)->options, NULL, column, __VA_ARGS__));         \
    } while (0)

static const float *sample_row(const comparison *job, size_t i)
{
    return job->sample->values + i * job->sample->model->table->encoded;
}

/* The training fraction of marked rows of a column (column_profile.h): of the two groups of rows the
 * closer one. */
static double share_before(const comparison *job, size_t encoded, double now)
{
    const column_profile *profile = &job->sample->model->profile;
    double low = (double)profile->marked[0][encoded], high = (double)profile->marked[1][encoded];
    if (low > high) {
        double other = low;
        low = high;
        high = other;
    }
    return now < low ? low : now > high ? high : now; /* or any mixture of both */
}

static double share_now(const comparison *job, const transform_column *column, size_t encoded)
{
    double marked = 0;
    for (size_t i = 0; i < job->sample->count; i++)
        marked += profile_marks(column, encoded, sample_row(job, i)[encoded]);
    return marked / (double)job->sample->count;
}

static bool share_differs(const comparison *job, double before, double now, double min)
{
    double rows_before = (double)job->sample->model->profile.rows, rows_now = (double)job->sample->count;
    return fabs(now - before) >= min &&
           share_chance(before, rows_before, now, rows_now) * job->tests < ERROR_RATE;
}

/* Compares missing cells, by their mark, or by the encoding of a missing number if training had none. */
static puad_status compare_missing(comparison *job, const transform_column *column, bool *out_differs)
{
    size_t mark = column->indicator ? column->first + column->width - 1 : column->first;
    if (!column->indicator && column->type != COLUMN_NUMBER) return PUAD_OK;
    double now = share_now(job, column, mark), before = share_before(job, mark, now);
    *out_differs = now > before && share_differs(job, before, now, MISSING_MIN);
    if (*out_differs) WARN(job, column->name, GUARD_missing_cells, 100 * now, 100 * before);
    return PUAD_OK;
}

/* Compares rows with an unusable value: a category not seen in training, or none although training had no
 * missing ones. */
static puad_status compare_unknown(comparison *job, const transform_column *column, bool *out_differs)
{
    double unknown = 0;
    for (size_t i = 0; i < job->sample->count; i++) {
        const float *cells = sample_row(job, i) + column->first;
        size_t k = 0;
        while (k < column->width && cells[k] == 0) k++;
        unknown += k == column->width;
    }
    double now = unknown / (double)job->sample->count;
    *out_differs = share_differs(job, 0, now, UNKNOWN_MIN);
    if (*out_differs) WARN(job, column->name, GUARD_new_categories, 100 * now);
    return PUAD_OK;
}

static puad_status compare_categories(comparison *job, const transform_column *column)
{
    double max = 0, was = 0, is = 0;
    bool differs = false;
    TRY(compare_unknown(job, column, &differs));
    if (differs) return PUAD_OK;
    for (size_t c = column->first; c < column->first + column->width - column->indicator; c++) {
        double now = share_now(job, column, c), before = share_before(job, c, now);
        if (!share_differs(job, before, now, CATEGORY_MIN) || fabs(now - before) < max) continue;
        max = fabs(now - before);
        was = before;
        is = now;
    }
    if (max > 0) WARN(job, column->name, GUARD_category_drift, 100 * is, 100 * was);
    return PUAD_OK;
}

/* The distance to the closest mixture of the two groups of rows; at each edge the best mixture is an end
 * or in between. */
static double edge_distance(const column_profile *profile, size_t at, double now)
{
    double a = (double)profile->through[0][at], b = (double)profile->through[1][at];
    double low = fmin(a, b), high = fmax(a, b);
    return now < low ? low - now : now > high ? now - high : 0;
}

static double median_size(double *sizes, size_t count)
{
    sort_doubles(sizes, count);
    return count ? sizes[count / 2] : 0;
}

static puad_status compare_number(comparison *job, const transform_column *column)
{
    const column_profile *profile = &job->sample->model->profile;
    const float *edges = profile->edges + column->first * PROFILE_EDGES;
    double at_most[PROFILE_EDGES] = {0}, sizes_before[PROFILE_EDGES], distance = 0;
    size_t present = 0;
    AUTO_FREE double *sizes = NULL;
    TRY(memory_new(&sizes, job->sample->count, sizeof *sizes, "a column"));
    for (size_t i = 0; i < job->sample->count; i++) {
        const float *row = sample_row(job, i);
        if (!profile_has_value(column, row)) continue;
        sizes[present++] = fabs(transform_decoded(column, row[column->first]));
        for (size_t k = 0; k < PROFILE_EDGES; k++) at_most[k] += row[column->first] <= edges[k];
    }
    if (present < ROWS_MIN) return PUAD_OK;
    for (size_t k = 0; k < PROFILE_EDGES; k++) {
        distance = fmax(distance, edge_distance(profile, column->first * PROFILE_EDGES + k,
                                                at_most[k] / (double)present));
        sizes_before[k] = fabs(transform_decoded(column, edges[k]));
    }
    double chance = distance_chance(distance, (double)profile->rows, (double)present);
    if (distance < DISTANCE_MIN || chance * job->tests >= ERROR_RATE) return PUAD_OK;
    double was = median_size(sizes_before, PROFILE_EDGES), is = median_size(sizes, present);
    if (was > 0 && is > 0 && (is >= UNITS_MIN * was || was >= UNITS_MIN * is))
        WARN(job, column->name, GUARD_units_changed, is, was);
    else
        WARN(job, column->name, GUARD_column_drift, distance, is, was);
    return PUAD_OK;
}

/* Compares the scores with those of held-out rows: the unlabeled ones, or with the training fraction of
 * labeled ones. */
static puad_status compare_scores_held(comparison *job)
{
    const puad_detector *model = job->sample->model;
    const calibration *held = &model->held_out;
    size_t count = job->sample->count, above = 0, held_above = 0;
    double labeled = (double)model->anomalies / (double)(model->rows ? model->rows : 1), distance = 0;
    AUTO_FREE float *now = NULL, *before = NULL, *known = NULL;
    if (held->unlabeled_count < ROWS_MIN || !job->sample->scored) return PUAD_OK;
    TRY(memory_new(&now, count, sizeof *now, "scores"));
    TRY(memory_new(&before, held->unlabeled_count, sizeof *before, "scores"));
    TRY(memory_new(&known, held->anomaly_count + 1, sizeof *known, "scores"));
    memcpy(now, job->sample->scores, count * sizeof *now);
    memcpy(before, held->unlabeled, held->unlabeled_count * sizeof *before);
    if (held->anomaly_count) memcpy(known, held->anomalies, held->anomaly_count * sizeof *known);
    sort_floats(now, count);
    sort_floats(before, held->unlabeled_count);
    sort_floats(known, held->anomaly_count);
    size_t n = 0, a = 0;
    for (size_t i = 0; i < held->unlabeled_count; i++) {
        while (n < count && now[n] <= before[i]) n++;
        while (a < held->anomaly_count && known[a] <= before[i]) a++;
        if (i + 1 < held->unlabeled_count && before[i + 1] == before[i]) continue;
        double unlabeled = (double)(i + 1) / (double)held->unlabeled_count, share = (double)n / (double)count;
        double other = held->anomaly_count
                           ? (1 - labeled) * unlabeled + labeled * (double)a / (double)held->anomaly_count
                           : unlabeled;
        double low = fmin(unlabeled, other), high = fmax(unlabeled, other);
        distance = fmax(distance, share < low ? low - share : share > high ? share - high : 0);
    }
    double chance = distance_chance(distance, (double)held->unlabeled_count, (double)count);
    if (distance < SCORE_DISTANCE_MIN || chance * job->tests >= ERROR_RATE) return PUAD_OK;
    float median = before[held->unlabeled_count / 2],
          top = before[held->unlabeled_count - 1 - held->unlabeled_count / 20];
    for (size_t i = 0; i < count; i++) above += now[i] > top;
    for (size_t i = 0; i < held->unlabeled_count; i++) held_above += before[i] > top;
    WARN(job, NULL, GUARD_score_drift, distance, (double)now[count / 2], (double)median,
         100.0 * (double)above / (double)count, 100.0 * (double)held_above / (double)held->unlabeled_count);
    return PUAD_OK;
}

static double count_tests(const transform *table)
{
    double tests = 1;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].type != COLUMN_DROPPED) tests += 1 + (double)table->columns[i].width;
    return tests;
}

puad_status drift_warn_order(const axis_clock *clock, const puad_options *options)
{
    if (!clock || !clock->back) return PUAD_OK;
    return guard_warn(options, NULL, clock->axis->time, GUARD_time_order, (double)clock->back,
                      (double)clock->first_back);
}

puad_status drift_warn_added(const char *const *names, size_t count, const puad_options *options)
{
    for (size_t i = 0; i < count && i < ADDED_SHOWN; i++)
        TRY(guard_warn(options, NULL, names[i], GUARD_new_column));
    if (count <= ADDED_SHOWN) return PUAD_OK;
    return guard_warn(options, NULL, NULL, GUARD_more_columns, (double)(count - ADDED_SHOWN));
}

/* Counts are lower for new rows, which training did not count; the source column is compared instead. */
static bool is_count(const transform *table, size_t index)
{
    return index >= table->input_count &&
           table->derived.columns[index - table->input_count].kind == DERIVED_COUNT;
}

puad_status drift_warn(const drift_sample *sample, const bool *absent, const puad_options *options)
{
    const transform *table = sample->model->table;
    comparison job = {.sample = sample, .options = options};
    for (size_t i = 0, reported = SIZE_MAX; absent && i < table->input_count; i++) {
        size_t source = transform_source_of(table, i);
        if (!absent[i] || source == reported) continue;
        reported = source;
        WARN(&job, table->columns[i].source, GUARD_missing_column);
    }
    if (sample->count >= ROWS_MIN) {
        job.tests = count_tests(table);
        TRY(compare_scores_held(&job));
        for (size_t i = 0; i < table->column_count; i++) {
            const transform_column *column = &table->columns[i];
            bool missing = false;
            if (column->width == 0 || is_count(table, i) || (absent && absent[i])) continue;
            TRY(compare_missing(&job, column, &missing));
            if (missing || column->part != PART_VALUE)
                continue; /* hours and weekdays differ from day to day */
            TRY((column->type == COLUMN_NUMBER ? compare_number : compare_categories)(&job, column));
        }
    }
    if (job.warned > SHOWN_MAX)
        return guard_warn(options, NULL, NULL, GUARD_more_columns, (double)(job.warned - SHOWN_MAX));
    return PUAD_OK;
}

puad_status puad_detector_compare(const puad_detector *model, const puad_dataset *data, const float *scores,
                                  const puad_options *options)
{
    uint64_t encoding;
    NEED(model);
    NEED(data);
    if (!transform_of_table(model->table)) return PUAD_OK;
    TRY(transform_fingerprint(&encoding, model->table, false));
    if (encoding != data->encoding)
        FAIL(PUAD_INVALID, "the rows are not encoded for this model: pass the model to puad_dataset_open");
    drift_sample sample;
    puad_status status = drift_begin(&sample, model, data->data.rows);
    if (status == PUAD_OK) {
        drift_add(&sample, data->data.values, scores, data->data.rows);
        status = drift_warn(&sample, data->data.absent, options);
    }
    drift_end(&sample);
    return status;
}
