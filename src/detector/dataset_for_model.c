/* Datasets for a model: rows of any file or table, encoded like its training rows. */
#include "array/array.h"
#include "dataset/unreadable_images.h"
#include "detector/model/model.h"
#include "detector/model/model_input_options.h"
#include "detector/model_series.h"
#include "input/dataset_api.h"
#include "input/input.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_A_BLOCK = 4096 };

/* Doubles the capacity. */
static puad_status grow(dataset *into, size_t *buffer, size_t rows, bool labels, bool breaks)
{
    if (rows <= *buffer) return PUAD_OK;
    size_t cells, more = *buffer * 2 > rows ? *buffer * 2 : rows;
    if (!size_multiply(&cells, more, into->columns)) FAIL(PUAD_MEMORY, "%zu rows are too many", more);
    float *values = into->value_block;
    TRY(memory_grow(&values, cells, sizeof *values, "rows"));
    into->value_block = into->values = values;
    int8_t *marks = NULL;
    if (labels) TRY(arena_new(&into->memory, &marks, more, sizeof *marks));
    if (marks && into->rows) memcpy(marks, into->labels, into->rows);
    if (marks) into->labels = marks;
    uint8_t *begins = NULL;
    if (breaks) TRY(arena_new(&into->memory, &begins, more, 1));
    if (begins && into->rows) memcpy(begins, into->breaks, into->rows);
    if (begins) into->breaks = begins;
    double *times = NULL;
    if (breaks) TRY(arena_new(&into->memory, &times, more, sizeof *times));
    if (times && into->rows) memcpy(times, into->times, into->rows * sizeof *times);
    if (times) into->times = times;
    const char **ids = NULL;
    if (into->id_name) TRY(arena_new(&into->memory, &ids, more, sizeof *ids));
    if (ids && into->rows) memcpy(ids, into->ids, into->rows * sizeof *ids);
    if (ids) into->ids = ids;
    *buffer = more;
    return PUAD_OK;
}

