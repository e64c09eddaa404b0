/* Array inputs: X with the rows and y with their labels, from NPY, NPZ or IDX. */
#ifndef INPUT_ARRAY_INPUT_H
#define INPUT_ARRAY_INPUT_H

#include "array/array.h"
#include "dataset/data_options.h"

/* Two dimensions are a table (one dimension is a table of one column). Three or four are images (rows,
 * height, width[, channels]); channels may be second if the last size is too large for channels. */
typedef struct array_input {
    char name[256]; /* for messages: the file and the array */
    array x, y;     /* y has one element per row, or is empty */
    bool image;
    size_t rows, columns;        /* columns of a table */
    int height, width, channels; /* of images; a fourth channel (transparency) is dropped */
    size_t row_step, line_step, pixel_step, channel_step; /* in elements in C order */
} array_input;

/* Reads the arrays named by the options. */
puad_status array_input_read(array_input *out, const char *path, const data_options *options);

/* Uses arrays in memory; they remain the caller's if this fails. */
puad_status array_input_take(array_input *out, array x, array y, const char *name);
void array_input_free(array_input *owner); /* {0} is fine */
#define AUTO_ARRAY_INPUT __attribute__((cleanup(array_input_free)))

/* False if the row's label belongs to no class. */
bool array_input_label(int8_t *out, const array_input *input, size_t row, const label_rule *rule);

/* The labels of all rows; an unknown label is an error that names it and its row. */
puad_status array_input_labels(int8_t *out, const array_input *input, const label_rule *rule);

/* The divisor of pixels of this type: 255 for bytes, 65535 for 16-bit ones, 1 for booleans; 0 for other
 * types, where the values decide. */
double array_input_divisor(const array_input *input);

/* The largest pixel. A value below 0 or above `limit` is an error that states what is `expected`. */
puad_status array_input_brightest(double *out, const array_input *input, double limit, const char *expected);

#endif
