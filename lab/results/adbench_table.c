/* Builds a table by label fraction from records of ADBench's protocol. */
#include "lab/results/adbench_table.h"

#include "base/file.h"
#include "base/sort.h"
#include "lab/ledger/csv_text.h"
#include "lab/sets/file_set.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METRICS = 2, SHARES_MAX = 64, MODELS_MAX = 1000, NAME_CAPACITY = 80 };

/* "fault" of "12_fault@1a2b3c4d". */
static void plain_name(char out[NAME_CAPACITY], const char *set)
{
    char stem[NAME_CAPACITY];
    file_set_stem(stem, sizeof stem, set);
    size_t digits = strspn(stem, "0123456789");
    snprintf(out, NAME_CAPACITY, "%s", digits && stem[digits] == '_' ? stem + digits + 1 : stem);
}

puad_status published_read(published_table *out, arena *memory, const char *path)
{
    enum { COLUMNS = 6 };
    static const char *const header[COLUMNS] = {"table",   "metric", "labeled_anomaly_pct",
                                                "dataset", "model",  "value"};
    AUTO_FREE unsigned char *text = NULL;
    char *values[COLUMNS];
    size_t size, count, lines = 1, used = 0;
    published_row *rows;
    TRY(file_read(&text, &size, path, 1 << 26));
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n' || text[i] == '\r';
    TRY(arena_new(memory, &rows, lines, sizeof *rows));
    sheet_reader reader = sheet_begin((char *)text, size, path);
    TRY(sheet_next(values, COLUMNS, &count, &reader));
    for (size_t i = 0; i < COLUMNS; i++)
        if (count != COLUMNS || strcmp(values[i], header[i]) != 0)
            FAIL(PUAD_FORMAT,
                 "%s:1: expected the columns table,metric,labeled_anomaly_pct,dataset,model,value", path);
    for (;;) {
        char *end, *share_end;
        TRY(sheet_next(values, COLUMNS, &count, &reader));
        if (count == 0) break;
        if (count != COLUMNS) FAIL(PUAD_FORMAT, "%s:%zu: %zu values, expected 6", path, reader.line, count);
        if (strcmp(values[5], "N/A") == 0) continue;
        published_row *row = &rows[used++];
        *row = (published_row){.dataset = arena_text(memory, values[3]),
                               .model = arena_text(memory, values[4]),
                               .percent = strtod(values[2], &share_end),
                               .auroc = strcmp(values[1], "AUCROC") == 0,
                               .value = strtod(values[5], &end) / 100};
        if (!row->dataset || !row->model) FAIL(PUAD_MEMORY, "no memory for published results");
        if (*end || end == values[5] || *share_end || share_end == values[2] ||
            !(row->percent >= 0 && row->percent <= 100) || !(row->value >= 0 && row->value <= 1))
            FAIL(PUAD_FORMAT, "%s:%zu: '%s' or '%s' is not a percentage", path, reader.line, values[2],
                 values[5]);
    }
    *out = (published_table){rows, used};
    return PUAD_OK;
}

/* One label fraction: which datasets count. */
typedef struct column {
    double share;
    const char **sets;
    size_t set_count;
} column;

static bool is_of(const selection *subset, const lab_record *record, size_t row, double share,
                  const char *set)
{
    return record->cell.share == share && strcmp(record->cell.dataset, set) == 0 &&
           selection_compare(subset, subset->firsts[row], record) == 0;
}

/* The mean over seeds of a row on a dataset; false if there is none. */
static bool seeds_mean(double out[METRICS], const selection *subset, size_t row, double share,
                       const char *set)
{
    double sums[METRICS] = {0};
    size_t count = 0;
    for (size_t i = 0; i < subset->count; i++) {
        if (!is_of(subset, subset->records[i], row, share, set)) continue;
        sums[0] += subset->records[i]->result.auroc;
        sums[1] += subset->records[i]->result.auprc;
        count++;
    }
    for (int m = 0; m < METRICS; m++) out[m] = count ? sums[m] / (double)count : NAN;
    return count > 0;
}

static bool has_share(const selection *subset, size_t row, double share)
{
    for (size_t i = 0; i < subset->count; i++)
        if (subset->records[i]->cell.share == share &&
            selection_compare(subset, subset->firsts[row], subset->records[i]) == 0)
            return true;
    return false;
}

/* The datasets that all rows with this fraction have. */
static puad_status fill_column(column *out, arena *memory, const selection *subset, double share)
{
    *out = (column){.share = share};
    TRY(arena_new(memory, &out->sets, subset->dataset_count, sizeof *out->sets));
    for (size_t d = 0; d < subset->dataset_count; d++) {
        bool all = true;
        double ignored[METRICS];
        for (size_t row = 0; row < subset->row_count && all; row++)
            all = !has_share(subset, row, share) ||
                  seeds_mean(ignored, subset, row, share, subset->datasets[d]);
        if (all) out->sets[out->set_count++] = subset->datasets[d];
    }
    return PUAD_OK;
}

static size_t list_shares(double out[SHARES_MAX], const selection *subset)
{
    size_t count = 0;
    for (size_t i = 0; i < subset->count; i++) {
        size_t at = 0;
        while (at < count && out[at] != subset->records[i]->cell.share) at++;
        if (at == count && count < SHARES_MAX) out[count++] = subset->records[i]->cell.share;
    }
    sort_doubles(out, count);
    return count;
}

