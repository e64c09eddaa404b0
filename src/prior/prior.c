/* Estimates alpha from the anomaly posterior, the AUROC by resampling, the best bin and Menon's estimator
 * for comparison, and decides when to refuse. DEDPUL is in dedpul.c. */
#include "prior/prior.h"
#include "base/c_locale.h"

#include "base/sort.h"
#include "prior/anomaly_posterior.h"
#include "prior/score_bootstrap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPLITS = 5, PARTS = 2, ANOMALIES_LEAST_ABOVE = 8 };

double prior_alpha_all(double alpha_unlabeled, size_t unlabeled, size_t anomalies)
{
    double n = (double)unlabeled, m = (double)anomalies;
    return n + m > 0 ? (alpha_unlabeled * n + m) / (n + m) : 0;
}

/* Counts per slot of one part of the rows. */
typedef struct part {
    uint32_t *anomaly, *unlabeled; /* one per slot */
    double anomalies, rows;        /* their sums */
} part;

/* Memory of one thread for an estimate. */
typedef struct scratch {
    uint32_t *times;  /* per row, anomalies first */
    uint8_t *side;    /* part of each row */
    uint32_t *counts; /* two histograms per part, and two for all of them */
} scratch;

/* The level (index of pu_scores.level) whose bin, all rows with at least that score, has the smallest
 * upper bound of G_U / G_A in `all` minus `apart`, among bins with at least `least` anomalies; *out_bound
 * receives the bound. An empty bin counts as one row: observing none above a threshold does not prove
 * there are none. */
static size_t level_of_least_bound(double *out_bound, const part *all, const part *apart, size_t levels,
                                   double least)
{
    double above = 0, rows_above = 0, best = INFINITY;
    double anomalies = all->anomalies - apart->anomalies, rows = all->rows - apart->rows;
    size_t chosen = levels - 1;
    for (size_t level = 0; level < levels; level++) {
        size_t slot = 2 * level;
        rows_above += all->unlabeled[slot] + all->unlabeled[slot + 1] - apart->unlabeled[slot] -
                      apart->unlabeled[slot + 1];
        above += all->anomaly[slot + 1] - apart->anomaly[slot + 1];
        if (above < least) continue;
        double share_a = above / anomalies, k_u = fmax(rows_above, 1), share_u = k_u / rows;
        double bound = share_u / share_a * (1 + 1.28 * sqrt((1 - share_a) / above + (1 - share_u) / k_u));
        if (bound < best) {
            best = bound;
            chosen = level;
        }
    }
    *out_bound = best;
    return chosen;
}

static size_t plain_level(const part *all, const part *apart, size_t levels)
{
    double bound;
    return level_of_least_bound(&bound, all, apart, levels, ANOMALIES_LEAST_ABOVE);
}

/* Adds the rows of a part that are in the bin of a level. */
static void add_above(double *above, double *rows_above, const part *of, size_t level)
{
    for (size_t slot = 0; slot <= 2 * level + 1; slot++) {
        *above += of->anomaly[slot];
        *rows_above += of->unlabeled[slot];
    }
}

/* Assigns each row to a random part. */
static void split_rows(uint8_t *side, size_t rows, int parts, rng *draws)
{
    uint32_t word = 0;
    for (size_t i = 0; i < rows; i++, word >>= 8) {
        if (i % 4 == 0) word = rng_word(draws);
        side[i] = (uint8_t)((word & 255) * (uint32_t)parts >> 8);
    }
}

/* Histograms of the parts, and of all rows in parts[count]. */
static void count_slots(part parts[], int count, const scratch *room, const pu_scores *scores)
{
    memset(room->counts, 0, ((size_t)count + 1) * 2 * scores->slots * sizeof *room->counts);
    for (int i = 0; i <= count; i++)
        parts[i] = (part){room->counts + (size_t)i * 2 * scores->slots,
                          room->counts + ((size_t)i * 2 + 1) * scores->slots, 0, 0};
    for (size_t i = 0; i < scores->anomalies; i++) {
        parts[room->side[i]].anomaly[scores->anomaly_slot[i]] += room->times[i];
        parts[room->side[i]].anomalies += room->times[i];
    }
    const uint32_t *times = room->times + scores->anomalies;
    const uint8_t *side = room->side + scores->anomalies;
    for (size_t i = 0; i < scores->unlabeled; i++) {
        parts[side[i]].unlabeled[scores->unlabeled_slot[i]] += times[i];
        parts[side[i]].rows += times[i];
    }
    for (int i = 0; i < count; i++) {
        for (size_t slot = 0; slot < 2 * scores->slots;
             slot++) /* both histograms at once: they are adjacent */
            parts[count].anomaly[slot] += parts[i].anomaly[slot];
        parts[count].anomalies += parts[i].anomalies;
        parts[count].rows += parts[i].rows;
    }
}

/* G_U / G_A above thresholds chosen on other rows: the median over splits into halves, with all rows
 * weighted equally. */
static double cross_fitted(const pu_scores *scores, scratch *room, rng *draws)
{
    double estimates[SPLITS];
    part parts[PARTS + 1];
    for (size_t i = 0; i < scores->anomalies + scores->unlabeled; i++) room->times[i] = 1;
    for (int round = 0; round < SPLITS; round++) {
        split_rows(room->side, scores->anomalies + scores->unlabeled, PARTS, draws);
        count_slots(parts, PARTS, room, scores);
        double above = 0, rows_above = 0;
        for (int i = 0; i < PARTS; i++)
            if (parts[i].anomalies < parts[PARTS].anomalies && parts[i].rows < parts[PARTS].rows)
                add_above(&above, &rows_above, &parts[i],
                          plain_level(&parts[PARTS], &parts[i], scores->levels));
        double share_a = above / parts[PARTS].anomalies, share_u = rows_above / parts[PARTS].rows;
        estimates[round] = share_a > 0 ? fmin(1, share_u / share_a) : 1;
    }
    return quantile_of(estimates, SPLITS, 0.5);
}

