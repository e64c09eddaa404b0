/* A labeled file of a user as a data set of the laboratory. Its name is STEM@DIGEST, the digest being of the
 * file's bytes and of what was said about its classes: a file that has changed is another set. Rows have no
 * official parts, so the seed divides them: of each class three in ten are test rows.
 *
 * Files that were opened stay known by their names until the program ends; set_find finds them. */
#ifndef LAB_SETS_FILE_SET_H
#define LAB_SETS_FILE_SET_H

#include "lab/sets/split.h"

typedef struct file_choice {
    const char *path;         /* CSV (or what else is read as a table) or NPZ */
    const char *stem;         /* of its name; NULL for that of the file */
    const char *label_column; /* of a table; NULL for "label" */
    const char *x, *y;        /* arrays of an NPZ; NULL for X and y */
    const char *unseen; /* classes with commas; "" for none; NULL: the first, where there are three or more */
} file_choice;

typedef struct file_set {
    arena memory;
    set_row about;
    char *path;
    dataset rows;     /* a table is encoded as learned from all rows; its labels are not set */
    int32_t *classes; /* of the rows */
    const char **class_names;
    size_t *class_rows; /* how many rows each class has */
} file_set;

extern const set_reader set_reader_file;

/* Reads a file, or finds it among those that were read. */
puad_status file_set_open(const file_set **out, const file_choice *what);

/* Reads rows, classes and the names of classes; the rest of *out is set by file_set_open. */
puad_status file_set_read(file_set *out, const file_choice *what);
enum { FILE_CLASSES_MOST = 63, CLASS_NAME_MOST = 31 };

/* NULL where no file of this name was opened; and whether a name is of a file, here or elsewhere. */
const file_set *file_set_find(const char *name);
bool set_is_of_file(const char *name);

/* "STEM" of "STEM@DIGEST"; the whole name where there is no digest. */
void file_set_stem(char *out, size_t room, const char *name);

/* Fails where the classes have too few rows, with sizes that would fit. */
puad_status file_set_check(const file_set *from, const split_request *request);

/* The paper's split of the rows. Number columns of a table are standardised by the training rows. */
puad_status file_set_split(split *out, const file_set *from, const split_request *request);

/* The rows of a plan, whose row numbers are those of the
 * file: `train` and `test` of *out, with their labels. */
puad_status file_set_take(split *out, const file_set *from);

#endif
