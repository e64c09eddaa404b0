/* The inside of a public dataset, for the parts of the library that take one from a caller. */
#ifndef INPUT_DATASET_API_H
#define INPUT_DATASET_API_H

#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "table/encoding/transform.h"

#include <puad/dataset.h>

struct puad_dataset {
    dataset data;
    char *input;       /* how it was opened, as a model keeps it; owned */
    uint64_t encoding; /* fingerprint of what its rows are encoded by */
    /* To read a file again; NULL, and 0, for what was made in memory. */
    puad_options *how;
    char *path;
    kept_files *kept; /* files that stay open (option reread), or NULL; threads may share it */
    /* What somebody has answered about the rows; see input/answers.c. */
    arena memory;
    int8_t *given;  /* the labels before the answers; NULL: those of `data` */
    uint8_t *asked; /* ANSWER_... of each row; NULL before the first answer */
    const char **answer_files;
    size_t answer_file_count;
    float *scores; /* of puad_query_choose; owned */
};

/* A dataset that was read from `path` with these options; `fill` puts the rows in. */
typedef puad_status dataset_fill(dataset *into, const char *path, const data_options *options, void *context);
puad_status dataset_make(puad_dataset **out, const char *path, const puad_options *options,
                         dataset_fill *fill, void *context);

/* How its files are read; `workers` is the caller's. */
puad_status dataset_reading(data_options *out, const puad_dataset *data, team *workers);

/* Answers of a file on top of the labels. */
puad_status dataset_read_answers(puad_dataset *data, const char *path, team *workers);

/* What tells encodings apart, 64 bits. `first` leaves out the second step of transform_refit. */
puad_status transform_fingerprint(uint64_t *out, const transform *of, bool first);

/* Datasets that learn their encoding; puad_dataset_open and puad_dataset_from_... without a model. */
puad_status dataset_learn_file(puad_dataset **out, const char *path, const puad_options *options);
puad_status dataset_learn_table(puad_dataset **out, const puad_table *from, const puad_options *options);
puad_status dataset_learn_pixels(puad_dataset **out, const puad_pixels *pixels, const puad_options *options);

/* Pixels of a caller as an array that borrows them. */
struct array;
puad_status array_of_pixels(struct array *out, const puad_pixels *from);

/* The rows of a table in memory as `how` encodes them. */
puad_status table_encode_for(dataset *out, const puad_table *from, const transform *how);

#endif
