/* Computes the values of a table from records. */
#include "lab/results/result_table.h"

#include "lab/results/statistics.h"
#include "lab/sets/set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.05
enum {
    PAIRS_MIN = 4,   /* a test of fewer pairs has hardly any power */
    PAPER_SEEDS = 5, /* of each normal class */
};

/* A (normal class, seed) of a dataset, by which the values of methods are paired. */
typedef struct pair {
    const char *normal;
    long long seed;
} pair;

typedef struct pairs {
    pair *list;
    size_t count, normals, seeds;
} pairs;

static puad_status list_pairs(pairs *out, arena *memory, const selection *subset, const char *set)
{
    *out = (pairs){0};
    TRY(arena_new(memory, &out->list, subset->count, sizeof *out->list));
    for (size_t i = 0; i < subset->count; i++) {
        const lab_cell *cell = &subset->records[i]->cell;
        if (strcmp(cell->dataset, set) != 0) continue;
        bool fresh = true, fresh_normal = true, fresh_seed = true;
        for (size_t p = 0; p < out->count; p++) {
            bool normal = strcmp(out->list[p].normal, cell->normal) == 0,
                 seed = out->list[p].seed == cell->seed;
            fresh = fresh && !(normal && seed);
            fresh_normal = fresh_normal && !normal;
            fresh_seed = fresh_seed && !seed;
        }
        if (fresh) out->list[out->count++] = (pair){cell->normal, cell->seed};
        out->normals += fresh_normal;
        out->seeds += fresh_seed;
    }
    return PUAD_OK;
}

/* Runs of a complete table: normal classes of the dataset times seeds. */
static size_t expected_runs(const char *set, const pairs *source, const table_query *query)
{
    set_cell cells[SET_CELLS_MAX];
    const set_row *about;
    size_t normals = set_find(&about, set) == PUAD_OK ? set_cells(cells, about) : source->normals;
    size_t expected = normals * (query->seeds ? query->seeds : source->seeds);
    return expected > source->count ? expected : source->count;
}

static int by_size(const void *a, const void *b)
{
    size_t one = *(const size_t *)a, other = *(const size_t *)b;
    return (one > other) - (one < other);
}

/* The rows that compete for the best: those with at least the median number of runs, so that a row with
 * few runs does not reduce the comparison of the others, with the set's default unseen classes. */
static puad_status list_competing(bool *competes, arena *memory, const lab_table *table,
                                  const selection *subset, size_t at)
{
    size_t *runs, there = 0;
    bool full = false;
    for (size_t row = 0; row < table->row_count; row++) {
        const table_value *value = &table->values[row * table->dataset_count + at];
        full = full || (value->runs && !value->reduced);
    }
    TRY(arena_new(memory, &runs, table->row_count, sizeof *runs));
    for (size_t row = 0; row < table->row_count; row++) {
        const table_value *value = &table->values[row * table->dataset_count + at];
        competes[row] =
            value->runs && lab_unseen_is_own(&subset->firsts[row]->cell) && !(full && value->reduced);
        if (competes[row]) runs[there++] = value->runs;
    }
    qsort(runs, there, sizeof *runs, by_size);
    for (size_t row = 0; row < table->row_count && there; row++)
        competes[row] &= table->values[row * table->dataset_count + at].runs >= runs[(there - 1) / 2];
    return PUAD_OK;
}

/* Marks the best rows over the classes and seeds that all competing rows have; the other entries of
 * `values` are removed. */
static puad_status mark_best(lab_table *out, arena *memory, const selection *subset, size_t at,
                             double *values, size_t pair_count)
{
    bool *competes, *marks;
    size_t shared = 0;
    TRY(arena_new(memory, &competes, out->row_count, sizeof *competes));
    TRY(arena_new(memory, &marks, out->row_count, sizeof *marks));
    TRY(list_competing(competes, memory, out, subset, at));
    for (size_t p = 0; p < pair_count; p++) {
        bool all = true;
        for (size_t row = 0; row < out->row_count; row++)
            all = all && !(competes[row] && isnan(values[row * pair_count + p]));
        for (size_t row = 0; row < out->row_count; row++)
            if (!all || !competes[row]) values[row * pair_count + p] = NAN;
        shared += all;
    }
    size_t best = statistics_mark_best(marks, values, out->row_count, pair_count, LEVEL), rivals = 0;
    for (size_t row = 0; row < out->row_count; row++) rivals += competes[row];
    for (size_t row = 0; row < out->row_count; row++)
        out->values[row * out->dataset_count + at].best =
            rivals > 1 && marks[row] && (shared >= PAIRS_MIN || row == best);
    return PUAD_OK;
}

/* Whether the paper's result is shown in this row: with runs of the paper's task or, if a method has none
 * on the set, in the first of its rows. */
static bool stands_beside_paper(const lab_table *table, const selection *subset, size_t row, size_t at)
{
    const table_value *value = &table->values[row * table->dataset_count + at];
    if (subset->firsts[row]->result.reduced == 1 || !lab_is_papers_task(&subset->firsts[row]->cell))
        return false;
    if (value->runs) return true;
    for (size_t other = 0; other < table->row_count; other++)
        if (strcmp(table->rows[other].method, table->rows[row].method) == 0 &&
            (other < row || table->values[other * table->dataset_count + at].runs))
            return false;
    return true;
}

