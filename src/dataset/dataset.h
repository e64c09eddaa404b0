/* Rows ready for a detector: what every reader ends in and what fit, score and the laboratory take. */
#ifndef DATASET_DATASET_H
#define DATASET_DATASET_H

#include "base/memory.h"
#include "base/status.h"
#include <puad/puad.h>

/* What a reader wants the user to know: columns left out, cells that are no numbers ... One line each. */
typedef struct notes {
    arena memory;
    const char **texts;
    size_t count, room;
} notes;

puad_status notes_add(notes *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_free(notes *list); /* {0} is fine */

/* Image files that cannot be decoded, which readers leave out. */
enum { UNREADABLE_MESSAGE_CAPACITY = 512 };

typedef struct unreadable_images {
    size_t count;
    char first[UNREADABLE_MESSAGE_CAPACITY]; /* error message of the first, which names the file */
} unreadable_images;

/* Images are channels-last (height, width, channels) in [0, 1]; gray ones have one channel and stay so, the
 * network knows that they stand for three equal ones. Tables have height = width = 1 and one channel per
 * encoded column. */
typedef struct dataset {
    arena memory; /* owns everything below but value_block, transform and notes */
    size_t rows;
    int height, width, channels;
    size_t columns; /* height * width * channels */
    bool image;
    float *values;             /* rows x columns, finite */
    int8_t *labels;            /* rows of puad_label, or NULL */
    int32_t *classes;          /* rows of class numbers, or NULL (public sets, folders) */
    bool *absent;              /* rows for a model: columns of its transform that the input lacks; or NULL */
    uint8_t *breaks;           /* of a time series: rows that begin a new stretch; NULL: all are one */
    double *times;             /* of a time series: seconds since 1970, or plain numbers; or NULL */
    const char **ids;          /* rows of texts copied to the output of score, or NULL */
    const char *id_name;       /* the name of that column, or NULL */
    const char *name;          /* where it came from, for messages: a path or a data set's name */
    const char **column_names; /* columns of them for a table, or NULL */
    const char **class_names;  /* class_count of them, or NULL (folders) */
    size_t class_count;
    void *value_block; /* freed with the rest: the values, when they do not lie in `memory`; or NULL */
    /* how the values were made of a file's; NULL when they are the file's own. Owned */
    struct transform *transform;
    notes notes;
    unreadable_images unreadable; /* of a folder: they have no rows */
} dataset;

void transform_free(
    struct transform *owner);      /* of table/encoding/transform.h, for dataset_free; NULL is fine */
void dataset_free(dataset *owner); /* {0} is fine */
#define AUTO_DATASET __attribute__((cleanup(dataset_free)))

size_t dataset_count(const dataset *rows, puad_label label);

#endif
