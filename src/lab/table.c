/* From records to the values of a table. */
#include "lab/table.h"

#include "detector/detectors.h"
#include "lab/statistics.h"
#include "sets/set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.05

/* Options that say where a run stands in the table's averages rather than which row it belongs to. */
static bool is_place(const field *option)
{
    static const char *const places[] = {"dataset", "normal", "unseen", "seed", "method"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(option->name, places[i]) == 0) return true;
    return false;
}

static bool in_list(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0) return true;
    return count == 0;
}

static puad_status fits_where(bool *out, const lab_record *record, const table_query *query)
{
    char room[FIELD_ROOM], name[64];
    *out = true;
    for (size_t i = 0; i < query->where_count; i++) {
        const char *equals = strchr(query->where[i], '=');
        snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - query->where[i]) : 0, query->where[i]);
        const field *option = lab_field(name);
        if (!option || !option->option)
            FAIL(PUAD_INVALID, "'%s' is not NAME=VALUE of an option of cells", query->where[i]);
        *out = *out && strcmp(field_text(room, record, option), equals + 1) == 0;
    }
    return PUAD_OK;
}

/* Where a method stands in detectors.def; unknown ones last. */
static size_t method_rank(const char *method)
{
    size_t rank = 0;
    const detector_kind *kind;
    while ((kind = detector_kind_at(rank)) && strcmp(kind->name, method) != 0) rank++;
    return rank;
}

/* Rows are told apart by method and by every option that is no place; this orders them. */
static int compare_rows(const lab_record *one, const lab_record *other)
{
    size_t left = method_rank(one->cell.method), right = method_rank(other->cell.method);
    if (left != right) return left < right ? -1 : 1;
    int order = strcmp(one->cell.method, other->cell.method);
    size_t count;
    const field *fields = lab_fields(&count);
    char first[FIELD_ROOM], second[FIELD_ROOM];
    for (size_t i = 0; i < lab_option_count && order == 0; i++) {
        if (is_place(&fields[i])) continue;
        const char *a = field_text(first, one, &fields[i]), *b = field_text(second, other, &fields[i]);
        if (fields[i].type != FIELD_TEXT && strcmp(a, b) != 0)
            order = strtod(a, NULL) < strtod(b, NULL) ? -1 : 1;
        else
            order = strcmp(a, b);
    }
    return order;
}

static int compare_entries(const void *a, const void *b)
{
    const lab_record *one = *(const lab_record *const *)a, *other = *(const lab_record *const *)b;
    int order = compare_rows(one, other);
    if (order == 0) order = strcmp(one->cell.dataset, other->cell.dataset);
    if (order == 0) order = strcmp(one->cell.normal, other->cell.normal);
    if (order == 0) order = (one->cell.seed > other->cell.seed) - (one->cell.seed < other->cell.seed);
    return order;
}

/* What is worked on: the records that fit, sorted, and the first record of each row. */
typedef struct selection {
    const lab_record **records;
    size_t count;
    const lab_record **firsts;
    size_t row_count;
} selection;

static puad_status select_records(selection *out, arena *memory, const lab_record *records, size_t count,
                                  const table_query *query)
{
    *out = (selection){0};
    TRY(arena_new(memory, &out->records, count, sizeof *out->records));
    TRY(arena_new(memory, &out->firsts, count, sizeof *out->firsts));
    for (size_t i = 0; i < count; i++) {
        bool fits;
        TRY(fits_where(&fits, &records[i], query));
        if (fits && in_list(records[i].cell.dataset, query->datasets, query->dataset_count) &&
            in_list(records[i].cell.method, query->methods, query->method_count))
            out->records[out->count++] = &records[i];
    }
    if (out->count == 0) FAIL(PUAD_INVALID, "no cell of the ledger fits");
    qsort(out->records, out->count, sizeof *out->records, compare_entries);
    for (size_t i = 0; i < out->count; i++)
        if (i == 0 || compare_rows(out->records[i - 1], out->records[i]) != 0)
            out->firsts[out->row_count++] = out->records[i];
    return PUAD_OK;
}

static bool is_absent(const field *option, const char *value)
{
    return option->absent && strcmp(value, option->absent) == 0;
}

/* Whether an option differs between rows to which it means something, or within one method. */
static bool varies(const selection *from, const field *option)
{
    char room[FIELD_ROOM], other[FIELD_ROOM];
    for (size_t i = 0; i < from->row_count; i++)
        for (size_t j = i + 1; j < from->row_count; j++) {
            const char *one = field_text(room, from->firsts[i], option),
                       *two = field_text(other, from->firsts[j], option);
            bool both = !is_absent(option, one) && !is_absent(option, two);
            bool comparable = both || strcmp(from->firsts[i]->cell.method, from->firsts[j]->cell.method) == 0;
            if (comparable && strcmp(one, two) != 0) return true;
        }
    return false;
}

/* "name=value, ..." of the options that vary, or of those that do not, where they mean something. */
static puad_status describe(const char **out, arena *memory, const selection *from, size_t row, bool varying)
{
    size_t count, size = 0;
    const field *fields = lab_fields(&count);
    AUTO_FREE char *text = NULL;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) FAIL(PUAD_MEMORY, "no memory for a table");
    char room[FIELD_ROOM];
    for (size_t i = 0; i < lab_option_count; i++) {
        if (is_place(&fields[i]) || varies(from, &fields[i]) != varying) continue;
        size_t first = varying ? row : 0, last = varying ? row + 1 : from->row_count;
        for (size_t r = first; r < last; r++) { /* what is common, from a row that has it */
            const char *value = field_text(room, from->firsts[r], &fields[i]);
            if (!*value || is_absent(&fields[i], value)) continue;
            fprintf(stream, "%s%s=%s", ftell(stream) > 0 ? ", " : "", fields[i].name, value);
            break;
        }
    }
    bool failed = ferror(stream);
    failed |= fclose(stream) != 0;
    *out = failed ? NULL : arena_text(memory, text);
    if (!*out) FAIL(PUAD_MEMORY, "no memory for a table");
    return PUAD_OK;
}

