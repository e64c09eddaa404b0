/* puad score: one line per row, in constant memory. */
#include "cli/command.h"
#include "cli/heat_map.h"
#include "cli/input_options.h"
#include "cli/print.h"
#include "decide/label_file.h"
#include "detector/model_input.h"
#include "cli/score_decide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option options[] = {
    {.name = "top",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 1e8,
     .value = "K",
     .help = "only the K rows with the largest scores, largest first"},
    DECIDE_OPTIONS,
    {.name = "explain",
     .type = OPTION_INTEGER,
     .min = 1,
     .max = 1000,
     .value = "K",
     .help =
         "adds a column 'because': the K columns (of images: pixels) that contribute most, with their share"},
    {.name = "heat-maps",
     .type = OPTION_TEXT,
     .value = "DIR",
     .help = "images: a picture of each row that is printed, showing where its score comes from, as "
             "DIR/row-NNNNNN.png"},
    THREADS_OPTION("0 for one per processor"),
    INPUT_OPTIONS,
    {.name = "quiet",
     .letter = 'q',
     .type = OPTION_FLAG,
     .help = "no notes about the input and the decisions"},
};

/* Rows kept for --top own their texts and values; the heap has the smallest score on top, of equals the later
 * row. */
typedef struct top_rows {
    scored_row *heap;
    size_t count, most;
} top_rows;

static bool weaker(const scored_row *a, const scored_row *b)
{
    return a->score < b->score || (a->score == b->score && a->row > b->row);
}

static void sift_down(top_rows *top, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= top->count) return;
        if (child + 1 < top->count && weaker(&top->heap[child + 1], &top->heap[child])) child++;
        if (!weaker(&top->heap[child], &top->heap[at])) return;
        scored_row swap = top->heap[at];
        top->heap[at] = top->heap[child];
        top->heap[child] = swap;
        at = child;
    }
}

/* `own` becomes a copy of `row`, whose texts and values are borrowed. */
static puad_status copy_row(scored_row *own, const scored_row *row, size_t columns)
{
    *own = (scored_row){.score = row->score, .row = row->row, .known = row->known};
    if (row->values) {
        float *values = NULL;
        TRY(memory_new(&values, columns, sizeof *values, "a row"));
        own->values = memcpy(values, row->values, columns * sizeof *values);
    }
    own->id = row->id ? strdup(row->id) : NULL;
    own->because = row->because ? strdup(row->because) : NULL;
    if ((row->id && !own->id) || (row->because && !own->because))
        FAIL(PUAD_MEMORY, "no memory for a row's texts");
    return PUAD_OK;
}

static void free_row(scored_row *own)
{
    free((void *)own->id);
    free((void *)own->because);
    free((void *)own->values);
}

static puad_status keep_row(top_rows *top, const scored_row *given, size_t columns)
{
    if (top->count == top->most) {
        if (!weaker(&top->heap[0], given)) return PUAD_OK;
        free_row(&top->heap[0]);
        TRY(copy_row(&top->heap[0], given, columns));
        sift_down(top, 0);
        return PUAD_OK;
    }
    if ((top->count & (top->count - 1)) == 0)
        TRY(memory_grow(&top->heap, top->count ? 2 * top->count : 1, sizeof *top->heap, "the top rows"));
    size_t at = top->count++;
    TRY(copy_row(&top->heap[at], given, columns));
    while (at > 0 && weaker(&top->heap[at], &top->heap[(at - 1) / 2])) {
        scored_row swap = top->heap[at];
        top->heap[at] = top->heap[(at - 1) / 2];
        top->heap[(at - 1) / 2] = swap;
        at = (at - 1) / 2;
    }
    return PUAD_OK;
}

static int strongest_first(const void *a, const void *b)
{
    return weaker(a, b) ? 1 : weaker(b, a) ? -1 : 0;
}

static void print_text(const char *text)
{
    print_cell(text ? text : "", text ? strlen(text) : 0);
}

typedef struct score_output {
    model_input rows;
    top_rows top;
    const invocation *call;
    const char *id_name;
    decider decisions;
    float *codes; /* of the block, for --kind */
    size_t explain;
    const char *heat_maps; /* folder, or NULL */
    float *shares;         /* of one row's score, by encoded column */
    const char **names;    /* of the encoded columns */
    arena memory;
} score_output;

