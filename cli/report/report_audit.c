/* The audit on the page: a random draw of rows for a person to check (--audit), and what their answers
 * guarantee (--audit-answers). */
#include "base/memory.h"
#include "cli/library_values.h"
#include "cli/report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 200 };

static int by_row(const void *left, const void *right)
{
    const puad_audit_row *a = left, *b = right;
    return (a->row > b->row) - (a->row < b->row);
}

puad_status report_audit_prepare(report *self, const invocation *call)
{
    static const char *const deciding[] = {"flag-rate", "threshold", "p-values", "compare"};
    const option_value *answers = value_of(call, "audit-answers");
    if (is_given(call, "audit")) self->audit_checks = (size_t)value_of(call, "audit")->integer;
    self->answers = answers->list;
    self->answer_count = answers->list_count;
    self->audit_rate = is_given(call, "fdr") ? value_of(call, "fdr")->number : 0;
    if (!report_is_audited(self)) return PUAD_OK;
    if (self->audit_checks && self->answer_count)
        FAIL(PUAD_INVALID, "--audit draws rows and --audit-answers reads their answers; give one of them");
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++)
        if (is_given(call, deciding[i]))
            FAIL(PUAD_INVALID, "an audit decides by --fdr; remove --%s", deciding[i]);
    if (self->input_count != 1 || self->ranks_training)
        FAIL(PUAD_INVALID, "an audit is about one file of new rows; give it after TRAIN, or with --model");
    if (info_of(self->model).window) FAIL(PUAD_INVALID, "--audit is not for time series");
    return PUAD_OK;
}

bool report_is_audited(const report *self)
{
    return self->audit_checks || self->answer_count;
}

static puad_status draw(report *self)
{
    puad_audit_plan plan = {.struct_size = sizeof plan,
                            .checks = self->audit_checks,
                            .rate = self->audit_rate,
                            .seed = (uint64_t)value_of(self->call, "seed")->integer};
    TRY(puad_audit_new(&self->audit, self->audit_scores.scores, self->audit_scores.count, &plan));
    self->audit_row_count = puad_audit_count(self->audit);
    TRY(arena_new(&self->memory, &self->audit_rows, self->audit_row_count, sizeof *self->audit_rows));
    for (size_t i = 0; i < self->audit_row_count; i++) {
        self->audit_rows[i].struct_size = sizeof *self->audit_rows;
        TRY(puad_audit_get(self->audit, i, &self->audit_rows[i]));
    }
    qsort(self->audit_rows, self->audit_row_count, sizeof *self->audit_rows, by_row);
    return PUAD_OK;
}

puad_status report_audit_settle(report *self)
{
    if (self->audit_checks) return draw(self);
    self->audited.struct_size = sizeof self->audited;
    TRY(puad_audit_read(&self->audit, self->audit_scores.scores, self->audit_scores.count, self->answers,
                        self->answer_count));
    TRY(puad_audit_check_labels(self->audit, self->model, self->options));
    return puad_audit_decide(self->audit, self->audit_rate, AUDIT_CONFIDENCE_PERCENT / 100.0, &self->audited);
}

/* The columns of the page, in the order of the file: without the id, not more than CELLS_MAX. */
static bool is_shown(const report_input *about, size_t cell)
{
    return !about->id_name || strcmp(about->cell_names[cell], about->id_name) != 0;
}

static puad_status add_drawn(cJSON *list, report *self, puad_stream *source, const puad_audit_row *row)
{
    const report_input *about = &self->inputs[0];
    size_t at = row->row - block_of(source).first_row, length;
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(list, one);
    cJSON_AddNumberToObject(one, "input", 0);
    cJSON_AddNumberToObject(one, "row", (double)row->row);
    if (puad_stream_id(source, at)) cJSON_AddStringToObject(one, "id", puad_stream_id(source, at));
    char digits[32]; /* as 'puad query --audit' prints it */
    snprintf(digits, sizeof digits, "%.9g", (double)row->score);
    cJSON_AddRawToObject(one, "score", digits);
    cJSON_AddNumberToObject(one, "stratum", (double)row->stratum + 1);
    snprintf(digits, sizeof digits, "%.4g", row->probability);
    cJSON_AddRawToObject(one, "probability", digits);
    cJSON *cells = cJSON_AddArrayToObject(one, "cells");
    for (size_t c = 0; about->cell_names && about->cell_names[c]; c++) {
        const char *cell = puad_stream_cell(source, at, c, &length);
        if (!is_shown(about, c) || cJSON_GetArraySize(cells) >= CELLS_MAX) continue;
        const char *text = cell ? report_text(self, "%.*s", (int)length, cell) : "";
        cJSON_AddItemToArray(cells, cJSON_CreateString(text));
    }
    return PUAD_OK;
}

/* A second pass over the file, for the cells of the rows that were drawn. */
static puad_status add_rows(cJSON *list, report *self, puad_stream *source)
{
    for (size_t next = 0; next < self->audit_row_count;) {
        TRY(puad_stream_next(source));
        size_t end = block_of(source).first_row + block_of(source).rows;
        if (!block_of(source).rows) FAIL(PUAD_IO, "%s has changed while it was read", self->inputs[0].path);
        for (; next < self->audit_row_count && self->audit_rows[next].row < end; next++)
            TRY(add_drawn(list, self, source, &self->audit_rows[next]));
    }
    return PUAD_OK;
}

static puad_status add_sample(cJSON *to, report *self)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    puad_stream *source = NULL;
    cJSON *sample = cJSON_AddObjectToObject(to, "audit_sample");
    cJSON_AddStringToObject(sample, "design", puad_audit_text(self->audit));
    cJSON_AddNumberToObject(sample, "rate", self->audit_rate > 0 ? self->audit_rate : 0.1);
    cJSON *names = cJSON_AddArrayToObject(sample, "cells"), *list = cJSON_AddArrayToObject(sample, "rows");
    const char *const *cells = self->inputs[0].cell_names;
    for (size_t c = 0; cells && cells[c] && cJSON_GetArraySize(names) < CELLS_MAX; c++)
        if (is_shown(&self->inputs[0], c)) cJSON_AddItemToArray(names, cJSON_CreateString(cells[c]));
    TRY(report_input_options(&options, self));
    TRY(puad_options_set(options, "keep_cells", "yes"));
    TRY(puad_stream_open(&source, self->model, self->inputs[0].path, options));
    puad_status status = add_rows(list, self, source);
    puad_stream_free(source);
    return status;
}

puad_status report_json_audit(cJSON *to, report *self)
{
    if (self->audit_checks) return add_sample(to, self);
    if (!self->answer_count) return PUAD_OK;
    audit_add_json(to, &self->audited);
    return audit_add_points(cJSON_GetObjectItemCaseSensitive(to, "audit"), self->audit,
                            self->audited.point_count);
}
