/* Logistic regression with an L2 penalty, for rows with many columns. */
#ifndef DETECTOR_ENSEMBLE_LOGISTIC_H
#define DETECTOR_ENSEMBLE_LOGISTIC_H

#include "base/memory.h"
#include "base/threads.h"

/* Rows are contiguous; sign is 1 or -1, and rows of weight 0 are ignored. */
typedef struct logistic_rows {
    const float *values;
    const double *weight;
    const int8_t *sign;
    size_t rows, columns;
} logistic_rows;

/* Minimizes |w|^2 / 2 + sum of weight x log(1 + exp(-sign (w x + b))) by L-BFGS starting at w, which holds
 * the columns and then b, which is not penalized. The same bits for any number of threads. */
puad_status logistic_fit(double *w, const logistic_rows *rows, team *workers);

/* w x + b of every row. */
void logistic_outputs(double *out, const double *w, const logistic_rows *rows, team *workers);

#endif
