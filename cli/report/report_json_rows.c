/* The listed rows as JSON: their cells, the values that contribute most, and the nearest labeled
 * anomalies. */
#include "cli/library_values.h"
#include "cli/report/report_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS_MAX = 8, CELLS_MAX = 80, NEAREST = 3, LABELED_MAX = 5000, TEXT_ROOM = 200 };

/* A string that at least this fraction of the rows has is usual and not a reason. */
static const double usual_fraction = 0.1;

typedef struct row_writer {
    report *of;
    column_values *columns; /* of the ranked rows, by column of the model */
    float *shares;
    double *sums; /* of the contributions in flagged rows */
    size_t summed;
    size_t *labeled; /* training rows that are labeled anomalies, or a sample of them */
    size_t labeled_count;
    cJSON *referred; /* indices among `labeled` of those that rows refer to */
    size_t *place;   /* position of a labeled row among those referred to, from 1 */
    size_t referred_count;
} row_writer;

static puad_status writer_begin(row_writer *by, report *of)
{
    size_t count = info_of(of->model).column_count;
    *by = (row_writer){.of = of};
    TRY(arena_new(&of->memory, &by->columns, count, sizeof *by->columns));
    TRY(arena_new(&of->memory, &by->shares, count, sizeof *by->shares));
    TRY(arena_new(&of->memory, &by->sums, count, sizeof *by->sums));
    for (size_t c = 0; c < count; c++) TRY(column_values_read(&by->columns[c], of, &of->inputs[0], c));
    const int8_t *labels = of->train ? dataset_of(of->train).labels : NULL;
    if (!labels || of->image) return PUAD_OK;
    size_t rows = puad_dataset_rows(of->train), all = puad_dataset_count(of->train, PUAD_LABEL_ANOMALY),
           step = all / LABELED_MAX + 1, seen = 0;
    TRY(arena_new(&of->memory, &by->labeled, all / step + 1, sizeof *by->labeled));
    TRY(arena_new(&of->memory, &by->place, all / step + 1, sizeof *by->place));
    for (size_t r = 0; r < rows; r++)
        if (labels[r] == PUAD_LABEL_ANOMALY && seen++ % step == 0) by->labeled[by->labeled_count++] = r;
    return PUAD_OK;
}

/* The cell as in the file, or decoded from the encoding. */
static const char *cell_text(char room[TEXT_ROOM], const report *of, const report_row *row,
                             const puad_reason *cell)
{
    const char *const *names = of->inputs[row->input].cell_names;
    for (size_t c = 0; row->cells && names[c]; c++)
        if (strcmp(names[c], cell->column) == 0 && row->cells[c][0]) return row->cells[c];
    if (puad_reason_text(cell, room, TEXT_ROOM, PUAD_REASON_VALUE) != PUAD_OK) room[0] = 0;
    return room;
}

/* A number outside the central 90% of the unlabeled rows; a rare string. */
static bool is_unusual(const row_writer *by, const puad_reason *cell)
{
    char text[TEXT_ROOM];
    if (!isnan(cell->value) && !isnan(cell->typical.low))
        return cell->value < cell->typical.low || cell->value > cell->typical.high;
    if (puad_reason_text(cell, text, sizeof text, PUAD_REASON_VALUE) != PUAD_OK) return false;
    return text[0] && column_values_share(&by->columns[cell->index], text) < usual_fraction;
}

static puad_status add_reasons(cJSON *to, row_writer *by, const report_row *row)
{
    report *of = by->of;
    size_t count = info_of(of->model).column_count;
    if (!count) return PUAD_OK;
    TRY(puad_scorer_explain_columns(of->scorer, by->shares, count, row->values, of->columns));
    if ((double)row->score >= of->cut) {
        for (size_t c = 0; c < count; c++) by->sums[c] += (double)by->shares[c];
        by->summed++;
    }
    cJSON *reasons = cJSON_AddArrayToObject(to, "reasons");
    for (int k = 0; k < REASONS_MAX;) {
        size_t best = count;
        char room[TEXT_ROOM];
        for (size_t c = 0; c < count; c++)
            if (by->shares[c] > 0.005F && (best == count || by->shares[c] > by->shares[best])) best = c;
        if (best == count) break;
        double share = (double)by->shares[best];
        puad_reason cell;
        by->shares[best] = 0;
        if (!column_cell(&cell, of, best, row->values) || !is_unusual(by, &cell)) continue;
        cJSON *reason = cJSON_CreateObject();
        cJSON_AddItemToArray(reasons, reason);
        cJSON_AddNumberToObject(reason, "column", (double)best);
        cJSON_AddStringToObject(reason, "value", cell_text(room, of, row, &cell));
        cJSON_AddNumberToObject(reason, "share", round(share * 1e3) / 1e3);
        if (!isnan(cell.value) && !isnan(cell.typical.low))
            json_add_double(reason, "number", (double)(float)cell.value);
        k++;
    }
    return PUAD_OK;
}

