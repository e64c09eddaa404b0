/* Estimates alpha from the anomaly posterior and the AUROC by resampling, and decides when to refuse. */
#include "prior/prior.h"
#include "base/c_locale.h"

#include "prior/anomaly_posterior.h"
#include "prior/score_bootstrap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double prior_alpha_all(double alpha_unlabeled, size_t unlabeled, size_t anomalies)
{
    double n = (double)unlabeled, m = (double)anomalies;
    return n + m > 0 ? (alpha_unlabeled * n + m) / (n + m) : 0;
}

/* Memory of one thread for an estimate. */
typedef struct scratch {
    uint32_t *times;               /* how often each row counts, anomalies first */
    uint32_t *anomaly, *unlabeled; /* rows per slot */
} scratch;

typedef struct bootstrap {
    const pu_scores *scores;
    const purity *found;
    uint64_t seed;
    scratch *rooms; /* one per thread */
    double *aurocs;
} bootstrap;

static double draw_alpha(const purity *bounds, rng *draws)
{
    double at = rng_uniform(draws);
    for (size_t i = 0; i + 1 < bounds->states; i++)
        if ((at -= bounds->weight[i]) < 0) return bounds->alpha[i];
    return bounds->alpha[bounds->states - 1];
}

static double auroc_of_times(const pu_scores *scores, scratch *storage)
{
    memset(storage->anomaly, 0, scores->slots * sizeof *storage->anomaly);
    memset(storage->unlabeled, 0, scores->slots * sizeof *storage->unlabeled);
    const uint32_t *times = storage->times + scores->anomalies;
    for (size_t i = 0; i < scores->anomalies; i++)
        storage->anomaly[scores->anomaly_slot[i]] += storage->times[i];
    for (size_t i = 0; i < scores->unlabeled; i++) storage->unlabeled[scores->unlabeled_slot[i]] += times[i];
    return pu_auroc(storage->anomaly, storage->unlabeled, scores->slots);
}

static void run_replicate(void *context, size_t item, int thread)
{
    bootstrap *all = context;
    scratch *storage = &all->rooms[thread];
    rng draws = rng_make(all->seed, rng_stream("prior bootstrap", item));
    pu_resample(storage->times, all->scores->anomalies, &draws);
    pu_resample(storage->times + all->scores->anomalies, all->scores->unlabeled, &draws);
    all->aurocs[item] =
        pu_auroc_corrected(auroc_of_times(all->scores, storage), draw_alpha(all->found, &draws));
}

static puad_status make_rooms(arena *memory, scratch **out, const pu_scores *scores, size_t threads)
{
    size_t rows = scores->anomalies + scores->unlabeled;
    TRY(arena_new(memory, out, threads, sizeof **out));
    for (size_t i = 0; i < threads; i++) {
        scratch *storage = &(*out)[i];
        TRY(arena_new(memory, &storage->times, rows, sizeof *storage->times));
        TRY(arena_new(memory, &storage->anomaly, scores->slots, sizeof *storage->anomaly));
        TRY(arena_new(memory, &storage->unlabeled, scores->slots, sizeof *storage->unlabeled));
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
    for (size_t i = 0; i < scores->anomalies + scores->unlabeled; i++) all.rooms[0].times[i] = 1;
    out->auroc = pu_auroc_corrected(auroc_of_times(scores, &all.rooms[0]), out->alpha);
    TRY(team_run_until_stopped(workers, PRIOR_REPLICATES, run_replicate, &all));
    out->auroc_low = fmin(out->auroc, quantile_of(all.aurocs, PRIOR_REPLICATES, 0.025));
    out->auroc_high = fmax(out->auroc, quantile_of(all.aurocs, PRIOR_REPLICATES, 0.975));
    return PUAD_OK;
}

/* An interval that excludes almost nothing is useless. */
static void decide(prior_estimate *out)
{
    if (out->high - out->low <= PRIOR_WIDTH_MAX) return;
    c_print(out->reason, sizeof out->reason,
            "alpha is not identifiable: any value from %.3f to %.3f is possible (AUROC %.3f)", out->low,
            out->high, out->auroc);
    out->refused = true;
}

puad_status prior_from_scores(prior_estimate *out, const pu_sample *sample, uint64_t seed, team *workers)
{
    prior_estimate made = {0};
    AUTO_PU_SCORES pu_scores scores = {0};
    AUTO_PURITY purity found = {0};
    TRY(pu_scores_new(&scores, sample));
    TRY(purity_estimate(&found, &made.alpha, &made.low, &made.high, sample));
    TRY(resample(&made, &scores, &found, seed, workers));
    decide(&made);
    *out = made;
    return PUAD_OK;
}
