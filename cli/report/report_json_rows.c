/* The listed rows as JSON: their cells, the values that contribute most, and the nearest labeled
 * anomalies. */
#include "cli/library_values.h"
#include "cli/report/report_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS_MAX = 8, CELLS_MAX = 80, NEAREST = 3, LABELED_MAX = 5000, TEXT_CAPACITY = 200 };

/* A string that at least this fraction of the rows has is usual and not a reason. */
static const double usual_fraction = 0.1;

typedef struct row_writer {
    report *self;
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

static puad_status writer_begin(row_writer *writer, report *self)
{
    size_t count = info_of(self->model).column_count;
    *writer = (row_writer){.self = self};
    TRY(arena_new(&self->memory, &writer->columns, count, sizeof *writer->columns));
    TRY(arena_new(&self->memory, &writer->shares, count, sizeof *writer->shares));
    TRY(arena_new(&self->memory, &writer->sums, count, sizeof *writer->sums));
    for (size_t c = 0; c < count; c++)
        TRY(column_values_read(&writer->columns[c], self, &self->inputs[0], c));
    const int8_t *labels = self->train ? dataset_of(self->train).labels : NULL;
    if (!labels || self->image) return PUAD_OK;
    size_t rows = puad_dataset_rows(self->train), all = puad_dataset_count(self->train, PUAD_LABEL_ANOMALY),
           step = all / LABELED_MAX + 1, seen = 0;
    TRY(arena_new(&self->memory, &writer->labeled, all / step + 1, sizeof *writer->labeled));
    TRY(arena_new(&self->memory, &writer->place, all / step + 1, sizeof *writer->place));
    for (size_t r = 0; r < rows; r++)
        if (labels[r] == PUAD_LABEL_ANOMALY && seen++ % step == 0)
            writer->labeled[writer->labeled_count++] = r;
    return PUAD_OK;
}

/* The cell as in the file, or decoded from the encoding. */
static const char *cell_text(char buffer[TEXT_CAPACITY], const report *self, const report_row *row,
                             const puad_reason *cell)
{
    const char *const *names = self->inputs[row->input].cell_names;
    for (size_t c = 0; row->cells && names[c]; c++)
        if (strcmp(names[c], cell->column) == 0 && row->cells[c][0]) return row->cells[c];
    if (puad_reason_text(cell, buffer, TEXT_CAPACITY, PUAD_REASON_VALUE) != PUAD_OK) buffer[0] = 0;
    return buffer;
}

/* A number outside the central 90% of the unlabeled rows; a rare string. */
static bool is_unusual(const row_writer *writer, const puad_reason *cell)
{
    char text[TEXT_CAPACITY];
    if (!isnan(cell->value) && !isnan(cell->typical.low))
        return cell->value < cell->typical.low || cell->value > cell->typical.high;
    if (puad_reason_text(cell, text, sizeof text, PUAD_REASON_VALUE) != PUAD_OK) return false;
    return text[0] && column_values_share(&writer->columns[cell->index], text) < usual_fraction;
}

static puad_status add_reasons(cJSON *to, row_writer *writer, const report_row *row)
{
    report *self = writer->self;
    size_t count = info_of(self->model).column_count;
    if (!count) return PUAD_OK;
    TRY(puad_scorer_explain_columns(self->scorer, writer->shares, count, row->values, self->columns));
    if ((double)row->score >= self->cut) {
        for (size_t c = 0; c < count; c++) writer->sums[c] += (double)writer->shares[c];
        writer->summed++;
    }
    cJSON *reasons = cJSON_AddArrayToObject(to, "reasons");
    for (int k = 0; k < REASONS_MAX;) {
        size_t best = count;
        char buffer[TEXT_CAPACITY];
        for (size_t c = 0; c < count; c++)
            if (writer->shares[c] > 0.005F && (best == count || writer->shares[c] > writer->shares[best]))
                best = c;
        if (best == count) break;
        double share = (double)writer->shares[best];
        puad_reason cell;
        writer->shares[best] = 0;
        if (!column_cell(&cell, self, best, row->values) || !is_unusual(writer, &cell)) continue;
        cJSON *reason = cJSON_CreateObject();
        cJSON_AddItemToArray(reasons, reason);
        cJSON_AddNumberToObject(reason, "column", (double)best);
        cJSON_AddStringToObject(reason, "value", cell_text(buffer, self, row, &cell));
        cJSON_AddNumberToObject(reason, "share", round(share * 1e3) / 1e3);
        if (!isnan(cell.value) && !isnan(cell.typical.low))
            json_add_double(reason, "number", (double)(float)cell.value);
        k++;
    }
    return PUAD_OK;
}

/* The labeled anomalies with the smallest distance to the row, in encoded values. */
static void add_nearest(cJSON *to, row_writer *writer, const report_row *row)
{
    const report *self = writer->self;
    double distances[NEAREST];
    size_t nearest[NEAREST], found = 0;
    const float *all = writer->labeled_count ? dataset_of(self->train).values : NULL;
    if (!all || dataset_of(self->train).columns != self->columns) return;
    for (size_t i = 0; i < writer->labeled_count; i++) {
        const float *values = all + writer->labeled[i] * self->columns;
        double sum = 0;
        for (size_t c = 0; c < self->columns; c++) {
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
        if (!writer->place[nearest[k]]) writer->place[nearest[k]] = ++writer->referred_count;
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(list, pair);
        cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)writer->place[nearest[k]] - 1));
        cJSON_AddItemToArray(pair, cJSON_CreateNumber(round(sqrt(distances[k]) * 1e3) / 1e3));
    }
}

