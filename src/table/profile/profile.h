/* Describes an input column by column, in one pass; files are streamed, so any length works. */
#ifndef TABLE_PROFILE_PROFILE_H
#define TABLE_PROFILE_PROFILE_H

#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "io/csv_dialect.h"
#include "table/cells/column_format.h"
#include "table/encoding/dictionary.h"

enum {
    PROFILE_TEXTS_MAX = 1000,    /* distinct strings counted per column */
    PROFILE_ROWS_MAX = 16 << 20, /* number of rows checked for duplicates */
};

typedef struct profile_column {
    const char *name;
    const char *role;   /* "feature", "label", "id", "ignored" */
    bool category;      /* by the rule of table_columns.h */
    form_choice choice; /* format of its cells */
    char form_words[FORM_WORDS];
    const char *fate; /* what training would do with it; NULL if unknown */
    size_t numbers, texts, missing;
    size_t nones;              /* cells with "none" */
    double min, max, mean, sd; /* of the numbers */
    /* the first PROFILE_TEXTS_MAX strings: all of a category, else those that are not numbers */
    dictionary words;
    bool more_words;
} profile_column;

typedef struct profile {
    arena memory;
    const char *name, *format; /* "csv", "npy" ... */
    const char *type;          /* of an array's elements, or NULL */
    size_t rows;
    bool image;
    int height, width, channels; /* of images in the file; 0 if they differ */
    double min, max;             /* of pixels */
    bool is_text;
    csv_dialect dialect; /* of text */
    size_t column_count;
    profile_column *columns; /* of tables */
    bool labeled;
    size_t labels[3];   /* rows of label -1, 0, 1 */
    size_t odd_labels;  /* rows whose label belongs to no class; training would reject the input */
    char odd_label[40]; /* the first of them */
    dictionary values;  /* label values or classes in the file, with counts */
    size_t short_rows;
    notes notes;         /* notes of training about the columns */
    const char *refusal; /* why training would reject the input; or NULL */
    size_t missing;      /* cells */
    size_t passed_over;  /* images of unsupported formats, in a folder */
    bool duplicates_known;
    size_t duplicates; /* rows whose features equal those of an earlier row */
} profile;

/* Reads the input, once if possible. A label that the options do not explain is not an error: `labeled` is
 * then false, and odd_labels counts such rows. */
puad_status profile_read(profile *out, const char *path, const data_options *options);
void profile_free(profile *owner); /* {0} is fine */

/* For the readers: fingerprints of rows, of which duplicates are counted at the end. */
typedef struct fingerprints {
    uint64_t *hashes;
    size_t count, capacity;
    bool overflow;
} fingerprints;
puad_status fingerprints_add(fingerprints *all, const uint64_t *hashes, size_t count);
size_t fingerprints_repeated(fingerprints *all); /* reorders them */
void fingerprints_free(fingerprints *all);

/* For the readers: counts a label that belongs to no class. */
void profile_odd_label(profile *out, const char *text);

/* For the readers: adds a number of any magnitude. */
void profile_count_number(profile_column *column, double value);

static inline uint64_t hash_step(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* Predicts what training would do with each column; skipped for large tables. */
puad_status profile_fates(profile *out, const char *path, const data_options *options);

puad_status profile_csv(profile *out, const char *path, const data_options *options);
puad_status profile_array(profile *out, const char *path, const data_options *options);
puad_status profile_folder(profile *out, const char *path, const data_options *options);

#endif
