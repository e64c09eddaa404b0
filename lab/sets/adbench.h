/* ADBench's protocol for tables with few labels: seeded draws of rows, 70% of each class for training, a
 * fraction of the training anomalies labeled and the others hidden. The draws are those of NumPy's legacy
 * generator and of scikit-learn's stratified split, so the rows are those of any other program that
 * follows the protocol. */
#ifndef LAB_SETS_ADBENCH_H
#define LAB_SETS_ADBENCH_H

#include "lab/sets/file_set.h"

typedef struct adbench_request {
    class_bits normal; /* all other classes are anomalies */
    double share;      /* labeled fraction of the anomalies: 0 to 1 */
    /* fraction of the anomalies in training, as in the published results; else of 0.7 times those of the
     * whole table */
    bool published;
    uint64_t seed;
} adbench_request;

puad_status adbench_split(split *out, const file_set *files, const adbench_request *request);

#endif
