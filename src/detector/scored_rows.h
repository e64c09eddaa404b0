/* A model and the rows of an input that it scores: the model, its scorer, and blocks of rows. */
#ifndef DETECTOR_SCORED_ROWS_H
#define DETECTOR_SCORED_ROWS_H

#include "detector/model/model.h"
#include "input/input.h"

/* The rows of an input, scored by a model. */
typedef struct model_input {
    const puad_detector *model; /* borrowed */
    puad_scorer *scorer;
    row_source *rows;
    float *scores;               /* of the block */
    size_t capacity;             /* capacity of a block in rows */
    row_block block;             /* the last one */
    struct series_input *series; /* for a model of windows; else NULL */
    arena memory;
} model_input;

/* Opens the input with the model's encoding. The workers of the options read and score. */
puad_status model_input_open(model_input *out, const puad_detector *model, const char *input_path,
                             const data_options *options);

/* The next rows and their scores; block.rows is 0 at the end. Errors name the row of the file. */
puad_status model_input_next(model_input *input);

/* The model's input for a row of the block: the row, or the window around it. */
puad_status model_input_take(float *out, model_input *input, size_t row);

/* Notes on the rows so far; complete after the last one. */
puad_status model_input_notes(notes *out, const model_input *input);
struct axis_clock;
const struct axis_clock *model_input_clock(const model_input *input); /* of a series, so far; else NULL */
void model_input_close(model_input *owner);                           /* {0} is fine */
#define AUTO_MODEL_INPUT __attribute__((cleanup(model_input_close)))

#endif
