/* Builds the validation split and the mini-batches. */
#include "detector/network/sampler.h"

#include "base/rng.h"

#include <math.h>
#include <puad/objective.h>
#include <string.h>

enum { FEW_A_BATCH = 4 };

/* Number of rows of a label to hold out. */
static size_t held_out(size_t count, double share)
{
    size_t held = (size_t)floor(share * (double)count + 0.5);
    if (share > 0 && count >= 2) held = held < 1 ? 1 : held > count - 1 ? count - 1 : held;
    return count < 2 ? 0 : held;
}

puad_status validation_split_new(validation_split *out, const int8_t *labels, size_t rows, double share,
                                 uint64_t seed)
{
    *out = (validation_split){0};
    if (!(share >= 0 && share <= 0.5))
        FAIL(PUAD_INVALID, "a validation part of %g is not within 0 to 0.5", share);
    if (rows > UINT32_MAX) FAIL(PUAD_INVALID, "%zu rows, at most %u can be trained on", rows, UINT32_MAX);
    AUTO_VALIDATION_SPLIT validation_split split = {0};
    TRY(arena_new(&split.memory, &split.training, rows + 1, sizeof *split.training));
    TRY(arena_new(&split.memory, &split.validation, rows + 1, sizeof *split.validation));
    AUTO_FREE uint32_t *order = NULL;
    AUTO_FREE bool *held = NULL;
    TRY(memory_new(&order, rows + 1, sizeof *order, "validation split"));
    TRY(memory_new(&held, rows + 1, sizeof *held, "validation split"));
    size_t left[SAMPLER_LABELS] = {0};
    for (size_t i = 0; i < rows; i++) {
        if (labels[i] < PUAD_LABEL_NORMAL || labels[i] > PUAD_LABEL_ANOMALY)
            FAIL(PUAD_INVALID, "row %zu has label %d, expected 1, 0 or -1", i, labels[i]);
        left[labels[i] + 1]++;
    }
    for (int label = 0; label < SAMPLER_LABELS; label++) left[label] = held_out(left[label], share);
    rng state = rng_make(seed, rng_stream("validation", 0));
    rng_permutation(&state, order, rows);
    for (size_t i = 0; i < rows; i++) {
        size_t *more = &left[labels[order[i]] + 1];
        if (*more > 0) held[order[i]] = true, --*more;
    }
    for (size_t i = 0; i < rows; i++) {
        if (held[i])
            split.validation[split.validation_count++] = (uint32_t)i;
        else
            split.training[split.training_count++] = (uint32_t)i;
    }
    *out = split;
    split = (validation_split){0};
    return PUAD_OK;
}

static size_t without(uint32_t *rows, size_t count, const bool *marked)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!marked[rows[i]]) rows[kept++] = rows[i];
    return kept;
}

void validation_split_leave_out(validation_split *split, const bool *marked)
{
    split->training_count = without(split->training, split->training_count, marked);
    split->validation_count = without(split->validation, split->validation_count, marked);
}

void validation_split_free(validation_split *owner)
{
    arena_free(&owner->memory);
    *owner = (validation_split){0};
}

static const char *const names[] = {
    [SAMPLER_SHUFFLE] = "shuffle", [SAMPLER_STRATIFIED] = "stratified", [SAMPLER_BALANCED] = "balanced"};

const char *sampler_name(sampler_kind kind)
{
    return names[kind];
}

bool sampler_find(sampler_kind *out, const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *out = (sampler_kind)i;
            return true;
        }
    return false;
}

static bool few(bool used, size_t labeled, size_t rows, size_t batch)
{
    return used && labeled > 0 && (double)labeled * (double)batch / (double)rows < FEW_A_BATCH;
}

sampler_kind sampler_choose(unsigned uses, size_t rows, size_t anomalies, size_t normals, size_t batch)
{
    if (batch < SAMPLER_STRATIFIED_MIN) return SAMPLER_SHUFFLE;
    return few(uses & PUAD_USES_ANOMALIES, anomalies, rows, batch) ||
                   few(uses & PUAD_USES_NORMALS, normals, rows, batch)
               ? SAMPLER_STRATIFIED
               : SAMPLER_SHUFFLE;
}

/* Batches of a plain shuffle; a single remaining row joins the previous batch. */
static void plan_shuffle(sampler *state, size_t count)
{
    size_t rest = count % state->batch;
    state->batches = count / state->batch + (rest > 1 || (rest == 1 && count == 1));
    bool joins = rest == 1 && count > 1;
    state->batch_most = (count < state->batch ? count : state->batch) + joins;
    state->rows = state->share[0] = count;
}

