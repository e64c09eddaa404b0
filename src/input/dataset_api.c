/* Implements include/puad/dataset.h. */
#include "input/dataset_api.h"

#include "array/array.h"
#include "base/json.h"
#include "dataset/unreadable_images.h"
#include "input/input.h"
#include "series/time_axis.h"

#include <stdlib.h>
#include <string.h>

enum { REMEMBERED = 1 << PUAD_GROUP_INPUT | 1 << PUAD_GROUP_MORE | 1 << PUAD_GROUP_ANSWERS };

puad_status transform_fingerprint(uint64_t *out, const transform *source, bool first)
{
    *out = 0;
    if (!source) return PUAD_OK;
    AUTO_JSON cJSON *json = transform_to_json(source);
    static const char *const lists[] = {"columns", "derived"};
    for (int i = 0; i < 2; i++)
        for (cJSON *list = cJSON_GetObjectItemCaseSensitive(json, lists[i]),
                   *next = list ? list->child : NULL;
             first && next; next = next->next) {
            cJSON_DeleteItemFromObjectCaseSensitive(next, "shift");
            cJSON_DeleteItemFromObjectCaseSensitive(next, "spread");
        }
    AUTO_FREE char *text = json ? cJSON_PrintUnformatted(json) : NULL;
    if (!text) FAIL(PUAD_MEMORY, "no memory for the fingerprint of an encoding");
    *out = text_hash((text_view){text, strlen(text)});
    return PUAD_OK;
}

static puad_status remember(puad_dataset *data, const char *path, const puad_options *options)
{
    AUTO_JSON cJSON *object = options_to_json(options, REMEMBERED);
    data->input = object ? json_text_of(object, false) : NULL;
    if (!data->input || (path && !(data->path = strdup(path))))
        FAIL(PUAD_MEMORY, "no memory for the options of the input");
    if (OPTION_GIVEN(options, reread) || OPTION_GIVEN(options, time_column) ||
        OPTION_GIVEN(options, series_column))
        TRY(kept_files_new(&data->kept, true));
    return puad_options_copy(&data->options, options);
}

puad_status dataset_reading(data_options *out, const puad_dataset *data, team *workers)
{
    TRY(data_options_of(out, data->options));
    out->workers = workers;
    out->kept = data->kept;
    return PUAD_OK;
}

static puad_status fill_made(puad_dataset *made, const char *path, const puad_options *options,
                             dataset_fill *fill, void *context)
{
    AUTO_TEAM team *workers = NULL;
    data_options inner;
    TRY(remember(made, path, options));
    TRY(dataset_reading(&inner, made, NULL));
    TRY(options_team(&workers, options));
    inner.workers = workers;
    TRY(fill(&made->data, path, &inner, context));
    TRY(unreadable_images_warn(&made->data.unreadable, options, NULL));
    const option_value *answers = options_value(options, OPTION_AT_answers);
    for (size_t i = 0; options && i < answers->list_count; i++)
        TRY(dataset_read_answers(made, answers->list[i], workers));
    return made->data.transform ? transform_fingerprint(&made->encoding, made->data.transform, false)
                                : PUAD_OK;
}

puad_status dataset_make(puad_dataset **out, const char *path, const puad_options *options,
                         dataset_fill *fill, void *context)
{
    puad_dataset *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a dataset"));
    puad_status status = fill_made(made, path, options, fill, context);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_dataset_free(made);
    return status;
}

static puad_status fill_from_file(dataset *into, const char *path, const data_options *options, void *context)
{
    (void)context;
    TRY(data_open(into, path, options));
    return axis_learn(into, path, options);
}

puad_status dataset_learn_file(puad_dataset **out, const char *path, const puad_options *options)
{
    return dataset_make(out, path, options, fill_from_file, NULL);
}

typedef struct memory_images {
    array x;
    const int8_t *labels;
} memory_images;

