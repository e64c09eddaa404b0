/* puad query: which rows to ask a person about, as a file to fill in. */
#include "base/file.h"
#include "cli/command.h"
#include "cli/input_options.h"
#include "cli/print.h"
#include "decide/known_rows.h"
#include "detector/model_origin.h"
#include "decide/label_file.h"
#include "detector/model_input.h"
#include "data/raw_cells.h"
#include "decide/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option options[] = {
    {.name = "count",
     .letter = 'k',
     .type = OPTION_INTEGER,
     .standard = "20",
     .min = 1,
     .max = 1e6,
     .value = "K",
     .help = "how many rows to ask about"},
    {.name = "labels",
     .type = OPTION_LIST,
     .value = "FILE",
     .help = "answers of earlier queries: these rows are not asked about again; may be given more than once"},
    SEED_OPTION("of the draw"),
    THREADS_OPTION("0 for one per processor"),
    INPUT_OPTIONS,
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "no notes"},
};

/* All rows of the input, as the model sees them. */
typedef struct seen_rows {
    arena texts;
    float *codes, *scores;
    uint8_t *asked;
    const char **ids;
    const char *id_name;
    size_t rows, room, columns;
    known_rows known;
} seen_rows;

static puad_status make_room(seen_rows *seen, size_t rows)
{
    if (seen->rows + rows <= seen->room) return PUAD_OK;
    size_t room = 2 * (seen->rows + rows), cells;
    if (!size_multiply(&cells, room, seen->columns)) FAIL(PUAD_MEMORY, "%zu rows are too many", room);
    TRY(memory_grow(&seen->codes, cells, sizeof *seen->codes, "codes"));
    TRY(memory_grow(&seen->scores, room, sizeof *seen->scores, "scores"));
    TRY(memory_grow(&seen->asked, room, sizeof *seen->asked, "rows"));
    TRY(memory_grow(&seen->ids, room, sizeof *seen->ids, "rows"));
    seen->room = room;
    return PUAD_OK;
}

static puad_status see_all(seen_rows *seen, model_input *input)
{
    seen->columns = scorer_code_columns(input->scorer);
    seen->id_name = row_source_id_name(input->rows);
    for (;;) {
        TRY(model_input_next(input));
        const row_block *block = &input->block;
        if (block->rows == 0) break;
        TRY(make_room(seen, block->rows));
        TRY(scorer_codes(input->scorer, seen->codes + seen->rows * seen->columns, block->values,
                         block->rows));
        TRY(known_rows_add(&seen->known, block->values, shape_size(input->model->in), input->scores,
                           block->rows));
        for (size_t i = 0; i < block->rows; i++, seen->rows++) {
            seen->scores[seen->rows] = input->scores[i];
            seen->asked[seen->rows] =
                block->labels && block->labels[i] != LABEL_UNLABELED ? QUERY_ASKED : QUERY_FREE;
            seen->ids[seen->rows] = block->ids ? arena_text(&seen->texts, block->ids[i]) : NULL;
            if (block->ids && !seen->ids[seen->rows]) FAIL(PUAD_MEMORY, "no memory for the rows' names");
        }
    }
    if (seen->rows == 0) FAIL(PUAD_INVALID, "there are no rows to choose from");
    return PUAD_OK;
}

static void print_text(const char *text)
{
    print_spreadsheet_cell(text ? text : "", text ? strlen(text) : 0);
}

static void print_rows(const seen_rows *seen, const raw_cells *raw, const size_t *chosen, size_t count)
{
    printf("row");
    if (seen->id_name) {
        putchar(',');
        print_text(seen->id_name);
    }
    printf(",score,label");
    for (size_t c = 0; c < raw->columns; c++) {
        putchar(',');
        print_text(raw->names[c]);
    }
    putchar('\n');
    for (size_t k = 0; k < count; k++) {
        printf("%zu", chosen[k]);
        if (seen->id_name) {
            putchar(',');
            print_text(seen->ids[chosen[k]]);
        }
        printf(",%.9g,", seen->scores[chosen[k]]);
        for (size_t c = 0; c < raw->columns; c++) {
            text_view cell = raw->cells[k * raw->columns + c];
            putchar(',');
            if (cell.text) print_spreadsheet_cell(cell.text, cell.length);
        }
        putchar('\n');
    }
}

