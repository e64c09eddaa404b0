/* What an input holds, before anything is learned from it: rows, columns with their ranges and texts, labels,
 * missing cells and repeated rows. Files are read once, as a stream, so their length does not matter.
 *
 *     puad_profile *profile = NULL;
 *     puad_profile_read(&profile, "train.csv", NULL);
 *     printf("%.0f rows\n", puad_profile_number(profile, PUAD_PROFILE_ROWS));
 *     for (size_t i = 0; puad_profile_column_name(profile, i); i++)
 *         printf("%s: %.0f missing\n", puad_profile_column_name(profile, i),
 *                puad_profile_column_number(profile, i, PUAD_COLUMN_MISSING));
 *     puad_profile_free(profile);
 *
 * Ownership: the caller frees *out; texts are borrowed from it. Threads: a profile does not change. Texts are
 * UTF-8. */
#ifndef PUAD_PROFILE_H
#define PUAD_PROFILE_H

#include <puad/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct puad_profile puad_profile;

/* Reads an input in any format of puad_dataset_open. Takes the options of the group INPUT and "threads". A
 * label that the options do not explain is no failure: PUAD_PROFILE_ODD_LABELS counts such rows. */
PUAD_API puad_status puad_profile_read(puad_profile **out, const char *path, const puad_options *options);
PUAD_API void puad_profile_free(puad_profile *of); /* NULL is fine */

PUAD_API const char *puad_profile_name(const puad_profile *of);   /* the path, or "standard input" */
PUAD_API const char *puad_profile_format(const puad_profile *of); /* "csv", "npy" ... */
PUAD_API const char *puad_profile_type(const puad_profile *of);   /* of an array's elements, or NULL */

/* Images, and their height, width and channels in the input: height and width are 0 where they differ, all
 * are 0 for a table. Any pointer may be NULL. */
PUAD_API int puad_profile_is_image(const puad_profile *of);
PUAD_API void puad_profile_shape(const puad_profile *of, int *out_height, int *out_width, int *out_channels);

/* How cells of a text file are separated and numbers written; 0 where the input is not text. */
PUAD_API char puad_profile_delimiter(const puad_profile *of);
PUAD_API char puad_profile_decimal(const puad_profile *of);
PUAD_API int puad_profile_has_header(const puad_profile *of);

typedef enum puad_profile_figure {
    PUAD_PROFILE_ROWS,
    PUAD_PROFILE_COLUMNS,     /* of a table, those that are no features too */
    PUAD_PROFILE_MISSING,     /* cells */
    PUAD_PROFILE_SHORT_ROWS,  /* rows of a text file with too few cells */
    PUAD_PROFILE_DUPLICATES,  /* rows whose features equal those of an earlier row; NaN: too many rows */
    PUAD_PROFILE_PASSED_OVER, /* pictures of kinds that are not read, in a folder */
    PUAD_PROFILE_ANOMALIES,   /* rows of each label; NaN where labels are not known */
    PUAD_PROFILE_UNLABELED,
    PUAD_PROFILE_NORMALS,
    PUAD_PROFILE_ODD_LABELS, /* rows whose label fits no class; training on the input would be refused */
    PUAD_PROFILE_CLASSES,    /* distinct values that stand for labels or classes in the input */
    PUAD_PROFILE_LEAST,      /* the smallest and the largest pixel; NaN for tables */
    PUAD_PROFILE_MOST,
} puad_profile_figure;
PUAD_API double puad_profile_number(const puad_profile *of, puad_profile_figure which);

/* The first label that fits no class, or NULL; and which ones were expected, as part of a sentence. */
PUAD_API const char *puad_profile_odd_label(const puad_profile *of);
PUAD_API const char *puad_profile_labels_expected(const puad_profile *of);

/* A value that stands for a label or class, from the most frequent (rank 0) to the rarest, and its rows;
 * NULL behind the last. out_rows may be NULL. */
PUAD_API const char *puad_profile_class(const puad_profile *of, size_t rank, size_t *out_rows);

/* The columns of a table by their place; NULL behind the last. */
PUAD_API const char *puad_profile_column_name(const puad_profile *of, size_t column);
PUAD_API const char *puad_profile_column_role(const puad_profile *of,
                                              size_t column); /* "feature", "label", "id" or "ignored" */
PUAD_API int puad_profile_column_is_category(const puad_profile *of, size_t column);

/* What a feature is taken for: "number", "category", "date" or "yes/no"; and how its cells are written, in
 * words, where they are not plain numbers or texts, else NULL. Dates count as numbers below, in seconds since
 * 1970: puad_profile_column_show writes a value as a person would. */
PUAD_API const char *puad_profile_column_type(const puad_profile *of, size_t column);
PUAD_API const char *puad_profile_column_form(const puad_profile *of, size_t column);
/* What training would make of a column, in words: "a number", "a category of 3 texts", "hour of the day,
 * weekday", "left out: all its values are the same"; NULL where that is not known, as of pipes and of more
 * than 20 million cells. */
PUAD_API const char *puad_profile_column_fate(const puad_profile *of, size_t column);
/* What training would say about the columns; NULL behind the last. And why it would be refused, or NULL. */
PUAD_API const char *puad_profile_note(const puad_profile *of, size_t index);
PUAD_API const char *puad_profile_refusal(const puad_profile *of);
PUAD_API puad_status puad_profile_column_show(char *text, size_t room, const puad_profile *of, size_t column,
                                              double value);

typedef enum puad_column_figure {
    PUAD_COLUMN_NUMBERS, /* cells that are numbers, that are other texts, that are missing */
    PUAD_COLUMN_TEXTS,
    PUAD_COLUMN_MISSING,
    PUAD_COLUMN_LEAST, /* of the numbers; NaN where there are none */
    PUAD_COLUMN_MOST,
    PUAD_COLUMN_MEAN,
    PUAD_COLUMN_SD,
    PUAD_COLUMN_DISTINCT, /* texts that puad_profile_column_text knows */
} puad_column_figure;
PUAD_API double puad_profile_column_number(const puad_profile *of, size_t column, puad_column_figure which);

/* The texts of a column from the most frequent (rank 0) to the rarest and their rows, of a number column
 * those that are no numbers; NULL behind the last. Only the first 1000 distinct texts are counted:
 * puad_profile_column_has_more says whether there are others. */
PUAD_API const char *puad_profile_column_text(const puad_profile *of, size_t column, size_t rank,
                                              size_t *out_rows);
PUAD_API int puad_profile_column_has_more(const puad_profile *of, size_t column);

#ifdef __cplusplus
}
#endif
#endif
