/* Datasets and models: the encoding of the training data travels with the model. */
#include "data/input.h"
#include "data/public.h"
#include "detector/model.h"
#include "detector/model_json.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_A_BLOCK = 4096 };

static puad_status copy_transform(transform **out, const transform *from)
{
    AUTO_JSON cJSON *json = transform_to_json(from);
    if (!json) FAIL(PUAD_MEMORY, "no memory for a copy of the encoding");
    return transform_from_json(out, json);
}

puad_status puad_detector_fit_dataset(puad_detector **out, const puad_dataset *data,
                                      const puad_fit_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(data);
    puad_rows rows = puad_dataset_as_rows(data);
    puad_detector *model = NULL;
    TRY(puad_detector_fit(&model, &rows, options));
    puad_status status = data->data.transform ? copy_transform(&model->table, data->data.transform) : PUAD_OK;
    if (status == PUAD_OK && data->input && !(model->input = strdup(data->input)))
        status = status_fail(PUAD_MEMORY, "no memory for the options of the input");
    if (status == PUAD_OK)
        *out = model;
    else
        puad_detector_free(model);
    return status;
}

/* Room for more rows, twice as much each time. */
static puad_status grow(dataset *into, size_t *room, size_t rows, bool labels)
{
    if (rows <= *room) return PUAD_OK;
    size_t cells, more = *room * 2 > rows ? *room * 2 : rows;
    if (!size_multiply(&cells, more, into->columns)) FAIL(PUAD_MEMORY, "%zu rows are too many", more);
    float *values = into->value_block;
    TRY(memory_grow(&values, cells, sizeof *values, "rows"));
    into->value_block = into->values = values;
    int8_t *marks = NULL;
    if (labels) TRY(arena_new(&into->memory, &marks, more, sizeof *marks));
    if (marks && into->rows) memcpy(marks, into->labels, into->rows);
    if (marks) into->labels = marks;
    const char **ids = NULL;
    if (into->id_name) TRY(arena_new(&into->memory, &ids, more, sizeof *ids));
    if (ids && into->rows) memcpy(ids, into->ids, into->rows * sizeof *ids);
    if (ids) into->ids = ids;
    *room = more;
    return PUAD_OK;
}

static puad_status add_block(dataset *into, size_t *room, const row_block *block)
{
    TRY(grow(into, room, into->rows + block->rows, block->labels != NULL));
    memcpy(into->values + into->rows * into->columns, block->values,
           block->rows * into->columns * sizeof *block->values);
    if (block->labels) memcpy(into->labels + into->rows, block->labels, block->rows);
    for (size_t i = 0; into->id_name && i < block->rows; i++) {
        into->ids[into->rows + i] = arena_text(&into->memory, block->ids ? block->ids[i] : "");
        if (!into->ids[into->rows + i]) FAIL(PUAD_MEMORY, "no memory for ids");
    }
    into->rows += block->rows;
    return PUAD_OK;
}

static puad_status read_all(dataset *into, row_source *source)
{
    size_t room = 0;
    const char *id_name = row_source_id_name(source);
    into->id_name = id_name ? arena_text(&into->memory, id_name) : NULL;
    for (;;) {
        row_block block = {0};
        TRY(row_source_next(&block, source, ROWS_A_BLOCK));
        if (block.rows == 0) break;
        TRY(add_block(into, &room, &block));
    }
    return row_source_notes(&into->notes, source);
}

static puad_status open_for(dataset *into, const puad_detector *model, const char *path,
                            const data_options *options)
{
    row_source *source = NULL;
    into->height = (int)model->in.height;
    into->width = (int)model->in.width;
    into->channels = (int)model->in.channels;
    into->columns = shape_size(model->in);
    into->image = model->image;
    into->name = arena_text(&into->memory, path);
    if (!model->image) TRY(transform_names(&into->column_names, &into->memory, model->table));
    TRY(row_source_open(&source, path, model->table, options));
    puad_status status = read_all(into, source);
    row_source_free(source);
    return status;
}

puad_status puad_dataset_open_for(puad_dataset **out, const puad_detector *model, const char *path,
                                  const puad_dataset_options *options)
{
    data_options inner;
    NEED(out);
    *out = NULL;
    NEED(model);
    NEED(path);
    if (!model->table)
        FAIL(PUAD_INVALID, "the model was trained on rows of floats and knows of no file; "
                           "puad_detector_fit_dataset trains one that does");
    TRY(data_options_of(&inner, options));
    puad_dataset *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a dataset"));
    puad_status status = team_new(&inner.workers, options ? options->threads : 0);
    if (status == PUAD_OK) status = open_for(&made->data, model, path, &inner);
    if (status == PUAD_OK) status = dataset_remember(made, &inner);
    team_free(inner.workers);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_dataset_free(made);
    return status;
}
