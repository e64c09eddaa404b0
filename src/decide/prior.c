/* The cross-fitted best bin with its bootstrap, Menon's estimator, and when to refuse. DEDPUL is in dedpul.c.
 */
#include "decide/prior.h"

#include "decide/pu_scores.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPLITS = 5, PARTS_MOST = 5, ANOMALIES_LEAST_ABOVE = 8 };

double prior_alpha_all(double alpha_unlabeled, size_t unlabeled, size_t anomalies)
{
    double n = (double)unlabeled, m = (double)anomalies;
    return n + m > 0 ? (alpha_unlabeled * n + m) / (n + m) : 0;
}

/* Counts per slot of one part of the rows. */
typedef struct part {
    uint32_t *anomaly, *unlabeled; /* slots each */
    double anomalies, rows;        /* their sums */
} part;

/* What one thread needs for an estimate. */
typedef struct scratch {
    uint32_t *times;  /* of all rows, anomalies first */
    uint8_t *side;    /* part of each row */
    uint32_t *counts; /* two histograms for every part, and two for all of them */
} scratch;

/* Halves; more and smaller parts where half of the anomalies would be too few to choose a threshold on. */
static int part_count(size_t anomalies)
{
    return anomalies < 64 ? PARTS_MOST : 2;
}

/* The level (index of pu_scores.level) whose bin, everything scoring at least as high, has the smallest upper
 * bound of G_U / G_A in `all` without `apart`, among bins with at least `least` anomalies; the bound goes to
 * *out_bound. An empty bin is charged one row: nothing above a threshold does not prove that there is
 * nothing. */
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

/* The more anomalies there are, the less a few normal rows in the bin matter, and the more its size does: the
 * smallest of many noisy ratios is that of a small bin. So a large bound asks for a bin with up to 45% of
 * the anomalies. */
static size_t best_level(const part *all, const part *apart, size_t levels)
{
    double bound, anomalies = all->anomalies - apart->anomalies;
    size_t level = level_of_least_bound(&bound, all, apart, levels, ANOMALIES_LEAST_ABOVE);
    double least = fmin(0.45, 2 * bound) * anomalies;
    return least > ANOMALIES_LEAST_ABOVE ? level_of_least_bound(&bound, all, apart, levels, least) : level;
}

/* Without that. */
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

/* Each row to a part drawn at random. */
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
             slot++) /* both histograms at once: they are neighbours */
            parts[count].anomaly[slot] += parts[i].anomaly[slot];
        parts[count].anomalies += parts[i].anomalies;
        parts[count].rows += parts[i].rows;
    }
}

/* The estimate for rows counted `times` often: all copies of a row are in the same part, so that those a
 * threshold is chosen on know nothing of those it is read on. */
static double cross_fitted(const pu_scores *scores, scratch *room, rng *draws, int count,
                           size_t (*choose)(const part *, const part *, size_t), double *out_auroc)
{
    double estimates[SPLITS];
    part parts[PARTS_MOST + 1];
    for (int round = 0; round < SPLITS; round++) {
        split_rows(room->side, scores->anomalies + scores->unlabeled, count, draws);
        count_slots(parts, count, room, scores);
        double above = 0, rows_above = 0;
        for (int i = 0; i < count; i++)
            if (parts[i].anomalies < parts[count].anomalies && parts[i].rows < parts[count].rows)
                add_above(&above, &rows_above, &parts[i], choose(&parts[count], &parts[i], scores->levels));
        double share_a = above / parts[count].anomalies, share_u = rows_above / parts[count].rows;
        estimates[round] = share_a > 0 ? fmin(1, share_u / share_a) : 1;
    }
    *out_auroc = pu_auroc(parts[count].anomaly, parts[count].unlabeled, scores->slots);
    return quantile_of(estimates, SPLITS, 0.5);
}

typedef struct bootstrap {
    const pu_scores *scores;
    uint64_t seed;
    scratch *rooms; /* one per thread */
    double dedpul;
    double *alphas, *aurocs;
} bootstrap;

