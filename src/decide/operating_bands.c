/* Values and bands of the operating table from the anomaly posterior, for a batch of new rows as large
 * as the held-out rows.
 *
 * A replicate draws a state of the posterior by its weight. Recall is drawn from a Dirichlet distribution
 * over the labeled anomalies and one more: for the lower end of its band that one has the lowest score,
 * for the upper end the highest. At a given threshold these are the ends of Clopper and Pearson, so ten of
 * ten found do not mean certainty. Precision is drawn from the state and the number of rows above the
 * threshold. Both are then redrawn as fractions of a finite batch. */
#include "base/rng.h"
#include "decide/operating.h"
#include "prior/anomaly_posterior.h"
#include "prior/score_bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RECALL_LOW, RECALL_HIGH, FPR, PRECISION, F1_LOW, F1_HIGH, FIGURES };
enum {
    REPLICATES = 1000, /* 0.5% of them are five */
    TRIALS_EXACT = 200,
    BATCH_ANOMALIES_MIN = 5
};
#define OUTSIDE 0.05
#define OUTSIDE_CHOSEN                                                                                       \
    0.01 /* for recall: thresholds are chosen by the same labels, and the best of many looks too good */

typedef struct replicates {
    operating_table *table;
    const purity *found;
    const uint32_t *anomaly_point; /* first point that flags the anomaly; `count` if none does */
    const size_t *anomaly_bin;
    size_t *above; /* per point: unlabeled rows flagged */
    double batch;  /* anomalies in a batch */
    double *figures, *low_auroc, *high_auroc;
    double *above_middle; /* per bin: normal rows in higher bins and half of this one */
} replicates;

/* A random fraction: each of the rows is a success with this probability. */
static double draw_share(rng *draws, double probability, double rows)
{
    if (rows < 1) return probability;
    if (rows > TRIALS_EXACT)
        return fmin(1,
                    fmax(0, probability + rng_normal(draws) * sqrt(probability * (1 - probability) / rows)));
    size_t trials = (size_t)rows, count = 0;
    for (size_t i = 0; i < trials; i++) count += rng_uniform(draws) < probability;
    return (double)count / (double)trials;
}

static size_t draw_state(rng *draws, const purity *bounds)
{
    double at = rng_uniform(draws);
    for (size_t i = 0; i + 1 < bounds->states; i++)
        if ((at -= bounds->weight[i]) < 0) return i;
    return bounds->states - 1;
}

/* The fraction of anomalies hidden among the unlabeled rows of the highest bins, up to the one that
 * contains this rank. */
static double purity_above(const purity *bounds, size_t state, size_t rank)
{
    size_t last = purity_bin(bounds, rank);
    const float *hidden = bounds->hidden + state * bounds->bins;
    double sum = 0;
    for (size_t bin = 0; bin <= last; bin++)
        sum += (double)hidden[bin] * (double)(bounds->to[bin] - (bin ? bounds->to[bin - 1] : 0));
    return fmin(1, sum / (double)bounds->to[last]);
}

/* At each point, with one more anomaly below all points, and with one more above all. */
static void draw_recalls(double *low, double *high, const replicates *all, rng *draws)
{
    size_t count = all->table->count;
    double first = rng_gamma(draws, 1), last = rng_gamma(draws, 1), sum = 0, above = 0;
    for (size_t i = 0; i <= count; i++) low[i] = 0;
    for (size_t i = 0; i < all->found->anomalies; i++) {
        double weight = rng_gamma(draws, 1);
        low[all->anomaly_point[i]] += weight;
        sum += weight;
    }
    for (size_t i = 0; i < count; i++) {
        above += low[i];
        low[i] = above / (sum + last);
        high[i] = (first + above) / (first + sum);
    }
}

static double f1_of(double recall, double precision)
{
    return recall + precision > 0 ? 2 * recall * precision / (recall + precision) : 0;
}

/* The AUROC against the normal rows of a state, with one more anomaly above all rows; into *out_doubtful,
 * with one more at a random place. */
static double draw_auroc(const replicates *all, size_t state, rng *draws, double *out_doubtful)
{
    const purity *bounds = all->found;
    const float *hidden = bounds->hidden + state * bounds->bins;
    double total = 0, anomalies = (double)bounds->anomalies, shape = all->batch / (anomalies + all->batch);
    for (size_t bin = 0; bin < bounds->bins; bin++) {
        double rows = (double)(bounds->to[bin] - (bin ? bounds->to[bin - 1] : 0));
        double mass = rng_gamma(draws, fmax(1e-3, (1 - (double)hidden[bin]) * rows));
        all->above_middle[bin] = total + mass / 2;
        total += mass;
    }
    double sum = 0, weights = 0;
    for (size_t i = 0; i < bounds->anomalies; i++) {
        double weight = rng_gamma(draws, shape);
        sum += weight * (1 - all->above_middle[all->anomaly_bin[i]] / total);
        weights += weight;
    }
    double more = rng_gamma(draws, shape);
    *out_doubtful = (sum + more * rng_uniform(draws)) / (weights + more);
    return (sum + more) / (weights + more);
}

