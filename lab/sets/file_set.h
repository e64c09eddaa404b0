/* A labeled file of a user as a dataset of the laboratory. Its name is STEM@DIGEST; the digest covers the
 * file's bytes and the choice of classes, so a changed file is another set. There are no official parts,
 * so the seed divides the rows: 30% of each class are test rows.
 *
 * Opened files remain registered by name until the program ends; set_find finds them. */
#ifndef LAB_SETS_FILE_SET_H
#define LAB_SETS_FILE_SET_H

#include "lab/sets/split.h"

typedef struct file_choice {
    const char *path;         /* CSV (or another table format) or NPZ */
    const char *stem;         /* stem of the name; NULL for that of the file */
    const char *label_column; /* of a table; NULL for "label" */
    const char *x, *y;        /* arrays of an NPZ; NULL for X and y */
    /* classes separated by commas; "" for none; NULL: the first, if there are three or more */
    const char *unseen;
} file_choice;

typedef struct file_set {
    arena memory;
    set_row about;
    char *path;
    dataset rows;     /* the encoding of a table is learned from all rows; labels are not set */
    int32_t *classes; /* class of each row */
    const char **class_names;
    size_t *class_rows; /* number of rows of each class */
} file_set;

extern const set_reader set_reader_file;

/* Reads a file, or finds it among the open ones. */
puad_status file_set_open(const file_set **out, const file_choice *what);

/* Reads rows, classes and class names; file_set_open sets the rest of *out. */
puad_status file_set_read(file_set *out, const file_choice *what);
enum { FILE_CLASSES_MAX = 63, CLASS_NAME_MAX = 31 };

/* NULL if no file with this name is open; and whether a name is that of a file, open or not. */
const file_set *file_set_find(const char *name);
bool set_is_of_file(const char *name);

/* "STEM" of "STEM@DIGEST"; the whole name if it has no digest. */
void file_set_stem(char *out, size_t capacity, const char *name);

/* Fails if the classes have too few rows, and states possible sizes. */
puad_status file_set_check(const file_set *files, const split_request *request);

/* The paper's split of the rows. Number columns of a table are standardized by the training rows. */
puad_status file_set_split(split *out, const file_set *files, const split_request *request);

/* The rows of a plan, whose row numbers refer to the file: `train` and `test` of *out, with their labels. */
puad_status file_set_take(split *out, const file_set *files);

#endif
