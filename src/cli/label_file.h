/* The file that `puad query` writes and a person fills in: CSV with the columns row and label. */
#ifndef CLI_LABEL_FILE_H
#define CLI_LABEL_FILE_H

#include "base/memory.h"
#include "data/options.h"

/* The rows that answers are about. */
typedef struct label_target {
    int8_t *labels; /* puad_label of each row; changed to the answers, or NULL to leave them */
    uint8_t *asked; /* becomes QUERY_ASKED for rows with an answer, QUERY_BARRED for those without one */
    size_t rows;
    const char *const *ids; /* or NULL */
    const char *id_name;    /* of the column that must agree with ids, or NULL */
    const char *input; /* the file of the rows, whose cells must agree with those of the answers; or NULL */
    const data_options *data; /* how it is read */
} label_target;

/* Reads the answers: 1 an anomaly, -1 normal, nothing: not answered. Fails where a row is not one of the
 * target's, where its id or its cells are others (as far as both files have them), or where it is answered in
 * two ways. */
puad_status label_file_apply(label_target *target, const char *path);

/* A cell of CSV on standard output, quoted only where it must be. */
void print_cell(const char *text, size_t length);

/* The same for a file that people open in a spreadsheet: a text that it would run as a formula has an apostrophe before it, which
 * label_file_apply overlooks. */
void print_spreadsheet_cell(const char *text, size_t length);

#endif