/* Rows that the model held out stay unlabeled, so that they remain a fair sample when it is trained again. */
static puad_status bar_held_out(seen_rows *seen, const puad_detector *model, const invocation *call)
{
    const calibration *held = &model->held_out;
    AUTO_FREE size_t *places = NULL;
    size_t count = held->unlabeled_count + held->anomaly_count, all, barred = 0;
    if (held->unlabeled_count == 0) return PUAD_OK;
    TRY(memory_new(&places, count, sizeof *places, "rows"));
    TRY(known_rows_held(places, &all, &seen->known, held, seen->asked));
    for (size_t i = 0; i < held->unlabeled_count; i++) {
        if (places[i] == SIZE_MAX) continue;
        seen->asked[places[i]] = QUERY_BARRED;
        barred++;
    }
    if (barred < held->unlabeled_count && !is_given(call, "quiet"))
        fprintf(
            stderr,
            "puad query: warning: %zu of the %zu unlabeled rows that %s held out are not found among those "
            "of %s%s: is it the file the model was trained on? Rows held out may be asked about\n",
            held->unlabeled_count - barred, held->unlabeled_count, call->arguments[0], call->arguments[1],
            held->keys ? "" : " by place and score");
    return PUAD_OK;
}

/* Rows that the model was trained with answers for are not asked about again; *files becomes what --labels
 * lacks. */
static puad_status bar_answered(seen_rows *seen, const char **files, const puad_detector *model,
                                const invocation *call)
{
    const option_value *given = value_of(call, "labels");
    AUTO_FREE uint8_t *open = NULL;
    size_t missing, gone;
    *files = "";
    if (model->answer_count == 0) return PUAD_OK;
    TRY(memory_new(&open, seen->rows, 1, "rows"));
    TRY(known_rows_answers(&missing, &gone, open, &seen->known, model, seen->asked));
    for (size_t i = 0; i < seen->rows; i++)
        if (open[i]) seen->asked[i] = QUERY_ASKED;
    if (missing == 0) return PUAD_OK;
    TRY(model_label_files(files, model, given->list, given->list_count, &seen->texts));
    if (!is_given(call, "quiet"))
        fprintf(stderr,
                "puad query: note: %s was trained with %zu answers, %zu of which are not in the files of "
                "--labels%s%s%s; their rows are not asked about again\n",
                call->arguments[0], model->answer_count, missing, **files ? " (" : "", *files,
                **files ? ")" : "");
    return PUAD_OK;
}

/* What the model was told, or has found out, about the share of anomalies. */
static double share_of(const puad_detector *model)
{
    const calibration *held = &model->held_out;
    return held->unlabeled_count && !held->alpha_unknown ? held->alpha : model->how.objective.alpha;
}

/* What to do with the file, with all files of answers so far. */
static void tell_next(size_t count, const seen_rows *seen, size_t known, const char *files)
{
    fprintf(stderr,
            "puad query: %zu of %zu rows, %zu of which are labeled already; write 1 (anomaly) or -1 (normal) "
            "into the column 'label', then: puad fit INPUT%s%s --labels FILE --from MODEL -o NEW\n",
            count, seen->rows, known, *files ? " " : "", files);
}