/* The labeled anomalies with the smallest distance to the row, in encoded values. */
static void add_nearest(cJSON *to, row_writer *by, const report_row *row)
{
    const report *of = by->of;
    double distances[NEAREST];
    size_t nearest[NEAREST], found = 0;
    const float *all = by->labeled_count ? dataset_of(of->train).values : NULL;
    if (!all || dataset_of(of->train).columns != of->columns) return;
    for (size_t i = 0; i < by->labeled_count; i++) {
        const float *values = all + by->labeled[i] * of->columns;
        double sum = 0;
        for (size_t c = 0; c < of->columns; c++) {
            double apart = (double)(values[c] - row->values[c]);
            sum += apart * apart;
        }
        if (found == NEAREST && sum >= distances[NEAREST - 1]) continue;
        size_t at = found < NEAREST ? found++ : NEAREST - 1;
        for (; at && distances[at - 1] > sum; at--) {
            distances[at] = distances[at - 1];
            nearest[at] = nearest[at - 1];
        }
        distances[at] = sum;
        nearest[at] = i;
    }
    cJSON *list = cJSON_AddArrayToObject(to, "nearest");
    for (size_t k = 0; k < found; k++) {
        if (!by->place[nearest[k]]) by->place[nearest[k]] = ++by->referred_count;
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(list, pair);
        cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)by->place[nearest[k]] - 1));
        cJSON_AddItemToArray(pair, cJSON_CreateNumber(round(sqrt(distances[k]) * 1e3) / 1e3));
    }
}

static void add_cells(cJSON *to, const report *of, const report_row *row)
{
    if (!row->cells) return;
    const report_input *from = &of->inputs[row->input];
    cJSON *cells = cJSON_AddArrayToObject(to, "cells");
    for (size_t c = 0, shown = 0; from->cell_names[c] && shown < CELLS_MAX; c++) {
        if (c == from->label_cell || (from->id_name && strcmp(from->cell_names[c], from->id_name) == 0))
            continue;
        cJSON_AddItemToArray(cells, cJSON_CreateString(row->cells[c]));
        shown++;
    }
}

/* Rounds to three digits. */
static double rounded(double p)
{
    double scale = p > 0 ? pow(10, 2 - floor(log10(p))) : 1;
    return round(p * scale) / scale;
}

static puad_status add_row(cJSON *rows, row_writer *by, const report_row *row, bool known)
{
    report *of = by->of;
    cJSON *to = cJSON_CreateObject();
    cJSON_AddItemToArray(rows, to);
    cJSON_AddNumberToObject(to, "input", (double)row->input);
    cJSON_AddNumberToObject(to, "row", (double)row->row);
    if (row->id) cJSON_AddStringToObject(to, "id", row->id);
    json_add_double(to, "score", (double)row->score);
    if (decided(of->decider).has_probability)
        cJSON_AddNumberToObject(to, "probability",
                                round(puad_decider_probability(of->decider, row->score) * 1e3) / 1e3);
    if (decided(of->decider).has_p)
        json_add_double(to, "p_value", rounded(puad_decider_p(of->decider, row->score)));
    if (of->kinds) cJSON_AddStringToObject(to, "kind", known ? "known" : "new");
    if (!row->values || of->image) return PUAD_OK;
    TRY(add_reasons(to, by, row));
    add_nearest(to, by, row);
    add_cells(to, of, row);
    return PUAD_OK;
}

