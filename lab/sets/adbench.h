/* ADBench's protocol for tables with few labels: seeded draws of rows, seven in ten of each class to train
 * on, a share of the training anomalies labeled and the others hidden. The draws are those of NumPy's legacy
 * generator and of scikit-learn's stratified split, so the rows are those of every other program that follows
 * it. */
#ifndef LAB_SETS_ADBENCH_H
#define LAB_SETS_ADBENCH_H

#include "lab/sets/file_set.h"

typedef struct adbench_request {
    class_bits normal; /* all other classes are anomalies */
    double share;      /* of the anomalies, labeled: 0 to 1 */
    bool published; /* share of the anomalies in training, as the published figures have it; else of 0.7 times
                       those of the whole table */
    uint64_t seed;
} adbench_request;

puad_status adbench_split(split *out, const file_set *from, const adbench_request *request);

#endif
