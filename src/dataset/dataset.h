/* Rows ready for a detector: what every reader produces and what fit, score and the laboratory use. */
#ifndef DATASET_DATASET_H
#define DATASET_DATASET_H

#include "base/memory.h"
#include "base/status.h"
#include <puad/puad.h>

/* Notes of a reader for the user, one line each: columns left out, cells that are not numbers ... */
typedef struct notes {
    arena memory;
    const char **texts;
    size_t count, capacity;
} notes;

puad_status notes_add(notes *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_free(notes *list); /* {0} is fine */

/* Image files that cannot be decoded; readers skip them. */
enum { UNREADABLE_MESSAGE_CAPACITY = 512 };

typedef struct unreadable_images {
    size_t count;
    char first[UNREADABLE_MESSAGE_CAPACITY]; /* error message of the first one, with its file name */
} unreadable_images;

/* Images are channels-last (height, width, channels) in [0, 1]. Gray ones keep one channel; the network
 * treats them as three equal channels. Tables have height = width = 1 and one channel per encoded column. */
typedef struct dataset {
    arena memory; /* owns everything below but value_block, transform and notes */
    size_t rows;
    int height, width, channels;
    size_t columns; /* height * width * channels */
    bool image;
    float *values;    /* rows x columns, finite */
    int8_t *labels;   /* rows of puad_label, or NULL */
    int32_t *classes; /* rows of class numbers, or NULL (public sets, folders) */
    /* when encoded for a model: columns of its encoding that the input lacks; or NULL */
    bool *absent;
    uint8_t *breaks;           /* for a time series: 1 for rows that begin a segment; NULL: one segment */
    double *times;             /* for a time series: seconds since 1970, or plain numbers; or NULL */
    size_t rows_read;          /* of a table: rows of the input; more than `rows` if a sample is kept */
    uint64_t *row_numbers;     /* of a sample: the row of the input of each row; or NULL */
    const char **ids;          /* one string per row, copied to the output of score; or NULL */
    const char *id_name;       /* the name of that column, or NULL */
    const char *name;          /* for messages: a path or the name of a dataset */
    const char **column_names; /* one per column of a table, or NULL */
    const char **class_names;  /* class_count entries, or NULL (folders) */
    size_t class_count;
    void *value_block; /* owns the values if they are not in `memory`; or NULL */
    /* encoding that computed the values from a file; NULL if they are the file's. Owned */
    struct transform *transform;
    notes notes;
    unreadable_images unreadable; /* in a folder: files that have no rows */
} dataset;

void transform_free(
    struct transform *owner);      /* of table/encoding/transform.h, for dataset_free; NULL is fine */
void dataset_free(dataset *owner); /* {0} is fine */
#define AUTO_DATASET __attribute__((cleanup(dataset_free)))

size_t dataset_count(const dataset *rows, puad_label label);

/* The row of the input that row `row` is. */
size_t dataset_row_number(const dataset *rows, size_t row);

#endif
