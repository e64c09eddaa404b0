/* Profiles of arrays and of folders of images. */
#include "base/file.h"
#include "base/number.h"
#include "image/image.h"
#include "input/array_input.h"
#include "table/profile/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static puad_status count_value(dictionary *values, const char *text)
{
    uint32_t code;
    return dictionary_add(&code, values, (text_view){text, strlen(text)});
}

static puad_status survey_labels(profile *out, const array_input *input, const label_rule *rule)
{
    for (size_t i = 0; i < input->rows; i++) {
        int8_t label = 0;
        char buffer[ARRAY_TEXT_CAPACITY];
        const char *text = array_text(buffer, &input->y, i);
        TRY(count_value(&out->values, text));
        if (array_input_label(&label, input, i, rule))
            out->labels[label + 1]++;
        else
            profile_odd_label(out, text);
    }
    out->labeled = out->odd_labels == 0;
    return PUAD_OK;
}

static puad_status survey_table(profile *out, const array_input *input, fingerprints *rows)
{
    out->column_count = input->columns;
    TRY(arena_new(&out->memory, &out->columns, input->columns, sizeof *out->columns));
    for (size_t i = 0; i < input->columns; i++) {
        char name[32];
        snprintf(name, sizeof name, "column_%zu", i + 1);
        out->columns[i] = (profile_column){
            .name = arena_text(&out->memory, name), .role = "feature", .min = INFINITY, .max = -INFINITY};
        if (!out->columns[i].name) FAIL(PUAD_MEMORY, "no memory for column names");
    }
    for (size_t r = 0; r < input->rows; r++) {
        uint64_t hash = 0;
        for (size_t i = 0; i < input->columns; i++) {
            double value = number_bounded(array_get(&input->x, r * input->columns + i) + 0.0);
            profile_column *column = &out->columns[i];
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            hash = hash_step(hash, isnan(value) ? 1 : bits);
            if (isnan(value)) {
                column->missing++;
                out->missing++;
                continue;
            }
            profile_count_number(column, value);
        }
        TRY(fingerprints_add(rows, &hash, 1));
    }
    return PUAD_OK;
}

static puad_status survey_images(profile *out, const array_input *input, fingerprints *rows)
{
    out->image = true;
    out->height = input->height;
    out->width = input->width;
    out->channels = input->channels;
    out->min = INFINITY;
    out->max = -INFINITY;
    for (size_t r = 0; r < input->rows; r++) {
        uint64_t hash = 0;
        for (size_t i = 0; i < input->row_step; i++) {
            double value = array_get(&input->x, r * input->row_step + i) + 0.0;
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            hash = hash_step(hash, bits);
            if (!isfinite(value)) out->missing++;
            if (value < out->min) out->min = value;
            if (value > out->max) out->max = value;
        }
        TRY(fingerprints_add(rows, &hash, 1));
    }
    return PUAD_OK;
}

puad_status profile_array(profile *out, const char *path, const data_options *options)
{
    AUTO_ARRAY_INPUT array_input input = {0};
    __attribute__((cleanup(fingerprints_free))) fingerprints rows = {0};
    TRY(array_input_read(&input, path, options));
    out->rows = input.rows;
    out->type = array_type_name(input.x.type);
    TRY((input.image ? survey_images : survey_table)(out, &input, &rows));
    if (input.y.bytes) TRY(survey_labels(out, &input, &options->labels));
    out->duplicates_known = !rows.overflow;
    if (out->duplicates_known) out->duplicates = fingerprints_repeated(&rows);
    return PUAD_OK;
}

puad_status profile_folder(profile *out, const char *path, const data_options *options)
{
    AUTO_IMAGE_NAMES image_names list = {0};
    __attribute__((cleanup(fingerprints_free))) fingerprints rows = {0};
    TRY(image_list(&list, path));
    out->rows = list.count;
    out->image = true;
    out->type = "uint8";
    out->min = 255;
    out->passed_over = list.passed_over;
    bool by_class = list.classes && label_rule_is_given(&options->labels);
    for (size_t i = 0; i < list.count; i++) {
        AUTO_FREE char *file = file_join(path, list.names[i]);
        AUTO_IMAGE image picture = {0};
        if (!file) FAIL(PUAD_MEMORY, "no memory for file names");
        TRY(image_read(&picture, file, 0));
        size_t size = (size_t)picture.height * (size_t)picture.width * (size_t)picture.channels;
        uint64_t hash = text_hash((text_view){(const char *)picture.pixels, size});
        hash = hash_step(hash, (uint64_t)picture.height << 32 | (uint64_t)picture.width);
        TRY(fingerprints_add(&rows, &hash, 1));
        for (size_t k = 0; k < size; k++) {
            if (picture.pixels[k] < out->min) out->min = picture.pixels[k];
            if (picture.pixels[k] > out->max) out->max = picture.pixels[k];
        }
        bool same = picture.height == out->height && picture.width == out->width;
        if (i == 0 || same)
            out->height = picture.height, out->width = picture.width;
        else
            out->height = out->width = 0;
        if (picture.channels > out->channels) out->channels = picture.channels;
        if (!list.classes) continue;
        const char *name = list.class_names[list.classes[i]];
        int8_t label = 0;
        TRY(count_value(&out->values, name));
        if (!by_class) continue;
        if (label_read(&label, &options->labels, (text_view){name, strlen(name)}))
            out->labels[label + 1]++;
        else
            profile_odd_label(out, name);
    }
    out->labeled = by_class && out->odd_labels == 0;
    out->duplicates = fingerprints_repeated(&rows);
    out->duplicates_known = true;
    return PUAD_OK;
}
