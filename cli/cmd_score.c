/* puad score: prints one line per row, in constant memory. */
#include "base/file.h"
#include "base/threads.h"
#include "cli/audit/audit_scores.h"
#include "cli/common/command.h"
#include "cli/common/message.h"
#include "cli/common/print_notes.h"
#include "cli/common/spinner.h"
#include "cli/library_values.h"
#include "cli/report/report.h"
#include "cli/score/score_report.h"
#include "cli/score/score_sink.h"
#include "cli/score/score_spool.h"
#include "plot/heat_map.h"

#include <errno.h>
#include <math.h>
#include <puad/decision.h>
#include <puad/explain.h>
#include <puad/stream.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option options[] = {
    {.name = "top",
     .letter = 'n',
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 1e8,
     .value = "K",
     .help = "only the K rows with the largest scores, largest first"},
    {.name = "alpha",
     .type = OPTION_NUMBER,
     .min = 0,
     .max = 0.999,
     .value = "FRACTION",
     .help = "alpha_U for p-values and probabilities instead of the model's"},
    {.name = "answers",
     .type = OPTION_LIST,
     .value = "FILE",
     .help =
         "answers to 'puad query --audit' about INPUT: --fdr then depends only on them; give the files of "
         "all rounds"},
    {.name = "explain",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 1000,
     .value = "K",
     .help = "adds a column 'reasons': the K columns (of images: pixels) that contribute most, each with its "
             "value, typical values among unlabeled rows, and its fraction of the score; with --fdr only for "
             "flagged rows, unless --top selects the rows"},
    {.name = "heat-maps",
     .type = OPTION_TEXT,
     .value = "DIR",
     .help = "images: write a heat map of each printed row as DIR/row-NNNNNN.png; with a backbone, "
             "the image and a map of its unusual places"},
    {.name = "output",
     .letter = 'o',
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "write the scores to FILE instead of standard output; it appears when all rows are scored"},
    {.name = "format",
     .type = OPTION_CHOICE,
     .standard = "csv",
     .choices = "csv|tsv|jsonl|json",
     .help = "CSV, TSV, one JSON object per row, or one object with all rows"},
    {.name = "json", .type = OPTION_FLAG, .help = "one JSON object with all rows: --format json"},
    {.name = "keep-columns", .type = OPTION_FLAG, .help = "append the columns of a CSV input, unchanged"},
    THREADS_OPTION("0 for one per processor"),
    {.name = "quiet",
     .letter = 'q',
     .type = OPTION_FLAG,
     .help = "no notes about the input and the decisions; warnings remain"},
    STRICT_OPTION("end with status 3 after a warning; all scores are still printed"),
    {.name = "html",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "also write the page of 'puad report' about these rows"},
    {.name = "summary",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "write a JSON object about the run: rows, flagged rows, warnings"},
};

enum {
    EXPLAINED_CAPACITY = 520, /* bytes of a column in an explanation */
    KEPT_CAPACITY = 32,       /* bytes of the name of an output column */
    PART_ROWS = 1024,         /* rows that one thread formats at a time */
    FORMATTED_ALONE = 2048,   /* larger blocks are formatted by several threads */
};

typedef struct score_output {
    puad_options *options;
    puad_detector *model;
    puad_stream *rows;
    int threads;
    team *workers; /* format the rows of large blocks; NULL before the first one */
    puad_decider *decisions;
    score_list scores; /* for --answers: all scores */
    bool by_audit;
    puad_audit *audit;
    puad_audit_result audited;
    row_spool spool;
    top_rows top;
    const char *id_name;
    size_t columns;
    unsigned char *known; /* of the block, for --kind */
    size_t explain, because_room;
    char *because;
    puad_reason *reasons; /* `reason_room` of them, of which the first `explain` are printed */
    size_t reason_room;
    const char *heat_maps;   /* folder of heat maps, or NULL */
    const char *photographs; /* the input folder, whose files get heat maps of patches; or NULL */
    float *shares;           /* contribution of each encoded column to one row's score */
    float *taken;            /* the model's input for one row, to explain its score; or NULL */
    score_sink sink;
    bool keep;
    field_text kept; /* the cells of one row */
} score_output;

static bool is_flagged(const score_output *out, const scored_row *row)
{
    if (out->by_audit) return puad_audit_flags(out->audit, row->row);
    return puad_decider_flags(out->decisions, row->score);
}