static puad_status choose(seen_rows *seen, const puad_detector *model, const invocation *call,
                          const data_options *data, team *workers)
{
    const option_value *files = value_of(call, "labels");
    label_target target = {.asked = seen->asked,
                           .rows = seen->rows,
                           .ids = seen->id_name ? seen->ids : NULL,
                           .id_name = seen->id_name,
                           .input = call->arguments[1],
                           .data = data};
    const char *all_files;
    for (size_t i = 0; i < files->list_count; i++) TRY(label_file_apply(&target, files->list[i]));
    TRY(bar_answered(seen, &all_files, model, call));
    for (size_t i = 0; i < files->list_count; i++)
        TRY(model_add_label_file(&all_files, files->list[i], &seen->texts));
    TRY(bar_held_out(seen, model, call));
    size_t wanted = (size_t)value_of(call, "count")->integer, count = 0, known = 0;
    if (wanted > seen->rows) wanted = seen->rows;
    AUTO_FREE size_t *chosen = NULL;
    TRY(memory_new(&chosen, wanted, sizeof *chosen, "queries"));
    query_rows from = {.embeddings = seen->codes,
                       .rows = seen->rows,
                       .columns = seen->columns,
                       .scores = seen->scores,
                       .share = share_of(model),
                       .asked = seen->asked};
    TRY(query_choose(chosen, &count, &from, wanted, (uint64_t)value_of(call, "seed")->integer, workers));
    for (size_t i = 0; i < seen->rows; i++) known += seen->asked[i] == QUERY_ASKED;
    raw_cells raw = {0};
    puad_status status = raw_cells_find(&raw, call->arguments[1], data, chosen, count);
    if (status == PUAD_OK) print_rows(seen, &raw, chosen, count);
    raw_cells_free(&raw);
    if (status == PUAD_OK && !is_given(call, "quiet")) tell_next(count, seen, known, all_files);
    return status;
}

static puad_status ask(model_input *input, seen_rows *seen, const invocation *call)
{
    AUTO_TEAM team *workers = NULL;
    data_options data;
    const char *path = call->arguments[1];
    if (file_is_pipe(path))
        FAIL(PUAD_INVALID, "the rows are read twice, which standard input and pipes cannot be: give a file");
    TRY(team_new(&workers, (int)value_of(call, "threads")->integer));
    TRY(puad_detector_load(&input->model, call->arguments[0]));
    TRY(input_options_of_model(call, input->model, &seen->texts));
    puad_detector_free(input->model);
    input->model = NULL;
    input_options(&data, call);
    data.workers = workers;
    data.want_labels = true;
    TRY(model_input_open(input, call->arguments[0], path, &data, (int)value_of(call, "threads")->integer));
    TRY(see_all(seen, input));
    return choose(seen, input->model, call, &data, workers);
}

static puad_status run(const invocation *call)
{
    AUTO_MODEL_INPUT model_input input = {0};
    seen_rows seen = {0};
    puad_status status = ask(&input, &seen, call);
    free(seen.codes);
    free(seen.scores);
    free(seen.asked);
    free(seen.ids);
    known_rows_free(&seen.known);
    arena_free(&seen.texts);
    return status;
}

const command command_query = {
    .name = "query",
    .summary = "which rows to label next",
    .usage = "MODEL INPUT [OPTIONS]",
    .description =
        "Prints CSV to standard output: rows worth asking a person about, with an empty column 'label' to "
        "fill "
        "in: 1 for an anomaly, -1 for a normal row, nothing where nobody knows. INPUT is the file the model "
        "was "
        "trained on. Rows are drawn one after another from the top of the scores, each with a probability "
        "that grows "
        "with its distance to the rows already labeled or asked about (after SOEL), so the answers cover "
        "what the "
        "model finds suspicious. Rows it has held out (--calibrate) and rows it was trained with answers for "
        "are not asked about; they are known by their values, and where rows held out are not found in INPUT "
        "it warns. Labels of INPUT are found as in training. 'puad fit INPUT --labels FILE --from MODEL' "
        "trains with the answers; it needs those of all rounds.",
    .example =
        "puad query m.safetensors train.csv -k 20 > ask.csv\n"
        "puad fit train.csv --labels ask.csv --from m.safetensors -o m2.safetensors\n"
        "puad query m2.safetensors train.csv --labels ask.csv -k 20 > ask2.csv\n"
        "puad fit train.csv --labels ask.csv --labels ask2.csv --from m2.safetensors -o m3.safetensors",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_least = 2,
    .arguments_most = 2,
    .run = run,
};