/* The data sets in the order of the query, else of sets.def, else of the alphabet. */
static puad_status list_datasets(lab_table *out, arena *memory, const selection *from,
                                 const table_query *query)
{
    size_t set_count;
    const set_row *sets = sets_all(&set_count);
    TRY(arena_new(memory, &out->datasets, from->count, sizeof *out->datasets));
    for (size_t pass = 0; pass < query->dataset_count + set_count + 1; pass++)
        for (size_t i = 0; i < from->count; i++) {
            const char *name = from->records[i]->cell.dataset;
            const char *wanted = pass < query->dataset_count ? query->datasets[pass]
                                 : pass < query->dataset_count + set_count
                                     ? sets[pass - query->dataset_count].name
                                     : name;
            bool fresh = strcmp(name, wanted) == 0;
            for (size_t d = 0; fresh && d < out->dataset_count; d++)
                fresh = strcmp(out->datasets[d], name) != 0;
            if (fresh) out->datasets[out->dataset_count++] = name;
        }
    return PUAD_OK;
}

/* A (normal class, seed) of a data set: what the values of its methods are paired by. */
typedef struct pair {
    const char *normal;
    long long seed;
} pair;

typedef struct pairs {
    pair *list;
    size_t count, normals, seeds;
} pairs;

static puad_status list_pairs(pairs *out, arena *memory, const selection *from, const char *set)
{
    *out = (pairs){0};
    TRY(arena_new(memory, &out->list, from->count, sizeof *out->list));
    for (size_t i = 0; i < from->count; i++) {
        const lab_cell *cell = &from->records[i]->cell;
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

/* Runs that a full table would have: normal classes of the data set times seeds. */
static size_t expected_runs(const char *set, const pairs *of, const table_query *query)
{
    set_cell cells[SET_CELLS_MOST];
    const set_row *about;
    size_t normals = set_find(&about, set) == PUAD_OK ? set_cells(cells, about) : of->normals;
    size_t expected = normals * (query->seeds ? query->seeds : of->seeds);
    return expected > of->count ? expected : of->count;
}

static puad_status fill_dataset(lab_table *out, arena *memory, const selection *from, size_t at,
                                const table_query *query)
{
    pairs of;
    double *values;
    bool *marks;
    size_t most = 0;
    TRY(list_pairs(&of, memory, from, out->datasets[at]));
    TRY(arena_new(memory, &values, out->row_count * of.count, sizeof *values));
    TRY(arena_new(memory, &marks, out->row_count, sizeof *marks));
    for (size_t i = 0; i < out->row_count * of.count; i++) values[i] = NAN;
    for (size_t i = 0, row = 0; i < from->count; i++) {
        const lab_record *record = from->records[i];
        while (compare_rows(from->firsts[row], record) != 0) row++;
        if (strcmp(record->cell.dataset, out->datasets[at]) != 0) continue;
        for (size_t p = 0; p < of.count; p++)
            if (of.list[p].seed == record->cell.seed && strcmp(of.list[p].normal, record->cell.normal) == 0)
                values[row * of.count + p] = anomalies_auroc(query->which, &record->result);
        out->values[row * out->dataset_count + at].reduced |= record->result.reduced == 1;
    }

    for (size_t row = 0; row < out->row_count; row++) {
        table_value *value = &out->values[row * out->dataset_count + at];
        const double *own = values + row * of.count;
        for (size_t p = 0; p < of.count; p++) value->runs += !isnan(own[p]);
        value->expected = expected_runs(out->datasets[at], &of, query);
        value->mean = statistics_mean(own, of.count);
        value->deviation = statistics_deviation(own, of.count);
        if (value->runs > most) most = value->runs;
        if (query->paper && !value->reduced)
            value->paper = paper_find(query->paper, query->which, out->datasets[at], out->rows[row].method);
    }
    for (size_t row = 0; row < out->row_count; row++) /* averages over fewer classes do not compete */
        for (size_t p = 0; p < of.count; p++)
            if (out->values[row * out->dataset_count + at].runs < most) values[row * of.count + p] = NAN;
    statistics_mark_best(marks, values, out->row_count, of.count, LEVEL);
    for (size_t row = 0; row < out->row_count; row++)
        out->values[row * out->dataset_count + at].best = marks[row];
    return PUAD_OK;
}

puad_status table_build(lab_table *out, arena *memory, const lab_record *records, size_t count,
                        const table_query *query)
{
    selection from;
    *out = (lab_table){.which = query->which};
    TRY(select_records(&from, memory, records, count, query));
    TRY(list_datasets(out, memory, &from, query));
    out->row_count = from.row_count;
    TRY(arena_new(memory, &out->rows, out->row_count, sizeof *out->rows));
    TRY(arena_new(memory, &out->values, out->row_count * out->dataset_count, sizeof *out->values));
    TRY(describe(&out->common, memory, &from, 0, false));
    for (size_t row = 0; row < out->row_count; row++) {
        out->rows[row].method = from.firsts[row]->cell.method;
        TRY(describe(&out->rows[row].setting, memory, &from, row, true));
    }
    for (size_t i = 0; i < out->dataset_count; i++) TRY(fill_dataset(out, memory, &from, i, query));
    return PUAD_OK;
}
