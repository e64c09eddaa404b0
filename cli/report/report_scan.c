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
    report *self;
    report_input *about;
} listener;

/* Warnings of a stream are about differences from the training rows. */
static void listen(void *context, const puad_warning *warning)
{
    listener *server = context;
    char message[SPOKEN_CAPACITY];
    if (server->about->drift_count < REPORT_DRIFT_MAX)
        server->about->drift[server->about->drift_count++] =
            report_text(server->self, "%s", speak(message, server->self->call->command, warning->text));
    if (!server->self->told_before) warning_print(server->self->call->command, warning);
}

static void ignore(void *context, const puad_warning *warning)
{
    (void)context;
    (void)warning;
}

static puad_status scan_options(puad_options **out, listener *server)
{
    TRY(report_input_options(out, server->self));
    TRY(puad_options_set(*out, "keep_cells", "yes"));
    puad_options_set_warning(*out, server->self->ranks_training ? ignore : listen, server);
    return PUAD_OK;
}

static puad_status name_cells(report *self, report_input *about, puad_stream *source)
{
    size_t count = 0;
    const char *label = puad_options_get(self->options, "label_column");
    about->label_cell = SIZE_MAX;
    about->id_name = block_of(source).id_name ? report_text(self, "%s", block_of(source).id_name) : NULL;
    while (puad_stream_cell_name(source, count)) count++;
    if (!count) return PUAD_OK;
    TRY(arena_new(&self->memory, &about->cell_names, count + 1, sizeof *about->cell_names));
    for (size_t c = 0; c < count; c++) {
        about->cell_names[c] = report_text(self, "%s", puad_stream_cell_name(source, c));
        if (label && self->ranks_training && strcmp(about->cell_names[c], label) == 0) about->label_cell = c;
    }
    return PUAD_OK;
}

/* Copies the cells of a row to one block: pointers, then strings. */
static puad_status copy_cells(char ***out, const report_input *about, puad_stream *source, size_t row)
{
    size_t count = 0, bytes = 0, length;
    while (about->cell_names && about->cell_names[count]) count++;
    if (!count || !puad_stream_cell(source, row, 0, &length)) return PUAD_OK;
    for (size_t c = 0; c < count; c++) {
        puad_stream_cell(source, row, c, &length);
        bytes += length + 1;
    }
    char *block = NULL;
    TRY(memory_new(&block, count * sizeof(char *) + bytes, 1, "cells"));
    char **cells = (void *)block;
    block += count * sizeof(char *);
    for (size_t c = 0; c < count; c++) {
        const char *text = puad_stream_cell(source, row, c, &length);
        cells[c] = block;
        if (length) memcpy(block, text, length);
        block += length + 1;
    }
    *out = cells;
    return PUAD_OK;
}

static puad_status copy_row(report_row *row, const report *self, const report_input *about,
                            puad_stream *source, size_t at)
{
    const char *id = puad_stream_id(source, at);
    if (id && !(row->id = strdup(id))) FAIL(PUAD_MEMORY, "no memory for an id");
    TRY(memory_new(&row->values, self->columns, sizeof *row->values, "a row"));
    TRY(puad_stream_take(source, row->values, self->columns, at));
    return copy_cells(&row->cells, about, source, at);
}

/* Handles a row that does not fit into the list: kept if it is of a new kind, else only its score. */
static puad_status keep_unlisted(report *self, report_row row)
{
    report_row out = {0};
    if (self->kinds && (double)row.score >= self->cut && row.values) {
        unsigned char known = 1;
        puad_status status =
            puad_decider_known(self->decider, &known, self->scorer, row.values, 1, self->columns);
        if (status != PUAD_OK) {
            report_row_free(&row);
            return status;
        }
        row.known = known;
        if (!known) {
            if (!report_top_add(&out, self->novel, row)) return PUAD_OK;
            row = out;
        }
    }
    free(row.values);
    free(row.cells);
    row.values = NULL;
    row.cells = NULL;
    if (report_top_add(&out, self->more, row)) report_row_free(&out);
    return PUAD_OK;
}

static puad_status offer(report *self, report_input *about, puad_stream *source, size_t at)
{
    report_row row = {.score = block_of(source).scores[at],
                      .input = (size_t)(about - self->inputs),
                      .row = block_of(source).first_row + at},
               out = {0};
    bool needed = report_top_takes(self->listed, &row) || (double)row.score >= self->cut;
    if (!needed && !report_top_takes(self->more, &row)) return PUAD_OK;
    puad_status status = PUAD_OK;
    if (needed) {
        status = copy_row(&row, self, about, source, at);
    } else if (puad_stream_id(source, at)) {
        row.id = strdup(puad_stream_id(source, at));
        if (!row.id) status = status_fail(PUAD_MEMORY, "no memory for an id");
    }
    if (status != PUAD_OK) {
        report_row_free(&row);
        return status;
    }
    return report_top_add(&out, self->listed, row) ? keep_unlisted(self, out) : PUAD_OK;
}

/* Samples every sample_step-th row; when the sample is full, every second row is dropped and the step
 * doubles. */
static puad_status sample_row(report *self, report_input *about, puad_stream *source, size_t at)
{
    size_t row = block_of(source).first_row + at;
    if (self->image) return PUAD_OK;
    if (!about->sample) {
        TRY(memory_new(&about->sample, REPORT_SAMPLE * self->columns, sizeof *about->sample, "a sample"));
        about->sample_step = 1;
    }
    if (row % about->sample_step) return PUAD_OK;
    if (about->sampled == REPORT_SAMPLE) {
        for (size_t i = 0; i < REPORT_SAMPLE / 2; i++)
            memmove(about->sample + i * self->columns, about->sample + 2 * i * self->columns,
                    self->columns * sizeof *about->sample);
        about->sampled = REPORT_SAMPLE / 2;
        about->sample_step *= 2;
        if (row % about->sample_step) return PUAD_OK;
    }
    return puad_stream_take(source, about->sample + about->sampled++ * self->columns, self->columns, at);
}

