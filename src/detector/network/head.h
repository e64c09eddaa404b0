/* From a network's output to one raw score per row, and back: the heads never see a label.
 *
 * reconstruction: s = || y - x ||_2, y the output, x the row; three equal channels count three times
 *
 * distance: s = || f - c ||_2^2, f the code, c the centre
 *
 * logit, logistic, icl, neutral, rot: s = g, the network's one output
 *
 * own: s = what the caller's function says of the code or of the output */
#ifndef DETECTOR_NETWORK_HEAD_H
#define DETECTOR_NETWORK_HEAD_H

#include "nn/architecture.h"

typedef struct head {
    head_kind kind;
    size_t outputs;      /* values of the output per row */
    size_t inputs;       /* values of a row */
    const float *centre; /* distance: `outputs` values, borrowed */
    /* own heads: the score of one row and, where slopes is not NULL, d score / d value */
    double (*own)(void *context, float *slopes, const float *values, size_t count, const float *row,
                  size_t columns);
    void *own_context;
} head;

/* scores[n] from output rows and the rows themselves (used by reconstruction only). */
void head_score(const head *h, const network_options *run, float *scores, const float *outputs,
                const float *targets, size_t rows);

/* Gradient by the output from the gradient by the scores; 0 where a norm is 0. */
void head_back(const head *h, const network_options *run, float *output_gradient, const float *score_gradient,
               const float *scores, const float *outputs, const float *targets, size_t rows);

/* c = mean of the codes; coordinates with |c| < 0.1 become +-0.1 of the same sign, 0 becomes +0.1 (SPEC
 * section 4). `sums` are the sums over `rows` codes. */
void head_centre(float *centre, const double *sums, size_t size, size_t rows);

#endif