static void print_decision(score_output *out, const scored_row *row)
{
    const puad_decider *decider = out->decisions;
    score_sink *to = &out->sink;
    if (decided(decider).has_p) {
        score_sink_number(to, "p_value", 6, puad_decider_p(decider, row->score));
        if (decided(decider).has_probability)
            score_sink_number(to, "probability", 4, puad_decider_probability(decider, row->score));
        else
            score_sink_text(to, "probability", NULL);
    }
    if (!out->by_audit && !decided(decider).kind) return;
    bool flagged = is_flagged(out, row);
    score_sink_whole(to, "flag", (size_t)flagged);
    if (decided(decider).has_kind)
        score_sink_text(to, "kind", !flagged ? NULL : row->known ? "known" : "new");
}

/* The name of an input column in the output; names of output columns are reserved. */
static const char *kept_name(char buffer[KEPT_CAPACITY], const char *name)
{
    static const char *const own[] = {"row", "score", "p_value", "probability", "flag", "kind", "reasons"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0) {
            snprintf(buffer, KEPT_CAPACITY, "input.%s", name);
            return buffer;
        }
    return name;
}

static bool is_kept(const score_output *out, const char *name)
{
    return !out->id_name || strcmp(name, out->id_name) != 0; /* the id column is already there */
}

static void print_fields(score_output *out, const scored_row *row, const char *because)
{
    score_sink *to = &out->sink;
    score_sink_whole(to, "row", row->row);
    score_sink_number(to, "score", 9, (double)row->score);
    if (out->id_name) score_sink_text(to, out->id_name, row->id);
    print_decision(out, row);
    if (out->explain) score_sink_text(to, "reasons", because);
    const char *name;
    char buffer[KEPT_CAPACITY];
    for (size_t i = 0; to->header && out->keep && (name = puad_stream_cell_name(out->rows, i)); i++)
        if (is_kept(out, name)) score_sink_text(to, kept_name(buffer, name), NULL);
    if (!to->header) score_sink_raw(to, row->kept);
    score_sink_end(to);
}

/* The cells of row `i` of the block, formatted for output. */
static puad_status keep_cells(score_output *out, size_t i)
{
    char buffer[KEPT_CAPACITY];
    const char *name;
    out->kept.used = 0;
    for (size_t c = 0; (name = puad_stream_cell_name(out->rows, c)); c++) {
        size_t length;
        const char *text = puad_stream_cell(out->rows, i, c, &length);
        if (is_kept(out, name))
            TRY(score_sink_field(&out->kept, &out->sink, kept_name(buffer, name), text ? text : "", length));
    }
    return PUAD_OK;
}

/* A category is usual if at least this fraction of the unlabeled training rows has it. */
static const double usual_fraction = 0.1;

/* Whether the value is usual among unlabeled rows: a common category, or a number between their 5% and 95%
 * quantiles. */
static bool is_usual(const puad_reason *reason)
{
    if (!reason->column || reason->aspect != PUAD_ASPECT_VALUE || reason->missing || reason->beyond)
        return false;
    const puad_typical *typical = &reason->typical;
    for (size_t i = 0; reason->category && i < typical->count && i < PUAD_TYPICAL_CATEGORIES; i++)
        if (strcmp(typical->categories[i].name, reason->category) == 0)
            return typical->categories[i].fraction >= usual_fraction;
    return !isnan(reason->value) && reason->value >= typical->low && reason->value <= typical->high;
}

/* The `explain` largest contributions of unusual values; the largest of all if no value is unusual. */
static puad_status explain_row(score_output *out, const scored_row *row)
{
    size_t count, kept = 0;
    TRY(puad_scorer_reasons(puad_stream_scorer(out->rows), out->reasons, out->reason_room, &count,
                            row->values, out->columns));
    puad_reason largest = {0};
    if (count) largest = out->reasons[0];
    for (size_t i = 0; i < count && kept < out->explain; i++)
        if (!is_usual(&out->reasons[i])) out->reasons[kept++] = out->reasons[i];
    if (count && !kept) out->reasons[kept++] = largest;
    return puad_reasons_text(out->reasons, kept, out->because, out->because_room);
}

static puad_status map_photograph(const score_output *out, const scored_row *row)
{
    puad_heat_map_info info = {.struct_size = sizeof info};
    puad_heat_map *map = NULL;
    AUTO_FREE char *path = file_join(out->photographs, row->id);
    if (!path) FAIL(PUAD_MEMORY, "no memory for a path");
    TRY(puad_heat_map_read(&map, out->model, path));
    puad_status status = puad_heat_map_get(map, &info);
    if (status == PUAD_OK)
        status = heat_map_photograph(out->heat_maps, row->row, info.pixels, info.heat,
                                     (picture_shape){info.height, info.width, 3});
    puad_heat_map_free(map);
    return status;
}

