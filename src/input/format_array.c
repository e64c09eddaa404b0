/* The formats NPY, NPZ and IDX: tables are encoded like those of CSV files, images are resized. */
#include "base/c_locale.h"
#include "base/number.h"
#include "image/image.h"
#include "input/array_input.h"
#include "input/format.h"
#include "input/picture_rows.h"
#include "table/encoding/table_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_ROWS = 4096, CENTER_ROWS = 1000, PARTS_MAX = 3, BRIGHT_MIN = 128 };

bool format_npy_matches(const char *path, const unsigned char *head, size_t size)
{
    (void)path;
    return size >= 6 && memcmp(head, "\x93NUMPY", 6) == 0;
}

bool format_npz_matches(const char *path, const unsigned char *head, size_t size)
{
    (void)path;
    return size >= 4 && (memcmp(head, "PK\x03\x04", 4) == 0 || memcmp(head, "PK\x05\x06", 4) == 0);
}

bool format_idx_matches(const char *path, const unsigned char *head, size_t size)
{
    (void)path;
    return size >= 4 && head[0] == 0 && head[1] == 0 && head[2] >= 0x08 && head[2] <= 0x0e && head[3] >= 1 &&
           head[3] <= 8;
}

typedef struct parts { /* the input and the files with rows of one label */
    array_input inputs[PARTS_MAX];
    int8_t labels[PARTS_MAX]; /* of files of one label */
    int count;
} parts;

static void parts_free(parts *all)
{
    for (int i = 0; i < all->count; i++) array_input_free(&all->inputs[i]);
}

static puad_status parts_add(parts *all, const char *path, const data_options *options, int8_t label)
{
    if (!path) return PUAD_OK;
    data_options rest = *options;
    if (all->count > 0 && rest.y) rest.y = NULL; /* y belongs to the first file */
    TRY(array_input_read(&all->inputs[all->count], path, &rest));
    all->labels[all->count] = label;
    const array_input *first = &all->inputs[0], *input = &all->inputs[all->count++];
    if (input->image != first->image || (!input->image && input->columns != first->columns))
        FAIL(PUAD_FORMAT, "%s: %zu columns, but %s has %zu", input->name, input->columns, first->name,
             first->columns);
    return PUAD_OK;
}

static puad_status parts_read(parts *out, const char *path, const data_options *options)
{
    TRY(parts_add(out, path, options, PUAD_LABEL_UNLABELED));
    TRY(parts_add(out, options->anomalies, options, PUAD_LABEL_ANOMALY));
    return parts_add(out, options->normals, options, PUAD_LABEL_NORMAL);
}

static bool parts_labeled(const parts *all)
{
    return all->count > 1 || all->inputs[0].y.bytes;
}

static puad_status part_labels(int8_t *out, const parts *all, int part, const data_options *options)
{
    const array_input *input = &all->inputs[part];
    if (part == 0 && input->y.bytes) return array_input_labels(out, input, &options->labels);
    memset(out, all->labels[part], input->rows);
    return PUAD_OK;
}

static puad_status prepare_columns(table *into, const array_input *input)
{
    AUTO_FREE double *values = NULL;
    size_t count = input->rows < CENTER_ROWS ? input->rows : CENTER_ROWS;
    TRY(memory_new(&values, count, sizeof *values, "columns"));
    for (size_t i = 0; i < into->column_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "column_%zu", i + 1);
        into->columns[i].name = arena_text(&into->memory, name);
        if (!into->columns[i].name) FAIL(PUAD_MEMORY, "no memory for column names");
        for (size_t r = 0; r < count; r++) values[r] = array_get(&input->x, r * input->columns + i);
        /* columns of an array are features even if they look like identifiers */
        into->columns[i].numeric = true;
        table_column_center(&into->columns[i], values, count);
    }
    table_place(into);
    return PUAD_OK;
}

