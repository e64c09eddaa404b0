/* Selects records, groups them into rows, and describes the differences between rows. */
#include "lab/ledger/record_filter.h"

#include "detector/model/detectors.h"
#include "lab/sets/set.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that identify a run within an average, or that are swept over, rather than its row. */
static bool is_place(const record_query *query, const field *option)
{
    static const char *const places[] = {"dataset", "normal", "seed", "method"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(option->name, places[i]) == 0) return true;
    for (size_t i = 0; i < query->swept_count; i++)
        if (strcmp(option->name, query->swept[i]) == 0) return true;
    return false;
}

/* An option in the form that distinguishes rows: default unseen classes, which differ between sets, count
 * as none. */
static const char *row_text(char buffer[FIELD_CAPACITY], const lab_record *record, const field *option)
{
    if (strcmp(option->name, "unseen") == 0 && lab_unseen_is_own(&record->cell)) return "";
    return field_text(buffer, record, option);
}

static bool in_list(const char *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, list[i]) == 0) return true;
    return count == 0;
}

static bool means_nothing(const lab_record *record, const field *option)
{
    return lab_option_means_nothing(&record->cell, option);
}

/* "0.10" is 0.1. */
static bool has_value(const lab_record *record, const field *option, const char *text)
{
    AUTO_ARENA arena scratch = {0};
    lab_record other = *record;
    return field_set(&other, option, text, &scratch) == PUAD_OK && field_same(record, &other, option);
}

/* Matches experiments whose option has the value, or whose method does not use the option, so that the
 * methods of one variant stay together. *exactly counts the first kind for each condition. */
static puad_status fits_where(bool *out, size_t *exactly, const lab_record *record, const record_query *query)
{
    char name[64];
    *out = true;
    for (size_t i = 0; i < query->where_count; i++) {
        const char *equals = strchr(query->where[i], '=');
        snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - query->where[i]) : 0, query->where[i]);
        const field *option = lab_field(name);
        if (!option || !option->option)
            FAIL(PUAD_INVALID, "'%s' is not NAME=VALUE with an option of experiments", query->where[i]);
        bool nothing = means_nothing(record, option);
        bool same = !nothing && has_value(record, option, equals + 1);
        exactly[i] += same;
        *out = *out && (same || nothing);
    }
    return PUAD_OK;
}

/* A method's index in detectors.def; unknown ones last. */
static size_t method_rank(const char *method)
{
    size_t rank = 0;
    const detector_kind *kind;
    while ((kind = detector_kind_at(rank)) && strcmp(kind->name, method) != 0) rank++;
    return rank;
}

int selection_compare(const selection *in, const lab_record *one, const lab_record *other)
{
    size_t left = method_rank(one->cell.method), right = method_rank(other->cell.method);
    if (left != right) return left < right ? -1 : 1;
    int order = strcmp(one->cell.method, other->cell.method);
    size_t count;
    const field *fields = lab_fields(&count);
    char first[FIELD_CAPACITY], second[FIELD_CAPACITY];
    for (size_t i = 0; i < lab_option_count && order == 0; i++) {
        if (is_place(in->query, &fields[i])) continue;
        const char *a = row_text(first, one, &fields[i]), *b = row_text(second, other, &fields[i]);
        if (fields[i].type != FIELD_TEXT && strcmp(a, b) != 0)
            order = strtod(a, NULL) < strtod(b, NULL) ? -1 : 1;
        else
            order = strcmp(a, b);
    }
    if (order == 0 && in->query->by_rows && lab_rows(&one->cell) != lab_rows(&other->cell))
        order = lab_rows(&one->cell) > lab_rows(&other->cell) ? -1 : 1;
    return order ? order : (one->result.reduced == 1) - (other->result.reduced == 1);
}

static int compare_entries(const void *a, const void *b, void *context)
{
    const lab_record *one = *(const lab_record *const *)a, *other = *(const lab_record *const *)b;
    int order = selection_compare(context, one, other);
    if (order == 0) order = strcmp(one->cell.dataset, other->cell.dataset);
    if (order == 0) order = strcmp(one->cell.normal, other->cell.normal);
    if (order == 0) order = (one->cell.seed > other->cell.seed) - (one->cell.seed < other->cell.seed);
    return order;
}

