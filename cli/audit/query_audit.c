/* Two passes over the input: scores, then the cells of the sampled rows. */
#include "cli/audit/query_audit.h"
#include "cli/common/message.h"
#include "cli/common/table_print.h"
#include "cli/library_values.h"

#include "base/memory.h"
#include "cli/audit/audit_scores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct audit_query {
    puad_options *options;
    puad_detector *model;
    puad_audit *audit;
    score_list scores;
    puad_audit_row *rows; /* of the last round, in input order */
    size_t count;
} audit_query;

static int by_row(const void *left, const void *right)
{
    const puad_audit_row *a = left, *b = right;
    return (a->row > b->row) - (a->row < b->row);
}

static puad_status draw(audit_query *run, const invocation *call)
{
    if (is_given(call, "answers")) {
        TRY(audit_of_answers(&run->audit, &run->scores, call));
        TRY(puad_audit_continue(run->audit));
    } else {
        puad_audit_plan plan = {.struct_size = sizeof plan,
                                .checks = (size_t)value_of(call, "audit")->integer,
                                .rounds = (size_t)value_of(call, "rounds")->integer,
                                .rate = audit_rate(call),
                                .seed = (uint64_t)value_of(call, "seed")->integer,
                                .model = run->model};
        TRY(puad_audit_new(&run->audit, run->scores.scores, run->scores.count, &plan));
    }
    size_t all = puad_audit_count(run->audit), last = 0;
    TRY(memory_new(&run->rows, all, sizeof *run->rows, "rows"));
    for (size_t i = 0; i < all; i++) {
        puad_audit_row row = {.struct_size = sizeof row};
        TRY(puad_audit_get(run->audit, i, &row));
        if (row.round > last) run->count = 0;
        last = row.round;
        run->rows[run->count++] = row;
    }
    qsort(run->rows, run->count, sizeof *run->rows, by_row);
    return PUAD_OK;
}

static bool is_own(const char *name)
{
    static const char *const own[] = {"row", "score", "label", "audit", "stratum", "probability"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0) return true;
    return false;
}

static bool is_printed(puad_stream *stream, const char *name)
{
    const char *id = block_of(stream).id_name;
    return !id || strcmp(id, name) != 0;
}

puad_status query_sink(score_sink *out, const invocation *call)
{
    return score_sink_open(out, NULL, is_given(call, "json") ? "json" : value_of(call, "format")->text);
}

/* A row, or the header if `row` is NULL. */
static puad_status print_row(const audit_query *run, score_sink *to, puad_stream *stream,
                             const puad_audit_row *row)
{
    AUTO_ARENA arena memory = {0};
    size_t i = row ? row->row - block_of(stream).first_row : 0, length;
    const char *name;
    to->header = !row;
    score_sink_whole(to, "row", row ? row->row : 0);
    if (block_of(stream).id_name)
        score_sink_text(to, block_of(stream).id_name, row ? puad_stream_id(stream, i) : NULL);
    score_sink_number(to, "score", 9, row ? (double)row->score : 0);
    score_sink_text(to, "label", NULL);
    score_sink_text(to, "audit", puad_audit_text(run->audit));
    score_sink_whole(to, "stratum", row ? row->stratum + 1 : 0);
    score_sink_number(to, "probability", 4, row ? row->probability : 0);
    for (size_t c = 0; (name = puad_stream_cell_name(stream, c)); c++) {
        const char *cell = row ? puad_stream_cell(stream, i, c, &length) : NULL, *text = "";
        if (!is_printed(stream, name)) continue;
        if (cell) TRY(arena_print(&memory, &text, "%.*s", (int)length, cell));
        if (is_own(name)) TRY(arena_print(&memory, &name, "input.%s", name));
        score_sink_text(to, name, text);
    }
    score_sink_end(to);
    return PUAD_OK;
}

static puad_status print_rows(const audit_query *run, puad_stream *stream, const invocation *call)
{
    score_sink to;
    TRY(query_sink(&to, call));
    if (!to.json) TRY(print_row(run, &to, stream, NULL));
    for (size_t next = 0; next < run->count;) {
        TRY(puad_stream_next(stream));
        size_t first = block_of(stream).first_row, rows = block_of(stream).rows;
        if (rows == 0) FAIL(PUAD_IO, "the input has changed while it was read");
        for (; next < run->count && run->rows[next].row < first + rows; next++)
            TRY(print_row(run, &to, stream, &run->rows[next]));
    }
    return score_sink_finish(&to);
}

static void tell(const audit_query *run, const invocation *call)
{
    double rate = is_given(call, "fdr") ? value_of(call, "fdr")->number : 0.1;
    size_t checks = (size_t)value_of(call, "audit")->integer;
    size_t min = (size_t)ceil((double)value_of(call, "rounds")->integer / rate);
    message_print(MESSAGE_NOTE, "query",
                  "%zu of %zu rows; write 1 (anomaly) or -1 (normal) into 'label', then:", run->count,
                  run->scores.count);
    message_print(MESSAGE_NOTE, "query", "puad score MODEL INPUT --answers FILE --fdr %g", rate);
    if (!is_given(call, "answers") && checks < min)
        message_print(MESSAGE_NOTE, "query", "a rate of %g needs at least %zu checks per round", rate, min);
}

static puad_status ask(audit_query *run, const invocation *call)
{
    const char *path = call->arguments[1];
    if (strcmp(path, "-") == 0)
        FAIL(PUAD_INVALID, "the rows are read twice, which is impossible for standard input: give a file");
    if (is_given(call, "top")) FAIL(PUAD_INVALID, "--audit sets the number of rows; remove --top");
    TRY(call_options(&run->options, call));
    TRY(puad_detector_load(&run->model, call->arguments[0]));
    TRY(score_list_read(&run->scores, run->model, path, run->options, is_given(call, "quiet")));
    TRY(draw(run, call));
    puad_stream *stream = NULL;
    TRY(puad_options_set(run->options, "keep_cells", "yes"));
    TRY(puad_options_set(run->options, "truth", "yes")); /* the first pass has already printed the warnings */
    TRY(puad_stream_open(&stream, run->model, path, run->options));
    puad_status status = print_rows(run, stream, call);
    puad_stream_free(stream);
    TRY(status);
    if (!is_given(call, "quiet")) tell(run, call);
    return PUAD_OK;
}

puad_status query_audit(const invocation *call)
{
    audit_query job = {0};
    puad_status status = ask(&job, call);
    free(job.rows);
    puad_audit_free(job.audit);
    score_list_free(&job.scores);
    puad_detector_free(job.model);
    puad_options_free(job.options);
    return status;
}
