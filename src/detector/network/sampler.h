/* Which rows are held out for validation, and which rows make each mini-batch of an epoch. Pure index code:
 * the answer depends on labels, sizes, seed and epoch alone, so a resumed training sees the same batches. */
#ifndef DETECTOR_NETWORK_SAMPLER_H
#define DETECTOR_NETWORK_SAMPLER_H

#include "base/memory.h"

/* Row numbers of the two parts, both ascending. */
typedef struct validation_split {
    arena memory; /* owns the arrays */
    uint32_t *training, *validation;
    size_t training_count, validation_count;
} validation_split;

/* Holds out `share` (0 to 0.5) of the rows, the same share of each label, rounded; of a label with two or
 * more rows at least one is on either side (none is held out when share is 0). */
puad_status validation_split_new(validation_split *out, const int8_t *labels, size_t rows, double share,
                                 uint64_t seed);
/* Takes the rows that are marked out of both parts. */
void validation_split_leave_out(validation_split *split, const bool *marked);
void validation_split_free(validation_split *owner); /* {0} is fine */
#define AUTO_VALIDATION_SPLIT __attribute__((cleanup(validation_split_free)))

typedef enum sampler_kind {
    SAMPLER_SHUFFLE, /* all rows shuffled, batches of `batch`; a last rest is a batch too, but one row joins
                        its neighbour */
    SAMPLER_STRATIFIED, /* every batch has at least one row of each label the objective uses, evenly spread;
                           where there are fewer rows of a label than batches they come again */
    SAMPLER_BALANCED,   /* stratified, and a quarter of each batch are labeled anomalies */
} sampler_kind;
const char *sampler_name(sampler_kind kind);
bool sampler_find(sampler_kind *out, const char *name);

enum { SAMPLER_LABELS = 3, SAMPLER_STRATIFIED_LEAST = 4 };

typedef struct sampler {
    arena memory; /* owns the arrays */
    sampler_kind kind;
    uint64_t seed;
    size_t batch;      /* as asked for */
    size_t batches;    /* per epoch */
    size_t batch_most; /* rows of the largest batch of any epoch */
    size_t rows;       /* of an epoch, repeated ones counted again */
    /* The rows to draw from: [0] everything else, [1] labeled anomalies, [2] labeled normals that must be in
     * each batch. */
    uint32_t *pool[SAMPLER_LABELS];
    size_t pool_count[SAMPLER_LABELS];
    size_t share[SAMPLER_LABELS]; /* of each pool in an epoch, repeats included */
    uint32_t *order, *mixed;      /* the epoch's rows, batch after batch; room for a permutation */
    size_t *starts;               /* batches + 1 places in `order` */
} sampler;

/* The default: stratified where the plain shuffle would give fewer than 4 rows a batch of a label that is
 * there and that the objective uses (`uses` is puad_objective.labels). */
sampler_kind sampler_choose(unsigned uses, size_t rows, size_t anomalies, size_t normals, size_t batch);

/* `training` are `count` row numbers, `labels` the labels of all rows. Stratified needs a batch of at
 * least 4. */
puad_status sampler_new(sampler *out, sampler_kind kind, const int8_t *labels, const uint32_t *training,
                        size_t count, unsigned uses, size_t batch, uint64_t seed);

/* Draws the epoch's batches; allocates nothing. */
void sampler_epoch(sampler *state, uint64_t epoch);

/* Row numbers of one batch of the epoch drawn last; borrowed. */
const uint32_t *sampler_batch(const sampler *state, size_t index, size_t *out_count);

void sampler_free(sampler *owner); /* {0} is fine */
#define AUTO_SAMPLER __attribute__((cleanup(sampler_free)))

#endif
