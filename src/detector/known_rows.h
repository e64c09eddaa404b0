/* Finds rows that a model remembers (held out, or labeled by a reviewer) in a file.
 *
 * Rows are identified by their encoded values, so they may have moved. */
#ifndef DETECTOR_KNOWN_ROWS_H
#define DETECTOR_KNOWN_ROWS_H

#include "dataset/data_options.h"
#include "detector/model/model.h"

/* The rows of a file, in its order, encoded for a model. */
typedef struct known_rows {
    uint64_t *keys;
    size_t rows, capacity;
    size_t main_rows; /* rows of the first file; 0: all */
} known_rows;

puad_status known_rows_add(known_rows *to, const float *values, size_t columns, size_t rows);

/* Reads and encodes a whole file. */
puad_status known_rows_read(known_rows *to, const puad_detector *model, const char *input,
                            const data_options *options);
void known_rows_free(known_rows *owner); /* {0} is fine */
#define AUTO_KNOWN_ROWS __attribute__((cleanup(known_rows_free)))

/* The indices of the rows that the model held out, unlabeled ones first: `places` has capacity for all of
 * them; SIZE_MAX means not found. Rows with asked[i] != 0 are skipped. */
puad_status known_rows_held(size_t *places, size_t *out_found, const known_rows *in, const calibration *held,
                            const uint8_t *asked);

/* Counts the model's answers that are not among the rows with covered[i] != 0: *out_missing counts those
 * whose row is in the file (`open`, if not NULL, becomes 1 for it), *out_gone the others. */
puad_status known_rows_answers(size_t *out_missing, size_t *out_gone, uint8_t *open, const known_rows *in,
                               const puad_detector *model, const uint8_t *covered);

#endif
