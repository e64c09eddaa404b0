/* Finds X and y, and the layout of images in X. */
#include "input/array_input.h"

#include "input/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t BYTES_MAX = (size_t)1 << 40;

void array_input_free(array_input *owner)
{
    array_free(&owner->x);
    array_free(&owner->y);
    *owner = (array_input){0};
}

static bool has_member(char **names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0) i++;
    return i < count;
}

static puad_status no_such_array(const char *path, const char *option_name, const char *name, char **names,
                                 size_t count)
{
    char list[300] = "";
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    if (used >= sizeof list) memcpy(list + sizeof list - 4, "...", 4);
    FAIL(PUAD_INVALID, "%s: there is no array '%s' (option '%s' names another); the arrays are %s", path,
         name, option_name, count ? list : "none");
}

static puad_status read_archive(array_input *out, const char *path, const data_options *options)
{
    AUTO_FREE char **names = NULL;
    size_t count;
    TRY(npz_members(&names, &count, path));
    const char *x = options->x ? options->x : "X", *y = options->y ? options->y : "y";
    if (!options->x && count == 1) x = names[0];
    if (!has_member(names, count, x)) return no_such_array(path, "features", x, names, count);
    snprintf(out->name, sizeof out->name, "%s, array %s", path, x);
    TRY(npz_read(&out->x, path, x, BYTES_MAX));
    if (has_member(names, count, y))
        TRY(npz_read_labels(&out->y, path, y, BYTES_MAX));
    else if (options->y)
        return no_such_array(path, "labels_array", y, names, count);
    return PUAD_OK;
}

static puad_status read_one(array *out, const char *path, const char *role, bool labels)
{
    const format *kind;
    TRY(format_of(&kind, path, NULL));
    if (kind->load == format_npy_load) return (labels ? npy_read_labels : npy_read)(out, path, BYTES_MAX);
    if (kind->load == format_idx_load) return idx_read(out, path, BYTES_MAX);
    FAIL(PUAD_INVALID, "%s: %s must be a NumPy or IDX array, not %s", path, role, kind->what);
}

/* The sizes and steps of (rows, height, width[, channels]) or (rows, channels, height, width). */
static puad_status lay_out_images(array_input *out)
{
    const size_t *shape = out->x.shape;
    bool four = out->x.dimensions == 4;
    size_t last = four ? shape[3] : 1;
    bool channels_last = last == 1 || last == 3 || last == 4;
    bool channels_second = four && !channels_last && (shape[1] == 1 || shape[1] == 3 || shape[1] == 4);
    if (!channels_last && !channels_second)
        FAIL(PUAD_FORMAT, "%s: %zu channels, expected 1, 3 or 4", out->name, last);
    size_t height = shape[channels_second ? 2 : 1], width = shape[channels_second ? 3 : 2];
    size_t channels = channels_second ? shape[1] : last;
    if (height < 1 || width < 1 || height > 16384 || width > 16384)
        FAIL(PUAD_FORMAT, "%s: images of %zu x %zu pixels, expected 1 to 16384", out->name, height, width);
    out->height = (int)height;
    out->width = (int)width;
    out->channels = channels == 1 ? 1 : 3;
    out->row_step = height * width * channels;
    out->channel_step = channels_second ? height * width : 1;
    out->pixel_step = channels_second ? 1 : channels;
    out->line_step = width * out->pixel_step;
    return PUAD_OK;
}

static puad_status lay_out(array_input *out)
{
    const array *x = &out->x, *y = &out->y;
    if (x->dimensions < 1 || x->dimensions > 4)
        FAIL(PUAD_FORMAT, "%s: %d dimensions, expected 1 or 2 for a table, 3 or 4 for images", out->name,
             x->dimensions);
    out->rows = x->shape[0];
    out->image = x->dimensions > 2;
    if (out->rows == 0) FAIL(PUAD_FORMAT, "%s: no rows", out->name);
    if (out->image)
        TRY(lay_out_images(out));
    else
        out->columns = x->dimensions == 1 ? 1 : x->shape[1];
    if (!out->image && out->columns == 0) FAIL(PUAD_FORMAT, "%s: no columns", out->name);
    if (!out->image) out->row_step = out->columns;
    if (y->bytes && y->count != out->rows)
        FAIL(PUAD_FORMAT, "%s: %zu labels for %zu rows", out->name, y->count, out->rows);
    return PUAD_OK;
}

puad_status array_input_read(array_input *out, const char *path, const data_options *options)
{
    const format *kind;
    *out = (array_input){0};
    TRY(format_of(&kind, path, NULL));
    snprintf(out->name, sizeof out->name, "%s", path);
    puad_status status;
    if (kind->load == format_npz_load) {
        status = read_archive(out, path, options);
    } else {
        status = read_one(&out->x, path, "the input", false);
        if (status == PUAD_OK && options->y)
            status = read_one(&out->y, options->y, "option 'labels_array'", true);
    }
    if (status == PUAD_OK) status = lay_out(out);
    if (status != PUAD_OK) array_input_free(out);
    return status;
}

puad_status array_input_take(array_input *out, array x, array y, const char *name)
{
    *out = (array_input){.x = x, .y = y};
    snprintf(out->name, sizeof out->name, "%s", name);
    return lay_out(out);
}

bool array_input_label(int8_t *out, const array_input *input, size_t row, const label_rule *rule)
{
    char buffer[ARRAY_TEXT_CAPACITY];
    if (!input->y.letters) return label_read_number(out, rule, array_get(&input->y, row));
    array_text(buffer, &input->y, row);
    return label_read(out, rule, (text_view){buffer, strlen(buffer)});
}

puad_status array_input_labels(int8_t *out, const array_input *input, const label_rule *rule)
{
    for (size_t i = 0; i < input->rows; i++) {
        char buffer[ARRAY_TEXT_CAPACITY], expected[300];
        if (array_input_label(&out[i], input, i, rule)) continue;
        label_rule_describe(expected, sizeof expected, rule);
        FAIL(PUAD_FORMAT, "%s: row %zu: label %.60s; %s", input->name, i, array_text(buffer, &input->y, i),
             expected);
    }
    return PUAD_OK;
}

double array_input_divisor(const array_input *input)
{
    switch (input->x.type) {
    case ARRAY_BOOL: return 1;
    case ARRAY_U8: return 255;
    case ARRAY_U16: return 65535;
    default: return 0;
    }
}

puad_status array_input_brightest(double *out, const array_input *input, double limit, const char *expected)
{
    *out = 0;
    for (size_t i = 0; i < input->x.count; i++) {
        double value = array_get(&input->x, i);
        if (!(value >= 0 && value <= limit))
            FAIL(PUAD_FORMAT, "%s: row %zu: a pixel of %g; expected %s", input->name, i / input->row_step,
                 value, expected);
        if (value > *out) *out = value;
    }
    return PUAD_OK;
}
