/* Internals of a public dataset, for functions of the library that receive one. */
#ifndef INPUT_DATASET_API_H
#define INPUT_DATASET_API_H

#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "table/encoding/transform.h"

#include <puad/dataset.h>

struct puad_dataset {
    dataset data;
    char *input;       /* the input options that a model stores; owned */
    uint64_t encoding; /* fingerprint of the encoding */
    /* for reading a file again; NULL and 0 for data in memory */
    puad_options *options;
    char *path;
    kept_files *kept; /* files that stay open (option reread), or NULL; shared by threads */
    /* A reviewer's answers; see input/answers.c. */
    arena memory;
    int8_t *given;  /* the labels before the answers; NULL: those of `data` */
    uint8_t *asked; /* ANSWER_... of each row; NULL before the first answer */
    const char **answer_files;
    size_t answer_file_count;
    float *scores; /* of puad_query_choose; owned */
};

/* Creates a dataset for `path` and these options; `fill` adds the rows. */
typedef puad_status dataset_fill(dataset *into, const char *path, const data_options *options, void *context);
puad_status dataset_make(puad_dataset **out, const char *path, const puad_options *options,
                         dataset_fill *fill, void *context);

/* How its files are read; `workers` belongs to the caller. */
puad_status dataset_reading(data_options *out, const puad_dataset *data, team *workers);

/* Applies answers from a file to the labels. */
puad_status dataset_read_answers(puad_dataset *data, const char *path, team *workers);

/* 64-bit fingerprint of an encoding. `first` excludes the second step of transform_refit. */
puad_status transform_fingerprint(uint64_t *out, const transform *source, bool first);

/* Datasets that learn their encoding: puad_dataset_open and puad_dataset_from_... without a model. */
puad_status dataset_learn_file(puad_dataset **out, const char *path, const puad_options *options);
puad_status dataset_learn_table(puad_dataset **out, const puad_table *source, const puad_options *options);
puad_status dataset_learn_pixels(puad_dataset **out, const puad_pixels *pixels, const puad_options *options);

/* The caller's pixels as an array that borrows them. */
struct array;
puad_status array_of_pixels(struct array *out, const puad_pixels *pixels);

/* Encodes the rows of a table in memory with `encoding`. */
puad_status table_encode_for(dataset *out, const puad_table *source, const transform *encoding);

#endif
