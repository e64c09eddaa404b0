/* Implements <puad/groups.h>: average linkage over explanations.
 *
 * A row of a table becomes a vector of length 1: the square root of each encoded column's contribution,
 * negative if the value is below the typical one. An image becomes its mean brightness in GRID x GRID
 * cells, minus the mean of all rows. The similarity of two groups is the mean product of their rows'
 * vectors; the most similar groups are joined until none exceed JOIN_MIN. */
#include "base/sort.h"
#include "detector/model/model.h"
#include "detector/model/typical_values.h"
#include "detector/reasons.h"

#include <math.h>
#include <puad/explain.h>
#include <puad/groups.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOIN_MIN 0.5
#define SHARE_MIN 0.1 /* minimum contribution of a column to characterize a group */
enum { GRID = 8, REASONS_MAX = 4 };

typedef struct one_group {
    size_t rows, example, reasons;
    puad_reason reason[REASONS_MAX]; /* the value: median or most frequent category of the group */
} one_group;

struct puad_groups {
    arena memory;
    const puad_detector *model;
    size_t rows, count;
    size_t *values; /* per row: its group */
    one_group *groups;
};

/* Work memory. */
typedef struct work {
    arena memory;
    puad_scorer *scorer;
    const puad_detector *model;
    const float *values;
    size_t rows, columns, size, file_columns; /* size: of a vector */
    float *vectors, *shares;                  /* rows x size; rows x file_columns, for tables */
} work;

static void normalize(float *vector, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++) sum += (double)vector[i] * (double)vector[i];
    for (size_t i = 0; i < size && sum > 0; i++) vector[i] = (float)((double)vector[i] / sqrt(sum));
}

static puad_status table_vectors(work *job)
{
    const float *medians = job->model->usual ? job->model->usual + USUAL_MEDIAN * job->columns : NULL;
    for (size_t i = 0; i < job->rows; i++) {
        const float *row = job->values + i * job->columns;
        float *vector = job->vectors + i * job->size;
        TRY(puad_scorer_explain(job->scorer, vector, row, job->columns));
        const transform *table = job->model->table;
        for (size_t k = 0; k < job->file_columns; k++)
            for (size_t c = 0; c < table->columns[k].width; c++)
                job->shares[i * job->file_columns + k] += vector[table->columns[k].first + c];
        for (size_t c = 0; c < job->columns; c++) {
            float side = medians ? row[c] - medians[c] : row[c];
            vector[c] = copysignf(sqrtf(fmaxf(vector[c], 0)), side);
        }
        normalize(vector, job->size);
    }
    return PUAD_OK;
}

static puad_status image_vectors(work *job)
{
    shape in = job->model->in;
    AUTO_FREE double *mean = NULL;
    TRY(memory_new(&mean, job->size, sizeof *mean, "groups"));
    for (size_t i = 0; i < job->rows; i++)
        for (size_t c = 0; c < job->columns; c++) {
            size_t pixel = c / in.channels, y = pixel / in.width * GRID / in.height,
                   x = pixel % in.width * GRID / in.width;
            size_t at = (y * GRID + x) * in.channels + c % in.channels;
            job->vectors[i * job->size + at] += job->values[i * job->columns + c];
            mean[at] += (double)job->values[i * job->columns + c] / (double)job->rows;
        }
    for (size_t i = 0; i < job->rows; i++) {
        for (size_t k = 0; k < job->size; k++) job->vectors[i * job->size + k] -= (float)mean[k];
        normalize(job->vectors + i * job->size, job->size);
    }
    return PUAD_OK;
}

static float product(const float *a, const float *b, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++) sum += (double)a[i] * (double)b[i];
    return (float)sum;
}