static puad_status print_row(const score_output *out, const scored_row *row)
{
    printf("%zu,%.9g", row->row, row->score);
    if (out->id_name) {
        putchar(',');
        print_text(row->id);
    }
    decider_print_cells(&out->decisions, row);
    if (out->explain) {
        putchar(',');
        print_text(row->because);
    }
    putchar('\n');
    if (!out->heat_maps) return PUAD_OK;
    TRY(scorer_explain(out->rows.scorer, out->shares, row->values));
    return heat_map_write(out->heat_maps, row->row, row->score, row->values, out->shares,
                          out->rows.model->in);
}

/* What an encoded column is called: its name in the table, or its place in the image. */
static void column_name(char *name, size_t room, const score_output *out, size_t column)
{
    shape in = out->rows.model->in;
    size_t pixel = column / in.channels;
    if (out->names)
        snprintf(name, room, "%s", out->names[column]);
    else
        snprintf(name, room, "x%zu y%zu", pixel % in.width, pixel / in.width);
}

enum { EXPLAINED_ROOM = 272 }; /* characters of a column in an explanation */

/* "amount 0.52; hour 0.21": the columns with the largest shares. */
static puad_status explain_row(char *text, size_t room, score_output *out, const float *values)
{
    size_t columns = shape_size(out->rows.model->in), used = 0;
    TRY(scorer_explain(out->rows.scorer, out->shares, values));
    text[0] = 0;
    for (size_t k = 0; k < out->explain && k < columns; k++) {
        size_t best = 0;
        for (size_t c = 1; c < columns; c++)
            if (out->shares[c] > out->shares[best]) best = c;
        if (!(out->shares[best] > 0)) break;
        char name[EXPLAINED_ROOM - 16];
        column_name(name, sizeof name, out, best);
        int wrote = snprintf(text + used, room - used, "%s%s %.3f", k ? "; " : "", name, out->shares[best]);
        if (wrote < 0 || used + (size_t)wrote >= room) {
            text[used] = 0;
            break;
        }
        used += (size_t)wrote;
        out->shares[best] = -1;
    }
    return PUAD_OK;
}

static puad_status write_block(score_output *out)
{
    const row_block *block = &out->rows.block;
    size_t columns = shape_size(out->rows.model->in);
    AUTO_FREE char *because = NULL;
    size_t because_room = (out->explain < columns ? out->explain : columns) * EXPLAINED_ROOM + 1;
    TRY(memory_new(&because, because_room, 1, "explanations"));
    decider *decisions = &out->decisions;
    bool spools = decisions->how == DECIDE_FDR;
    if (decisions->kinds) TRY(scorer_codes(out->rows.scorer, out->codes, block->values, block->rows));
    for (size_t i = 0; i < block->rows; i++) {
        scored_row row = {.score = out->rows.scores[i],
                          .row = block->first_row + i,
                          .id = block->ids ? block->ids[i] : NULL};
        decider_count(decisions, row.score);
        if (decisions->kinds)
            row.known =
                calibration_is_known(decisions->held, out->codes + i * decisions->held->known_columns);
        if (out->heat_maps) row.values = block->values + i * columns;
        bool wanted = !out->top.most || out->top.count < out->top.most || weaker(&out->top.heap[0], &row);
        if (!wanted) continue;
        if (out->explain) {
            TRY(explain_row(because, because_room, out, block->values + i * columns));
            row.because = because;
        }
        TRY(out->top.most ? keep_row(&out->top, &row, columns)
            : spools      ? decider_keep(decisions, &row, columns)
                          : print_row(out, &row));
    }
    return PUAD_OK;
}

static puad_status prepare_codes(score_output *out)
{
    size_t columns = scorer_code_columns(out->rows.scorer), count;
    if (columns != out->decisions.held->known_columns)
        FAIL(PUAD_FORMAT, "%s: the codes of its labeled anomalies have %zu values, its network's %zu",
             out->call->arguments[0], out->decisions.held->known_columns, columns);
    if (!size_multiply(&count, columns, out->rows.room)) FAIL(PUAD_MEMORY, "codes of %zu values", columns);
    return memory_new(&out->codes, count, sizeof *out->codes, "codes");
}

