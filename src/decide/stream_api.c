/* Implements <puad/stream.h>: the rows of an input, scored block by block. */
#include "checks/drift.h"
#include "dataset/unreadable_images.h"
#include "detector/scored_rows.h"
#include "options/options.h"

#include <puad/stream.h>
#include <stdlib.h>

struct puad_stream {
    model_input input;
    puad_options *options; /* owns the option strings that the source borrows */
    team *workers;
    notes odd;
    bool reported;
    drift_sample sample;
    bool ended;
};

static puad_status start(puad_stream *stream, const puad_detector *model, const char *path,
                         const puad_options *options)
{
    data_options data;
    TRY(puad_options_copy(&stream->options, options));
    TRY(data_options_of(&data, stream->options));
    TRY(options_team(&stream->workers, options));
    team_set_stop(stream->workers, NULL); /* the token need not outlive this call */
    data.workers = stream->workers;
    TRY(model_input_open(&stream->input, model, path, &data));
    return drift_begin(&stream->sample, model, SIZE_MAX);
}

puad_status puad_stream_open(puad_stream **out, const puad_detector *model, const char *path,
                             const puad_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(model);
    NEED(path);
    puad_stream *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a stream"));
    puad_status status = start(made, model, path, options);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_stream_free(made);
    return status;
}

void puad_stream_free(puad_stream *stream)
{
    if (!stream) return;
    model_input_close(&stream->input);
    drift_end(&stream->sample);
    notes_free(&stream->odd);
    puad_options_free(stream->options);
    team_free(stream->workers);
    free(stream);
}

puad_status puad_stream_next(puad_stream *stream)
{
    NEED(stream);
    TRY(model_input_next(&stream->input));
    const row_block *block = &stream->input.block;
    bool selected = OPTION_GIVEN(stream->options, truth); /* rows with known truth are not compared */
    if (!selected) drift_add(&stream->sample, block->values, stream->input.scores, block->rows);
    if (block->rows || stream->ended) return PUAD_OK;
    stream->ended = true;
    TRY(unreadable_images_warn(row_source_unreadable(stream->input.rows), stream->options, NULL));
    if (selected) return PUAD_OK;
    TRY(drift_warn_order(model_input_clock(&stream->input), stream->options));
    size_t added;
    const char *const *names = row_source_added(stream->input.rows, &added);
    TRY(drift_warn_added(names, added, stream->options));
    return drift_warn(&stream->sample, row_source_absent(stream->input.rows), stream->options);
}

static size_t note_count(puad_stream *stream)
{
    if (!stream->reported) { /* complete after the last row */
        notes_free(&stream->odd);
        if (model_input_notes(&stream->odd, &stream->input) != PUAD_OK) return 0;
        stream->reported = stream->input.block.rows == 0;
    }
    return stream->odd.count;
}

puad_status puad_stream_block(const puad_stream *stream, puad_block *out)
{
    NEED(stream);
    NEED(out);
    const row_block *block = &stream->input.block;
    puad_block made = {.first_row = block->first_row,
                       .rows = block->rows,
                       .capacity = stream->input.capacity,
                       .columns = shape_size(stream->input.model->in),
                       .scores = stream->input.scores,
                       .values = block->values,
                       .labels = block->labels,
                       .segment_starts = block->breaks,
                       .id_name = row_source_id_name(stream->input.rows)};
    return struct_write(out, &made, sizeof made, "puad_block");
}

const char *puad_stream_id(const puad_stream *stream, size_t row)
{
    if (!stream || !stream->input.block.ids || row >= stream->input.block.rows) return NULL;
    return stream->input.block.ids[row];
}
puad_status puad_stream_take(puad_stream *stream, float *out, size_t columns, size_t row)
{
    NEED(stream);
    NEED(out);
    if (columns != shape_size(stream->input.model->in))
        FAIL(PUAD_INVALID, "capacity for %zu values, the model takes %zu", columns,
             shape_size(stream->input.model->in));
    if (row >= stream->input.block.rows)
        FAIL(PUAD_INVALID, "row %zu, but the block has %zu", row, stream->input.block.rows);
    return model_input_take(out, &stream->input, row);
}
puad_scorer *puad_stream_scorer(puad_stream *stream)
{
    return stream ? stream->input.scorer : NULL;
}

const char *puad_stream_cell_name(const puad_stream *stream, size_t column)
{
    size_t count = 0;
    const char *const *names = stream ? row_source_cells(stream->input.rows, &count) : NULL;
    return column < count ? names[column] : NULL;
}

const char *puad_stream_cell(const puad_stream *stream, size_t row, size_t column, size_t *out_length)
{
    size_t count = 0;
    if (out_length) *out_length = 0;
    if (!stream || !stream->input.block.cells || row >= stream->input.block.rows) return NULL;
    row_source_cells(stream->input.rows, &count);
    if (column >= count) return NULL;
    const text_view *cell = &stream->input.block.cells[row * count + column];
    if (out_length) *out_length = cell->length;
    return cell->text;
}

const char *puad_stream_note(puad_stream *stream, size_t index)
{
    if (!stream) return NULL;
    return index < note_count(stream) ? stream->odd.texts[index] : NULL;
}