static size_t ceiling(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* The smallest number of batches in which each has an equal part of every pool, at least one row of each
 * labeled pool, and at most `batch` rows. */
static void plan_stratified(sampler *state, size_t count)
{
    state->batches = count ? ceiling(count, state->batch) : 0;
    for (;; state->batches++) {
        state->batch_most = state->rows = 0;
        for (int p = 0; p < SAMPLER_LABELS; p++) {
            size_t share = state->pool_count[p];
            size_t min = state->batches * (p == 1 && state->kind == SAMPLER_BALANCED ? state->batch / 4 : 1);
            if (p > 0 && share > 0 && share < min) share = min;
            state->share[p] = share;
            state->rows += share;
            state->batch_most += state->batches ? ceiling(share, state->batches) : 0;
        }
        if (state->batch_most <= state->batch) return;
    }
}

/* The pool that a row is drawn from. */
static int pool_of(sampler_kind kind, unsigned uses, int label)
{
    if (kind == SAMPLER_SHUFFLE) return 0;
    if (label == PUAD_LABEL_ANOMALY && uses & PUAD_USES_ANOMALIES) return 1;
    return label == PUAD_LABEL_NORMAL && uses & PUAD_USES_NORMALS ? 2 : 0;
}

puad_status sampler_new(sampler *out, const sampler_plan *plan)
{
    sampler_kind kind = plan->kind;
    size_t batch = plan->batch, count = plan->count;
    *out = (sampler){0};
    size_t min = kind == SAMPLER_SHUFFLE ? 1 : SAMPLER_STRATIFIED_MIN;
    if (batch < min) FAIL(PUAD_INVALID, "a mini-batch of %zu rows, at least %zu are needed here", batch, min);
    AUTO_SAMPLER sampler made = {.kind = kind, .seed = plan->seed, .batch = batch};
    for (size_t i = 0; i < count; i++)
        made.pool_count[pool_of(kind, plan->uses, plan->labels[plan->training[i]])]++;
    for (int p = 0; p < SAMPLER_LABELS; p++) {
        TRY(arena_new(&made.memory, &made.pool[p], made.pool_count[p] + 1, sizeof *made.pool[p]));
        made.pool_count[p] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        int p = pool_of(kind, plan->uses, plan->labels[plan->training[i]]);
        made.pool[p][made.pool_count[p]++] = plan->training[i];
    }
    if (kind == SAMPLER_SHUFFLE)
        plan_shuffle(&made, count);
    else
        plan_stratified(&made, count);
    TRY(arena_new(&made.memory, &made.order, made.rows + 1, sizeof *made.order));
    TRY(arena_new(&made.memory, &made.mixed, count + 1, sizeof *made.mixed));
    TRY(arena_new(&made.memory, &made.starts, made.batches + 1, sizeof *made.starts));
    *out = made;
    made = (sampler){0};
    return PUAD_OK;
}

/* Batch b ends at row b * batch, the last one at the end. */
static void fill_shuffled(sampler *state)
{
    for (size_t i = 0; i < state->rows; i++) state->order[i] = state->pool[0][state->mixed[i]];
    for (size_t b = 0; b <= state->batches; b++)
        state->starts[b] = b == state->batches ? state->rows : b * state->batch;
}

/* The offset of pool p's part of batch b among the pool's rows of the epoch. */
static size_t share_before(const sampler *state, int p, size_t b)
{
    return (size_t)((unsigned __int128)state->share[p] * b / state->batches);
}

static void fill_stratified(sampler *state)
{
    size_t used = 0;
    state->starts[0] = 0;
    for (size_t b = 0; b < state->batches; b++) {
        const uint32_t *mixed = state->mixed;
        for (int p = 0; p < SAMPLER_LABELS; mixed += state->pool_count[p++])
            for (size_t i = share_before(state, p, b); i < share_before(state, p, b + 1); i++)
                state->order[used++] = state->pool[p][mixed[i % state->pool_count[p]]];
        state->starts[b + 1] = used;
    }
}

void sampler_epoch(sampler *state, uint64_t epoch)
{
    rng draws = rng_make(state->seed, rng_stream("shuffle", epoch));
    uint32_t *mixed = state->mixed; /* a permutation of each pool, consecutively */
    for (int p = 0; p < SAMPLER_LABELS; mixed += state->pool_count[p++])
        rng_permutation(&draws, mixed, state->pool_count[p]);
    if (state->kind == SAMPLER_SHUFFLE)
        fill_shuffled(state);
    else
        fill_stratified(state);
}

const uint32_t *sampler_batch(const sampler *state, size_t index, size_t *out_count)
{
    *out_count = state->starts[index + 1] - state->starts[index];
    return state->order + state->starts[index];
}

void sampler_free(sampler *owner)
{
    arena_free(&owner->memory);
    *owner = (sampler){0};
}