static puad_status count_scores(report *self, report_input *about, const float *scores, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        /* stops are in descending order: find the first one that the score reaches */
        size_t low = 0, high = self->stop_count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if ((double)scores[i] >= self->stops[middle].threshold)
                high = middle;
            else
                low = middle + 1;
        }
        if (low < self->stop_count) self->stops[low].flagged++;
        about->flagged += (double)scores[i] >= self->cut;
    }
    if (self->asked && decided(self->asked).kind == PUAD_DECIDES_FDR)
        TRY(puad_decider_count(self->asked, scores, count));
    return score_sketch_add(&about->sketch, scores, count);
}

static puad_status scan_block(report *self, report_input *about, puad_stream *source)
{
    size_t rows = block_of(source).rows, ranked = 0;
    const int8_t *labels = self->ranks_training ? block_of(source).labels : NULL;
    AUTO_FREE float *scores = NULL;
    TRY(memory_new(&scores, rows, sizeof *scores, "scores"));
    for (size_t i = 0; i < rows; i++) {
        if (isnan(block_of(source).scores[i]))
            FAIL(PUAD_NUMERIC, "%s: row %zu: the score is not a number", about->path,
                 block_of(source).first_row + i);
        TRY(sample_row(self, about, source, i));
        if (labels && labels[i] == PUAD_LABEL_ANOMALY) continue; /* already labeled */
        scores[ranked++] = block_of(source).scores[i];
        TRY(offer(self, about, source, i));
    }
    about->rows += rows;
    if (report_is_audited(self)) TRY(score_list_add(&self->audit_scores, block_of(source).scores, rows));
    return count_scores(self, about, scores, ranked);
}

/* A note in command-line syntax, with the file's name instead of its path. */
static const char *shown_note(report *self, const report_input *about, const char *note)
{
    char message[SPOKEN_CAPACITY];
    const char *slash = strrchr(about->path, '/'), *text = speak(message, self->call->command, note);
    if (slash && slash[1] && strncmp(text, about->path, strlen(about->path)) == 0)
        text += slash + 1 - about->path;
    return report_text(self, "%s", text);
}

static puad_status keep_notes(report *self, report_input *about, puad_stream *source)
{
    about->note_count = 0;
    while (puad_stream_note(source, about->note_count)) about->note_count++;
    TRY(arena_new(&self->memory, &about->notes, about->note_count, sizeof *about->notes));
    for (size_t i = 0; i < about->note_count; i++)
        about->notes[i] = shown_note(self, about, puad_stream_note(source, i));
    if (!self->told_before && !self->ranks_training) print_stream_notes(self->call, source);
    return PUAD_OK;
}

static puad_status scan_stream(report *self, report_input *about)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    listener server = {self, about};
    puad_stream *source = NULL;
    TRY(scan_options(&options, &server));
    TRY(puad_stream_open(&source, self->model, about->path, options));
    puad_status status = name_cells(self, about, source);
    while (status == PUAD_OK && (status = puad_stream_next(source)) == PUAD_OK && block_of(source).rows)
        status = scan_block(self, about, source);
    if (status == PUAD_OK) status = keep_notes(self, about, source);
    puad_stream_free(source);
    return status;
}

/* A time series is drawn, so it stays in memory. */
static puad_status scan_series(report *self, report_input *about)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    listener server = {self, about};
    TRY(report_input_options(&options, self));
    TRY(puad_dataset_open(&about->data, about->path, self->model, options));
    if (!self->told_before && !self->ranks_training) print_notes(self->call, about->data);
    about->rows = puad_dataset_rows(about->data);
    TRY(memory_new(&about->scores, about->rows, sizeof *about->scores, "scores"));
    TRY(puad_scorer_run(self->scorer, about->scores, about->rows, about->data));
    if (!self->ranks_training) {
        puad_options_set_warning(options, listen, &server);
        TRY(puad_detector_compare(self->model, about->data, about->scores, options));
    }
    const int8_t *labels = self->ranks_training ? dataset_of(about->data).labels : NULL;
    AUTO_FREE float *scores = NULL;
    size_t ranked = 0;
    TRY(memory_new(&scores, about->rows, sizeof *scores, "scores"));
    for (size_t i = 0; i < about->rows; i++) {
        if (labels && labels[i] == PUAD_LABEL_ANOMALY) continue;
        report_row row = {.score = about->scores[i], .input = (size_t)(about - self->inputs), .row = i}, out;
        scores[ranked++] = about->scores[i];
        if (report_top_add(&out, self->more, row)) report_row_free(&out);
    }
    return count_scores(self, about, scores, ranked);
}

puad_status report_scan(report *self, report_input *about)
{
    activity_begin_reading("ranking", is_given(self->call, "quiet"), &about->path, 1, 1);
    puad_status status = self->window ? scan_series(self, about) : scan_stream(self, about);
    activity_end();
    TRY(status);
    return score_sketch_merge(&self->sketch, &about->sketch);
}

bool report_is_drift(const report *self, const char *text)
{
    for (size_t i = 0; i < self->input_count; i++)
        for (size_t k = 0; k < self->inputs[i].drift_count; k++)
            if (strcmp(self->inputs[i].drift[k], text) == 0) return true;
    return false;
}
