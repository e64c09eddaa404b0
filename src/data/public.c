/* include/puad/dataset.h over the library's own dataset. */
#include "data/public.h"

#include "base/json.h"
#include "data/array.h"
#include "data/input.h"
#include "data/options_json.h"

#include <stdlib.h>

puad_dataset_options puad_dataset_options_standard(void)
{
    return (puad_dataset_options){0};
}

static puad_status check_list(const char *name, const char *const *texts, size_t count)
{
    if (count && !texts)
        FAIL(PUAD_INVALID, "options of a dataset: %s_count is %zu, %s is NULL", name, count, name);
    for (size_t i = 0; i < count; i++)
        if (!texts[i]) FAIL(PUAD_INVALID, "options of a dataset: %s[%zu] is NULL", name, i);
    return PUAD_OK;
}

puad_status data_options_of(data_options *out, const puad_dataset_options *given)
{
    static const header_choice headers[] = {HEADER_DETECT, HEADER_YES, HEADER_NO};
    *out = (data_options){0};
    if (!given) return PUAD_OK;
    if ((unsigned)given->header > PUAD_HEADER_NO)
        FAIL(PUAD_INVALID, "options of a dataset: header is %d", given->header);
    if (given->decimal && given->decimal != '.' && given->decimal != ',')
        FAIL(PUAD_INVALID, "options of a dataset: the decimal mark is '%c', expected '.' or ','",
             given->decimal);
#define CHECK_LIST(name) TRY(check_list(#name, given->name, given->name##_count))
    CHECK_LIST(ignore);
    CHECK_LIST(categorical);
    CHECK_LIST(positive);
    CHECK_LIST(unlabeled);
    CHECK_LIST(negative);
#undef CHECK_LIST
    *out = (data_options){
        .label_column = given->label_column,
        .id_column = given->id_column,
        .ignore = given->ignore,
        .ignore_count = given->ignore_count,
        .categorical = given->categorical,
        .categorical_count = given->categorical_count,
        .labels = {given->positive, given->unlabeled, given->negative, given->positive_count,
                   given->unlabeled_count, given->negative_count},
        .anomalies = given->anomalies,
        .normals = given->normals,
        .x = given->x,
        .y = given->y,
        .header = headers[given->header],
        .delimiter = given->delimiter,
        .decimal = given->decimal,
    };
    return PUAD_OK;
}

puad_status dataset_remember(puad_dataset *data, const data_options *options)
{
    AUTO_JSON cJSON *object = data_options_to_json(options);
    return data_options_text(&data->input, object);
}

puad_status puad_dataset_open(puad_dataset **out, const char *path, const puad_dataset_options *options)
{
    data_options inner;
    NEED(out);
    *out = NULL;
    NEED(path);
    TRY(data_options_of(&inner, options));
    puad_dataset *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a dataset"));
    puad_status status = team_new(&inner.workers, options ? options->threads : 0);
    if (status == PUAD_OK) status = data_open(&made->data, path, &inner);
    if (status == PUAD_OK) status = dataset_remember(made, &inner);
    team_free(inner.workers);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_dataset_free(made);
    return status;
}

/* Labels as an array, each checked. */
static puad_status label_array(array *out, const int8_t *labels, size_t rows)
{
    *out =
        (array){.type = ARRAY_I8, .dimensions = 1, .shape = {rows}, .count = rows, .bytes = (void *)labels};
    for (size_t i = 0; labels && i < rows; i++)
        if (labels[i] < -1 || labels[i] > 1)
            FAIL(PUAD_INVALID, "labels[%zu] is %d, expected 1 (anomaly), 0 (unlabeled) or -1 (normal)", i,
                 labels[i]);
    return PUAD_OK;
}