/* The number of runs with the normal class of pair p. */
static size_t runs_of_class(const pairs *source, const double *own, size_t p)
{
    size_t runs = 0;
    for (size_t q = 0; q < source->count; q++)
        runs += !isnan(own[q]) && strcmp(source->list[q].normal, source->list[p].normal) == 0;
    return runs;
}

/* Mean and standard deviation (ddof 1) with equal weights of normal classes, however many of their seeds
 * have been run, so that the results of an interrupted run are not dominated by its first classes. With
 * equally many runs these are the plain ones over all runs. */
static void summarize(table_value *value, const pairs *source, const double *own)
{
    double weights = 0, weights_squared = 0, sum = 0, squares = 0;
    for (size_t p = 0; p < source->count; p++) {
        if (isnan(own[p])) continue;
        double weight = 1.0 / (double)runs_of_class(source, own, p);
        value->runs++;
        weights += weight;
        weights_squared += weight * weight;
        sum += weight * own[p];
    }
    value->mean = value->runs ? sum / weights : NAN;
    for (size_t p = 0; p < source->count; p++)
        if (!isnan(own[p]))
            squares +=
                (own[p] - value->mean) * (own[p] - value->mean) / (double)runs_of_class(source, own, p);
    value->worth = value->runs ? weights * weights / weights_squared : 0;
    value->deviation = value->runs > 1 ? sqrt(squares / weights * value->worth / (value->worth - 1)) : NAN;
}

/* The difference to the paper's result if `own`, one value per pair, has every normal class. */
static void compare_with_paper(table_value *value, const pairs *source, const double *own, const char *set)
{
    set_cell cells[SET_CELLS_MAX];
    const set_row *about;
    size_t classes = set_find(&about, set) == PUAD_OK ? set_cells(cells, about) : 0, found = 0;
    value->difference = value->error = NAN;
    for (size_t p = 0; p < source->count; p++) {
        bool fresh = !isnan(own[p]);
        for (size_t q = 0; q < p && fresh; q++)
            fresh = isnan(own[q]) || strcmp(source->list[q].normal, source->list[p].normal) != 0;
        found += fresh;
    }
    if (!value->paper || !classes || found < classes) return;
    double ours = value->deviation * value->deviation / value->worth,
           papers = value->paper->deviation * value->paper->deviation / (double)(classes * PAPER_SEEDS);
    value->difference = value->mean - value->paper->mean;
    value->error = sqrt(ours + papers);
}

static puad_status fill_dataset(lab_table *out, arena *memory, const selection *subset, size_t at,
                                const table_query *query)
{
    pairs source;
    double *values;
    TRY(list_pairs(&source, memory, subset, out->datasets[at]));
    TRY(arena_new(memory, &values, out->row_count * source.count, sizeof *values));
    for (size_t i = 0; i < out->row_count * source.count; i++) values[i] = NAN;
    for (size_t i = 0, row = 0; i < subset->count; i++) {
        const lab_record *record = subset->records[i];
        while (selection_compare(subset, subset->firsts[row], record) != 0) row++;
        if (strcmp(record->cell.dataset, out->datasets[at]) != 0) continue;
        for (size_t p = 0; p < source.count; p++)
            if (source.list[p].seed == record->cell.seed &&
                strcmp(source.list[p].normal, record->cell.normal) == 0)
                values[row * source.count + p] = anomalies_auroc(query->which, &record->result);
        out->values[row * out->dataset_count + at].reduced |= record->result.reduced == 1;
    }

    for (size_t row = 0; row < out->row_count; row++) {
        table_value *value = &out->values[row * out->dataset_count + at];
        const double *own = values + row * source.count;
        value->expected = expected_runs(out->datasets[at], &source, query);
        summarize(value, &source, own);
    }
    for (size_t row = 0; row < out->row_count; row++) {
        table_value *value = &out->values[row * out->dataset_count + at];
        if (query->paper && stands_beside_paper(out, subset, row, at))
            value->paper = paper_find(query->paper, query->which, out->datasets[at], out->rows[row].method);
        compare_with_paper(value, &source, values + row * source.count, out->datasets[at]);
    }
    return mark_best(out, memory, subset, at, values, source.count);
}

puad_status table_build(lab_table *out, arena *memory, const lab_record *records, size_t count,
                        const table_query *query)
{
    selection subset;
    *out = (lab_table){.which = query->which};
    TRY(selection_make(&subset, memory, records, count, &query->cells));
    out->datasets = subset.datasets;
    out->dataset_count = subset.dataset_count;
    out->row_count = subset.row_count;
    TRY(arena_new(memory, &out->rows, out->row_count, sizeof *out->rows));
    TRY(arena_new(memory, &out->values, out->row_count * out->dataset_count, sizeof *out->values));
    TRY(selection_describe(&out->common, memory, &subset, 0, false));
    TRY(selection_budget(&out->budget, memory, &subset));
    for (size_t row = 0; row < out->row_count; row++) {
        out->rows[row].method = subset.firsts[row]->cell.method;
        TRY(selection_describe(&out->rows[row].setting, memory, &subset, row, true));
    }
    for (size_t i = 0; i < out->dataset_count; i++) TRY(fill_dataset(out, memory, &subset, i, query));
    return PUAD_OK;
}
