/* puad query: writes a file of rows for a reviewer to label. */
#include "base/file.h"
#include "base/memory.h"
#include "cli/audit/query_audit.h"
#include "cli/common/command.h"
#include "cli/common/message.h"
#include "cli/common/spinner.h"
#include "cli/common/table_print.h"
#include "cli/library_values.h"

#include <puad/query.h>
#include <puad/series.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option options[] = {
    {.name = "top",
     .letter = 'n',
     .type = OPTION_INTEGER,
     .standard = "20",
     .min = 1,
     .max = 1e6,
     .value = "K",
     .help = "number of rows to propose"},
    {.name = "answers",
     .type = OPTION_LIST,
     .value = "FILE",
     .help = "answers to earlier queries: these rows are not proposed again; may be given more than once"},
    SHARED_OPTION(
        "goal", "find: rows with the highest scores, and one row in ten unlike them; learn: half of the rows "
                "where the model is least certain, half random"),
    {.name = "audit",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 2000,
     .value = "N",
     .help = "sample N rows of INPUT at random by a known design, to be checked for 'puad score --answers'; "
             "INPUT is the file to decide about"},
    {.name = "rounds",
     .type = OPTION_INTEGER,
     .standard = "1",
     .min = 1,
     .max = 100,
     .value = "R",
     .help =
         "plan R rounds of --audit; each may use a fraction 1/R of the rate. Later rounds: give --answers "
         "of the earlier ones"},
    SHARED_OPTION("fdr", "with --audit: the fraction of false alarms to guarantee; default 0.1"),
    SEED_OPTION("random seed"),
    THREADS_OPTION("0 for one per processor"),
    OUTPUT_OPTION,
    {.name = "format",
     .type = OPTION_CHOICE,
     .standard = "csv",
     .choices = "csv|tsv|jsonl|json",
     .help = "CSV, TSV, one JSON object per row, or one object with all rows; answers are read from CSV"},
    {.name = "json", .type = OPTION_FLAG, .help = "one JSON object with all rows: --format json"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "no notes; warnings remain"},
    STRICT_OPTION("end with status 3 after a warning"),
};

typedef struct query_run {
    puad_options *options;
    puad_detector *model;
    puad_dataset *data;
    puad_cells *cells;
    size_t *chosen, count;
    arena memory;
} query_run;

/* The name of an input column in the output, where the names of its own columns are reserved. */
static const char *name_of(query_run *run, const char *name)
{
    static const char *const own[] = {"row", "score", "label"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0 && arena_print(&run->memory, &name, "input.%s", name) == PUAD_OK)
            return name;
    return name;
}

static void print_row(query_run *run, score_sink *to, size_t k)
{
    const char *id_name = dataset_of(run->data).id_name;
    bool header = to->header;
    score_sink_whole(to, "row", header ? 0 : run->chosen[k]);
    if (id_name) score_sink_text(to, id_name, header ? NULL : puad_dataset_id(run->data, run->chosen[k]));
    score_sink_number(to, "score", 9, header ? 0 : (double)dataset_of(run->data).scores[run->chosen[k]]);
    score_sink_text(to, "label", NULL);
    for (size_t c = 0; c < puad_cells_columns(run->cells); c++)
        score_sink_text(to, name_of(run, puad_cells_name(run->cells, c)),
                        header ? NULL : puad_cells_text(run->cells, k, c));
    score_sink_end(to);
}

static void print_rows(query_run *run, score_sink *to)
{
    to->header = !to->json;
    if (to->header) print_row(run, to, 0);
    to->header = false;
    for (size_t k = 0; k < run->count; k++) print_row(run, to, k);
}

typedef struct interval {
    char begin[64], end[64];
    const char *group;
} interval;

static void print_interval(const query_run *run, score_sink *to, size_t k, const interval *at)
{
    const char *group = info_of(run->model).series_column;
    bool header = to->header;
    score_sink_text(to, "start", at->begin);
    score_sink_text(to, "end", at->end);
    if (group) score_sink_text(to, group, at->group);
    score_sink_text(to, "label", NULL);
    score_sink_number(to, "score", 9, header ? 0 : (double)dataset_of(run->data).scores[run->chosen[k]]);
    score_sink_whole(to, "row", header ? 0 : run->chosen[k]);
    score_sink_end(to);
}

