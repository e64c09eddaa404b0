/* What a user may say about an input; the options of `fit`, `score`, `eval` and `data` that concern it. */
#ifndef DATASET_DATA_OPTIONS_H
#define DATASET_DATA_OPTIONS_H

#include "base/threads.h"
#include "dataset/labels.h"
#include "io/csv_dialect.h"
#include "io/reopenable_files.h"
#include "options/options.h"

typedef struct data_options {
    const char *label_column, *id_column; /* of a CSV file, or NULL */
    bool id_optional;                     /* a file to score may lack the column */
    const char *id_option;                /* what messages call it; NULL for id_column */
    const char *const *ignore;            /* columns that are no features */
    size_t ignore_count;
    const char *const *idle; /* rows to score: what the training file had beside features; NULL if unknown */
    size_t idle_count;
    const char *const *categorical; /* columns that are categories whatever they look like */
    size_t categorical_count;
    const char *const *numeric; /* columns that are numbers whatever they look like */
    size_t numeric_count;
    const char *const *derive; /* derived columns: names, or one of 'auto' and 'no' */
    size_t derive_count;
    bool series;                          /* the rows are a time series */
    bool day_first, month_first;          /* of dates that do not tell */
    bool elapsed;                         /* the time since the row before is a feature */
    const char *time, *group, *intervals; /* of a time series, or NULL */
    double gap;                           /* 0 by the usual step */
    label_rule labels;
    const char *anomalies, *normals; /* files with rows of one label, or NULL */
    const char *x, *y;               /* arrays of an NPZ; y of NPY and IDX is a file */
    bool live;                       /* rows to score: those of a pipe as they arrive */
    bool keep_cells;                 /* rows to score: give the texts of all cells of a CSV file */
    bool want_labels; /* rows to score: read labels where the file has them without being asked (y of an NPZ)
                       */
    header_choice header;
    char delimiter;       /* 0 detects */
    char decimal;         /* 0 detects */
    int side;             /* height and width of images; 0: IMAGE_SIDE, or what suits the backbone */
    const char *backbone; /* file of what makes features of images; or NULL */
    team *workers;        /* or NULL */
    kept_files *kept;     /* files that are read again, or NULL */
} data_options;

/* What the caller's options say; NULL for the default. Texts are borrowed from them; workers and kept files
 * are not set. */
puad_status data_options_of(data_options *out, const puad_options *given);

#endif