static puad_status print_row(score_output *out, const scored_row *row)
{
    puad_scorer *scorer = puad_stream_scorer(out->rows);
    bool explained = out->explain && (!out->spool.file || is_flagged(out, row));
    if (explained) TRY(explain_row(out, row));
    print_fields(out, row, explained ? out->because : NULL);
    if (!out->heat_maps) return PUAD_OK;
    if (out->photographs) return map_photograph(out, row);
    TRY(puad_scorer_explain(scorer, out->shares, row->values, out->columns));
    picture_shape shape = {info_of(out->model).height, info_of(out->model).width,
                           info_of(out->model).channels};
    return heat_map_write(out->heat_maps, row->row, row->score, row->values, out->shares, shape);
}

static scored_row row_at(const score_output *out, size_t i)
{
    puad_block block = block_of(out->rows);
    return (scored_row){.score = block.scores[i],
                        .row = block.first_row + i,
                        .id = puad_stream_id(out->rows, i),
                        .known = out->known && out->known[i]};
}

/* Rows of a block that one thread formats. */
typedef struct block_part {
    score_output *out;
    char *text;
    size_t size;
    bool failed;
} block_part;

static void format_part(void *context, size_t index, int thread)
{
    (void)thread;
    block_part *part = (block_part *)context + index;
    score_output own = *part->out; /* with an output and cells of its own */
    size_t rows = block_of(own.rows).rows, first = index * PART_ROWS;
    own.sink.to = text_stream_open(&part->text, &part->size);
    own.sink.any |= index > 0;
    own.kept = (field_text){0};
    part->failed = !own.sink.to;
    for (size_t i = first; i < rows && i < first + PART_ROWS && !part->failed; i++) {
        scored_row row = row_at(&own, i);
        part->failed = own.keep && keep_cells(&own, i) != PUAD_OK;
        row.kept = own.kept.text;
        if (!part->failed) print_fields(&own, &row, NULL);
    }
    if (own.sink.to && !text_stream_close(own.sink.to, &part->text)) part->failed = true;
    free(own.kept.text);
}

/* Formats the rows of a block in threads and writes them in order. */
static puad_status print_block(score_output *out, size_t rows)
{
    size_t count = (rows + PART_ROWS - 1) / PART_ROWS;
    AUTO_FREE block_part *parts = NULL;
    TRY(memory_new(&parts, count, sizeof *parts, "rows to print"));
    for (size_t i = 0; i < count; i++) parts[i].out = out;
    if (!out->workers) TRY(team_new(&out->workers, out->threads));
    team_run(out->workers, count, format_part, parts);
    bool failed = false;
    for (size_t i = 0; i < count; i++) {
        failed |= parts[i].failed;
        if (!failed) fwrite(parts[i].text, 1, parts[i].size, out->sink.to);
        free(parts[i].text);
    }
    if (failed) FAIL(PUAD_MEMORY, "no memory to print %zu rows", rows);
    out->sink.any = true;
    if (ferror(out->sink.to) && !out->sink.reason) out->sink.reason = errno;
    return PUAD_OK;
}

static puad_status write_block(score_output *out)
{
    size_t rows = block_of(out->rows).rows, columns = out->columns;
    const float *scores = block_of(out->rows).scores, *values = block_of(out->rows).values;
    TRY(puad_decider_count(out->decisions, scores, rows));
    if (out->by_audit) TRY(score_list_add(&out->scores, scores, rows));
    if (out->known)
        TRY(puad_decider_known(out->decisions, out->known, puad_stream_scorer(out->rows), values, rows,
                               columns));
    bool waits = out->top.max || out->spool.file;
    if (!waits && !out->taken && rows > FORMATTED_ALONE) return print_block(out, rows);
    for (size_t i = 0; i < rows; i++) {
        scored_row row = row_at(out, i);
        if (!top_rows_want(&out->top, &row)) continue;
        if (out->taken) {
            TRY(puad_stream_take(out->rows, out->taken, columns, i));
            row.values = out->taken;
        }
        if (out->keep) {
            TRY(keep_cells(out, i));
            row.kept = out->kept.text;
        }
        TRY(out->top.max      ? top_rows_keep(&out->top, &row, columns)
            : out->spool.file ? row_spool_keep(&out->spool, &row, columns)
                              : print_row(out, &row));
    }
    return PUAD_OK;
}

