/* Arrays as inputs: X with the rows, y with their labels, from NPY, NPZ or IDX. */
#ifndef INPUT_ARRAY_INPUT_H
#define INPUT_ARRAY_INPUT_H

#include "array/array.h"
#include "dataset/data_options.h"

/* Two dimensions are a table (one is a table of one column); three or four are images (rows, height, width[,
 * channels]), or with the channels second where the last size cannot be channels. */
typedef struct array_input {
    char name[256]; /* for messages: the file, and the array in it */
    array x, y;     /* y has one element a row, or no bytes at all */
    bool image;
    size_t rows, columns;        /* columns of a table */
    int height, width, channels; /* of images; a fourth channel (transparency) is not counted */
    size_t row_step, line_step, pixel_step, channel_step; /* in elements of C order */
} array_input;

/* Reads the arrays that the options name. */
puad_status array_input_read(array_input *out, const char *path, const data_options *options);

/* Takes arrays that are there already; they stay the caller's when this fails. */
puad_status array_input_take(array_input *out, array x, array y, const char *name);
void array_input_free(array_input *owner); /* {0} is fine */
#define AUTO_ARRAY_INPUT __attribute__((cleanup(array_input_free)))

/* False when the label of the row fits no class. */
bool array_input_label(int8_t *out, const array_input *input, size_t row, const label_rule *rule);

/* The labels of all rows; an unknown one is an error that names it and its row. */
puad_status array_input_labels(int8_t *out, const array_input *input, const label_rule *rule);

/* What pixels of this type are divided by: 255 for bytes, 65535 for 16-bit ones, 1 for booleans; 0 for other
 * numbers, whose type does not tell. */
double array_input_divisor(const array_input *input);

/* The largest pixel. One below 0 or above `limit` is an error, which says what is `expected`. */
puad_status array_input_brightest(double *out, const array_input *input, double limit, const char *expected);

#endif