static puad_status add_block(dataset *into, size_t *buffer, const row_block *block, axis_clock *clock)
{
    TRY(grow(into, buffer, into->rows + block->rows, block->labels != NULL, block->times != NULL));
    for (size_t i = 0; block->times && i < block->rows; i++)
        into->breaks[into->rows + i] = axis_clock_step(clock, block->times[i], block->regroup[i]);
    if (block->times) memcpy(into->times + into->rows, block->times, block->rows * sizeof *into->times);
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

static puad_status read_all(dataset *into, row_source *source, const transform *encoding)
{
    axis_clock clock = {.axis = &encoding->axis};
    size_t capacity = 0;
    const char *id_name = row_source_id_name(source);
    into->id_name = id_name ? arena_text(&into->memory, id_name) : NULL;
    for (;;) {
        row_block block = {0};
        TRY(row_source_next(&block, source, ROWS_A_BLOCK));
        if (block.rows == 0) break;
        TRY(add_block(into, &capacity, &block, &clock));
    }
    if (!encoding->axis.time) into->times = NULL;
    const bool *absent = row_source_absent(source);
    if (absent) TRY(arena_new(&into->memory, &into->absent, encoding->column_count, sizeof *into->absent));
    if (absent) memcpy(into->absent, absent, encoding->column_count * sizeof *into->absent);
    const unreadable_images *unreadable = row_source_unreadable(source);
    if (unreadable) unreadable_images_add(&into->unreadable, unreadable);
    TRY(row_source_notes(&into->notes, source));
    return axis_clock_tell(&into->notes, &clock, "the series");
}

typedef struct opening {
    const puad_detector *model;
    const puad_table *table; /* or NULL */
    const array *pixels;     /* or NULL */
    const int8_t *labels;    /* labels of the images; or NULL */
} opening;

static void take_shape(dataset *into, const puad_detector *model)
{
    into->height = (int)model->in.height;
    into->width = (int)model->in.width;
    into->channels = (int)model->in.channels;
    into->columns = shape_size(model->in);
    into->image = model->image;
    if (model_is_series(model)) { /* deliver rows, not windows */
        into->columns = model->table->encoded;
        into->channels = (int)into->columns;
    }
}

static puad_status fill_from_file(dataset *into, const char *path, const data_options *options, void *context)
{
    const puad_detector *model = ((opening *)context)->model;
    row_source *source = NULL;
    data_options settled = *options;
    take_shape(into, model);
    into->name = arena_text(&into->memory, path);
    if (!model->image) TRY(transform_names(&into->column_names, &into->memory, model->table));
    TRY(model_reading(&settled, model, &into->memory));
    TRY(row_source_open(&source, path, model->table, &settled));
    puad_status status = read_all(into, source, model->table);
    row_source_free(source);
    return status;
}

static puad_status fill_from_table(dataset *into, const char *path, const data_options *options,
                                   void *context)
{
    const opening *job = context;
    (void)path;
    (void)options;
    return table_encode_for(into, job->table, job->model->table);
}

static puad_status fill_from_pixels(dataset *into, const char *path, const data_options *options,
                                    void *context)
{
    const opening *job = context;
    (void)path;
    take_shape(into, job->model);
    into->name = arena_text(&into->memory, "images in memory");
    if (!into->name) FAIL(PUAD_MEMORY, "no memory for a name");
    puad_status status = data_images_for(into, job->pixels, into->name, job->model->table, options->workers);
    /* no file is involved, so a bad format is an invalid argument */
    if (status != PUAD_OK) return status == PUAD_FORMAT ? PUAD_INVALID : status;
    if (!job->labels) return PUAD_OK;
    TRY(arena_new(&into->memory, &into->labels, into->rows, 1));
    memcpy(into->labels, job->labels, into->rows);
    return PUAD_OK;
}

static puad_status make_for(puad_dataset **out, const char *path, dataset_fill *fill, opening *job,
                            const puad_options *options)
{
    const puad_detector *model = job->model;
    if (!model->table)
        FAIL(PUAD_INVALID, "the model was trained on float rows; only the program that trained it can "
                           "encode rows");
    TRY(dataset_make(out, path, options, fill, job));
    puad_status status = transform_fingerprint(&(*out)->encoding, model->table, false);
    if (status == PUAD_OK) return PUAD_OK;
    puad_dataset_free(*out);
    *out = NULL;
    return status;
}

puad_status puad_dataset_open(puad_dataset **out, const char *path, const puad_detector *model,
                              const puad_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(path);
    opening job = {.model = model};
    return model ? make_for(out, path, fill_from_file, &job, options)
                 : dataset_learn_file(out, path, options);
}

puad_status puad_dataset_from_table(puad_dataset **out, const puad_table *table, const puad_detector *model,
                                    const puad_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(table);
    opening job = {.model = model, .table = table};
    return model ? make_for(out, NULL, fill_from_table, &job, options)
                 : dataset_learn_table(out, table, options);
}

puad_status puad_dataset_from_array(puad_dataset **out, const puad_array *given, const puad_detector *model,
                                    const puad_options *options)
{
    puad_table *table = NULL;
    puad_array source = {0};
    NEED(out);
    *out = NULL;
    NEED(given);
    TRY(struct_read(&source, sizeof source, given, "puad_array"));
    if (source.rows) NEED(source.values);
    TRY(puad_table_new(&table, source.rows));
    puad_status status =
        puad_table_add_double_matrix(table, source.names, source.values, source.columns, 0, 0);
    if (status == PUAD_OK) status = puad_table_set_labels(table, source.labels);
    if (status == PUAD_OK) status = puad_dataset_from_table(out, table, model, options);
    puad_table_free(table);
    return status;
}

puad_status puad_dataset_from_pixels(puad_dataset **out, const puad_pixels *given, const puad_detector *model,
                                     const puad_options *options)
{
    array x;
    puad_pixels pixels = {0};
    NEED(out);
    *out = NULL;
    NEED(given);
    TRY(struct_read(&pixels, sizeof pixels, given, "puad_pixels"));
    NEED(pixels.values);
    if (!model) return dataset_learn_pixels(out, &pixels, options);
    TRY(array_of_pixels(&x, &pixels));
    opening job = {.model = model, .pixels = &x, .labels = pixels.labels};
    return make_for(out, NULL, fill_from_pixels, &job, options);
}