static puad_status prepare(score_output *out, const invocation *call)
{
    data_options data;
    input_options(&data, call);
    TRY(model_input_open(&out->rows, call->arguments[0], call->arguments[1], &data,
                         (int)value_of(call, "threads")->integer));
    out->id_name = row_source_id_name(out->rows.rows);
    out->top.most = is_given(call, "top") ? (size_t)value_of(call, "top")->integer : 0;
    TRY(decider_new(&out->decisions, call, out->rows.model));
    if (out->decisions.kinds) TRY(prepare_codes(out));
    out->explain = is_given(call, "explain") ? (size_t)value_of(call, "explain")->integer : 0;
    out->heat_maps = value_of(call, "heat-maps")->text;
    if (!out->explain && !out->heat_maps) return PUAD_OK;
    if (!scorer_can_explain(out->rows.scorer))
        FAIL(PUAD_INVALID, "--explain and --heat-maps work for detectors with a network; %s has none",
             out->rows.model->how.kind->name);
    if (out->heat_maps && !out->rows.model->image)
        FAIL(PUAD_INVALID, "--heat-maps is for images; --explain K names the columns of a table");
    if (out->heat_maps) TRY(heat_map_folder(out->heat_maps));
    TRY(memory_new(&out->shares, shape_size(out->rows.model->in), sizeof *out->shares, "explanations"));
    return out->rows.model->image ? PUAD_OK
                                  : transform_names(&out->names, &out->memory, out->rows.model->table);
}

/* The rows that had to wait for the last one: those of --top, or all of them with --fdr. */
static puad_status print_kept(score_output *out)
{
    decider_settle(&out->decisions);
    if (out->top.count) qsort(out->top.heap, out->top.count, sizeof *out->top.heap, strongest_first);
    for (size_t i = 0; i < out->top.count; i++) TRY(print_row(out, &out->top.heap[i]));
    if (out->decisions.how != DECIDE_FDR || out->top.most) return PUAD_OK;
    TRY(decider_rewind(&out->decisions));
    for (;;) {
        bool more;
        scored_row row;
        TRY(decider_take(&more, &row, &out->decisions));
        if (!more) return PUAD_OK;
        TRY(print_row(out, &row));
        if (ferror(stdout)) FAIL(PUAD_IO, "cannot write to standard output");
    }
}

static puad_status score_all(score_output *out, const invocation *call)
{
    TRY(prepare(out, call));
    printf("row,score");
    if (out->id_name) {
        putchar(',');
        print_text(out->id_name);
    }
    decider_print_header(&out->decisions);
    printf("%s\n", out->explain ? ",because" : "");
    for (;;) {
        TRY(model_input_next(&out->rows));
        if (out->rows.block.rows == 0) break;
        TRY(write_block(out));
        if (ferror(stdout)) FAIL(PUAD_IO, "cannot write to standard output");
    }
    TRY(print_kept(out));
    if (is_given(call, "quiet")) return PUAD_OK;
    decider_report(&out->decisions);
    notes odd = {0};
    puad_status status = row_source_notes(&odd, out->rows.rows);
    if (status == PUAD_OK) print_notes("score", &odd);
    notes_free(&odd);
    return status;
}

static puad_status run(const invocation *call)
{
    score_output out = {.call = call};
    puad_status status = score_all(&out, call);
    for (size_t i = 0; i < out.top.count; i++) free_row(&out.top.heap[i]);
    free(out.top.heap);
    free(out.shares);
    free(out.codes);
    decider_free(&out.decisions);
    arena_free(&out.memory);
    model_input_close(&out.rows);
    return status;
}

const command command_score = {
    .name = "score",
    .summary = "score rows with a model, one line per row",
    .usage = "MODEL INPUT [OPTIONS]",
    .description =
        "Prints CSV to standard output: the row's number from 0, its score (larger is more "
        "anomalous), and what the options ask for. "
        "Columns are found by name and those the model does not know are ignored. A CSV of any "
        "length runs in "
        "constant memory; - reads it from standard input. Scores rank rows of one model; they are "
        "not comparable between models.\n"
        "A model trained with 'fit --calibrate' adds a p-value and the probability of an anomaly to "
        "each row, and can decide: --fdr bounds the share of false alarms, --flag-rate the share of "
        "rows flagged. All of it is about anomalies like the labeled ones; new kinds are outside of it.",
    .example = "puad score m.safetensors new.csv > scores.csv\n"
               "puad score m.safetensors new.csv --id-column account --top 20 --explain 3\n"
               "puad score m.safetensors new.csv --fdr 0.1 --kind > decided.csv\n"
               "puad score m.safetensors pictures --top 20 --heat-maps maps",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_least = 2,
    .arguments_most = 2,
    .run = run,
};