static puad_status add_rows(table *into, const array_input *input, const int8_t *labels)
{
    AUTO_FREE column_sums *sums = NULL;
    TRY(memory_new(&sums, into->column_count, sizeof *sums, "columns"));
    for (size_t first = 0; first < input->rows; first += BLOCK_ROWS) {
        size_t rows = input->rows - first < BLOCK_ROWS ? input->rows - first : BLOCK_ROWS;
        table_block block = {0};
        TRY(table_block_new(&block, into, rows, false));
        for (size_t k = 0; k < rows * input->columns; k++) {
            const table_column *column = &into->columns[k % input->columns];
            double value = number_bounded(array_get(&input->x, first * input->columns + k));
            block.held[k] = isnan(value) ? NAN : transform_hold(value, column->pivot, column->factor);
            column_sums_add(&sums[k % input->columns], block.held[k]);
            sums[k % input->columns].broken += number_is_broken(value);
        }
        if (labels) memcpy(block.labels, labels + first, rows);
        if (table_append(into, block) != PUAD_OK) {
            table_block_free(&block);
            return PUAD_MEMORY;
        }
    }
    for (size_t i = 0; i < into->column_count; i++) table_column_add(&into->columns[i], &sums[i]);
    return PUAD_OK;
}

static void free_table(table **owner)
{
    table_free(*owner);
}

static puad_status load_table(dataset *out, const parts *all, const data_options *options)
{
    __attribute__((cleanup(free_table))) table *into = NULL;
    TRY(table_new(&into, all->inputs[0].columns));
    TRY(prepare_columns(into, &all->inputs[0]));
    into->labeled = parts_labeled(all);
    for (int i = 0; i < all->count; i++) {
        AUTO_FREE int8_t *labels = NULL;
        if (into->labeled) {
            TRY(memory_new(&labels, all->inputs[i].rows, 1, "labels"));
            TRY(part_labels(labels, all, i, options));
        }
        if (i > 0) table_part_begin(into);
        TRY(add_rows(into, &all->inputs[i], labels));
        if (i > 0) TRY(table_part_end(into, all->inputs[i].name, NULL));
    }
    into->derive = derive_wish_of(options, false);
    TRY(table_learn(&out->transform, into, &out->notes));
    return table_encode(out, into, out->transform, options->workers);
}

/* Encodes images for the network. Bytes are resized; other types are copied if the size matches, and
 * rounded to bytes otherwise. */
typedef struct image_encoder {
    const array_input *input;
    resize *plan;
    uint8_t *pixels;
    double divisor;
    int height, width, channels; /* of the output */
} image_encoder;

static void image_encoder_free(image_encoder *owner)
{
    resize_free(owner->plan);
    free(owner->pixels);
}

static puad_status image_encoder_new(image_encoder *out, const array_input *input, double divisor, int height,
                                     int width, int channels)
{
    *out = (image_encoder){
        .input = input, .divisor = divisor, .height = height, .width = width, .channels = channels};
    if (input->channels > channels)
        FAIL(PUAD_FORMAT, "%s: color images, but the model was trained on gray ones", input->name);
    TRY(memory_new(&out->pixels, (size_t)input->height * (size_t)input->width, (size_t)channels, "an image"));
    return resize_new(&out->plan, input->height, input->width, channels, height, width);
}

static void encode_image(image_encoder *encoder, float *out, size_t row)
{
    const array_input *input = encoder->input;
    bool same = input->height == encoder->height && input->width == encoder->width;
    size_t k = 0;
    for (int y = 0; y < input->height; y++)
        for (int x = 0; x < input->width; x++)
            for (int c = 0; c < encoder->channels; c++, k++) {
                size_t channel = input->channels == 1 ? 0 : (size_t)c; /* gray: all channels are equal */
                double value =
                    array_get(&input->x, row * input->row_step + (size_t)y * input->line_step +
                                             (size_t)x * input->pixel_step + channel * input->channel_step);
                if (same)
                    out[k] = (float)(value / encoder->divisor);
                else
                    encoder->pixels[k] = (uint8_t)lrint(value / encoder->divisor * 255);
            }
    if (!same) resize_run(encoder->plan, out, encoder->pixels);
}

