/* The states on a grid, their likelihood, and the summaries of them. */
#include "prior/anomaly_posterior.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { PLACES = 49, SLOPES = 31, GRID = PLACES * SLOPES, SINGLE_ROWS = 60, BINS_MAX = 260 };
#define SLOPE_MIN 1.0
#define SLOPE_MAX 60.0
#define SHARE_MAX 0.5
#define WEIGHT_MIN 1e-4 /* relative to the largest weight; lighter states are dropped */
#define LABELED_MAX 0.999

const purity_beliefs purity_for_decisions = {
    .trust = 60,
    .ceiling = {{0.9, 0.5}, {0.95, 1}, {1, 11}},
};
const purity_beliefs purity_for_intervals = {
    .trust = 30,
    .bound_of_unlabeled = 0.2,
    .ceiling = {{0.7, 0.75}, {0.8, 0.75}, {0.9, 1}, {0.95, 1.5}, {1, 9}},
};
const purity_beliefs purity_for_bands = {
    .trust = 30,
    .bound_of_unlabeled = 0.5,
    .ceiling = {{0.7, 0.75}, {0.8, 0.75}, {0.9, 1}, {0.95, 1.5}, {1, 9}},
};

void purity_free(purity *owner)
{
    arena_free(&owner->memory);
    *owner = (purity){0};
}

/* Bins of single rows where scores are highest, then increasing sizes. */
static puad_status make_bins(purity *out)
{
    size_t rows = out->unlabeled, end = 0;
    TRY(arena_new(&out->memory, &out->to, BINS_MAX, sizeof *out->to));
    double growth = pow((double)rows, 1.0 / (BINS_MAX - SINGLE_ROWS - 20));
    while (end < rows) {
        size_t next = end < SINGLE_ROWS ? end + 1 : (size_t)((double)end * growth);
        if (next <= end) next = end + 1;
        end = next < rows ? next : rows;
        if (out->bins == BINS_MAX - 1) end = rows;
        out->to[out->bins++] = end;
    }
    return PUAD_OK;
}

/* The model needs scores on a logarithmic scale: fractions become log-odds, and scores that are never
 * negative, such as distances, their logarithm. Other scores are assumed to be logarithmic. */
static void to_logarithms(float *sorted, size_t rows, float *sorted_a, size_t anomalies)
{
    float min = fminf(sorted[rows - 1], sorted_a[anomalies - 1]), max = fmaxf(sorted[0], sorted_a[0]);
    const double bound = 1e-6;
    if (min < 0) return;
    for (size_t i = 0; i < rows + anomalies; i++) {
        float *score = i < rows ? &sorted[i] : &sorted_a[i - rows];
        double value = (double)*score, share = fmin(fmax(value, bound), 1 - bound);
        *score = (float)(max <= 1 ? log(share / (1 - share)) : log(fmax(value, bound * (double)max)));
    }
}

/* Scores scaled so that the median of U is 0 and high scores are near 1. */
typedef struct scaled {
    double *row;     /* per bin: its mean score */
    double *count;   /* per bin: its number of rows */
    double *anomaly; /* per labeled anomaly */
} scaled;

static double rows_of(const purity *bounds, size_t bin)
{
    return (double)(bounds->to[bin] - (bin ? bounds->to[bin - 1] : 0));
}

static puad_status scale_scores(scaled *out, arena *memory, const purity *bounds, const float *sorted,
                                const float *sorted_a)
{
    size_t rows = bounds->unlabeled, anomalies = bounds->anomalies;
    TRY(arena_new(memory, &out->row, bounds->bins, sizeof *out->row));
    TRY(arena_new(memory, &out->count, bounds->bins, sizeof *out->count));
    TRY(arena_new(memory, &out->anomaly, anomalies, sizeof *out->anomaly));
    double middle = (double)sorted[rows / 2];
    double high = fmax((double)sorted[rows / 1000], (double)sorted_a[anomalies / 2]);
    double unit = high > middle ? high - middle : 1;
    for (size_t bin = 0, row = 0; bin < bounds->bins; bin++) {
        double sum = 0;
        for (; row < bounds->to[bin]; row++) sum += ((double)sorted[row] - middle) / unit;
        out->count[bin] = rows_of(bounds, bin);
        out->row[bin] = sum / out->count[bin];
    }
    for (size_t i = 0; i < anomalies; i++) out->anomaly[i] = ((double)sorted_a[i] - middle) / unit;
    return PUAD_OK;
}

