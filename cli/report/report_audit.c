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

puad_status report_audit_prepare(report *of, const invocation *call)
{
    static const char *const deciding[] = {"flag-rate", "threshold", "p-values", "compare"};
    const option_value *answers = value_of(call, "audit-answers");
    if (is_given(call, "audit")) of->audit_checks = (size_t)value_of(call, "audit")->integer;
    of->answers = answers->list;
    of->answer_count = answers->list_count;
    of->audit_rate = is_given(call, "fdr") ? value_of(call, "fdr")->number : 0;
    if (!report_is_audited(of)) return PUAD_OK;
    if (of->audit_checks && of->answer_count)
        FAIL(PUAD_INVALID, "--audit draws rows and --audit-answers reads their answers; give one of them");
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++)
        if (is_given(call, deciding[i]))
            FAIL(PUAD_INVALID, "an audit decides by --fdr; remove --%s", deciding[i]);
    if (of->input_count != 1 || of->ranks_training)
        FAIL(PUAD_INVALID, "an audit is about one file of new rows; give it after TRAIN, or with --model");
    if (info_of(of->model).window) FAIL(PUAD_INVALID, "--audit is not for time series");
    return PUAD_OK;
}

bool report_is_audited(const report *of)
{
    return of->audit_checks || of->answer_count;
}

static puad_status draw(report *of)
{
    puad_audit_plan plan = {.struct_size = sizeof plan,
                            .checks = of->audit_checks,
                            .rate = of->audit_rate,
                            .seed = (uint64_t)value_of(of->call, "seed")->integer};
    TRY(puad_audit_new(&of->audit, of->audit_scores.scores, of->audit_scores.count, &plan));
    of->audit_row_count = puad_audit_count(of->audit);
    TRY(arena_new(&of->memory, &of->audit_rows, of->audit_row_count, sizeof *of->audit_rows));
    for (size_t i = 0; i < of->audit_row_count; i++) {
        of->audit_rows[i].struct_size = sizeof *of->audit_rows;
        TRY(puad_audit_get(of->audit, i, &of->audit_rows[i]));
    }
    qsort(of->audit_rows, of->audit_row_count, sizeof *of->audit_rows, by_row);
    return PUAD_OK;
}

puad_status report_audit_settle(report *of)
{
    if (of->audit_checks) return draw(of);
    of->audited.struct_size = sizeof of->audited;
    TRY(puad_audit_read(&of->audit, of->audit_scores.scores, of->audit_scores.count, of->answers,
                        of->answer_count));
    TRY(puad_audit_check_labels(of->audit, of->model, of->options));
    return puad_audit_decide(of->audit, of->audit_rate, AUDIT_CONFIDENCE_PERCENT / 100.0, &of->audited);
}

/* The columns of the page, in the order of the file: without the id, not more than CELLS_MAX. */
static bool is_shown(const report_input *about, size_t cell)
{
    return !about->id_name || strcmp(about->cell_names[cell], about->id_name) != 0;
}

static puad_status add_drawn(cJSON *list, report *of, puad_stream *from, const puad_audit_row *row)
{
    const report_input *about = &of->inputs[0];
    size_t at = row->row - block_of(from).first_row, length;
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(list, one);
    cJSON_AddNumberToObject(one, "input", 0);
    cJSON_AddNumberToObject(one, "row", (double)row->row);
    if (puad_stream_id(from, at)) cJSON_AddStringToObject(one, "id", puad_stream_id(from, at));
    char digits[32]; /* as 'puad query --audit' prints it */
    snprintf(digits, sizeof digits, "%.9g", (double)row->score);
    cJSON_AddRawToObject(one, "score", digits);
    cJSON_AddNumberToObject(one, "stratum", (double)row->stratum + 1);
    snprintf(digits, sizeof digits, "%.4g", row->probability);
    cJSON_AddRawToObject(one, "probability", digits);
    cJSON *cells = cJSON_AddArrayToObject(one, "cells");
    for (size_t c = 0; about->cell_names && about->cell_names[c]; c++) {
        const char *cell = puad_stream_cell(from, at, c, &length);
        if (!is_shown(about, c) || cJSON_GetArraySize(cells) >= CELLS_MAX) continue;
        const char *text = cell ? report_text(of, "%.*s", (int)length, cell) : "";
        cJSON_AddItemToArray(cells, cJSON_CreateString(text));
    }
    return PUAD_OK;
}

/* A second pass over the file, for the cells of the rows that were drawn. */
static puad_status add_rows(cJSON *list, report *of, puad_stream *from)
{
    for (size_t next = 0; next < of->audit_row_count;) {
        TRY(puad_stream_next(from));
        size_t end = block_of(from).first_row + block_of(from).rows;
        if (!block_of(from).rows) FAIL(PUAD_IO, "%s has changed while it was read", of->inputs[0].path);
        for (; next < of->audit_row_count && of->audit_rows[next].row < end; next++)
            TRY(add_drawn(list, of, from, &of->audit_rows[next]));
    }
    return PUAD_OK;
}

static puad_status add_sample(cJSON *to, report *of)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    puad_stream *from = NULL;
    cJSON *sample = cJSON_AddObjectToObject(to, "audit_sample");
    cJSON_AddStringToObject(sample, "design", puad_audit_text(of->audit));
    cJSON_AddNumberToObject(sample, "rate", of->audit_rate > 0 ? of->audit_rate : 0.1);
    cJSON *names = cJSON_AddArrayToObject(sample, "cells"), *list = cJSON_AddArrayToObject(sample, "rows");
    const char *const *cells = of->inputs[0].cell_names;
    for (size_t c = 0; cells && cells[c] && cJSON_GetArraySize(names) < CELLS_MAX; c++)
        if (is_shown(&of->inputs[0], c)) cJSON_AddItemToArray(names, cJSON_CreateString(cells[c]));
    TRY(report_input_options(&options, of));
    TRY(puad_options_set(options, "keep_cells", "yes"));
    TRY(puad_stream_open(&from, of->model, of->inputs[0].path, options));
    puad_status status = add_rows(list, of, from);
    puad_stream_free(from);
    return status;
}

puad_status report_json_audit(cJSON *to, report *of)
{
    if (of->audit_checks) return add_sample(to, of);
    if (!of->answer_count) return PUAD_OK;
    audit_add_json(to, &of->audited);
    return audit_add_points(cJSON_GetObjectItemCaseSensitive(to, "audit"), of->audit);
}
