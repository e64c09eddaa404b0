/* The options of `fit`, `score`, `eval` and `data` that describe an input. */
#ifndef DATASET_DATA_OPTIONS_H
#define DATASET_DATA_OPTIONS_H

#include "base/threads.h"
#include "dataset/labels.h"
#include "io/csv_dialect.h"
#include "io/reopenable_files.h"
#include "options/options.h"

typedef struct data_options {
    const char *label_column, *id_column; /* of a CSV file, or NULL */
    bool id_optional;                     /* a file to score may lack the id column */
    const char *id_option;                /* the name of the option in messages; NULL for id_column */
    const char *const *ignore;            /* columns that are not features */
    size_t ignore_count;
    /* when scoring: columns of the training file that were not features; NULL if unknown */
    const char *const *idle;
    size_t idle_count;
    const char *const *categorical; /* columns to read as categories */
    size_t categorical_count;
    const char *const *numeric; /* columns to read as numbers */
    size_t numeric_count;
    const char *const *derive; /* derived columns: names, or one of 'auto' and 'no' */
    size_t derive_count;
    bool series;                          /* the rows are a time series */
    bool day_first, month_first;          /* the order of ambiguous dates */
    bool elapsed;                         /* the time since the previous row is a feature */
    const char *time, *group, *intervals; /* of a time series, or NULL */
    double gap;                           /* 0: derived from the median step */
    label_rule labels;
    const char *anomalies, *normals; /* files with rows of one label, or NULL */
    const char *x, *y;               /* arrays of an NPZ; for NPY and IDX y is a file */
    bool live;                       /* when scoring: read rows of a pipe as they arrive */
    bool keep_cells;                 /* when scoring: deliver all cells of a CSV file as strings */
    /* when scoring: read labels if the file has them (y of an NPZ) */
    bool want_labels;
    header_choice header;
    char delimiter;       /* 0 detects */
    char decimal;         /* 0 detects */
    int side;             /* height and width of images; 0: IMAGE_SIDE, or the size that suits the backbone */
    const char *backbone; /* file of the backbone that computes features of images; or NULL */
    size_t max_rows;      /* rows to learn from: of each label, a sample if there are more; 0: all */
    uint64_t seed;        /* of the sample */
    team *workers;        /* or NULL */
    kept_files *kept;     /* files that are read again, or NULL */
} data_options;

/* Reads the caller's options; NULL means defaults. Strings are borrowed; workers and kept files are not
 * set. */
puad_status data_options_of(data_options *out, const puad_options *given);

#endif