/* Delivers the images of some inputs as bytes, for a backbone. */
typedef struct array_pictures {
    const array_input *inputs;
    const double *divisors;
} array_pictures;

static puad_status array_picture(void *context, image *out, size_t row)
{
    const array_pictures *pictures = context;
    size_t part = 0;
    while (row >= pictures->inputs[part].rows) row -= pictures->inputs[part++].rows;
    const array_input *input = &pictures->inputs[part];
    *out = (image){.height = input->height, .width = input->width, .channels = input->channels};
    size_t k = 0, pixels = (size_t)input->height * (size_t)input->width;
    TRY(memory_new(&out->pixels, pixels, (size_t)input->channels, "an image"));
    for (int y = 0; y < input->height; y++)
        for (int x = 0; x < input->width; x++)
            for (int c = 0; c < input->channels; c++, k++) {
                size_t place = row * input->row_step + (size_t)y * input->line_step +
                               (size_t)x * input->pixel_step + (size_t)c * input->channel_step;
                out->pixels[k] = (uint8_t)lrint(array_get(&input->x, place) / pictures->divisors[part] * 255);
            }
    return PUAD_OK;
}

/* Encodes images as features of a backbone. */
static puad_status encode_features(dataset *out, const parts *all, const double *divisors, team *workers)
{
    AUTO_PICTURE_ROWS picture_rows *rows = NULL;
    array_pictures pictures = {all->inputs, divisors};
    TRY(picture_rows_new(&rows, out->transform, workers));
    TRY(picture_rows_learn(rows, out->values, NULL, out->labels, out->rows, array_picture, &pictures));
    return picture_rows_run(rows, out->values, NULL, 0, out->rows, array_picture, &pictures);
}

/* Encodes images as pixels. */
static puad_status encode_part(float *values, const array_input *input, double divisor,
                               const transform *encoding)
{
    __attribute__((cleanup(image_encoder_free))) image_encoder encoder;
    TRY(image_encoder_new(&encoder, input, divisor, encoding->height, encoding->width, encoding->channels));
    for (size_t r = 0; r < input->rows; r++) encode_image(&encoder, values + r * encoding->encoded, r);
    return PUAD_OK;
}

/* The pixel divisor of each part. If the type does not determine it, numbers within [0, 1] are used
 * unchanged and numbers within [0, 255] are divided by 255, the same in all such parts. */
static puad_status training_divisors(double out[PARTS_MAX], const parts *all)
{
    double max = 0, brightest;
    for (int i = 0; i < all->count; i++) {
        out[i] = array_input_divisor(&all->inputs[i]);
        if (out[i] > 0) continue;
        TRY(array_input_brightest(&brightest, &all->inputs[i], 255, "numbers from 0 to 1, or from 0 to 255"));
        max = fmax(max, brightest);
    }
    if (max > 1 && max < BRIGHT_MIN)
        FAIL(PUAD_INVALID,
             "%s: the brightest pixel is %g; scale numbers to 0 to 1, or give bytes (uint8) "
             "from 0 to 255",
             all->inputs[0].name, max);
    for (int i = 0; i < all->count; i++)
        if (out[i] == 0) out[i] = max > 1 ? 255 : 1;
    return PUAD_OK;
}

static puad_status load_images(dataset *out, const parts *all, const data_options *options)
{
    int channels = 1, longest = 0;
    for (int i = 0; i < all->count; i++) {
        const array_input *input = &all->inputs[i];
        out->rows += input->rows;
        if (input->channels > channels) channels = input->channels;
        if (input->height > longest) longest = input->height;
        if (input->width > longest) longest = input->width;
    }
    TRY(picture_transform(&out->transform, options, channels, longest));
    TRY(picture_shape(out, out->transform));
    TRY(arena_new(&out->memory, &out->values, out->rows, out->columns * sizeof(float)));
    if (parts_labeled(all)) TRY(arena_new(&out->memory, &out->labels, out->rows, 1));
    double divisors[PARTS_MAX] = {0};
    TRY(training_divisors(divisors, all));
    out->transform->divisor = divisors[0];
    size_t row = 0;
    for (int i = 0; i < all->count; i++) {
        if (out->labels) TRY(part_labels(out->labels + row, all, i, options));
        if (!options->backbone)
            TRY(encode_part(out->values + row * out->columns, &all->inputs[i], divisors[i], out->transform));
        row += all->inputs[i].rows;
    }
    return options->backbone ? encode_features(out, all, divisors, options->workers) : PUAD_OK;
}