/* Joins rows; of[i] is the index of the first row in the group of row i. */
static puad_status join(size_t *values, work *job)
{
    size_t n = job->rows, *sizes;
    float *alike;
    TRY(arena_new(&job->memory, &alike, n * n, sizeof *alike));
    TRY(arena_new(&job->memory, &sizes, n, sizeof *sizes));
    for (size_t i = 0; i < n; i++) {
        values[i] = i;
        sizes[i] = 1;
        for (size_t k = 0; k < i; k++)
            alike[i * n + k] = alike[k * n + i] =
                product(job->vectors + i * job->size, job->vectors + k * job->size, job->size);
    }
    for (;;) {
        size_t a = n, b = n;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < i && sizes[i]; k++)
                if (sizes[k] && alike[i * n + k] > JOIN_MIN &&
                    (a == n || alike[i * n + k] > alike[b * n + a])) {
                    a = k;
                    b = i;
                }
        if (a == n) return PUAD_OK;
        double left = (double)sizes[a], right = (double)sizes[b];
        for (size_t k = 0; k < n; k++)
            alike[a * n + k] = alike[k * n + a] =
                (float)((left * (double)alike[a * n + k] + right * (double)alike[b * n + k]) /
                        (left + right));
        for (size_t i = 0; i < n; i++)
            if (values[i] == b) values[i] = a;
        sizes[a] += sizes[b];
        sizes[b] = 0;
    }
}

typedef struct ranked {
    size_t first, rows;
} ranked;

static int larger_first(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->rows != b->rows) return a->rows < b->rows ? 1 : -1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Numbers groups by size. */
static puad_status number_groups(puad_groups *out, work *job)
{
    ranked *order;
    size_t n = job->rows, *place;
    TRY(arena_new(&job->memory, &order, n, sizeof *order));
    TRY(arena_new(&job->memory, &place, n, sizeof *place));
    for (size_t i = 0; i < n; i++) order[i].first = i;
    for (size_t i = 0; i < n; i++) order[out->values[i]].rows++;
    qsort(order, n, sizeof *order, larger_first);
    while (out->count < n && order[out->count].rows) out->count++;
    for (size_t g = 0; g < out->count; g++) place[order[g].first] = g;
    for (size_t i = 0; i < n; i++) out->values[i] = place[out->values[i]];
    TRY(arena_new(&out->memory, &out->groups, out->count, sizeof *out->groups));
    for (size_t g = 0; g < out->count; g++) out->groups[g].rows = order[g].rows;
    return PUAD_OK;
}

static void choose_example(puad_groups *out, size_t group, const work *job, float *sum)
{
    float best = -INFINITY;
    memset(sum, 0, job->size * sizeof *sum);
    for (size_t i = 0; i < job->rows; i++)
        for (size_t c = 0; out->values[i] == group && c < job->size; c++)
            sum[c] += job->vectors[i * job->size + c];
    for (size_t i = 0; i < job->rows; i++) {
        float alike =
            out->values[i] == group ? product(sum, job->vectors + i * job->size, job->size) : -INFINITY;
        if (!(alike > best)) continue;
        best = alike;
        out->groups[group].example = i;
    }
}

/* A row with the group's typical cell in one column: the median of its numbers, its most frequent string. */
static void usual_cell(float *row, const puad_groups *groups, size_t group, const transform_column *column,
                       const work *job, float *buffer)
{
    for (size_t c = column->first; c < column->first + column->width; c++) {
        size_t n = 0;
        double sum = 0;
        for (size_t i = 0; i < job->rows; i++) {
            const float *source = job->values + i * job->columns;
            bool number = column->type == COLUMN_NUMBER && c == column->first;
            if (groups->values[i] != group || (number && column->indicator && source[c + 1] != 0)) continue;
            buffer[n++] = source[c];
            sum += (double)source[c];
        }
        sort_floats(buffer, n);
        row[c] = n == 0 ? 0 : column->type == COLUMN_NUMBER ? buffer[n / 2] : (float)(sum / (double)n);
    }
}

