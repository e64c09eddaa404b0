/* Rows of an input, scored block by block. */
#include "detector/model_input.h"

#include "detector/model_origin.h"

#include <stdlib.h>

enum { ROWS_A_BLOCK = 4096, VALUES_A_BLOCK = 1 << 20 };

puad_status model_input_open(model_input *out, const puad_detector *model, const char *input_path,
                             const data_options *options, int threads)
{
    *out = (model_input){.model = model};
    if (!model->table)
        FAIL(PUAD_INVALID,
             "the model was trained on rows of floats by a program, not on a file; only that program "
             "knows what its rows are");
    TRY(scorer_new(&out->scorer, model, threads, NULL));
    data_options settled = *options;
    if (!settled.id_column) {
        TRY(model_id_column(&settled.id_column, model, &out->memory));
        settled.id_optional = true;
    }
    TRY(model_label_words(&settled.labels, model, &out->memory));
    TRY(row_source_open(&out->rows, input_path, model->table, &settled));
    size_t columns = shape_size(model->in);
    out->room = VALUES_A_BLOCK / columns < ROWS_A_BLOCK ? VALUES_A_BLOCK / columns + 1 : ROWS_A_BLOCK;
    return memory_new(&out->scores, out->room, sizeof *out->scores, "scores");
}

puad_status model_input_next(model_input *from)
{
    TRY(row_source_next(&from->block, from->rows, from->room));
    puad_status status = scorer_run(from->scorer, from->scores, from->block.values, from->block.rows);
    if (status != PUAD_OK) status_prefix("in the rows from %zu on", from->block.first_row);
    return status;
}

void model_input_close(model_input *owner)
{
    row_source_free(owner->rows);
    puad_scorer_free(owner->scorer);
    free(owner->scores);
    arena_free(&owner->memory);
    *owner = (model_input){0};
}
