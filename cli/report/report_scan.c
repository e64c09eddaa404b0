/* Scores the rows of an input block by block and keeps those that the page lists, in constant memory. */
#include "cli/common/print_notes.h"
#include "cli/common/print_warnings.h"
#include "cli/common/spinner.h"
#include "cli/library_values.h"
#include "cli/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct listener {
    report *of;
    report_input *about;
} listener;

/* Warnings of a stream are about differences from the training rows. */
static void listen(void *context, const puad_warning *warning)
{
    listener *by = context;
    char said[SPOKEN_ROOM];
    if (by->about->drift_count < REPORT_DRIFT_MAX)
        by->about->drift[by->about->drift_count++] =
            report_text(by->of, "%s", speak(said, by->of->call->command, warning->text));
    if (!by->of->told_before) warning_print(by->of->call->command, warning);
}

static void ignore(void *context, const puad_warning *warning)
{
    (void)context;
    (void)warning;
}

static puad_status scan_options(puad_options **out, listener *by)
{
    TRY(report_input_options(out, by->of));
    TRY(puad_options_set(*out, "keep_cells", "yes"));
    puad_options_set_warning(*out, by->of->ranks_training ? ignore : listen, by);
    return PUAD_OK;
}

static puad_status name_cells(report *of, report_input *about, puad_stream *from)
{
    size_t count = 0;
    const char *label = puad_options_get(of->options, "label_column");
    about->label_cell = SIZE_MAX;
    about->id_name = block_of(from).id_name ? report_text(of, "%s", block_of(from).id_name) : NULL;
    while (puad_stream_cell_name(from, count)) count++;
    if (!count) return PUAD_OK;
    TRY(arena_new(&of->memory, &about->cell_names, count + 1, sizeof *about->cell_names));
    for (size_t c = 0; c < count; c++) {
        about->cell_names[c] = report_text(of, "%s", puad_stream_cell_name(from, c));
        if (label && of->ranks_training && strcmp(about->cell_names[c], label) == 0) about->label_cell = c;
    }
    return PUAD_OK;
}

/* Copies the cells of a row to one block: pointers, then strings. */
static puad_status copy_cells(char ***out, const report_input *about, puad_stream *from, size_t row)
{
    size_t count = 0, bytes = 0, length;
    while (about->cell_names && about->cell_names[count]) count++;
    if (!count || !puad_stream_cell(from, row, 0, &length)) return PUAD_OK;
    for (size_t c = 0; c < count; c++) {
        puad_stream_cell(from, row, c, &length);
        bytes += length + 1;
    }
    char *block = NULL;
    TRY(memory_new(&block, count * sizeof(char *) + bytes, 1, "cells"));
    char **cells = (void *)block;
    block += count * sizeof(char *);
    for (size_t c = 0; c < count; c++) {
        const char *text = puad_stream_cell(from, row, c, &length);
        cells[c] = block;
        if (length) memcpy(block, text, length);
        block += length + 1;
    }
    *out = cells;
    return PUAD_OK;
}

static puad_status copy_row(report_row *row, const report *of, const report_input *about, puad_stream *from,
                            size_t at)
{
    const char *id = puad_stream_id(from, at);
    if (id && !(row->id = strdup(id))) FAIL(PUAD_MEMORY, "no memory for an id");
    TRY(memory_new(&row->values, of->columns, sizeof *row->values, "a row"));
    TRY(puad_stream_take(from, row->values, of->columns, at));
    return copy_cells(&row->cells, about, from, at);
}

/* Handles a row that does not fit into the list: kept if it is of a new kind, else only its score. */
static puad_status keep_unlisted(report *of, report_row row)
{
    report_row out = {0};
    if (of->kinds && (double)row.score >= of->cut && row.values) {
        unsigned char known = 1;
        puad_status status = puad_decider_known(of->decider, &known, of->scorer, row.values, 1, of->columns);
        if (status != PUAD_OK) {
            report_row_free(&row);
            return status;
        }
        row.known = known;
        if (!known) {
            if (!report_top_add(&out, of->novel, row)) return PUAD_OK;
            row = out;
        }
    }
    free(row.values);
    free(row.cells);
    row.values = NULL;
    row.cells = NULL;
    if (report_top_add(&out, of->more, row)) report_row_free(&out);
    return PUAD_OK;
}

static puad_status offer(report *of, report_input *about, puad_stream *from, size_t at)
{
    report_row row = {.score = block_of(from).scores[at],
                      .input = (size_t)(about - of->inputs),
                      .row = block_of(from).first_row + at},
               out = {0};
    bool needed = report_top_takes(of->listed, &row) || (double)row.score >= of->cut;
    if (!needed && !report_top_takes(of->more, &row)) return PUAD_OK;
    puad_status status = PUAD_OK;
    if (needed) {
        status = copy_row(&row, of, about, from, at);
    } else if (puad_stream_id(from, at)) {
        row.id = strdup(puad_stream_id(from, at));
        if (!row.id) status = status_fail(PUAD_MEMORY, "no memory for an id");
    }
    if (status != PUAD_OK) {
        report_row_free(&row);
        return status;
    }
    return report_top_add(&out, of->listed, row) ? keep_unlisted(of, out) : PUAD_OK;
}

/* Samples every sample_step-th row; when the sample is full, every second row is dropped and the step
 * doubles. */
