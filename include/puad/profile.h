/* A survey of an input before training: columns with their ranges and categories, labels, missing cells and
 * repeated rows. Files are read once, as a stream, so their length does not matter.
 *
 *     puad_profile *profile = NULL;
 *     puad_profile_read(&profile, "train.csv", NULL);
 *     printf("%.0f rows\n", puad_profile_number(profile, PUAD_PROFILE_ROWS));
 *     puad_profile_column column = {.struct_size = sizeof column};
 *     for (size_t i = 0; puad_profile_column_at(profile, &column, i) == PUAD_OK; i++)
 *         printf("%s: %.0f missing\n", column.name, puad_profile_column_number(profile, i, PUAD_COLUMN_MISSING));
 *     puad_profile_free(profile);
 *
 * Threads: a profile does not change. */
#ifndef PUAD_PROFILE_H
#define PUAD_PROFILE_H

#include <puad/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_profile puad_profile;

/* Reads an input in any format of puad_dataset_open. Rows whose label does not fit the options are counted in
 * PUAD_PROFILE_ODD_LABELS.
 * options: those of the group INPUT, and "threads".
 * Errors: PUAD_IO, PUAD_FORMAT, PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_profile_read(puad_profile **out, const char *path, const puad_options *options);
PUAD_API void puad_profile_free(puad_profile *profile);

/* Facts about an input. Strings that do not apply are NULL. */
typedef struct puad_profile_info {
    size_t struct_size;
    const char *name;   /* the path, or "standard input" */
    const char *format; /* "csv", "npy" ... */
    const char *type;   /* of the elements of an array */
    int image;          /* 1: images of this size; height and width are 0 if they differ */
    int height, width, channels;
    char delimiter, decimal; /* of a text file; else 0 */
    int has_header;
    const char *odd_label;       /* the first label that fits no class */
    const char *labels_expected; /* which labels fit, as part of a sentence */
    const char *refusal;         /* why training on the input would be refused */
} puad_profile_info;

/* Fills *out with the facts about an input.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_profile_input(const puad_profile *profile, puad_profile_info *out);

typedef enum puad_profile_figure {
    PUAD_PROFILE_ROWS,
    PUAD_PROFILE_COLUMNS,     /* of a table, including those that are not features */
    PUAD_PROFILE_MISSING,     /* cells */
    PUAD_PROFILE_SHORT_ROWS,  /* rows of a text file with too few cells */
    PUAD_PROFILE_DUPLICATES,  /* rows whose features equal those of an earlier row; NaN if there are too many
                                 rows to compare */
    PUAD_PROFILE_PASSED_OVER, /* images of unsupported formats in a folder */
    PUAD_PROFILE_ANOMALIES,   /* rows of each label; NaN where labels are not known */
    PUAD_PROFILE_UNLABELED,
    PUAD_PROFILE_NORMALS,
    PUAD_PROFILE_ODD_LABELS, /* rows whose label fits no class; training on the input would be refused */
    PUAD_PROFILE_CLASSES,    /* distinct values of the label or class column */
    PUAD_PROFILE_MIN,        /* smallest and largest pixel; NaN for tables */
    PUAD_PROFILE_MAX,
} puad_profile_figure;

/* Returns one count; NaN if it does not apply. */
PUAD_API double puad_profile_number(const puad_profile *profile, puad_profile_figure which);

/* Returns a value of the label or class column, the most frequent first (rank 0), and its number of rows;
 * NULL past the end. out_rows may be NULL. */
PUAD_API const char *puad_profile_class(const puad_profile *profile, size_t rank, size_t *out_rows);

/* A column of a table. In the numbers below a date is in seconds since 1970. */
typedef struct puad_profile_column {
    size_t struct_size;
    const char *name;
    const char *role; /* "feature", "label", "id" or "ignored" */
    int category;
    const char *type;     /* "number", "range", "category", "date" or "yes/no" */
    const char *format;   /* how cells are written; NULL for plain numbers and strings */
    const char *encoding; /* how training encodes it: "hour of the day, weekday", "left out: constant"; NULL
                             if unknown, as for pipes and more than 20 million cells */
    int has_more;         /* 1: there are strings beyond the 1000 that puad_profile_column_text counts */
} puad_profile_column;

/* Fills *out with a column. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_profile_column_at(const puad_profile *profile, puad_profile_column *out,
                                            size_t index);

/* Returns a note that training would give about the columns; NULL past the end. */
PUAD_API const char *puad_profile_note(const puad_profile *profile, size_t index);

/* Formats a number of a column for people; dates as dates.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_profile_column_show(const puad_profile *profile, char *text, size_t capacity,
                                              size_t column, double value);

typedef enum puad_column_figure {
    PUAD_COLUMN_NUMBERS, /* cells that are numbers, that are other strings, that are missing */
    PUAD_COLUMN_TEXTS,
    PUAD_COLUMN_MISSING,
    PUAD_COLUMN_MIN, /* of the numbers; NaN without numbers */
    PUAD_COLUMN_MAX,
    PUAD_COLUMN_MEAN,
    PUAD_COLUMN_SD,
    PUAD_COLUMN_DISTINCT, /* distinct strings that puad_profile_column_text returns */
} puad_column_figure;

/* Returns one number about a column; NaN if it does not apply. */
PUAD_API double puad_profile_column_number(const puad_profile *profile, size_t column,
                                           puad_column_figure which);

/* Returns a string of a column, the most frequent first (rank 0), and its number of rows; NULL past the end.
 * In a number column only cells that are not numbers count. At most 1000 distinct strings are counted. */
PUAD_API const char *puad_profile_column_text(const puad_profile *profile, size_t column, size_t rank,
                                              size_t *out_rows);

#ifdef __cplusplus
}
#endif
#endif
