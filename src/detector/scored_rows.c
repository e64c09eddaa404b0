/* Scores the rows of an input block by block. */
#include "detector/scored_rows.h"

#include "detector/model/model_input_options.h"
#include "detector/model_series.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_A_BLOCK = 4096, VALUES_A_BLOCK = 1 << 20 };

puad_status model_input_open(model_input *out, const puad_detector *model, const char *input_path,
                             const data_options *options)
{
    *out = (model_input){.model = model};
    if (!model->table)
        FAIL(PUAD_INVALID,
             "the model was trained on float rows by a program, not on a file; only that program can "
             "encode rows");
    TRY(scorer_new(&out->scorer, model, options->workers, NULL));
    data_options settled = *options;
    TRY(model_reading(&settled, model, &out->memory));
    settled.live = true;
    TRY(row_source_open(&out->rows, input_path, model->table, &settled));
    size_t columns = shape_size(model->in);
    out->capacity = VALUES_A_BLOCK / columns < ROWS_A_BLOCK ? VALUES_A_BLOCK / columns + 1 : ROWS_A_BLOCK;
    TRY(memory_new(&out->scores, out->capacity, sizeof *out->scores, "scores"));
    return model_is_series(model) ? series_input_new(&out->series, out->scorer, out->rows, out->capacity)
                                  : PUAD_OK;
}

puad_status model_input_next(model_input *input)
{
    if (input->series) return series_input_next(&input->block, input->scores, input->series);
    TRY(row_source_next(&input->block, input->rows, input->capacity));
    puad_status status = scorer_run(input->scorer, input->scores, input->block.values, input->block.rows);
    if (status != PUAD_OK) status_prefix("in the rows from %zu on", input->block.first_row);
    return status;
}

puad_status model_input_take(float *out, model_input *input, size_t row)
{
    size_t columns = shape_size(input->model->in);
    if (input->series) return series_input_window(out, input->series, row);
    memcpy(out, input->block.values + row * columns, columns * sizeof *out);
    return PUAD_OK;
}

puad_status model_input_notes(notes *out, const model_input *input)
{
    TRY(row_source_notes(out, input->rows));
    return input->series ? series_input_tell(out, input->series, "the series") : PUAD_OK;
}

const axis_clock *model_input_clock(const model_input *input)
{
    return input->series ? series_input_clock(input->series) : NULL;
}

void model_input_close(model_input *owner)
{
    series_input_free(owner->series);
    row_source_free(owner->rows);
    puad_scorer_free(owner->scorer);
    free(owner->scores);
    arena_free(&owner->memory);
    *owner = (model_input){0};
}
