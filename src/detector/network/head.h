/* Score heads: from a network's output to one raw score per row, and the gradient back. Heads never see a
 * label.
 *
 * reconstruction: s = || y - x ||_2, y the output, x the row; three equal channels count three times
 *
 * distance: s = || f - c ||_2^2, f the embedding, c the center
 *
 * logit, logistic, icl, neutral, rot: s = g, the network's one output
 *
 * own: s = the custom head's function of the embedding or of the output */
#ifndef DETECTOR_NETWORK_HEAD_H
#define DETECTOR_NETWORK_HEAD_H

#include "nn/architecture.h"

typedef struct head {
    head_kind kind;
    size_t outputs;      /* values of the output per row */
    size_t inputs;       /* values of a row */
    const float *center; /* distance: `outputs` values, borrowed */
    /* custom heads: the score of one row and, if slopes is not NULL, d score / d value */
    double (*own)(void *context, float *slopes, const float *values, size_t count, const float *row,
                  size_t columns);
    void *own_context;
} head;

/* scores[n] from output rows and the rows themselves (only for reconstruction). */
void head_score(const head *h, const network_options *run, float *scores, const float *outputs,
                const float *targets, size_t rows);

/* Rows after head_score. */
typedef struct head_pass {
    const float *scores, *outputs, *targets;
    size_t rows;
} head_pass;

/* Gradient by the output from the gradient by the scores; 0 if a norm is 0. */
void head_back(const head *h, const network_options *run, float *output_gradient, const float *score_gradient,
               const head_pass *forward);

/* c = mean of the embeddings; coordinates with |c| < 0.1 become +-0.1 of the same sign, 0 becomes +0.1 (as
 * in Deep SVDD). `sums` are sums over `rows` embeddings. */
void head_center(float *center, const double *sums, size_t size, size_t rows);

#endif