static puad_status prepare_explanations(score_output *out, const invocation *call)
{
    out->explain = is_given(call, "explain") ? (size_t)value_of(call, "explain")->integer : 0;
    out->heat_maps = value_of(call, "heat-maps")->text;
    if (!out->explain && !out->heat_maps) return PUAD_OK;
    if (out->heat_maps && info_of(out->model).backbone) {
        if (!file_is_folder(call->arguments[1]))
            FAIL(PUAD_INVALID, "%s: --heat-maps with a backbone needs a folder of images",
                 call->arguments[1]);
        out->photographs = call->arguments[1];
    } else if (out->heat_maps && info_of(out->model).image == 0) {
        FAIL(PUAD_INVALID, "--heat-maps is for images; --explain K names the columns of a table");
    }
    if (out->explain && !info_of(out->model).image && !info_of(out->model).column_count)
        FAIL(PUAD_INVALID, "a model with a backbone has no columns to explain a score; remove --explain");
    if (out->heat_maps) TRY(heat_map_folder(out->heat_maps));
    out->because_room = (out->explain < out->columns ? out->explain : out->columns) * EXPLAINED_CAPACITY + 1;
    TRY(memory_new(&out->because, out->because_room, 1, "explanations"));
    if (out->explain > out->columns) out->explain = out->columns;
    out->reason_room = info_of(out->model).column_count;
    if (out->reason_room < out->explain) out->reason_room = out->explain;
    TRY(memory_new(&out->reasons, out->reason_room, sizeof *out->reasons, "explanations"));
    if (out->explain) out->reasons->struct_size = sizeof *out->reasons;
    TRY(memory_new(&out->taken, out->columns, sizeof *out->taken, "explanations"));
    return memory_new(&out->shares, out->columns, sizeof *out->shares, "explanations");
}

/* With --answers the audit decides; p-values and probabilities are the model's. */
static puad_status make_decider(score_output *out, const invocation *call)
{
    static const char *const deciding[] = {"flag-rate", "threshold", "kind"};
    AUTO_CALL_OPTIONS puad_options *without = NULL;
    out->by_audit = is_given(call, "answers");
    if (!out->by_audit) return puad_decider_new(&out->decisions, out->model, out->options);
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++)
        if (is_given(call, deciding[i]))
            FAIL(PUAD_INVALID, "--answers decides by --fdr; remove --%s", deciding[i]);
    TRY(puad_options_new(&without));
    if (is_given(call, "p-values"))
        TRY(puad_options_set(without, "p_values", value_of(call, "p-values")->text));
    if (is_given(call, "alpha")) TRY(puad_options_set(without, "alpha", value_of(call, "alpha")->text));
    return puad_decider_new(&out->decisions, out->model, without);
}

static puad_status prepare(score_output *out, const invocation *call)
{
    TRY(call_options(&out->options, call));
    TRY(puad_detector_load(&out->model, call->arguments[0]));
    out->threads = (int)value_of(call, "threads")->integer;
    out->keep = is_given(call, "keep-columns");
    if (out->keep) TRY(puad_options_set(out->options, "keep_cells", "yes"));
    TRY(puad_stream_open(&out->rows, out->model, call->arguments[1], out->options));
    out->id_name = block_of(out->rows).id_name;
    out->columns = block_of(out->rows).columns;
    if (out->keep && !puad_stream_cell_name(out->rows, 0))
        FAIL(PUAD_INVALID,
             "--keep-columns is for CSV files and workbooks; this input has no columns of text");
    out->top.max = is_given(call, "top") ? (size_t)value_of(call, "top")->integer : 0;
    TRY(make_decider(out, call));
    if (decided(out->decisions).has_kind)
        TRY(memory_new(&out->known, block_of(out->rows).capacity, 1, "kinds"));
    if ((out->by_audit || decided(out->decisions).kind == PUAD_DECIDES_FDR) && !out->top.max)
        TRY(row_spool_open(&out->spool));
    return prepare_explanations(out, call);
}

static puad_status settle(score_output *out, const invocation *call)
{
    if (!out->by_audit) return puad_decider_settle(out->decisions);
    out->audited.struct_size = sizeof out->audited;
    TRY(audit_of_answers(&out->audit, &out->scores, call));
    TRY(puad_audit_check_labels(out->audit, out->model, out->options));
    return puad_audit_decide(out->audit, audit_rate(call), AUDIT_CONFIDENCE_PERCENT / 100.0, &out->audited);
}