static puad_status from_array(puad_dataset **out, const array *x, const int8_t *labels, const char *name)
{
    array y;
    TRY(label_array(&y, labels, x->shape[0]));
    AUTO_FREE puad_dataset *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a dataset"));
    puad_status status = data_from_arrays(&made->data, x, labels ? &y : NULL, name, &(data_options){0});
    TRY(status == PUAD_FORMAT ? PUAD_INVALID : status); /* there is no file, the caller gave it all */
    *out = made;
    made = NULL;
    return PUAD_OK;
}

puad_status puad_dataset_from_floats(puad_dataset **out, const float *values, size_t rows, size_t columns,
                                     const int8_t *labels)
{
    array x = {.type = ARRAY_F32, .dimensions = 2, .shape = {rows, columns}, .bytes = (void *)values};
    NEED(out);
    *out = NULL;
    NEED(values);
    if (!size_multiply(&x.count, rows, columns))
        FAIL(PUAD_INVALID, "%zu rows of %zu columns are too many", rows, columns);
    return from_array(out, &x, labels, "numbers in memory");
}

puad_status puad_dataset_from_images(puad_dataset **out, const unsigned char *pixels, size_t rows,
                                     size_t height, size_t width, size_t channels, const int8_t *labels)
{
    array x = {
        .type = ARRAY_U8, .dimensions = 4, .shape = {rows, height, width, channels}, .bytes = (void *)pixels};
    NEED(out);
    *out = NULL;
    NEED(pixels);
    if (channels != 1 && channels != 3) FAIL(PUAD_INVALID, "%zu channels, expected 1 or 3", channels);
    size_t size;
    if (!size_multiply(&size, height, width) || !size_multiply(&size, size, channels) ||
        !size_multiply(&x.count, rows, size))
        FAIL(PUAD_INVALID, "%zu images of %zu x %zu pixels are too many", rows, height, width);
    return from_array(out, &x, labels, "images in memory");
}

size_t puad_dataset_rows(const puad_dataset *data)
{
    return data ? data->data.rows : 0;
}
size_t puad_dataset_columns(const puad_dataset *data)
{
    return data ? data->data.columns : 0;
}
int puad_dataset_is_image(const puad_dataset *data)
{
    return data ? data->data.image : 0;
}

puad_rows puad_dataset_as_rows(const puad_dataset *data)
{
    if (!data) return (puad_rows){0};
    const dataset *from = &data->data;
    return (puad_rows){from->values,         from->labels,        from->rows,
                       (size_t)from->height, (size_t)from->width, (size_t)from->channels};
}

void puad_dataset_shape(const puad_dataset *data, int *out_height, int *out_width, int *out_channels)
{
    if (out_height) *out_height = data ? data->data.height : 0;
    if (out_width) *out_width = data ? data->data.width : 0;
    if (out_channels) *out_channels = data ? data->data.channels : 0;
}

const float *puad_dataset_values(const puad_dataset *data)
{
    return data ? data->data.values : NULL;
}
const int8_t *puad_dataset_labels(const puad_dataset *data)
{
    return data ? data->data.labels : NULL;
}

size_t puad_dataset_count(const puad_dataset *data, puad_label label)
{
    return data ? dataset_count(&data->data, (row_label)label) : 0;
}

const char *puad_dataset_column_name(const puad_dataset *data, size_t column)
{
    if (!data || !data->data.column_names || column >= data->data.columns) return NULL;
    return data->data.column_names[column];
}

const char *puad_dataset_id(const puad_dataset *data, size_t row)
{
    return data && data->data.ids && row < data->data.rows ? data->data.ids[row] : NULL;
}

size_t puad_dataset_note_count(const puad_dataset *data)
{
    return data ? data->data.notes.count : 0;
}

const char *puad_dataset_note(const puad_dataset *data, size_t index)
{
    return data && index < data->data.notes.count ? data->data.notes.texts[index] : NULL;
}

void puad_dataset_free(puad_dataset *data)
{
    if (!data) return;
    dataset_free(&data->data);
    free(data->input);
    free(data);
}