static puad_status sample_row(report *of, report_input *about, puad_stream *from, size_t at)
{
    size_t row = block_of(from).first_row + at;
    if (of->image) return PUAD_OK;
    if (!about->sample) {
        TRY(memory_new(&about->sample, REPORT_SAMPLE * of->columns, sizeof *about->sample, "a sample"));
        about->sample_step = 1;
    }
    if (row % about->sample_step) return PUAD_OK;
    if (about->sampled == REPORT_SAMPLE) {
        for (size_t i = 0; i < REPORT_SAMPLE / 2; i++)
            memmove(about->sample + i * of->columns, about->sample + 2 * i * of->columns,
                    of->columns * sizeof *about->sample);
        about->sampled = REPORT_SAMPLE / 2;
        about->sample_step *= 2;
        if (row % about->sample_step) return PUAD_OK;
    }
    return puad_stream_take(from, about->sample + about->sampled++ * of->columns, of->columns, at);
}

static puad_status count_scores(report *of, report_input *about, const float *scores, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        /* stops are in descending order: find the first one that the score reaches */
        size_t low = 0, high = of->stop_count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if ((double)scores[i] >= of->stops[middle].threshold)
                high = middle;
            else
                low = middle + 1;
        }
        if (low < of->stop_count) of->stops[low].flagged++;
        about->flagged += (double)scores[i] >= of->cut;
    }
    if (of->asked && decided(of->asked).kind == PUAD_DECIDES_FDR)
        TRY(puad_decider_count(of->asked, scores, count));
    return score_sketch_add(&about->sketch, scores, count);
}

static puad_status scan_block(report *of, report_input *about, puad_stream *from)
{
    size_t rows = block_of(from).rows, ranked = 0;
    const int8_t *labels = of->ranks_training ? block_of(from).labels : NULL;
    AUTO_FREE float *scores = NULL;
    TRY(memory_new(&scores, rows, sizeof *scores, "scores"));
    for (size_t i = 0; i < rows; i++) {
        if (isnan(block_of(from).scores[i]))
            FAIL(PUAD_NUMERIC, "%s: row %zu: the score is not a number", about->path,
                 block_of(from).first_row + i);
        TRY(sample_row(of, about, from, i));
        if (labels && labels[i] == PUAD_LABEL_ANOMALY) continue; /* already labeled */
        scores[ranked++] = block_of(from).scores[i];
        TRY(offer(of, about, from, i));
    }
    about->rows += rows;
    if (report_is_audited(of)) TRY(score_list_add(&of->audit_scores, block_of(from).scores, rows));
    return count_scores(of, about, scores, ranked);
}

/* A note in command-line syntax, with the file's name instead of its path. */
static const char *shown_note(report *of, const report_input *about, const char *note)
{
    char said[SPOKEN_ROOM];
    const char *slash = strrchr(about->path, '/'), *text = speak(said, of->call->command, note);
    if (slash && slash[1] && strncmp(text, about->path, strlen(about->path)) == 0)
        text += slash + 1 - about->path;
    return report_text(of, "%s", text);
}

static puad_status keep_notes(report *of, report_input *about, puad_stream *from)
{
    about->note_count = 0;
    while (puad_stream_note(from, about->note_count)) about->note_count++;
    TRY(arena_new(&of->memory, &about->notes, about->note_count, sizeof *about->notes));
    for (size_t i = 0; i < about->note_count; i++)
        about->notes[i] = shown_note(of, about, puad_stream_note(from, i));
    if (!of->told_before && !of->ranks_training) print_stream_notes(of->call, from);
    return PUAD_OK;
}

static puad_status scan_stream(report *of, report_input *about)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    listener by = {of, about};
    puad_stream *from = NULL;
    TRY(scan_options(&options, &by));
    TRY(puad_stream_open(&from, of->model, about->path, options));
    puad_status status = name_cells(of, about, from);
    while (status == PUAD_OK && (status = puad_stream_next(from)) == PUAD_OK && block_of(from).rows)
        status = scan_block(of, about, from);
    if (status == PUAD_OK) status = keep_notes(of, about, from);
    puad_stream_free(from);
    return status;
}

/* A time series is drawn, so it stays in memory. */
static puad_status scan_series(report *of, report_input *about)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    listener by = {of, about};
    TRY(report_input_options(&options, of));
    TRY(puad_dataset_open(&about->data, about->path, of->model, options));
    if (!of->told_before && !of->ranks_training) print_notes(of->call, about->data);
    about->rows = puad_dataset_rows(about->data);
    TRY(memory_new(&about->scores, about->rows, sizeof *about->scores, "scores"));
    TRY(puad_scorer_run(of->scorer, about->scores, about->rows, about->data));
    if (!of->ranks_training) {
        puad_options_set_warning(options, listen, &by);
        TRY(puad_detector_compare(of->model, about->data, about->scores, options));
    }
    const int8_t *labels = of->ranks_training ? dataset_of(about->data).labels : NULL;
    AUTO_FREE float *scores = NULL;
    size_t ranked = 0;
    TRY(memory_new(&scores, about->rows, sizeof *scores, "scores"));
    for (size_t i = 0; i < about->rows; i++) {
        if (labels && labels[i] == PUAD_LABEL_ANOMALY) continue;
        report_row row = {.score = about->scores[i], .input = (size_t)(about - of->inputs), .row = i}, out;
        scores[ranked++] = about->scores[i];
        if (report_top_add(&out, of->more, row)) report_row_free(&out);
    }
    return count_scores(of, about, scores, ranked);
}

puad_status report_scan(report *of, report_input *about)
{
    activity_begin_reading("ranking", is_given(of->call, "quiet"), &about->path, 1, 1);
    puad_status status = of->window ? scan_series(of, about) : scan_stream(of, about);
    activity_end();
    TRY(status);
    return score_sketch_merge(&of->sketch, &about->sketch);
}

bool report_is_drift(const report *of, const char *text)
{
    for (size_t i = 0; i < of->input_count; i++)
        for (size_t k = 0; k < of->inputs[i].drift_count; k++)
            if (strcmp(of->inputs[i].drift[k], text) == 0) return true;
    return false;
}