static void run_replicate(const replicates *all, size_t item, uint64_t seed, double *low, double *high)
{
    rng draws = rng_make(seed, rng_stream("operating batches", item));
    size_t state = draw_state(&draws, all->found);
    double alpha = all->found->alpha[state];
    draw_recalls(low, high, all, &draws);
    for (size_t i = 0; i < all->table->count; i++) {
        double rows = (double)all->above[i], share = all->table->points[i].flagged, figures[FIGURES];
        double pure = rows > 0 ? purity_above(all->found, state, all->above[i]) : 0.5;
        double good = rng_gamma(&draws, pure * rows + 0.5), bad = rng_gamma(&draws, (1 - pure) * rows + 0.5);
        figures[RECALL_LOW] = draw_share(&draws, low[i], all->batch);
        figures[RECALL_HIGH] = draw_share(&draws, high[i], all->batch);
        figures[PRECISION] = draw_share(&draws, good / (good + bad), fmax(1, rows));
        figures[FPR] = fmin(1, (1 - figures[PRECISION]) * share / (1 - alpha));
        figures[F1_LOW] = f1_of(figures[RECALL_LOW], figures[PRECISION]);
        figures[F1_HIGH] = f1_of(figures[RECALL_HIGH], figures[PRECISION]);
        for (size_t k = 0; k < FIGURES; k++) all->figures[(i * FIGURES + k) * REPLICATES + item] = figures[k];
    }
    all->high_auroc[item] = draw_auroc(all, state, &draws, &all->low_auroc[item]);
}

/* The lower end is from the value `low` at a point, the upper one from `high`; they may be the same. */
static void read_band(operating_figure *figure, double value, double *drawn, int low, int high,
                      double outside)
{
    figure->low = quantile_of(drawn + low * REPLICATES, REPLICATES, outside / 2);
    figure->high = quantile_of(drawn + high * REPLICATES, REPLICATES, 1 - outside / 2);
    figure->value = fmin(figure->high, fmax(figure->low, value));
}

static void read_figures(const replicates *all)
{
    operating_table *table = all->table;
    table->best_f1 = 0;
    for (size_t i = 0; i < table->count; i++) {
        operating_point *point = &table->points[i];
        double *drawn = all->figures + i * FIGURES * REPLICATES;
        double pure = 0, alpha = table->alpha;
        for (size_t s = 0; s < all->found->states; s++)
            pure += all->found->weight[s] * (all->above[i] ? purity_above(all->found, s, all->above[i]) : 1);
        read_band(&point->tpr, point->tpr.raw, drawn, RECALL_LOW, RECALL_HIGH, OUTSIDE_CHOSEN);
        read_band(&point->fpr, (1 - pure) * point->flagged / (1 - alpha), drawn, FPR, FPR, OUTSIDE);
        read_band(&point->precision, pure, drawn, PRECISION, PRECISION, OUTSIDE);
        read_band(&point->f1, f1_of(point->tpr.value, pure), drawn, F1_LOW, F1_HIGH, OUTSIDE);
        if (point->f1.value > table->points[table->best_f1].f1.value) table->best_f1 = i;
    }
    table->auroc.low = quantile_of(all->low_auroc, REPLICATES, 0.025);
    double row = 1 / (double)all->found->unlabeled; /* the resolution is one row's rank */
    table->auroc.high = fmin(1, quantile_of(all->high_auroc, REPLICATES, 0.99) + row);
    table->auroc.value = fmin(table->auroc.high, fmax(table->auroc.low, table->auroc.value));
}

puad_status operating_table_model(operating_table *table, const pu_sample *sample, uint64_t seed)
{
    size_t anomalies = sample->anomalies, rows = sample->rows;
    AUTO_ARENA arena memory = {0};
    AUTO_PURITY purity found = {0};
    replicates all = {.table = table, .found = &found};
    uint32_t *point;
    size_t *bin;
    double *low, *high,
        share = (table->alpha * (double)rows + (double)anomalies) / (double)(rows + anomalies);
    TRY(purity_new(&found, sample, &purity_for_bands, 1));
    TRY(arena_new(&memory, &point, anomalies, sizeof *point));
    TRY(arena_new(&memory, &bin, anomalies, sizeof *bin));
    TRY(arena_new(&memory, &low, table->count + 1, sizeof *low));
    TRY(arena_new(&memory, &high, table->count + 1, sizeof *high));
    TRY(arena_new(&memory, &all.above, table->count, sizeof *all.above));
    TRY(arena_new(&memory, &all.above_middle, found.bins, sizeof *all.above_middle));
    TRY(arena_new(&memory, &all.low_auroc, REPLICATES, sizeof *all.low_auroc));
    TRY(arena_new(&memory, &all.high_auroc, REPLICATES, sizeof *all.high_auroc));
    TRY(arena_new(&memory, &all.figures, table->count * FIGURES * REPLICATES, sizeof *all.figures));
    for (size_t i = 0; i < anomalies; i++) {
        size_t higher = 0;
        for (size_t k = 0; k < rows; k++) higher += sample->unlabeled[k] > sample->anomaly[i];
        bin[i] = higher ? purity_bin(&found, higher + 1 > rows ? rows : higher + 1) : 0;
        for (point[i] = 0; point[i] < table->count; point[i]++)
            if ((double)sample->anomaly[i] >= table->points[point[i]].threshold) break;
    }
    for (size_t i = 0; i < table->count; i++)
        all.above[i] = (size_t)(table->points[i].flagged * (double)rows + 0.5);
    all.anomaly_point = point;
    all.anomaly_bin = bin;
    all.batch = fmax(BATCH_ANOMALIES_MIN, floor(share * (double)rows));
    for (size_t item = 0; item < REPLICATES; item++) run_replicate(&all, item, seed, low, high);
    read_figures(&all);
    return PUAD_OK;
}
