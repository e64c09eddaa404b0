/* Scores rows of a series with a model of windows, all at once or as they arrive. */
#include "detector/model_series.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_A_STEP = 4096 };

window_plan model_windows(const puad_detector *model)
{
    return (window_plan){model->config.window, model->config.stride,
                         shape_size(model->in) / (model->config.window + 2)};
}

puad_status model_refuse_series(const puad_detector *model, const char *what, const char *instead)
{
    if (!model_is_series(model)) return PUAD_OK;
    FAIL(PUAD_INVALID, "%s: not available for a model of a time series (trained on windows of %zu rows): %s",
         what, model->config.window, instead);
}

static puad_status run_windows(void *context, float *scores, const float *values, size_t count)
{
    return scorer_run(context, scores, values, count);
}

static float run_row(void *context, const float *row, const float *before)
{
    return row_evidence(&scorer_model(context)->parts.series, row, before);
}

puad_status series_run(puad_scorer *scorer, float *scores, const float *rows, const uint8_t *breaks,
                       size_t count)
{
    window_plan plan = model_windows(scorer_model(scorer));
    row_scores *merged = NULL;
    size_t taken = 0;
    TRY(row_scores_new(&merged, &plan, run_windows, run_row, scorer));
    puad_status status = PUAD_OK;
    for (size_t i = 0; i < count && status == PUAD_OK; i++) {
        status = row_scores_push(merged, rows + i * plan.channels, i == 0 || (breaks && breaks[i]));
        if (i % ROWS_A_STEP) continue;
        taken += row_scores_take(merged, scores + taken, count - taken);
        if (status == PUAD_OK) status = team_check_stop(scorer_team(scorer));
    }
    if (status == PUAD_OK) status = row_scores_end(merged);
    if (status == PUAD_OK) row_scores_take(merged, scores + taken, count - taken);
    row_scores_free(merged);
    return status;
}

typedef struct waiting_row {
    int8_t label;
    char *texts;    /* the id with its NUL, then the cells; NULL if there are none. Owned */
    size_t id_size; /* 0 for none */
} waiting_row;

struct series_input {
    row_source *source; /* borrowed */
    row_scores *scores;
    axis_clock clock;
    size_t channels, cell_count, max;
    waiting_row *rows; /* rows from the first one that was not delivered */
    size_t waiting, capacity, first;
    /* Values of the rows that windows around the last delivered rows may need, from row `seen_first` on. */
    window_plan plan;
    float *seen, *mirrored;
    uint8_t *begins;
    size_t seen_first, seen_count, seen_room;
    bool labeled, named, ended;
    /* Buffers of the last delivered rows. */
    int8_t *labels;
    const char **ids;
    text_view *cells;
    char **texts;    /* freed by the next call */
    size_t *lengths; /* lengths of the cells of each waiting row, cell_count per row */
    size_t handed;
};

void series_input_free(series_input *owner)
{
    if (!owner) return;
    for (size_t i = 0; i < owner->waiting; i++) free(owner->rows[i].texts);
    for (size_t i = 0; i < owner->handed; i++) free(owner->texts[i]);
    row_scores_free(owner->scores);
    free(owner->rows);
    free(owner->labels);
    free(owner->ids);
    free(owner->cells);
    free(owner->texts);
    free(owner->lengths);
    free(owner->seen);
    free(owner->mirrored);
    free(owner->begins);
    free(owner);
}

static puad_status make(series_input *out, puad_scorer *scorer)
{
    window_plan plan = model_windows(scorer_model(scorer));
    out->plan = plan;
    out->channels = plan.channels;
    TRY(memory_new(&out->mirrored, plan.length * plan.channels, sizeof *out->mirrored, "rows"));
    out->clock.axis = &scorer_model(scorer)->table->axis;
    row_source_cells(out->source, &out->cell_count);
    out->named = row_source_id_name(out->source) != NULL;
    TRY(memory_new(&out->labels, out->max, 1, "rows"));
    TRY(memory_new(&out->ids, out->max, sizeof *out->ids, "rows"));
    TRY(memory_new(&out->texts, out->max, sizeof *out->texts, "rows"));
    if (out->cell_count)
        TRY(memory_new(&out->cells, out->max * out->cell_count, sizeof *out->cells, "cells"));
    return row_scores_new(&out->scores, &plan, run_windows, run_row, scorer);
}

puad_status series_input_new(series_input **out, puad_scorer *scorer, row_source *rows, size_t rows_most)
{
    series_input *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a series"));
    made->source = rows;
    made->max = rows_most;
    puad_status status = make(made, scorer);
    if (status == PUAD_OK)
        *out = made;
    else
        series_input_free(made);
    return status;
}

/* Copies id and cells of a row to one piece of memory, since they must outlive the block. */
static puad_status keep_texts(series_input *into, waiting_row *row, const row_block *block, size_t i)
{
    const text_view *cells = block->cells ? block->cells + i * into->cell_count : NULL;
    size_t bytes = block->ids ? strlen(block->ids[i]) + 1 : 0, used = bytes;
    size_t count = cells ? into->cell_count : 0, *lengths = into->lengths + into->waiting * into->cell_count;
    for (size_t c = 0; c < count; c++) bytes += lengths[c] = cells[c].length;
    row->id_size = used;
    if (!block->ids && !cells) return PUAD_OK;
    TRY(memory_new(&row->texts, bytes + 1, 1, "a row"));
    if (used) memcpy(row->texts, block->ids[i], used);
    for (size_t c = 0; c < count; c++) {
        if (lengths[c]) memcpy(row->texts + used, cells[c].text, lengths[c]);
        used += lengths[c];
    }
    return PUAD_OK;
}

