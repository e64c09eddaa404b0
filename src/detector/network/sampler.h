/* Chooses the validation rows and the rows of each mini-batch. The result depends only on labels, sizes,
 * seed and epoch, so a resumed training uses the same batches. */
#ifndef DETECTOR_NETWORK_SAMPLER_H
#define DETECTOR_NETWORK_SAMPLER_H

#include "base/memory.h"

/* Row indices of the two parts, both ascending. */
typedef struct validation_split {
    arena memory; /* owns the arrays */
    uint32_t *training, *validation;
    size_t training_count, validation_count;
} validation_split;

/* Holds out the fraction `share` (0 to 0.5) of the rows of each label, rounded; a label with at least two
 * rows has at least one in each part (none is held out if share is 0). */
puad_status validation_split_new(validation_split *out, const int8_t *labels, size_t rows, double share,
                                 uint64_t seed);
/* Removes the marked rows from both parts. */
void validation_split_leave_out(validation_split *split, const bool *marked);
void validation_split_free(validation_split *owner); /* {0} is fine */
#define AUTO_VALIDATION_SPLIT __attribute__((cleanup(validation_split_free)))

typedef enum sampler_kind {
    /* all rows shuffled, batches of `batch`; the rest is a batch too, except that a single row joins its
     * predecessor */
    SAMPLER_SHUFFLE,
    /* every batch has at least one row of each label that the objective uses, evenly spread; rows repeat
     * if there are fewer of a label than batches */
    SAMPLER_STRATIFIED,
    SAMPLER_BALANCED, /* stratified, and a quarter of each batch are labeled anomalies */
} sampler_kind;
const char *sampler_name(sampler_kind kind);
bool sampler_find(sampler_kind *out, const char *name);

enum { SAMPLER_LABELS = 3, SAMPLER_STRATIFIED_MIN = 4 };

typedef struct sampler {
    arena memory; /* owns the arrays */
    sampler_kind kind;
    uint64_t seed;
    size_t batch;      /* as requested */
    size_t batches;    /* batches per epoch */
    size_t batch_most; /* size of the largest batch of any epoch */
    size_t rows;       /* per epoch, including repeats */
    /* The rows to draw from: [0] all others, [1] labeled anomalies, [2] labeled normals that must be in
     * each batch. */
    uint32_t *pool[SAMPLER_LABELS];
    size_t pool_count[SAMPLER_LABELS];
    size_t share[SAMPLER_LABELS]; /* of each pool per epoch, including repeats */
    uint32_t *order, *mixed;      /* the epoch's rows in order of batches; a buffer for a permutation */
    size_t *starts;               /* batches + 1 offsets in `order` */
} sampler;

/* The default: stratified if the plain shuffle would have fewer than 4 rows per batch of a label that is
 * present and that the objective uses (`uses` is puad_objective.labels). */
sampler_kind sampler_choose(unsigned uses, size_t rows, size_t anomalies, size_t normals, size_t batch);

typedef struct sampler_plan {
    sampler_kind kind;
    const int8_t *labels;     /* of all rows */
    const uint32_t *training; /* `count` row indices */
    size_t count;
    unsigned uses; /* puad_objective.labels */
    size_t batch;  /* at least 4 if stratified */
    uint64_t seed;
} sampler_plan;

puad_status sampler_new(sampler *out, const sampler_plan *plan);

/* Draws the epoch's batches; allocates nothing. */
void sampler_epoch(sampler *state, uint64_t epoch);

/* Row indices of a batch of the last drawn epoch; borrowed. */
const uint32_t *sampler_batch(const sampler *state, size_t index, size_t *out_count);

void sampler_free(sampler *owner); /* {0} is fine */
#define AUTO_SAMPLER __attribute__((cleanup(sampler_free)))

#endif