static puad_status load_parts(dataset *out, const parts *all, const char *name, const data_options *options)
{
    out->name = arena_text(&out->memory, name);
    if (!out->name) FAIL(PUAD_MEMORY, "no memory for a name");
    return all->inputs[0].image ? load_images(out, all, options) : load_table(out, all, options);
}

static puad_status load(dataset *out, const char *path, const data_options *options)
{
    __attribute__((cleanup(parts_free))) parts all = {0};
    TRY(parts_read(&all, path, options));
    return load_parts(out, &all, path, options);
}

puad_status data_from_arrays(dataset *out, const array *x, const array *y, const char *name,
                             const data_options *options)
{
    parts all = {.count = 1}; /* not freed: the arrays belong to the caller */
    *out = (dataset){0};
    puad_status status = array_input_take(&all.inputs[0], *x, y ? *y : (array){0}, name);
    if (status == PUAD_OK) status = load_parts(out, &all, name, options);
    if (status != PUAD_OK) dataset_free(out);
    return status;
}

typedef struct scoring {
    array_input input;
    const transform *encoding;
    image_encoder encoder; /* of pixels */
    picture_rows *rows;    /* of features, from `pictures`; else NULL */
    array_pictures pictures;
    double divisor; /* of pixels */
    int8_t *labels;
    double *numbers; /* one row */
    size_t *unseen;  /* per column: cells with categories not seen in training */
    extreme_rows beyond;
    float *values;
    size_t next, capacity;
} scoring;

static void scoring_end(void *state)
{
    scoring *job = state;
    image_encoder_free(&job->encoder);
    picture_rows_free(job->rows);
    array_input_free(&job->input);
    free(job->labels);
    free(job->numbers);
    free(job->unseen);
    free(job->values);
    free(job);
}

/* Encodes a numeric category by the string that a CSV file would have for the number, or by a string of
 * equal value. */
bool transform_number_category(float *row, const transform_column *column, double value)
{
    char text[NUMBER_TEXT];
    if (column->width == 0) return true; /* an identifier */
    number_text(text, value);
    text_view view = {text, strlen(text)};
    double other;
    for (size_t i = 0;
         i < column->categories.count && dictionary_find(&column->categories, view) == DICTIONARY_NONE; i++) {
        text_view category = column->categories.texts[i];
        if (number_parse(&other, category.text, category.length, '.') && other == value) view = category;
    }
    return transform_text(row, column, view);
}

static void encode_derived(float *row, const transform *encoding, const double *values)
{
    derived_cells cells;
    for (size_t i = 0; i < encoding->derived.input_count; i++)
        derived_take_number(&cells, encoding, i,
                            values[transform_source_of(encoding, encoding->derived.inputs[i])]);
    for (size_t g = 0; g < encoding->derived.group_count; g++) {
        char text[NUMBER_TEXT] = "";
        double value = values[transform_source_of(encoding, encoding->derived.groups[g].column)];
        if (!isnan(value)) number_text(text, value);
        derived_take_text(&cells, encoding, g, (text_view){text, strlen(text)});
    }
    derived_encode(row, &cells, encoding);
}

/* Returns the first column whose number is outside its bounds, or NULL. `unseen` counts per column, or is
 * NULL. */