/* Makes room for the values of more rows, and drops those that no window needs. */
static puad_status see_more(series_input *into, size_t rows)
{
    size_t channels = into->channels,
           keep = into->first > into->plan.length ? into->first - into->plan.length : 0;
    size_t gone = keep > into->seen_first ? keep - into->seen_first : 0;
    if (into->seen_count + rows <= into->seen_room) return PUAD_OK;
    if (gone) {
        into->seen_count -= gone;
        into->seen_first += gone;
        memmove(into->seen, into->seen + gone * channels, into->seen_count * channels * sizeof *into->seen);
        memmove(into->begins, into->begins + gone, into->seen_count);
    }
    if (into->seen_count + rows <= into->seen_room) return PUAD_OK;
    size_t capacity = 2 * (into->seen_count + rows), cells;
    if (!size_multiply(&cells, capacity, channels)) FAIL(PUAD_MEMORY, "%zu rows are too many", capacity);
    TRY(memory_grow(&into->seen, cells, sizeof *into->seen, "rows"));
    TRY(memory_grow(&into->begins, capacity, 1, "rows"));
    into->seen_room = capacity;
    return PUAD_OK;
}

puad_status series_input_window(float *out, series_input *input, size_t row)
{
    if (row >= input->handed) FAIL(PUAD_INVALID, "row %zu, but the block has %zu", row, input->handed);
    window_around(out, &input->plan, input->seen, input->begins, input->seen_count,
                  input->first - input->handed + row - input->seen_first, input->mirrored);
    return PUAD_OK;
}

static puad_status take_block(series_input *into, const row_block *block)
{
    size_t needed = into->waiting + block->rows;
    if (needed > into->capacity) {
        size_t capacity = 2 * needed;
        TRY(memory_grow(&into->rows, capacity, sizeof *into->rows, "rows"));
        if (into->cell_count)
            TRY(memory_grow(&into->lengths, capacity * into->cell_count, sizeof *into->lengths, "cells"));
        into->capacity = capacity;
    }
    TRY(see_more(into, block->rows));
    into->labeled = block->labels != NULL;
    for (size_t i = 0; i < block->rows; i++) {
        waiting_row *row = &into->rows[into->waiting];
        *row = (waiting_row){.label = block->labels ? block->labels[i] : 0};
        TRY(keep_texts(into, row, block, i));
        into->waiting++;
        bool begins = axis_clock_step(&into->clock, block->times ? block->times[i] : 0,
                                      block->regroup && block->regroup[i]);
        into->begins[into->seen_count] = begins;
        memcpy(into->seen + into->seen_count++ * into->channels, block->values + i * into->channels,
               into->channels * sizeof *into->seen);
        puad_status status = row_scores_push(into->scores, block->values + i * into->channels, begins);
        if (status != PUAD_OK) {
            status_prefix("up to row %zu", block->first_row + i);
            return status;
        }
    }
    return row_scores_flush(into->scores);
}

/* Delivers the first `count` waiting rows. */
static void hand_out(row_block *out, series_input *input, size_t count)
{
    *out = (row_block){.rows = count,
                       .first_row = input->first,
                       .breaks = input->begins + (input->first - input->seen_first)};
    for (size_t i = 0; i < count; i++) {
        waiting_row *row = &input->rows[i];
        input->labels[i] = row->label;
        input->texts[i] = row->texts;
        input->ids[i] = row->id_size ? row->texts : "";
        const char *at = row->texts + row->id_size;
        for (size_t c = 0; c < input->cell_count; c++) {
            size_t length = input->lengths[i * input->cell_count + c];
            input->cells[i * input->cell_count + c] = (text_view){at, length};
            at += length;
        }
    }
    size_t left = input->waiting - count;
    memmove(input->rows, input->rows + count, left * sizeof *input->rows);
    if (input->cell_count)
        memmove(input->lengths, input->lengths + count * input->cell_count,
                left * input->cell_count * sizeof *input->lengths);
    input->waiting = left;
    input->first += count;
    input->handed = count;
    if (input->labeled) out->labels = input->labels;
    if (input->named) out->ids = input->ids;
    if (input->cell_count) out->cells = input->cells;
}

puad_status series_input_next(row_block *out, float *scores, series_input *input)
{
    *out = (row_block){.first_row = input->first};
    for (size_t i = 0; i < input->handed; i++) free(input->texts[i]);
    input->handed = 0;
    while (row_scores_ready(input->scores) == 0 && !input->ended) {
        row_block block;
        TRY(row_source_next(&block, input->source, input->max));
        input->ended = block.rows == 0;
        TRY(input->ended ? row_scores_end(input->scores) : take_block(input, &block));
    }
    hand_out(out, input, row_scores_take(input->scores, scores, input->max));
    return PUAD_OK;
}

puad_status series_input_tell(notes *out, const series_input *input, const char *name)
{
    axis_clock clock = input->clock;
    clock.back = 0; /* reported as a warning by series_input_clock */
    return axis_clock_tell(out, &clock, name);
}

const axis_clock *series_input_clock(const series_input *input)
{
    return &input->clock;
}