static puad_status fill_from_images(dataset *into, const char *path, const data_options *options,
                                    void *context)
{
    memory_images *images = context;
    size_t rows = images->x.shape[0];
    (void)path;
    array y = {.type = ARRAY_I8, .dimensions = 1, .shape = {rows}, .count = rows, .bytes = images->labels};
    for (size_t i = 0; images->labels && i < rows; i++)
        if (images->labels[i] < -1 || images->labels[i] > 1)
            FAIL(PUAD_INVALID, "labels[%zu] is %d, expected 1 (anomaly), 0 (unlabeled) or -1 (normal)", i,
                 images->labels[i]);
    puad_status status =
        data_from_arrays(into, &images->x, images->labels ? &y : NULL, "images in memory", options);
    /* no file is involved, so a bad format is an invalid argument */
    return status == PUAD_FORMAT ? PUAD_INVALID : status;
}

puad_status array_of_pixels(array *out, const puad_pixels *pixels)
{
    static const array_type types[] = {ARRAY_U8, ARRAY_U16, ARRAY_F32, ARRAY_F64};
    const size_t shape[] = {pixels->rows, pixels->height, pixels->width, pixels->channels};
    if ((size_t)pixels->type >= sizeof types / sizeof *types)
        FAIL(PUAD_INVALID, "pixels of type %d, expected a puad_pixel", (int)pixels->type);
    *out = (array){.type = types[pixels->type], .dimensions = 4, .count = 1, .bytes = pixels->values};
    for (int i = 0; i < 4; i++) {
        out->shape[i] = shape[i];
        if (!size_multiply(&out->count, out->count, shape[i]))
            FAIL(PUAD_INVALID, "%zu images of %zu x %zu pixels are too many", shape[0], shape[1], shape[2]);
    }
    return PUAD_OK;
}

puad_status dataset_learn_pixels(puad_dataset **out, const puad_pixels *pixels, const puad_options *options)
{
    memory_images images = {.labels = pixels->labels};
    TRY(array_of_pixels(&images.x, pixels));
    return dataset_make(out, NULL, options, fill_from_images, &images);
}

size_t puad_dataset_rows(const puad_dataset *data)
{
    return data ? data->data.rows : 0;
}

puad_status puad_dataset_info(const puad_dataset *data, puad_dataset_rows_info *out)
{
    NEED(data);
    NEED(out);
    const dataset *rows = &data->data;
    puad_dataset_rows_info made = {.columns = rows->columns,
                                   .values = rows->values,
                                   .labels = rows->labels,
                                   .image = rows->image,
                                   .height = rows->height,
                                   .width = rows->width,
                                   .channels = rows->channels,
                                   .id_name = rows->id_name,
                                   .class_count = rows->class_count,
                                   .classes = rows->classes,
                                   .times = rows->times,
                                   .segment_starts = rows->breaks,
                                   .scores = data->scores,
                                   .encoding = data->encoding,
                                   .note_count = rows->notes.count,
                                   .rows_read = rows->rows_read ? rows->rows_read : rows->rows,
                                   .row_numbers = rows->row_numbers};
    return struct_write(out, &made, sizeof made, "puad_dataset_rows_info");
}

size_t puad_dataset_count(const puad_dataset *data, puad_label label)
{
    return data ? dataset_count(&data->data, (puad_label)label) : 0;
}

const char *puad_dataset_id(const puad_dataset *data, size_t row)
{
    return data && data->data.ids && row < data->data.rows ? data->data.ids[row] : NULL;
}

const char *puad_dataset_note(const puad_dataset *data, size_t index)
{
    return data && index < data->data.notes.count ? data->data.notes.texts[index] : NULL;
}

void puad_dataset_free(puad_dataset *data)
{
    if (!data) return;
    dataset_free(&data->data);
    kept_files_free(data->kept);
    puad_options_free(data->options);
    arena_free(&data->memory);
    free(data->scores);
    free(data->input);
    free(data->path);
    free(data);
}
