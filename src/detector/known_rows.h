/* Rows that a model remembers, held out or answered by a person, found in a file again.
 *
 * They are known by their values as the model encodes them, wherever they stand now. */
#ifndef DETECTOR_KNOWN_ROWS_H
#define DETECTOR_KNOWN_ROWS_H

#include "dataset/data_options.h"
#include "detector/model/model.h"

/* The rows of a file, in its order, as a model sees them. */
typedef struct known_rows {
    uint64_t *keys;
    size_t rows, room;
    size_t main_rows; /* of the first file; 0: all */
} known_rows;

puad_status known_rows_add(known_rows *to, const float *values, size_t columns, size_t rows);

/* Reads a whole file through the model. */
puad_status known_rows_read(known_rows *to, const puad_detector *model, const char *input,
                            const data_options *options);
void known_rows_free(known_rows *owner); /* {0} is fine */
#define AUTO_KNOWN_ROWS __attribute__((cleanup(known_rows_free)))

/* Where the rows that the model held out are, unlabeled ones first: `places` has room for all of them,
 * SIZE_MAX stands for not found. Rows of which `asked` is not 0 are none of them. */
puad_status known_rows_held(size_t *places, size_t *out_found, const known_rows *in, const calibration *held,
                            const uint8_t *asked);

/* How many of the model's answers are not among the rows of which `covered` is not 0: into *out_missing those
 * whose row is in the file (`open`, if not NULL, becomes 1 for it), into *out_gone the others. */
puad_status known_rows_answers(size_t *out_missing, size_t *out_gone, uint8_t *open, const known_rows *in,
                               const puad_detector *model, const uint8_t *covered);

#endif
