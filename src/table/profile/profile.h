/* What an input holds, column by column, found in one pass; files are streamed, so their length does not
 * matter. */
#ifndef TABLE_PROFILE_PROFILE_H
#define TABLE_PROFILE_PROFILE_H

#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "io/csv_dialect.h"
#include "table/cells/column_format.h"
#include "table/encoding/dictionary.h"

enum {
    PROFILE_TEXTS_MOST = 1000,    /* distinct texts that are counted per column */
    PROFILE_ROWS_MOST = 16 << 20, /* rows among which duplicates are looked for */
};

typedef struct profile_column {
    const char *name;
    const char *role;   /* "feature", "label", "id", "ignored" */
    bool category;      /* by the rule of table.h */
    form_choice choice; /* how its cells are written */
    char form_words[FORM_WORDS];
    const char *fate; /* what training would make of it; NULL if unknown */
    size_t numbers, texts, missing;
    double least, most, mean, sd; /* of the numbers */
    /* the first PROFILE_TEXTS_MOST texts: of a category all, else those that are no numbers */
    dictionary words;
    bool more_words;
} profile_column;

typedef struct profile {
    arena memory;
    const char *name, *format; /* "csv", "npy" ... */
    const char *type;          /* of an array's elements, or NULL */
    size_t rows;
    bool image;
    int height, width, channels; /* of images as they lie in the file; 0 when they differ */
    double least, most;          /* of pixels */
    bool is_text;
    csv_dialect dialect; /* of text */
    size_t column_count;
    profile_column *columns; /* of tables */
    bool labeled;
    size_t labels[3];   /* rows of label -1, 0, 1 */
    size_t odd_labels;  /* rows whose label fits no class; training on the input would be refused */
    char odd_label[40]; /* the first of them */
    dictionary values;  /* what stands for labels or classes in the file, with counts */
    size_t short_rows;
    notes notes;         /* what training would say of the columns */
    const char *refusal; /* why training on the input would be refused; or NULL */
    size_t missing;      /* cells */
    size_t passed_over;  /* pictures of kinds that are not read, in a folder */
    bool duplicates_known;
    size_t duplicates; /* rows whose features equal those of an earlier row */
} profile;

/* Reads the input, once where it can be. A label that the options do not explain is no error here: `labeled`
 * is false then, and odd_labels counts them. */
puad_status profile_read(profile *out, const char *path, const data_options *options);
void profile_free(profile *owner); /* {0} is fine */

/* For the readers: fingerprints of rows, of which those that occur again are counted at the end. */
typedef struct fingerprints {
    uint64_t *hashes;
    size_t count, room;
    bool overflow;
} fingerprints;
puad_status fingerprints_add(fingerprints *all, const uint64_t *hashes, size_t count);
size_t fingerprints_repeated(fingerprints *all); /* reorders them */
void fingerprints_free(fingerprints *all);

/* For the readers: a label that fits no class. */
void profile_odd_label(profile *out, const char *text);

/* For the readers: one more number, of any order of magnitude. */
void profile_count_number(profile_column *column, double value);

static inline uint64_t hash_step(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

/* What training would make of each column, of a table that is not too large. */
puad_status profile_fates(profile *out, const char *path, const data_options *options);

puad_status profile_csv(profile *out, const char *path, const data_options *options);
puad_status profile_array(profile *out, const char *path, const data_options *options);
puad_status profile_folder(profile *out, const char *path, const data_options *options);

#endif