/* Where the two kinds overlap, the best bin holds normal rows too and alpha comes out too large, which would
 * make the corrected AUROC look better the worse it is. So the other estimator has a say where it is the
 * smaller one. */
static double careful_auroc(double auroc, double alpha, double dedpul)
{
    return pu_auroc_corrected(auroc, dedpul < alpha ? (alpha + dedpul) / 2 : alpha);
}

static void run_replicate(void *context, size_t item, int thread)
{
    bootstrap *all = context;
    scratch *room = &all->rooms[thread];
    rng draws = rng_make(all->seed, rng_stream("prior bootstrap", item));
    pu_resample(room->times, all->scores->anomalies, &draws);
    pu_resample(room->times + all->scores->anomalies, all->scores->unlabeled, &draws);
    double auroc;
    all->alphas[item] =
        cross_fitted(all->scores, room, &draws, part_count(all->scores->anomalies), best_level, &auroc);
    all->aurocs[item] = careful_auroc(auroc, all->alphas[item], all->dedpul);
}

static puad_status make_rooms(arena *memory, scratch **out, const pu_scores *scores, size_t threads)
{
    size_t rows = scores->anomalies + scores->unlabeled;
    TRY(arena_new(memory, out, threads, sizeof **out));
    for (size_t i = 0; i < threads; i++) {
        scratch *room = &(*out)[i];
        TRY(arena_new(memory, &room->times, rows, sizeof *room->times));
        TRY(arena_new(memory, &room->side, rows, sizeof *room->side));
        TRY(arena_new(memory, &room->counts, 2 * (PARTS_MOST + 1) * scores->slots, sizeof *room->counts));
    }
    return PUAD_OK;
}

/* Of all rows once: where the bin begins, and the AUROC of A against U. */
static double threshold_of_all(double *out_auroc, const pu_scores *scores, scratch *room)
{
    part parts[3];
    size_t rows = scores->anomalies + scores->unlabeled;
    for (size_t i = 0; i < rows; i++) room->times[i] = 1;
    memset(room->side, 0, rows);
    count_slots(parts, 2, room, scores); /* the second part is empty */
    *out_auroc = pu_auroc(parts[2].anomaly, parts[2].unlabeled, scores->slots);
    return (double)scores->level[best_level(&parts[2], &parts[1], scores->levels)];
}

/* The estimate for the rows as they are, after threshold_of_all: halves, and the bin of the least bound. */
static double without_resampling(const pu_scores *scores, scratch *room, uint64_t seed)
{
    double auroc;
    rng draws = rng_make(seed, rng_stream("prior", 0));
    return cross_fitted(scores, room, &draws, 2, plain_level, &auroc);
}

static puad_status best_bin(prior_estimate *out, const pu_scores *scores, uint64_t seed, team *workers)
{
    AUTO_ARENA arena memory = {0};
    bootstrap all = {.scores = scores, .seed = seed, .dedpul = out->dedpul};
    TRY(make_rooms(&memory, &all.rooms, scores, (size_t)team_size(workers)));
    TRY(arena_new(&memory, &all.alphas, PRIOR_REPLICATES, sizeof *all.alphas));
    TRY(arena_new(&memory, &all.aurocs, PRIOR_REPLICATES, sizeof *all.aurocs));
    double auroc;
    out->threshold = threshold_of_all(&auroc, scores, &all.rooms[0]);
    out->plain = without_resampling(scores, &all.rooms[0], seed);
    TRY(team_run_until_stopped(workers, PRIOR_REPLICATES, run_replicate, &all));
    /* The bin chosen jumps about with few rows, so the estimate is read off the resamples, and a little below
     * their median where the kinds overlap: normal rows in the bin then make it too large. With few labels
     * the resamples spread because there are few, not because of those, and their median stays. */
    double median = quantile_of(all.alphas, PRIOR_REPLICATES, 0.5);
    double overlap = fmin(1, fmax(0, (0.99 - careful_auroc(auroc, median, out->dedpul)) / 0.02));
    double many = fmin(1, fmax(0, ((double)scores->anomalies - 64) / (200 - 64)));
    out->alpha = quantile_of(all.alphas, PRIOR_REPLICATES, 0.5 - 0.15 * overlap * many);
    out->auroc = careful_auroc(auroc, out->alpha, out->dedpul);
    /* Every bin holds some normal rows and G_U / G_A errs upwards: the interval reaches further down. */
    out->low = quantile_of(all.alphas, PRIOR_REPLICATES, 0.01);
    out->high = quantile_of(all.alphas, PRIOR_REPLICATES, 0.975);
    out->auroc_low = quantile_of(all.aurocs, PRIOR_REPLICATES, 0.025);
    out->auroc_high = quantile_of(all.aurocs, PRIOR_REPLICATES, 0.975);
    return PUAD_OK;
}