typedef struct bootstrap {
    const pu_scores *scores;
    const purity *found;
    uint64_t seed;
    scratch *rooms; /* one per thread */
    double *aurocs;
} bootstrap;

static double draw_alpha(const purity *of, rng *draws)
{
    double at = rng_uniform(draws);
    for (size_t i = 0; i + 1 < of->states; i++)
        if ((at -= of->weight[i]) < 0) return of->alpha[i];
    return of->alpha[of->states - 1];
}

static double auroc_of_times(const pu_scores *scores, scratch *room)
{
    part parts[PARTS + 1];
    memset(room->side, 0, scores->anomalies + scores->unlabeled);
    count_slots(parts, PARTS, room, scores);
    return pu_auroc(parts[PARTS].anomaly, parts[PARTS].unlabeled, scores->slots);
}

static void run_replicate(void *context, size_t item, int thread)
{
    bootstrap *all = context;
    scratch *room = &all->rooms[thread];
    rng draws = rng_make(all->seed, rng_stream("prior bootstrap", item));
    pu_resample(room->times, all->scores->anomalies, &draws);
    pu_resample(room->times + all->scores->anomalies, all->scores->unlabeled, &draws);
    all->aurocs[item] = pu_auroc_corrected(auroc_of_times(all->scores, room), draw_alpha(all->found, &draws));
}

static puad_status make_rooms(arena *memory, scratch **out, const pu_scores *scores, size_t threads)
{
    size_t rows = scores->anomalies + scores->unlabeled;
    TRY(arena_new(memory, out, threads, sizeof **out));
    for (size_t i = 0; i < threads; i++) {
        scratch *room = &(*out)[i];
        TRY(arena_new(memory, &room->times, rows, sizeof *room->times));
        TRY(arena_new(memory, &room->side, rows, sizeof *room->side));
        TRY(arena_new(memory, &room->counts, 2 * (PARTS + 1) * scores->slots, sizeof *room->counts));
    }
    return PUAD_OK;
}

static puad_status resample(prior_estimate *out, const pu_scores *scores, const purity *found, uint64_t seed,
                            team *workers)
{
    AUTO_ARENA arena memory = {0};
    bootstrap all = {.scores = scores, .found = found, .seed = seed};
    TRY(make_rooms(&memory, &all.rooms, scores, (size_t)team_size(workers)));
    TRY(arena_new(&memory, &all.aurocs, PRIOR_REPLICATES, sizeof *all.aurocs));
    rng draws = rng_make(seed, rng_stream("prior", 0));
    out->plain = cross_fitted(scores, &all.rooms[0], &draws);
    out->auroc = pu_auroc_corrected(auroc_of_times(scores, &all.rooms[0]), out->alpha);
    TRY(team_run_until_stopped(workers, PRIOR_REPLICATES, run_replicate, &all));
    out->auroc_low = fmin(out->auroc, quantile_of(all.aurocs, PRIOR_REPLICATES, 0.025));
    out->auroc_high = fmax(out->auroc, quantile_of(all.aurocs, PRIOR_REPLICATES, 0.975));
    return PUAD_OK;
}

/* Where a row is certainly an anomaly, g = P(labeled | row) = M / (M + alpha N). The highest probability
 * would be an outlier of the calibration, so a lower quantile is used. */
double prior_menon(const float *anomaly, size_t anomalies, size_t unlabeled)
{
    const double quantile = 0.9;
    AUTO_FREE float *sorted = NULL;
    if (anomalies == 0 || unlabeled == 0 ||
        memory_new(&sorted, anomalies, sizeof *sorted, "scores") != PUAD_OK)
        return NAN;
    memcpy(sorted, anomaly, anomalies * sizeof *sorted);
    sort_floats_falling(sorted, anomalies);
    double g = (double)sorted[(size_t)((1 - quantile) * (double)(anomalies - 1))];
    return g > 0 ? fmin(1, (double)anomalies / (double)unlabeled * (1 - g) / g) : 1;
}

/* An interval that excludes almost nothing is useless. */
static void decide(prior_estimate *out)
{
    if (out->high - out->low <= PRIOR_WIDTH_MOST) return;
    c_print(out->reason, sizeof out->reason,
            "alpha cannot be read from these data: labeled anomalies are too few or too hard to tell "
            "from normal rows (AUROC %.3f, perhaps as low as %.3f); alpha may be anything from %.3f to %.3f",
            out->auroc, out->auroc_low, out->low, out->high);
    out->refused = true;
}

puad_status prior_from_scores(prior_estimate *out, const float *anomaly, size_t anomalies,
                              const float *unlabeled, size_t unlabeled_count, uint64_t seed, team *workers)
{
    prior_estimate made = {0};
    AUTO_PU_SCORES pu_scores scores = {0};
    AUTO_PURITY purity found = {0};
    TRY(pu_scores_new(&scores, anomaly, anomalies, unlabeled, unlabeled_count));
    TRY(purity_estimate(&found, &made.alpha, &made.low, &made.high, anomaly, anomalies, unlabeled,
                        unlabeled_count));
    TRY(prior_dedpul(&made.dedpul, anomaly, anomalies, unlabeled, unlabeled_count));
    TRY(resample(&made, &scores, &found, seed, workers));
    made.menon = prior_menon(anomaly, anomalies, unlabeled_count);
    decide(&made);
    *out = made;
    return PUAD_OK;
}