/* For a time series: intervals to label, in the format of 'fit --intervals'. */
static puad_status print_intervals(const query_run *run, score_sink *to)
{
    const double *times = dataset_of(run->data).times;
    const char *group = info_of(run->model).series_column;
    size_t column = 0;
    if (!times)
        FAIL(PUAD_INVALID,
             "the model has no time stamps, so no interval can be proposed; train it with --time-column");
    while (group && column < puad_cells_columns(run->cells) &&
           strcmp(puad_cells_name(run->cells, column), group) != 0)
        column++;
    to->header = !to->json;
    if (to->header) print_interval(run, to, 0, &(interval){0});
    to->header = false;
    for (size_t k = 0; k < run->count; k++) {
        size_t first, last;
        interval at = {.group = group ? puad_cells_text(run->cells, k, column) : NULL};
        TRY(puad_detector_window(run->model, run->data, run->chosen[k], &first, &last));
        TRY(puad_detector_time_text(run->model, at.begin, sizeof at.begin, times[first]));
        TRY(puad_detector_time_text(run->model, at.end, sizeof at.end, times[last]));
        print_interval(run, to, k, &at);
    }
    return PUAD_OK;
}

static puad_status print_chosen(query_run *run, const invocation *call)
{
    score_sink to;
    TRY(query_sink(&to, call));
    if ((double)info_of(run->model).window > 0)
        TRY(print_intervals(run, &to));
    else
        print_rows(run, &to);
    return score_sink_finish(&to);
}

static puad_status add_answer_file(const char **out, query_run *run, const char *file)
{
    TRY(arena_shell_word(&run->memory, &file, file));
    return arena_print(&run->memory, out, "%s --answers %s", *out, file);
}

/* All files of answers so far as command-line options: those of the model that are not given, then the
 * given ones. */
static puad_status answer_files(const char **out, query_run *run, const invocation *call)
{
    const option_value *given = value_of(call, "answers");
    AUTO_JSON cJSON *facts = NULL;
    char *text = NULL;
    *out = "";
    TRY(puad_detector_to_json(&text, run->model));
    puad_status status = json_parse(&facts, text, "the model");
    puad_free(text);
    TRY(status);
    const cJSON *input = cJSON_GetObjectItemCaseSensitive(facts, "input"), *known;
    cJSON_ArrayForEach(known, cJSON_GetObjectItemCaseSensitive(input, "answers"))
    {
        bool again = !cJSON_IsString(known);
        for (size_t k = 0; k < given->list_count && !again; k++)
            again = strcmp(given->list[k], known->valuestring) == 0;
        if (!again) TRY(add_answer_file(out, run, known->valuestring));
    }
    for (size_t i = 0; i < given->list_count; i++) TRY(add_answer_file(out, run, given->list[i]));
    return PUAD_OK;
}

static size_t known_labels(const puad_dataset *data)
{
    return puad_dataset_count(data, PUAD_LABEL_ANOMALY) + puad_dataset_count(data, PUAD_LABEL_NORMAL);
}

/* Describes the next step, with all files of answers so far. */
static puad_status tell_next(query_run *run, const invocation *call)
{
    const char *files;
    TRY(answer_files(&files, run, call));
    message_print(MESSAGE_NOTE, "query", "%zu of %zu rows, %zu of which are already labeled", run->count,
                  puad_dataset_rows(run->data), known_labels(run->data));
    message_print(MESSAGE_NOTE, "query",
                  "write 1 (anomaly) or -1 (normal) into the column 'label', then train again:");
    message_print(MESSAGE_NOTE, "query", "puad fit INPUT%s --answers FILE --update MODEL -o NEW", files);
    return PUAD_OK;
}