static void add_cells(cJSON *to, const report *self, const report_row *row)
{
    if (!row->cells) return;
    const report_input *input = &self->inputs[row->input];
    cJSON *cells = cJSON_AddArrayToObject(to, "cells");
    for (size_t c = 0, shown = 0; input->cell_names[c] && shown < CELLS_MAX; c++) {
        if (c == input->label_cell || (input->id_name && strcmp(input->cell_names[c], input->id_name) == 0))
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

static puad_status add_row(cJSON *rows, row_writer *writer, const report_row *row, bool known)
{
    report *self = writer->self;
    cJSON *to = cJSON_CreateObject();
    cJSON_AddItemToArray(rows, to);
    cJSON_AddNumberToObject(to, "input", (double)row->input);
    cJSON_AddNumberToObject(to, "row", (double)row->row);
    if (row->id) cJSON_AddStringToObject(to, "id", row->id);
    json_add_double(to, "score", (double)row->score);
    if (decided(self->decider).has_probability)
        cJSON_AddNumberToObject(to, "probability",
                                round(puad_decider_probability(self->decider, row->score) * 1e3) / 1e3);
    if (decided(self->decider).has_p)
        json_add_double(to, "p_value", rounded(puad_decider_p(self->decider, row->score)));
    if (self->kinds) cJSON_AddStringToObject(to, "kind", known ? "known" : "new");
    if (!row->values || self->image) return PUAD_OK;
    TRY(add_reasons(to, writer, row));
    add_nearest(to, writer, row);
    add_cells(to, self, row);
    return PUAD_OK;
}

/* The labeled anomalies that rows refer to, in the order of their positions. */
static puad_status add_labeled(cJSON *to, const row_writer *writer)
{
    const report *self = writer->self;
    puad_cells *cells = NULL;
    AUTO_FREE size_t *rows = NULL;
    cJSON *labeled = cJSON_AddObjectToObject(to, "labeled"),
          *names = cJSON_AddArrayToObject(labeled, "cells"), *list = cJSON_AddArrayToObject(labeled, "rows");
    if (!writer->referred_count) return PUAD_OK;
    TRY(memory_new(&rows, writer->referred_count, sizeof *rows, "rows"));
    for (size_t i = 0; i < writer->labeled_count; i++)
        if (writer->place[i]) rows[writer->place[i] - 1] = writer->labeled[i];
    TRY(puad_cells_read(&cells, self->train, rows, writer->referred_count));
    size_t columns = puad_cells_columns(cells) < CELLS_MAX ? puad_cells_columns(cells) : CELLS_MAX;
    for (size_t c = 0; c < columns; c++)
        cJSON_AddItemToArray(names, cJSON_CreateString(puad_cells_name(cells, c)));
    for (size_t i = 0; i < writer->referred_count; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
        cJSON_AddNumberToObject(one, "row", (double)rows[i]);
        if (puad_dataset_id(self->train, rows[i]))
            cJSON_AddStringToObject(one, "id", puad_dataset_id(self->train, rows[i]));
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
static void add_more(cJSON *to, const report *self)
{
    cJSON *more = cJSON_AddObjectToObject(to, "more"), *inputs = cJSON_AddArrayToObject(more, "input"),
          *rows = cJSON_AddArrayToObject(more, "row"), *scores = cJSON_AddArrayToObject(more, "score"),
          *ids = cJSON_AddArrayToObject(more, "id");
    bool named = false;
    for (size_t i = 0; i < self->input_count; i++) named |= self->inputs[i].id_name != NULL;
    for (size_t i = 0; i < report_top_count(self->more) && !self->window; i++) {
        const report_row *row = report_top_at(self->more, i);
        if (!((double)row->score >= self->cut)) break;
        cJSON_AddItemToArray(inputs, cJSON_CreateNumber((double)row->input));
        cJSON_AddItemToArray(rows, cJSON_CreateNumber((double)row->row));
        cJSON_AddItemToArray(scores, json_exact_number((double)row->score));
        if (named) cJSON_AddItemToArray(ids, cJSON_CreateString(row->id ? row->id : ""));
    }
}

static puad_status find_known(unsigned char *known, report *self)
{
    for (size_t i = 0; self->kinds && i < report_top_count(self->listed); i++) {
        const report_row *row = report_listed_row(self, i);
        if (row->values)
            TRY(puad_decider_known(self->decider, &known[i], self->scorer, row->values, 1, self->columns));
    }
    return PUAD_OK;
}

puad_status report_json_rows(cJSON *to, report *self)
{
    row_writer writer;
    unsigned char *known;
    size_t listed = report_top_count(self->listed), columns = info_of(self->model).column_count;
    TRY(writer_begin(&writer, self));
    TRY(arena_new(&self->memory, &known, listed, 1));
    TRY(find_known(known, self));
    cJSON *rows = cJSON_AddArrayToObject(to, "rows");
    for (size_t i = 0; i < listed; i++) TRY(add_row(rows, &writer, report_listed_row(self, i), known[i]));
    for (size_t i = 0; i < report_top_count(self->novel); i++)
        if ((double)report_top_at(self->novel, i)->score >= self->cut)
            TRY(add_row(rows, &writer, report_top_at(self->novel, i), false));
    add_more(to, self);
    if (!self->image) TRY(add_labeled(to, &writer));
    for (size_t c = 0; c < columns && writer.summed; c++) writer.sums[c] /= (double)writer.summed;
    return report_json_columns(to, self, writer.summed ? writer.sums : NULL);
}