/* The datasets in the order of the query, else of sets.def, else alphabetically. */
static puad_status list_datasets(selection *out, arena *memory)
{
    const record_query *query = out->query;
    size_t set_count;
    const set_row *sets = sets_all(&set_count);
    TRY(arena_new(memory, &out->datasets, out->count, sizeof *out->datasets));
    for (size_t pass = 0; pass < query->dataset_count + set_count + 1; pass++)
        for (size_t i = 0; i < out->count; i++) {
            const char *name = out->records[i]->cell.dataset;
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

/* Rejects two values of one option: only experiments that do not use it would match. */
static puad_status refuse_twice(const record_query *query)
{
    for (size_t i = 0; i < query->where_count; i++)
        for (size_t j = 0; j < i; j++) {
            size_t length = strcspn(query->where[i], "=");
            if (length == strcspn(query->where[j], "=") &&
                strncmp(query->where[i], query->where[j], length) == 0)
                FAIL(PUAD_INVALID, "'%s' and '%s' set the same option: give it once", query->where[j],
                     query->where[i]);
        }
    return PUAD_OK;
}

puad_status selection_make(selection *out, arena *memory, const lab_record *records, size_t count,
                           const record_query *query)
{
    *out = (selection){.query = query};
    TRY(refuse_twice(query));
    TRY(arena_new(memory, &out->records, count, sizeof *out->records));
    TRY(arena_new(memory, &out->firsts, count, sizeof *out->firsts));
    size_t *exactly;
    TRY(arena_new(memory, &exactly, query->where_count, sizeof *exactly));
    for (size_t i = 0; i < count; i++) {
        bool fits;
        TRY(fits_where(&fits, exactly, &records[i], query));
        if (fits && in_list(records[i].cell.dataset, query->datasets, query->dataset_count) &&
            in_list(records[i].cell.method, query->methods, query->method_count))
            out->records[out->count++] = &records[i];
    }
    for (size_t i = 0; i < query->where_count; i++)
        if (exactly[i] == 0) FAIL(PUAD_INVALID, "no matching experiment has %s", query->where[i]);
    if (out->count == 0) FAIL(PUAD_INVALID, "no experiment matches");
    qsort_r(out->records, out->count, sizeof *out->records, compare_entries, out);
    for (size_t i = 0; i < out->count; i++)
        if (i == 0 || selection_compare(out, out->records[i - 1], out->records[i]) != 0)
            out->firsts[out->row_count++] = out->records[i];
    return list_datasets(out, memory);
}

/* Whether an option differs between rows that use it, or within one method. */
static bool varies(const selection *subset, const field *option)
{
    char buffer[FIELD_CAPACITY], other[FIELD_CAPACITY];
    for (size_t i = 0; i < subset->row_count; i++)
        for (size_t j = i + 1; j < subset->row_count; j++) {
            const char *one = row_text(buffer, subset->firsts[i], option),
                       *two = row_text(other, subset->firsts[j], option);
            bool both =
                !means_nothing(subset->firsts[i], option) && !means_nothing(subset->firsts[j], option);
            bool comparable =
                both || strcmp(subset->firsts[i]->cell.method, subset->firsts[j]->cell.method) == 0;
            if (comparable && strcmp(one, two) != 0) return true;
        }
    return false;
}

/* Adds facts that are not options: "rows=1000" if sizes are swept, "reduced" if other rows are not. */
static void describe_split(FILE *to, const selection *subset, size_t row, const char *comma)
{
    bool rows = false, reduced = false;
    const lab_record *own = subset->firsts[row];
    for (size_t i = 0; i < subset->row_count; i++) {
        rows = rows || (subset->query->by_rows && lab_rows(&subset->firsts[i]->cell) != lab_rows(&own->cell));
        reduced = reduced || subset->firsts[i]->result.reduced != own->result.reduced;
    }
    if (rows) fprintf(to, "%srows=%lld", comma, lab_rows(&own->cell));
    if (reduced && own->result.reduced == 1) fprintf(to, "%sreduced", rows ? ", " : comma);
}

/* "name=value, ..." of the options that vary, or of those that do not, for rows that use them. */
puad_status selection_describe(const char **out, arena *memory, const selection *subset, size_t row,
                               bool varying)
{
    size_t count, size = 0;
    const field *fields = lab_fields(&count);
    AUTO_FREE char *text = NULL;
    FILE *stream = text_stream_open(&text, &size);
    if (!stream) FAIL(PUAD_MEMORY, "no memory for a table");
    char buffer[FIELD_CAPACITY];
    const char *comma = "";
    for (size_t i = 0; i < lab_option_count; i++) {
        if (is_place(subset->query, &fields[i]) || varies(subset, &fields[i]) != varying) continue;
        size_t first = varying ? row : 0, last = varying ? row + 1 : subset->row_count;
        for (size_t r = first; r < last; r++) { /* common options, from a row that uses them */
            const char *value = row_text(buffer, subset->firsts[r], &fields[i]);
            if (!*value || means_nothing(subset->firsts[r], &fields[i])) continue;
            fprintf(stream, "%s%s=%s", comma, fields[i].name, value);
            comma = ", ";
            break;
        }
    }
    if (varying) describe_split(stream, subset, row, comma);
    *out = text_stream_close(stream, &text) ? arena_text(memory, text) : NULL;
    if (!*out) FAIL(PUAD_MEMORY, "no memory for a table");
    return PUAD_OK;
}

/* The common value of rows that use it; 0 for none, -1 if they differ. */
static long long shared_number(const selection *subset, size_t offset)
{
    long long shared = 0;
    for (size_t row = 0; row < subset->row_count; row++) {
        long long own = *(const long long *)((const char *)&subset->firsts[row]->cell + offset);
        if (own && shared && own != shared) return -1;
        if (own) shared = own;
    }
    return shared;
}

puad_status selection_budget(const char **out, arena *memory, const selection *subset)
{
    long long epochs = shared_number(subset, offsetof(lab_cell, epochs)),
              before = shared_number(subset, offsetof(lab_cell, pretrain_epochs));
    if (epochs <= 0 || before < 0) return arena_print(memory, out, "%s", "");
    if (before == 0) return arena_print(memory, out, "%lld epochs", epochs);
    return arena_print(memory, out, "%lld epochs after %lld of pretraining", epochs, before);
}