static puad_status ask(query_run *run, const invocation *call)
{
    const char *path = call->arguments[1];
    if (strcmp(path, "-") == 0)
        FAIL(PUAD_INVALID, "the rows are read twice, which is impossible for standard input: give a file");
    TRY(call_options(&run->options, call));
    TRY(puad_detector_load(&run->model, call->arguments[0]));
    if ((double)info_of(run->model).window > 0 && is_given(call, "answers"))
        FAIL(PUAD_INVALID, "--answers: answers about a time series are intervals; use --intervals");
    TRY(puad_options_take_input(run->options, run->model));
    TRY(puad_options_set(run->options, "read_labels", "yes"));
    TRY(puad_options_set(run->options, "reread", "yes"));
    activity_begin_reading("reading the rows", is_given(call, "quiet"), &path, 1, READ_AND_ENCODE);
    puad_status status = puad_dataset_open(&run->data, path, run->model, run->options);
    activity_end();
    TRY(status);
    size_t wanted = (size_t)value_of(call, "top")->integer, rows = puad_dataset_rows(run->data);
    TRY(memory_new(&run->chosen, wanted < rows ? wanted : rows, sizeof *run->chosen, "queries"));
    activity_begin("choosing rows", is_given(call, "quiet"));
    status = puad_query_choose(run->model, run->chosen, wanted < rows ? wanted : rows, &run->count, run->data,
                               run->options);
    activity_end();
    TRY(status);
    TRY(puad_cells_read(&run->cells, run->data, run->chosen, run->count));
    bool quiet = is_given(call, "quiet");
    TRY(print_chosen(run, call));
    if ((double)info_of(run->model).window > 0) {
        if (!quiet)
            message_print(MESSAGE_NOTE, "query",
                          "%zu windows; write 1 or -1 into 'label', append them to the file of "
                          "--intervals, train again",
                          run->count);
        return PUAD_OK;
    }
    return quiet ? PUAD_OK : tell_next(run, call);
}

static puad_status run(const invocation *call)
{
    query_run job = {0};
    if (is_given(call, "audit")) return query_audit(call);
    if (is_given(call, "fdr") || is_given(call, "rounds"))
        FAIL(PUAD_INVALID, "--fdr and --rounds are for --audit");
    puad_status status = ask(&job, call);
    free(job.chosen);
    puad_cells_free(job.cells);
    puad_dataset_free(job.data);
    puad_detector_free(job.model);
    puad_options_free(job.options);
    arena_free(&job.memory);
    return status;
}

const command command_query = {
    .name = "query",
    .alias = "suggest",
    .summary = "suggest rows to label next",
    .usage = "MODEL INPUT... [OPTIONS]",
    .description =
        "Prints rows for a person to check, with an empty column 'label' to fill "
        "in: 1 for an anomaly, -1 for a normal row, empty if unknown. INPUT is the file the model was "
        "trained on. --goal find suggests the rows with the highest scores, and one row in ten from the "
        "next ranks that is unlike them. With --goal learn, half of the suggested rows are around the rank at which anomalies "
        "are expected to end, and half are random. Rows that the model held out (--calibrate) and rows "
        "with answers it was trained with are not suggested; they are recognized by their values, and a "
        "warning reports held-out rows that are not in INPUT. Labels of INPUT are read as in training. "
        "'puad fit INPUT --answers FILE --update MODEL' trains with the answers; it needs those of all "
        "rounds.\nFor a time series it suggests windows, as intervals with an empty label: a file for 'fit "
        "--intervals'.",
    .example =
        "puad query m.safetensors train.csv -n 20 > ask.csv\n"
        "puad fit train.csv --answers ask.csv --update m.safetensors -o m2.safetensors\n"
        "puad query m2.safetensors train.csv --answers ask.csv -n 20 > ask2.csv\n"
        "puad fit train.csv --answers ask.csv --answers ask2.csv --update m2.safetensors -o m3.safetensors",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints = true,
    .groups = GROUP(INPUT),
    .arguments_least = 2,
    .arguments_most = COMMAND_ARGUMENTS_MAX,
    .joins = true,
    .run = run,
};
