/* The loss pairs of the three score heads, in double precision and without inf or NaN for any finite
 * score.
 *
 * Reconstruction and distance scores are never negative; a negative score of a custom head has the anomaly
 * loss of 0, with the slope at 0. */
#include "objective/means.h"
#include "objective/objective.h"

#include <math.h>
#include <string.h>

static const double OFFSET = 1e-6; /* keeps both inverses finite at a score of 0 */

/* pos = -log(1 - exp(-x)), x = s + 1e-6; its slope is -1 / (exp(x) - 1). Near 0 expm1 keeps the digits
 * that
 * 1 - exp(-x) loses, elsewhere log1p does; for x > 709 expm1 is infinite and the slope correctly 0. */
void losses_reconstruction(void *context, puad_losses *out, double score)
{
    (void)context;
    double x = fmax(score, 0) + OFFSET;
    out->neg = score;
    out->neg_slope = 1;
    out->pos = x < M_LN2 ? -log(-expm1(-x)) : -log1p(-exp(-x));
    out->pos_slope = -1 / expm1(x);
}

void losses_distance(void *context, puad_losses *out, double score)
{
    (void)context;
    double inverse = 1 / (fmax(score, 0) + OFFSET);
    out->neg = score;
    out->neg_slope = 1;
    out->pos = inverse;
    out->pos_slope = -inverse * inverse;
}

void losses_logit(void *context, puad_losses *out, double score)
{
    (void)context;
    double small = exp(-fabs(score)); /* never overflows */
    double near_one = 1 / (1 + small), near_zero = small / (1 + small);
    out->neg = score >= 0 ? near_one : near_zero;
    out->pos = score >= 0 ? near_zero : near_one;
    out->neg_slope = near_one * near_zero;
    out->pos_slope = -out->neg_slope;
}

/* neg = log(1 + exp(s)) and pos = log(1 + exp(-s)), both without overflow. */
void losses_logistic(void *context, puad_losses *out, double score)
{
    (void)context;
    double small = exp(-fabs(score)), rest = log1p(small);
    double near_one = 1 / (1 + small), near_zero = small / (1 + small);
    out->neg = fmax(score, 0) + rest;
    out->pos = fmax(-score, 0) + rest;
    out->neg_slope = score >= 0 ? near_one : near_zero;
    out->pos_slope = -(score >= 0 ? near_zero : near_one);
}

static const puad_loss_pair pairs[] = {
#define LOSS_PAIR(name, title) {#name, title, losses_##name, NULL},
#include "objective/losses.def"
#undef LOSS_PAIR
};
enum { PAIR_COUNT = sizeof pairs / sizeof *pairs };

const puad_loss_pair *loss_pair_at(size_t index)
{
    return index < PAIR_COUNT ? &pairs[index] : NULL;
}

const puad_loss_pair *puad_loss_pair_find(const char *name)
{
    for (size_t i = 0; name && i < PAIR_COUNT; i++)
        if (strcmp(pairs[i].name, name) == 0) return &pairs[i];
    return NULL;
}