static const transform_column *encode_numbers(float *row, const transform *encoding, const double *values,
                                              size_t *unseen)
{
    const transform_column *beyond = NULL;
    for (size_t i = 0, source = 0; i < encoding->input_count; i++) {
        const transform_column *column = &encoding->columns[i];
        source += i > 0 && !transform_goes_on(encoding, i);
        double value = values[source];
        if (column->type == COLUMN_NUMBER && !transform_dated(row, column, value, NAN) && !beyond)
            beyond = column;
        if (column->type == COLUMN_CATEGORY && !transform_number_category(row, column, value) && unseen)
            unseen[i]++;
    }
    if (encoding->derived.count) encode_derived(row, encoding, values);
    return beyond;
}

/* A cell of a table. Floats are converted by their shortest decimal form: 0.1f becomes 0.1, not the
 * nearest double of the float. */
static double cell_of(const array_input *input, size_t index, const transform_column *column)
{
    double value = number_bounded(array_get(&input->x, index));
    if (column->type != COLUMN_CATEGORY || input->x.type != ARRAY_F32 || !isfinite(value)) return value;
    return number_of_float((float)value);
}

static puad_status next_rows(row_block *out, void *state, size_t rows_most)
{
    scoring *job = state;
    const array_input *input = &job->input;
    enum { PICTURES_MAX = 256 }; /* small blocks of features, so that the first scores come soon */
    size_t width = job->encoding->encoded, rows = input->rows - job->next, cells;
    if (rows > rows_most) rows = rows_most;
    if (job->rows && rows > PICTURES_MAX) rows = PICTURES_MAX;
    if (rows > job->capacity) {
        if (!size_multiply(&cells, rows, width)) FAIL(PUAD_MEMORY, "no memory for %zu rows", rows);
        TRY(memory_grow(&job->values, cells, sizeof *job->values, "rows"));
        job->capacity = rows;
    }
    if (job->rows)
        TRY(picture_rows_run(job->rows, job->values, NULL, job->next, rows, array_picture, &job->pictures));
    for (size_t r = 0; r < rows && !job->rows; r++) {
        float *row = job->values + r * width;
        if (input->image) {
            encode_image(&job->encoder, row, job->next + r);
            continue;
        }
        for (size_t i = 0, source = 0; i < job->encoding->input_count; i++) {
            if (transform_goes_on(job->encoding, i)) continue;
            job->numbers[source] =
                cell_of(input, (job->next + r) * input->columns + source, &job->encoding->columns[i]);
            source++;
        }
        extreme_rows_add(&job->beyond, encode_numbers(row, job->encoding, job->numbers, job->unseen),
                         job->next + r);
    }
    *out = (row_block){.rows = rows,
                       .first_row = job->next,
                       .values = job->values,
                       .labels = job->labels ? job->labels + job->next : NULL};
    job->next += rows;
    return PUAD_OK;
}

/* Uses the divisor of the training data, so that a row's score does not depend on other rows. */
static puad_status open_images(scoring *job, team *workers)
{
    const array_input *input = &job->input;
    const transform *encoding = job->encoding;
    double divisor = array_input_divisor(input), brightest;
    if (divisor == 0) {
        char expected[100];
        divisor = encoding->divisor;
        c_print(expected, sizeof expected, "numbers from 0 to %g, as the model was trained on", divisor);
        TRY(array_input_brightest(&brightest, input, divisor, expected));
        if (divisor > 1 && brightest > 0 && brightest <= 1)
            FAIL(PUAD_INVALID,
                 "%s: no pixel is above 1, but the model was trained on 0 to %g; multiply by %g", input->name,
                 divisor, divisor);
    }
    job->divisor = divisor;
    job->pictures = (array_pictures){input, &job->divisor};
    if (encoding->backbone) return picture_rows_new(&job->rows, encoding, workers);
    return image_encoder_new(&job->encoder, input, divisor, encoding->height, encoding->width,
                             encoding->channels);
}