/* The labeled anomalies that rows refer to, in the order of their positions. */
static puad_status add_labeled(cJSON *to, const row_writer *by)
{
    const report *of = by->of;
    puad_cells *cells = NULL;
    AUTO_FREE size_t *rows = NULL;
    cJSON *labeled = cJSON_AddObjectToObject(to, "labeled"),
          *names = cJSON_AddArrayToObject(labeled, "cells"), *list = cJSON_AddArrayToObject(labeled, "rows");
    if (!by->referred_count) return PUAD_OK;
    TRY(memory_new(&rows, by->referred_count, sizeof *rows, "rows"));
    for (size_t i = 0; i < by->labeled_count; i++)
        if (by->place[i]) rows[by->place[i] - 1] = by->labeled[i];
    TRY(puad_cells_read(&cells, of->train, rows, by->referred_count));
    size_t columns = puad_cells_columns(cells) < CELLS_MAX ? puad_cells_columns(cells) : CELLS_MAX;
    for (size_t c = 0; c < columns; c++)
        cJSON_AddItemToArray(names, cJSON_CreateString(puad_cells_name(cells, c)));
    for (size_t i = 0; i < by->referred_count; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
        cJSON_AddNumberToObject(one, "row", (double)rows[i]);
        if (puad_dataset_id(of->train, rows[i]))
            cJSON_AddStringToObject(one, "id", puad_dataset_id(of->train, rows[i]));
        cJSON *texts = cJSON_AddArrayToObject(one, "cells");
        for (size_t c = 0; c < columns; c++) {
            const char *text = puad_cells_text(cells, i, c);
            cJSON_AddItemToArray(texts, cJSON_CreateString(text ? text : ""));
        }
    }
    puad_cells_free(cells);
    return PUAD_OK;
}

/* Flagged rows past the list: columns of numbers, and of ids. */
static void add_more(cJSON *to, const report *of)
{
    cJSON *more = cJSON_AddObjectToObject(to, "more"), *inputs = cJSON_AddArrayToObject(more, "input"),
          *rows = cJSON_AddArrayToObject(more, "row"), *scores = cJSON_AddArrayToObject(more, "score"),
          *ids = cJSON_AddArrayToObject(more, "id");
    bool named = false;
    for (size_t i = 0; i < of->input_count; i++) named |= of->inputs[i].id_name != NULL;
    for (size_t i = 0; i < report_top_count(of->more) && !of->window; i++) {
        const report_row *row = report_top_at(of->more, i);
        if (!((double)row->score >= of->cut)) break;
        cJSON_AddItemToArray(inputs, cJSON_CreateNumber((double)row->input));
        cJSON_AddItemToArray(rows, cJSON_CreateNumber((double)row->row));
        cJSON_AddItemToArray(scores, json_exact_number((double)row->score));
        if (named) cJSON_AddItemToArray(ids, cJSON_CreateString(row->id ? row->id : ""));
    }
}

static puad_status find_known(unsigned char *known, report *of)
{
    for (size_t i = 0; of->kinds && i < report_top_count(of->listed); i++) {
        const report_row *row = report_listed_row(of, i);
        if (row->values)
            TRY(puad_decider_known(of->decider, &known[i], of->scorer, row->values, 1, of->columns));
    }
    return PUAD_OK;
}

puad_status report_json_rows(cJSON *to, report *of)
{
    row_writer by;
    unsigned char *known;
    size_t listed = report_top_count(of->listed), columns = info_of(of->model).column_count;
    TRY(writer_begin(&by, of));
    TRY(arena_new(&of->memory, &known, listed, 1));
    TRY(find_known(known, of));
    cJSON *rows = cJSON_AddArrayToObject(to, "rows");
    for (size_t i = 0; i < listed; i++) TRY(add_row(rows, &by, report_listed_row(of, i), known[i]));
    for (size_t i = 0; i < report_top_count(of->novel); i++)
        if ((double)report_top_at(of->novel, i)->score >= of->cut)
            TRY(add_row(rows, &by, report_top_at(of->novel, i), false));
    add_more(to, of);
    if (!of->image) TRY(add_labeled(to, &by));
    for (size_t c = 0; c < columns && by.summed; c++) by.sums[c] /= (double)by.summed;
    return report_json_columns(to, of, by.summed ? by.sums : NULL);
}
