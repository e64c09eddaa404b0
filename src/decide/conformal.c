/* Levels, their p-values and posteriors, and Benjamini-Hochberg on counts per level. */
#include "decide/conformal.h"

#include "base/sort.h"
#include "prior/anomaly_posterior.h"

#include <math.h>
#include <string.h>

/* Rows with a larger p are almost all normal, and estimate the number of normal rows. */
#define LARGE_P 0.5

size_t conformal_level(const conformal *by, float score)
{
    size_t low = 0, high = by->levels - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (by->level[middle] >= score)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double conformal_p(const conformal *by, conformal_kind kind, float score)
{
    return by->p[kind][conformal_level(by, score)];
}

double conformal_posterior(const conformal *by, float score)
{
    return by->posterior[conformal_level(by, score)];
}

double conformal_smallest(const conformal *by, conformal_kind kind)
{
    return by->p[kind][0];
}

/* counts[i]: calibration rows exactly at level[i]. Where the estimate decreases with a decreasing score,
 * neighbors are pooled. A running maximum instead would keep every random excess, and flag half as much. */
static void fill_p(conformal *by, const uint32_t *unlabeled_counts, const uint32_t *anomaly_counts,
                   double *mean, size_t *length)
{
    double n = (double)by->unlabeled, above = 0, anomalies_above = 0;
    size_t blocks = 0;
    for (size_t i = 0; i < by->levels; i++) {
        if (i) {
            above += unlabeled_counts[i - 1];
            anomalies_above += anomaly_counts[i - 1];
        }
        by->p[CONFORMAL_PLAIN][i] = (1 + above) / (n + 1);
        by->recall[i] = by->anomalies ? anomalies_above / (double)by->anomalies : 0;
        mean[blocks] = above / n - (by->anomalies ? by->alpha * anomalies_above / (double)by->anomalies : 0);
        length[blocks++] = 1;
        for (; blocks > 1 && mean[blocks - 2] > mean[blocks - 1]; blocks--) {
            double left = (double)length[blocks - 2], right = (double)length[blocks - 1];
            mean[blocks - 2] = (mean[blocks - 2] * left + mean[blocks - 1] * right) / (left + right);
            length[blocks - 2] += length[blocks - 1];
        }
    }
    for (size_t block = 0, i = 0; block < blocks; block++)
        for (size_t k = 0; k < length[block]; k++, i++) {
            double corrected = fmin(1, (1 + n * fmax(0, mean[block])) / (1 + n * (1 - by->alpha)));
            by->p[CONFORMAL_CORRECTED][i] = by->anomalies ? corrected : by->p[CONFORMAL_PLAIN][i];
        }
}

/* P(anomaly | score) = alpha f_A / f_U: the slopes of alpha G_A over G_U, pooled until they are monotonic.
 * Rows above all calibration scores get the first value. */
static void fill_posterior(conformal *by, const uint32_t *unlabeled_counts, const uint32_t *anomaly_counts,
                           double *rows, double *mass, size_t *length)
{
    size_t blocks = 0;
    for (size_t i = 0; i + 1 < by->levels; i++) {
        rows[blocks] = unlabeled_counts[i] / (double)by->unlabeled;
        mass[blocks] = by->anomalies ? by->alpha * anomaly_counts[i] / (double)by->anomalies : 0;
        length[blocks++] = 1;
        while (blocks > 1 && mass[blocks - 1] * rows[blocks - 2] >= mass[blocks - 2] * rows[blocks - 1]) {
            blocks--;
            rows[blocks - 1] += rows[blocks];
            mass[blocks - 1] += mass[blocks];
            length[blocks - 1] += length[blocks];
        }
    }
    size_t i = 1;
    for (size_t block = 0; block < blocks; block++)
        for (size_t k = 0; k < length[block]; k++)
            by->posterior[i++] = rows[block] > 0 ? fmin(1, mass[block] / rows[block]) : mass[block] > 0;
    by->posterior[0] = by->posterior[1];
}

/* 2 AUC - 1 of labeled against unlabeled rows above the label that ends this part of them, from 0 on, and how
 * many unlabeled rows there are. */
static double find_overlap(double *out_rows, const conformal *by, const uint32_t *unlabeled_counts,
                           const uint32_t *anomaly_counts, double part)
{
    double wanted = ceil(part * (double)by->anomalies);
    double above = 0, anomalies_above = 0, lost = 0;
    for (size_t i = 0; i + 1 < by->levels && (anomalies_above < wanted || part >= 1); i++) {
        lost += anomaly_counts[i] * (above + 0.5 * unlabeled_counts[i]);
        above += unlabeled_counts[i];
        anomalies_above += anomaly_counts[i];
    }
    double pairs = above * anomalies_above;
    *out_rows = above;
    return pairs > 0 ? fmax(0, 1 - 2 * lost / pairs) : 0;
}

/* Needs alpha. */
static void find_overlaps(conformal *by, const uint32_t *unlabeled_counts, const uint32_t *anomaly_counts,
                          double alpha_low)
{
    double rows;
    double auroc = (find_overlap(&rows, by, unlabeled_counts, anomaly_counts, 1) + 1) / 2;
    auroc = (auroc - by->alpha / 2) / (1 - by->alpha);
    by->separated = auroc >= CONFORMAL_SEPARATED && 1 - auroc <= alpha_low;
    by->nearly_separated = auroc >= CONFORMAL_MIXED;
    if (!by->separated)
        by->overlap = find_overlap(&rows, by, unlabeled_counts, anomaly_counts, CONFORMAL_OVERLAP_TOP);
    double wide = find_overlap(&rows, by, unlabeled_counts, anomaly_counts, CONFORMAL_OVERLAP_WIDE);
    by->overlap = fmax(by->overlap, wide);
    by->overlap_max = by->separated ? CONFORMAL_SEPARATED_OVERLAP(rows) : CONFORMAL_OVERLAP_MOST;
}

/* Computes both from the anomaly posterior of the scores. */
static puad_status fill_modeled(conformal *by, const uint32_t *unlabeled_counts,
                                const uint32_t *anomaly_counts, const pu_sample *sample, double times)
{
    AUTO_ARENA arena scratch = {0};
    AUTO_PURITY purity found = {0};
    double *tail, *posterior, low, high;
    TRY(purity_new(&found, sample, &purity_for_decisions, times));
    TRY(purity_alpha(&found, &by->alpha, &low, &high));
    find_overlaps(by, unlabeled_counts, anomaly_counts, low);
    TRY(arena_new(&scratch, &tail, by->unlabeled + 1, sizeof *tail));
    TRY(arena_new(&scratch, &posterior, found.bins, sizeof *posterior));
    bool sure = by->separated && by->labels >= CONFORMAL_SEPARATED_LABELS;
    TRY(purity_tail(tail, &found, sure ? CONFORMAL_SEPARATED_EXCESS : CONFORMAL_EXCESS(by->labels)));
    purity_posterior(posterior, &found);
    size_t above = 0;
    for (size_t i = 0; i < by->levels; i++) {
        if (i) above += unlabeled_counts[i - 1];
        by->p[CONFORMAL_CORRECTED][i] = fmin(tail[above], by->p[CONFORMAL_PLAIN][i]);
        by->posterior[i] = posterior[purity_bin(&found, above)];
    }
    return PUAD_OK;
}

static puad_status check(const float *scores, size_t count, const char *what)
{
    if (count > UINT32_MAX / 4)
        FAIL(PUAD_INVALID, "%zu calibration scores of %s: expected at most %u", count, what, UINT32_MAX / 4);
    for (size_t i = 0; i < count; i++)
        if (isnan(scores[i])) FAIL(PUAD_NUMERIC, "calibration score %zu of %s is not a number", i, what);
    return PUAD_OK;
}

/* Assumes `times` as many labeled anomalies with the same scores, if alpha is estimated from them. */
static puad_status new_with_labels(conformal *out, const pu_sample *sample, double alpha, double times)
{
    const float *unlabeled = sample->unlabeled, *anomaly = sample->anomaly;
    size_t unlabeled_count = sample->rows, anomalies = sample->anomalies;
    *out = (conformal){0};
    if (unlabeled_count < 1) FAIL(PUAD_INVALID, "no calibration scores of unlabeled rows");
    bool modeled = isnan(alpha) && anomalies >= PURITY_LABELS_LEAST;
    if (isnan(alpha)) alpha = 0;
    if (!(alpha >= 0 && alpha < 1)) FAIL(PUAD_INVALID, "alpha %g: expected 0 <= alpha < 1", alpha);
    TRY(check(unlabeled, unlabeled_count, "unlabeled rows"));
    TRY(check(anomaly, anomalies, "labeled anomalies"));
    AUTO_ARENA arena scratch = {0};
    AUTO_CONFORMAL conformal by = {.unlabeled = unlabeled_count, .anomalies = anomalies, .alpha = alpha};
    by.modeled = modeled;
    by.labels = times * (double)anomalies;
    size_t rows = unlabeled_count + anomalies;
    TRY(arena_new(&by.memory, &by.level, rows, sizeof *by.level));
    memcpy(by.level, unlabeled, unlabeled_count * sizeof *unlabeled);
    if (anomalies) memcpy(by.level + unlabeled_count, anomaly, anomalies * sizeof *anomaly);
    sort_floats_falling(by.level, rows);
    size_t distinct = 0;
    for (size_t i = 0; i < rows; i++)
        if (i == 0 || by.level[i] != by.level[distinct - 1]) by.level[distinct++] = by.level[i];
    by.levels = distinct + 1;
    for (int kind = 0; kind < 2; kind++)
        TRY(arena_new(&by.memory, &by.p[kind], by.levels, sizeof *by.p[kind]));
    TRY(arena_new(&by.memory, &by.posterior, by.levels, sizeof *by.posterior));
    TRY(arena_new(&by.memory, &by.recall, by.levels, sizeof *by.recall));
    uint32_t *unlabeled_counts, *anomaly_counts;
    double *row_mass, *anomaly_mass;
    size_t *length;
    TRY(arena_new(&scratch, &unlabeled_counts, by.levels, sizeof *unlabeled_counts));
    TRY(arena_new(&scratch, &anomaly_counts, by.levels, sizeof *anomaly_counts));
    TRY(arena_new(&scratch, &row_mass, by.levels, sizeof *row_mass));
    TRY(arena_new(&scratch, &anomaly_mass, by.levels, sizeof *anomaly_mass));
    TRY(arena_new(&scratch, &length, by.levels, sizeof *length));
    for (size_t i = 0; i < unlabeled_count; i++) unlabeled_counts[conformal_level(&by, unlabeled[i]) - 1]++;
    for (size_t i = 0; i < anomalies; i++) anomaly_counts[conformal_level(&by, anomaly[i]) - 1]++;
    fill_p(&by, unlabeled_counts, anomaly_counts, row_mass, length);
    fill_posterior(&by, unlabeled_counts, anomaly_counts, row_mass, anomaly_mass, length);
    if (modeled) TRY(fill_modeled(&by, unlabeled_counts, anomaly_counts, sample, times));
    *out = by;
    by = (conformal){0};
    return PUAD_OK;
}

puad_status conformal_new(conformal *out, const pu_sample *sample, double alpha)
{
    return new_with_labels(out, sample, alpha, 1);
}

puad_status conformal_labels_needed(size_t *out, const pu_sample *sample, const uint64_t *counts, double rate)
{
    static const double times[] = {1.5, 2, 3, 4, 6, 8, 16, 32, 64};
    *out = 0;
    for (size_t i = 0; i < sizeof times / sizeof *times && *out == 0; i++) {
        AUTO_CONFORMAL conformal by = {0};
        TRY(new_with_labels(&by, sample, NAN, times[i]));
        if (conformal_flag_levels(&by, CONFORMAL_CORRECTED, counts, rate))
            *out = (size_t)(times[i] * (double)sample->anomalies);
    }
    return PUAD_OK;
}

void conformal_free(conformal *owner)
{
    arena_free(&owner->memory);
    *owner = (conformal){0};
}

double conformal_normals(const conformal *by, conformal_kind kind, const uint64_t *counts)
{
    double total = 0, large = 0;
    for (size_t i = 0; i < by->levels; i++) {
        total += (double)counts[i];
        if (by->p[kind][i] > LARGE_P) large += (double)counts[i];
    }
    return total > 0 ? fmin(1, (1 + large) / ((1 - LARGE_P) * total)) : 1;
}

/* Few labels surrounded by many unlabeled rows, or not separated from normal rows. */
static bool is_crowded(const conformal *by)
{
    if (by->labels < CONFORMAL_MIXED_LABELS && !by->separated) return true;
    if (by->labels >= CONFORMAL_FEW_LABELS) return false;
    size_t level = 0;
    while (level + 1 < by->levels && by->recall[level] < CONFORMAL_FEW_RECALL) level++;
    double n = (double)by->unlabeled;
    return by->p[CONFORMAL_PLAIN][level] * (n + 1) - 1 > CONFORMAL_FEW_SHARE * n;
}

conformal_reason conformal_declines(const conformal *by)
{
    if (!by->modeled) return CONFORMAL_ACCEPTED;
    if (is_crowded(by)) return CONFORMAL_FEW_LABELS_SPREAD;
    bool overlaps = by->overlap > by->overlap_max || !(by->separated || by->nearly_separated);
    return overlaps ? CONFORMAL_OVERLAPS : CONFORMAL_ACCEPTED;
}

/* The fraction of the rate that may be used if rows down to this level are flagged. */
static double confirmed_part(const conformal *by, size_t level, double rate)
{
    double least = fmax(CONFORMAL_RECALL_LEAST, CONFORMAL_LABELS_ABOVE / by->labels);
    if (by->recall[level] < least) return 0;
    return by->recall[level] <= CONFORMAL_RECALL_MOST(rate) ? 1 : CONFORMAL_BELOW;
}

size_t conformal_flag_levels(const conformal *by, conformal_kind kind, const uint64_t *counts, double rate)
{
    double total = 0, flagged = 0;
    size_t last = 0;
    bool modeled = kind == CONFORMAL_CORRECTED && by->modeled;
    for (size_t i = 0; i < by->levels; i++) total += (double)counts[i];
    double allowed = modeled && conformal_declines(by) ? 0 : rate / conformal_normals(by, kind, counts);
    for (size_t i = 0; i < by->levels; i++) {
        flagged += (double)counts[i];
        bool small = by->p[kind][i] <= LARGE_P; /* rows counted as normal are not flagged */
        double part = modeled ? confirmed_part(by, i, rate) : 1;
        if (counts[i] && small && by->p[kind][i] * total <= part * allowed * flagged) last = i + 1;
    }
    if (!modeled) return last;
    size_t plain = conformal_flag_levels(by, CONFORMAL_PLAIN, counts, rate);
    return plain > last ? plain : last;
}

float conformal_flag_rate(const conformal *by, double rate)
{
    float threshold = INFINITY;
    double n = (double)by->unlabeled;
    for (size_t i = 1; i < by->levels; i++) {
        double above = by->p[CONFORMAL_PLAIN][i] * (n + 1) - 1;
        if (above > rate * n + 1e-6) break;
        threshold = by->level[i - 1];
    }
    return threshold;
}