static puad_status encode_images(dataset *out, scoring *job, team *workers)
{
    const array_input *input = &job->input;
    if (!input->image || !job->encoding->image)
        FAIL(PUAD_INVALID, "the model was trained on %s, and these rows are %s",
             job->encoding->image ? "images" : "a table", input->image ? "images" : "a table");
    TRY(open_images(job, workers));
    TRY(arena_new(&out->memory, &out->values, input->rows, job->encoding->encoded * sizeof(float)));
    if (job->rows)
        TRY(picture_rows_run(job->rows, out->values, NULL, 0, input->rows, array_picture, &job->pictures));
    for (size_t r = 0; r < input->rows && !job->rows; r++)
        encode_image(&job->encoder, out->values + r * job->encoding->encoded, r);
    out->rows = input->rows;
    return PUAD_OK;
}

static puad_status tell(notes *out, const void *state)
{
    const scoring *job = state;
    for (size_t i = 0; job->unseen && i < job->encoding->column_count; i++)
        if (job->unseen[i])
            TRY(notes_add(out, "%s: column '%s': %zu cells have a category that was not seen in training",
                          job->input.name, job->encoding->columns[i].name, job->unseen[i]));
    return extreme_rows_tell(out, &job->beyond, job->input.name);
}

puad_status data_images_for(dataset *out, const array *x, const char *name, const transform *encoding,
                            team *workers)
{
    scoring job = {.encoding = encoding}; /* the caller owns the array: free only the encoder */
    TRY(array_input_take(&job.input, *x, (array){0}, name));
    puad_status status = encode_images(out, &job, workers);
    if (status == PUAD_OK) status = tell(&out->notes, &job);
    image_encoder_free(&job.encoder);
    picture_rows_free(job.rows);
    return status;
}

static puad_status open_scoring(scoring *job, const char *path, const transform *encoding,
                                const data_options *options)
{
    TRY(array_input_read(&job->input, path, options));
    const array_input *input = &job->input;
    job->encoding = encoding;
    if (input->image != encoding->image)
        FAIL(PUAD_INVALID, "%s holds %s, but the model was trained on %s", input->name,
             input->image ? "images" : "a table", encoding->image ? "images" : "a table");
    if (input->image) TRY(open_images(job, options->workers));
    if (!input->image && input->columns != transform_sources(encoding))
        FAIL(PUAD_FORMAT, "%s: %zu columns, but the model was trained on %zu", input->name, input->columns,
             transform_sources(encoding));
    if (!input->image) TRY(memory_new(&job->numbers, input->columns, sizeof *job->numbers, "a row"));
    if (!input->image) TRY(memory_new(&job->unseen, encoding->column_count, sizeof *job->unseen, "a row"));
    if (!input->y.bytes || !(options->y || options->want_labels)) return PUAD_OK;
    TRY(memory_new(&job->labels, input->rows, 1, "labels"));
    return array_input_labels(job->labels, input, &options->labels);
}

static puad_status rows(row_source *out, const char *path, const transform *encoding,
                        const data_options *options)
{
    scoring *job = NULL;
    TRY(memory_new(&job, 1, sizeof *job, path));
    puad_status status = open_scoring(job, path, encoding, options);
    if (status != PUAD_OK) {
        scoring_end(job);
        return status;
    }
    *out = (row_source){.next = next_rows, .tell = tell, .end = scoring_end, .state = job};
    return PUAD_OK;
}

#define ARRAY_FORMAT(name)                                                                                   \
    puad_status format_##name##_load(dataset *out, const char *path, const data_options *options)            \
    {                                                                                                        \
        return load(out, path, options);                                                                     \
    }                                                                                                        \
    puad_status format_##name##_rows(row_source *out, const char *path, const transform *encoding,           \
                                     const data_options *options)                                            \
    {                                                                                                        \
        return rows(out, path, encoding, options);                                                           \
    }                                                                                                        \
    puad_status format_##name##_profile(profile *out, const char *path, const data_options *options)         \
    {                                                                                                        \
        return profile_array(out, path, options);                                                            \
    }
ARRAY_FORMAT(npy)
ARRAY_FORMAT(npz)
ARRAY_FORMAT(idx)
