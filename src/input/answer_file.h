/* Reads the file that `puad query` writes and a reviewer completes: CSV with the columns row and label. */
#ifndef INPUT_ANSWER_FILE_H
#define INPUT_ANSWER_FILE_H

#include "base/memory.h"
#include "dataset/data_options.h"

/* The state of a row. */
enum {
    ANSWER_NONE,
    ANSWER_GIVEN, /* labeled by a reviewer */
    ANSWER_OPEN,  /* the reviewer did not know: asking again would not help */
};

/* The rows that answers are applied to. */
typedef struct answer_target {
    int8_t *labels; /* puad_label of each row; answers overwrite it. NULL to leave labels unchanged */
    /* set to ANSWER_GIVEN for rows with an answer, ANSWER_OPEN for those the reviewer left empty */
    uint8_t *asked;
    size_t rows;
    const char *const *ids;   /* or NULL */
    const char *id_name;      /* the column that must match ids, or NULL */
    const char *input;        /* the file of the rows, whose cells must match those of the answers; or NULL */
    const data_options *data; /* the options for reading it */
} answer_target;

/* Reads the answers: 1 anomaly, -1 normal, empty: not answered. Fails if a row number does not exist, if
 * its id or any shared cell differs, or if a row has two different answers. */
puad_status answer_file_apply(answer_target *target, const char *path);

#endif