/* One pair (m, b). */
typedef struct state {
    double share, labeled; /* the sum of p over all rows as a fraction, and c k */
    double likelihood;     /* log likelihood */
    double belief;         /* prior weight */
} state;

static double rise(double slope, double start)
{
    return 1 / (1 + exp(-fmin(40, fmax(-40, slope * start))));
}

static void place_of(double *out_m, double *out_b, size_t place, size_t slope)
{
    *out_b = SLOPE_MIN * pow(SLOPE_MAX / SLOPE_MIN, (double)slope / (SLOPES - 1));
    *out_m = -0.5 + (double)place / (PLACES - 1) * (3 + 8 / *out_b);
}

static void fill_state(state *out, double m, double b, const purity *bounds, const scaled *scores, double *p)
{
    double sum = 0, logs = 0, anomalies = (double)bounds->anomalies;
    for (size_t bin = 0; bin < bounds->bins; bin++) {
        p[bin] = rise(b, scores->row[bin] - m);
        sum += p[bin] * scores->count[bin];
    }
    for (size_t i = 0; i < bounds->anomalies; i++) {
        double of_row = rise(b, scores->anomaly[i] - m);
        sum += of_row;
        logs += log(of_row);
    }
    out->share = sum / ((double)bounds->unlabeled + anomalies);
    out->labeled = anomalies / sum;
    if (!(out->labeled < LABELED_MAX)) {
        out->likelihood = -INFINITY;
        return;
    }
    for (size_t bin = 0; bin < bounds->bins; bin++)
        logs += scores->count[bin] * log1p(-out->labeled * p[bin]);
    out->likelihood = logs + anomalies * log(out->labeled);
}

/* The prior is uniform in log(fraction): a state's weight is the interval of log(fraction) between its
 * neighbors with the same slope. */
static void fill_beliefs(state *grid, double share_most)
{
    for (size_t slope = 0; slope < SLOPES; slope++)
        for (size_t place = 0; place < PLACES; place++) {
            state *at = &grid[place * SLOPES + slope];
            at->belief = 0;
            if (place == 0 || place + 1 == PLACES || at->share >= share_most) continue;
            at->belief = fmax(0, log(at[-SLOPES].share / at[SLOPES].share));
        }
}

/* Weights of the grid's states, the best 1; 0 for those that can be dropped. Returns the number of the
 * others. */
static size_t weigh(double *weights, const state *grid, double power)
{
    double best = -INFINITY, max = 0;
    size_t left = 0;
    for (size_t i = 0; i < GRID; i++)
        if (grid[i].belief > 0) best = fmax(best, grid[i].likelihood);
    for (size_t i = 0; i < GRID; i++) {
        bool possible = grid[i].belief > 0 && isfinite(grid[i].likelihood);
        weights[i] = possible ? grid[i].belief * exp(power * (grid[i].likelihood - best)) : 0;
        max = fmax(max, weights[i]);
    }
    for (size_t i = 0; i < GRID; i++) {
        if (weights[i] < WEIGHT_MIN * max) weights[i] = 0;
        left += weights[i] > 0;
    }
    return left;
}

/* Adds the states with each ceiling: a row of U is an anomaly with probability (k - c k) p / (1 - c k p),
 * since labeled ones are not in U. */
static void add_ceilings(purity *out, const state *at, double weight, const double *p,
                         const purity_beliefs *before)
{
    for (size_t i = 0; i < PURITY_CEILINGS; i++) {
        double ceiling = before->ceiling[i].share;
        if (!(at->labeled < ceiling)) continue; /* it would need more labels than there are anomalies */
        float *hidden = out->hidden + out->states * out->bins;
        double sum = 0;
        for (size_t bin = 0; bin < out->bins; bin++) {
            double share = (ceiling - at->labeled) * p[bin] / (1 - at->labeled * p[bin]);
            hidden[bin] = (float)share;
            sum += share * rows_of(out, bin);
        }
        out->alpha[out->states] = sum / (double)out->unlabeled;
        out->weight[out->states++] = weight * before->ceiling[i].belief;
    }
    for (size_t bin = 0; bin < out->bins; bin++) out->labeled[bin] += weight * at->labeled * p[bin];
}