static int falling(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a < b) - (a > b);
}

/* Where a row is surely an anomaly, g = P(labeled | row) = M / (M + alpha N). The surest row would be an
 * outlier of the calibration, so the quantile stays below it. */
double prior_menon(const float *anomaly, size_t anomalies, size_t unlabeled)
{
    const double quantile = 0.9;
    AUTO_FREE float *sorted = NULL;
    if (anomalies == 0 || unlabeled == 0 ||
        memory_new(&sorted, anomalies, sizeof *sorted, "scores") != PUAD_OK)
        return NAN;
    memcpy(sorted, anomaly, anomalies * sizeof *sorted);
    qsort(sorted, anomalies, sizeof *sorted, falling);
    double g = (double)sorted[(size_t)((1 - quantile) * (double)(anomalies - 1))];
    return g > 0 ? fmin(1, (double)anomalies / (double)unlabeled * (1 - g) / g) : 1;
}

static void decide(prior_estimate *out, size_t anomalies)
{
    if (anomalies < PRIOR_LABELS_LEAST) {
        snprintf(out->reason, sizeof out->reason,
                 "alpha cannot be read from %zu labeled anomalies: at least %d are needed; label more",
                 anomalies, PRIOR_LABELS_LEAST);
        out->refused = true;
    } else if (!(out->auroc_low >= PRIOR_AUROC_LEAST)) {
        snprintf(out->reason, sizeof out->reason,
                 "alpha cannot be read from these data: labeled anomalies are too hard to tell from normal "
                 "rows (AUROC "
                 "%.3f, perhaps as low as %.3f; %.2f is needed)",
                 out->auroc, out->auroc_low, PRIOR_AUROC_LEAST);
        out->refused = true;
    }
}

/* What resampling cannot see where no unlabeled row lies in the bin: up to 3.7 of them may, with 97.5%. */
static double empty_bin_bound(const float *anomaly, size_t anomalies, double threshold, size_t unlabeled)
{
    double above = 0;
    for (size_t i = 0; i < anomalies; i++) above += (double)anomaly[i] >= threshold;
    if (above == 0 || unlabeled == 0) return 0;
    return fmin(1, 3.7 / ((double)unlabeled * above / (double)anomalies));
}

puad_status prior_from_scores(prior_estimate *out, const float *anomaly, size_t anomalies,
                              const float *unlabeled, size_t unlabeled_count, uint64_t seed, team *workers)
{
    prior_estimate made = {0};
    AUTO_PU_SCORES pu_scores scores = {0};
    TRY(pu_scores_new(&scores, anomaly, anomalies, unlabeled, unlabeled_count));
    TRY(prior_dedpul(&made.dedpul, anomaly, anomalies, unlabeled, unlabeled_count));
    TRY(best_bin(&made, &scores, seed, workers));
    made.high = fmax(made.high, empty_bin_bound(anomaly, anomalies, made.threshold, unlabeled_count));
    made.menon = prior_menon(anomaly, anomalies, unlabeled_count);
    decide(&made, anomalies);
    *out = made;
    return PUAD_OK;
}