static puad_status write_means(const char **out, arena *memory, const double sums[METRICS], size_t count)
{
    *out = "";
    return count ? arena_print(memory, out, "%.3f / %.3f", sums[0] / (double)count, sums[1] / (double)count)
                 : PUAD_OK;
}

static puad_status own_value(const char **out, arena *memory, const selection *subset, size_t row,
                             const column *at)
{
    double sums[METRICS] = {0}, own[METRICS];
    size_t count = 0;
    for (size_t d = 0; d < at->set_count; d++) {
        if (!seeds_mean(own, subset, row, at->share, at->sets[d])) continue;
        for (int m = 0; m < METRICS; m++) sums[m] += own[m];
        count++;
    }
    return write_means(out, memory, sums, count);
}

/* A published mean over the same datasets; "" if one of them is missing. */
static puad_status published_value(const char **out, arena *memory, const published_table *beside,
                                   const char *model, const column *at)
{
    double sums[METRICS] = {0};
    size_t found[METRICS] = {0};
    for (size_t d = 0; d < at->set_count; d++) {
        char name[NAME_CAPACITY];
        plain_name(name, at->sets[d]);
        for (size_t i = 0; i < beside->count; i++) {
            const published_row *row = &beside->rows[i];
            if (strcmp(row->model, model) != 0 || fabs(row->percent - 100 * at->share) > 1e-9 ||
                strcasecmp(row->dataset, name) != 0)
                continue;
            sums[!row->auroc] += row->value;
            found[!row->auroc]++;
        }
    }
    bool whole = found[0] == at->set_count && found[1] == at->set_count;
    return write_means(out, memory, sums, whole ? at->set_count : 0);
}

static puad_status list_models(const char ***out, size_t *out_count, arena *memory,
                               const published_table *beside)
{
    *out_count = 0;
    TRY(arena_new(memory, out, MODELS_MAX, sizeof **out));
    for (size_t i = 0; beside && i < beside->count; i++) {
        size_t at = 0;
        while (at < *out_count && strcmp((*out)[at], beside->rows[i].model) != 0) at++;
        if (at < *out_count) continue;
        if (at == MODELS_MAX) FAIL(PUAD_INVALID, "published results of more than %d models", MODELS_MAX);
        (*out)[(*out_count)++] = beside->rows[i].model;
    }
    return PUAD_OK;
}

puad_status few_labels_grid(grid *out, arena *memory, const lab_record *records, size_t count,
                            const record_query *query, const published_table *beside)
{
    static const char *const swept[] = {"share"};
    record_query wanted = *query;
    lab_record *own;
    selection subset;
    double shares[SHARES_MAX];
    column columns[SHARES_MAX];
    const char **models, *common;
    size_t own_count = 0, model_count, kept = 0;
    TRY(arena_new(memory, &own, count, sizeof *own));
    for (size_t i = 0; i < count; i++)
        if (*records[i].cell.protocol) own[own_count++] = records[i];
    if (own_count == 0)
        FAIL(PUAD_INVALID,
             "no experiment in the ledger has a label fraction; 'puad lab run --plan adbench' runs some");
    wanted.swept = swept;
    wanted.swept_count = 1;
    TRY(selection_make(&subset, memory, own, own_count, &wanted));
    size_t share_count = list_shares(shares, &subset);
    TRY(list_models(&models, &model_count, memory, beside));
    TRY(grid_new(out, memory, subset.row_count + model_count, 2 + share_count));
    out->headings[0] = "method";
    out->headings[1] = "setting";
    out->left[0] = out->left[1] = true;
    for (size_t s = 0; s < share_count; s++) {
        TRY(fill_column(&columns[s], memory, &subset, shares[s]));
        TRY(arena_print(memory, &out->headings[2 + s], "%g%% (%zu tables)", 100 * shares[s],
                        columns[s].set_count));
    }
    for (size_t row = 0; row < subset.row_count; row++) {
        grid_cell *cells = &out->cells[kept++ * out->columns];
        cells[0].text = subset.firsts[row]->cell.method;
        TRY(selection_describe(&cells[1].text, memory, &subset, row, true));
        for (size_t s = 0; s < share_count; s++)
            TRY(own_value(&cells[2 + s].text, memory, &subset, row, &columns[s]));
    }
    for (size_t m = 0; m < model_count; m++) {
        grid_cell *cells = &out->cells[kept * out->columns];
        bool any = false;
        cells[0].text = models[m];
        cells[1].text = "published";
        for (size_t s = 0; s < share_count; s++) {
            TRY(published_value(&cells[2 + s].text, memory, beside, models[m], &columns[s]));
            any = any || *cells[2 + s].text;
        }
        kept += any;
    }
    out->rows = kept;
    TRY(selection_describe(&common, memory, &subset, 0, false));
    return arena_print(
        memory, &out->caption,
        "AUROC / average precision by the fraction of anomalies that are labeled, means over tables and "
        "seeds: %s",
        common);
}

puad_status few_labels_add(page *on, arena *memory, const lab_record *records, size_t count)
{
    grid table;
    size_t there = 0;
    for (size_t i = 0; i < count; i++) there += *records[i].cell.protocol != 0;
    if (there == 0) return PUAD_OK;
    TRY(few_labels_grid(&table, memory, records, count, &(record_query){0}, NULL));
    page_section(on, "Tables with few labels");
    page_text(on, "ADBench's protocol: a fraction of the anomalies in training is labeled, the others are "
                  "hidden among the unlabeled rows; three in ten rows are test rows.");
    return grid_add_to_page(on, &table);
}