static puad_status keep_states(purity *out, const state *grid, const double *weights, size_t count,
                               const scaled *scores, double *p, const purity_beliefs *before)
{
    size_t max = (count ? count : 1) * PURITY_CEILINGS;
    double sum = 0;
    TRY(arena_new(&out->memory, &out->weight, max, sizeof *out->weight));
    TRY(arena_new(&out->memory, &out->alpha, max, sizeof *out->alpha));
    TRY(arena_new(&out->memory, &out->labeled, out->bins, sizeof *out->labeled));
    TRY(arena_new(&out->memory, &out->hidden, max * out->bins, sizeof *out->hidden));
    for (size_t i = 0; i < GRID; i++) {
        double m, b;
        if (!(weights[i] > 0)) continue;
        place_of(&m, &b, i / SLOPES, i % SLOPES);
        for (size_t bin = 0; bin < out->bins; bin++) p[bin] = rise(b, scores->row[bin] - m);
        add_ceilings(out, &grid[i], weights[i], p, before);
        sum += weights[i];
    }
    for (size_t bin = 0; bin < out->bins; bin++) out->labeled[bin] /= sum > 0 ? sum : 1;
    if (out->states == 0) { /* no state fits, for example if most rows are labeled: nothing is hidden */
        out->states = 1;
        out->weight[0] = 1;
    }
    sum = 0;
    for (size_t i = 0; i < out->states; i++) sum += out->weight[i];
    for (size_t i = 0; i < out->states; i++) out->weight[i] /= sum;
    return PUAD_OK;
}

static puad_status fill(purity *out, const pu_sample *sample, const purity_beliefs *before, double evidence)
{
    AUTO_ARENA arena scratch = {0};
    scaled scores;
    state *grid;
    float *sorted, *sorted_a;
    double *weights, *p, anomalies = (double)out->anomalies;
    TRY(arena_new(&scratch, &sorted, out->unlabeled, sizeof *sorted));
    TRY(arena_new(&scratch, &sorted_a, out->anomalies, sizeof *sorted_a));
    memcpy(sorted, sample->unlabeled, out->unlabeled * sizeof *sorted);
    memcpy(sorted_a, sample->anomaly, out->anomalies * sizeof *sorted_a);
    sort_floats_falling(sorted, out->unlabeled);
    sort_floats_falling(sorted_a, out->anomalies);
    to_logarithms(sorted, out->unlabeled, sorted_a, out->anomalies);
    TRY(make_bins(out));
    TRY(scale_scores(&scores, &scratch, out, sorted, sorted_a));
    TRY(arena_new(&scratch, &grid, GRID, sizeof *grid));
    TRY(arena_new(&scratch, &weights, GRID, sizeof *weights));
    TRY(arena_new(&scratch, &p, out->bins, sizeof *p));
    for (size_t i = 0; i < GRID; i++) {
        double m, b;
        place_of(&m, &b, i / SLOPES, i % SLOPES);
        fill_state(&grid[i], m, b, out, &scores, p);
    }
    double rows = (double)out->unlabeled, bound = before->bound_of_unlabeled;
    fill_beliefs(grid, fmax(SHARE_MAX, (bound * rows + anomalies) / (rows + anomalies)));
    size_t count = weigh(weights, grid, evidence * before->trust / (before->trust + evidence * anomalies));
    return keep_states(out, grid, weights, count, &scores, p, before);
}

static puad_status check(const float *scores, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(scores[i])) FAIL(PUAD_NUMERIC, "the score of %s %zu is not a finite number", what, i);
    return PUAD_OK;
}

puad_status purity_new(purity *out, const pu_sample *sample, const purity_beliefs *before, double evidence)
{
    *out = (purity){0};
    if (sample->anomalies < PURITY_LABELS_MIN)
        FAIL(PUAD_INVALID, "%zu labeled anomalies: at least %d are needed", sample->anomalies,
             PURITY_LABELS_MIN);
    if (sample->rows < 1) FAIL(PUAD_INVALID, "no scores of unlabeled rows");
    TRY(check(sample->anomaly, sample->anomalies, "labeled anomaly"));
    TRY(check(sample->unlabeled, sample->rows, "unlabeled row"));
    AUTO_PURITY purity made = {.anomalies = sample->anomalies, .unlabeled = sample->rows};
    TRY(fill(&made, sample, before, evidence));
    *out = made;
    made = (purity){0};
    return PUAD_OK;
}