static puad_status tell_reasons(puad_groups *out, size_t group, work *job, float *row, float *buffer)
{
    one_group *at = &out->groups[group];
    double *means;
    TRY(arena_new(&job->memory, &means, job->file_columns, sizeof *means));
    for (size_t i = 0; i < job->rows; i++)
        for (size_t k = 0; out->values[i] == group && k < job->file_columns; k++)
            means[k] += (double)job->shares[i * job->file_columns + k] / (double)at->rows;
    while (at->reasons < REASONS_MAX) {
        size_t best = 0;
        for (size_t k = 1; k < job->file_columns; k++)
            if (means[k] > means[best]) best = k;
        if (!(means[best] >= SHARE_MIN)) break;
        size_t r = at->reasons++;
        const transform_column *column = &job->model->table->columns[best];
        at->reason[r] = reason_of(job->model, best, means[best]);
        means[best] = 0;
        usual_cell(row, out, group, column, job, buffer);
        reason_set_cell(&at->reason[r], column, row);
    }
    return PUAD_OK;
}

static puad_status find(puad_groups *out, work *job)
{
    float *row, *buffer, *sum;
    size_t n = job->rows;
    TRY(arena_new(&job->memory, &job->vectors, n * job->size, sizeof *job->vectors));
    TRY(arena_new(&job->memory, &job->shares, n * job->file_columns, sizeof *job->shares));
    TRY(arena_new(&job->memory, &row, job->columns, sizeof *row));
    TRY(arena_new(&job->memory, &buffer, n, sizeof *buffer));
    TRY(arena_new(&job->memory, &sum, job->size, sizeof *sum));
    TRY(arena_new(&out->memory, &out->values, n, sizeof *out->values));
    TRY(job->file_columns ? table_vectors(job) : image_vectors(job));
    TRY(join(out->values, job));
    TRY(number_groups(out, job));
    for (size_t g = 0; g < out->count; g++) {
        choose_example(out, g, job, sum);
        if (job->file_columns) TRY(tell_reasons(out, g, job, row, buffer));
    }
    return PUAD_OK;
}

puad_status puad_groups_find(puad_groups **out, puad_scorer *scorer, const float *values, size_t rows,
                             size_t columns)
{
    NEED(out);
    *out = NULL;
    NEED(scorer);
    if (rows) NEED(values);
    const puad_detector *model = scorer_model(scorer);
    work job = {.scorer = scorer, .model = model, .values = values, .rows = rows, .columns = columns};
    job.file_columns = model_column_count(model);
    if (rows > PUAD_GROUPS_ROWS_MAX)
        FAIL(PUAD_INVALID, "%zu rows to group; at most %d at a time", rows, PUAD_GROUPS_ROWS_MAX);
    if (columns != shape_size(model->in))
        FAIL(PUAD_INVALID, "rows of %zu values, the model takes %zu", columns, shape_size(model->in));
    if (!model->image && !job.file_columns)
        FAIL(PUAD_INVALID, "rows are grouped by columns of a file, and the model has none");
    job.size = model->image ? (size_t)GRID * GRID * model->in.channels : columns;
    puad_groups *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "groups"));
    made->model = model;
    made->rows = rows;
    puad_status status = find(made, &job);
    arena_free(&job.memory);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_groups_free(made);
    return status;
}

void puad_groups_free(puad_groups *groups)
{
    if (!groups) return;
    arena_free(&groups->memory);
    free(groups);
}

size_t puad_groups_count(const puad_groups *groups)
{
    return groups ? groups->count : 0;
}

puad_status puad_groups_at(const puad_groups *groups, puad_group *out, size_t index)
{
    NEED(groups);
    NEED(out);
    if (index >= groups->count) FAIL(PUAD_INVALID, "group %zu of %zu", index, groups->count);
    const one_group *at = &groups->groups[index];
    puad_group group = {.rows = at->rows, .example = at->example, .reasons = at->reasons};
    return struct_write(out, &group, sizeof group, "puad_group");
}

size_t puad_groups_of_row(const puad_groups *groups, size_t row)
{
    return groups && row < groups->rows ? groups->values[row] : SIZE_MAX;
}

puad_status puad_groups_reason(const puad_groups *groups, puad_reason *out, size_t group, size_t index)
{
    NEED(groups);
    NEED(out);
    if (group >= groups->count || index >= groups->groups[group].reasons)
        FAIL(PUAD_INVALID, "there is no reason %zu of group %zu", index, group);
    return struct_write(out, &groups->groups[group].reason[index], sizeof *out, "puad_reason");
}