/* Prints the rows that waited for the end: those of --top, or all of them with --fdr. */
static puad_status print_kept(score_output *out, const invocation *call)
{
    TRY(settle(out, call));
    top_rows_sort(&out->top);
    for (size_t i = 0; i < out->top.count; i++) TRY(print_row(out, &out->top.heap[i]));
    if (!out->spool.file) return PUAD_OK;
    TRY(row_spool_rewind(&out->spool));
    for (;;) {
        bool more;
        scored_row row;
        TRY(row_spool_take(&more, &row, &out->spool));
        if (!more) return PUAD_OK;
        TRY(print_row(out, &row));
    }
}

static void print_header(score_output *out)
{
    if (out->sink.json) return;
    out->sink.header = true;
    print_fields(out, &(scored_row){0}, NULL);
    out->sink.header = false;
}

static puad_status score_all(score_output *out, const invocation *call)
{
    TRY(prepare(out, call));
    TRY(score_sink_open(&out->sink, value_of(call, "output")->text,
                        is_given(call, "json") ? "json" : value_of(call, "format")->text));
    print_header(out);
    activity_begin_reading("scoring", is_given(call, "quiet") || out->sink.terminal, call->arguments + 1,
                           call->argument_count - 1, 1);
    for (;;) {
        TRY(puad_stream_next(out->rows));
        if (block_of(out->rows).rows == 0) break;
        TRY(write_block(out));
        TRY(score_sink_flush(&out->sink)); /* the rows of a pipe may arrive one at a time */
    }
    TRY(print_kept(out, call));
    TRY(score_sink_finish(&out->sink));
    activity_end();
    if (is_given(call, "html"))
        TRY(report_of_model(call, out->model, out->options, value_of(call, "html")->text));
    if (is_given(call, "summary"))
        TRY(score_report_write(value_of(call, "summary")->text, call, out->decisions,
                               out->by_audit ? &out->audited : NULL));
    if (is_given(call, "quiet")) return PUAD_OK;
    if (out->by_audit) audit_tell(call, &out->audited);
    char message[SPOKEN_CAPACITY];
    const char *line;
    for (size_t i = 0; !out->by_audit && *(line = puad_decider_report(out->decisions, i)); i++)
        message_print(MESSAGE_NOTE, "score", "%s", speak(message, call->command, line));
    print_stream_notes(call, out->rows);
    return PUAD_OK;
}

static puad_status run(const invocation *call)
{
    score_output out = {0};
    puad_status status = score_all(&out, call);
    activity_end();
    top_rows_free(&out.top);
    row_spool_close(&out.spool);
    score_sink_close(&out.sink);
    free(out.kept.text);
    free(out.shares);
    free(out.taken);
    free(out.because);
    free(out.reasons);
    free(out.known);
    puad_decider_free(out.decisions);
    puad_audit_free(out.audit);
    score_list_free(&out.scores);
    puad_stream_free(out.rows);
    team_free(out.workers);
    puad_detector_free(out.model);
    puad_options_free(out.options);
    return status;
}

const command command_score = {
    .name = "score",
    .summary = "score rows with a model, one line per row",
    .usage = "MODEL INPUT... [OPTIONS]",
    .description =
        "Prints CSV to standard output: the row's number from 0, its score (larger is more anomalous), and "
        "what the options request. Columns are matched by name; a warning names columns that the training "
        "file did not have, and they are ignored. A CSV of any length is scored in constant memory; - "
        "reads it from standard input. Scores rank the rows of one model; they are not comparable between "
        "models.\nA model trained with 'fit --calibrate' adds a p-value and the probability of an anomaly "
        "to each row, and can decide: --fdr limits the expected fraction of false alarms, --flag-rate the "
        "fraction of flagged rows. All of this is about anomalies like the labeled ones; it says nothing "
        "about new kinds. With --answers, --fdr depends only on rows that a person has checked ('puad "
        "query --audit') and assumes nothing about labels, model or new rows; the scores of all rows are "
        "then kept in memory.",
    .example = "puad score m.safetensors new.csv > scores.csv\n"
               "puad score m.safetensors new.csv --keep-columns --format jsonl -o scores.jsonl\n"
               "puad score m.safetensors new.csv --id-column account --top 20 --explain 3\n"
               "puad score m.safetensors new.csv --fdr 0.1 --kind > decided.csv\n"
               "puad score m.safetensors new.csv --answers audit.csv --fdr 0.1 > decided.csv\n"
               "puad score m.safetensors pictures --top 20 --heat-maps maps",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .groups = GROUP(DECISION) | GROUP(INPUT),
    .arguments_least = 2,
    .arguments_most = COMMAND_ARGUMENTS_MAX,
    .joins = true,
    .run = run,
};
