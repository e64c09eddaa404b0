/* The file that `puad query` writes and a person fills in: CSV with the columns row and label. */
#ifndef INPUT_ANSWER_FILE_H
#define INPUT_ANSWER_FILE_H

#include "base/memory.h"
#include "dataset/data_options.h"

/* What is known of a row. */
enum {
    ANSWER_NONE,
    ANSWER_GIVEN, /* somebody was asked and knew */
    ANSWER_OPEN,  /* somebody was asked and did not know: asking again would not help */
};

/* The rows that answers are about. */
typedef struct answer_target {
    int8_t *labels; /* puad_label of each row; changed to the answers, or NULL to leave them */
    uint8_t *asked; /* becomes ANSWER_GIVEN for rows with an answer, ANSWER_OPEN for those without one */
    size_t rows;
    const char *const *ids; /* or NULL */
    const char *id_name;    /* of the column that must agree with ids, or NULL */
    const char *input; /* the file of the rows, whose cells must agree with those of the answers; or NULL */
    const data_options *data; /* how it is read */
} answer_target;

/* Reads the answers: 1 an anomaly, -1 normal, nothing: not answered. Fails where a row is not one of the
 * target's, where its id or its cells are others (as far as both files have them), or where it is answered in
 * two ways. */
puad_status answer_file_apply(answer_target *target, const char *path);

#endif
