/* Levels, their p-values and posteriors, and Benjamini-Hochberg on counts per level. */
#include "decide/conformal.h"

#include "base/sort.h"
#include "prior/anomaly_posterior.h"

#include <math.h>
#include <string.h>

/* Rows with a larger p are almost all normal, and estimate the number of normal rows. */
#define LARGE_P 0.5

size_t conformal_level(const conformal *calibration, float score)
{
    size_t low = 0, high = calibration->levels - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (calibration->level[middle] >= score)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double conformal_p(const conformal *calibration, conformal_kind kind, float score)
{
    return calibration->p[kind][conformal_level(calibration, score)];
}

double conformal_posterior(const conformal *calibration, float score)
{
    return calibration->posterior[conformal_level(calibration, score)];
}

double conformal_smallest(const conformal *calibration, conformal_kind kind)
{
    return calibration->p[kind][0];
}

/* counts[i]: calibration rows exactly at level[i]. Where the estimate decreases with a decreasing score,
 * neighbors are pooled. A running maximum instead would keep every random excess, and flag half as much. */
static void fill_p(conformal *calibration, const uint32_t *unlabeled_counts, const uint32_t *anomaly_counts,
                   double *mean, size_t *length)
{
    double n = (double)calibration->unlabeled, above = 0, anomalies_above = 0;
    size_t blocks = 0;
    for (size_t i = 0; i < calibration->levels; i++) {
        if (i) {
            above += unlabeled_counts[i - 1];
            anomalies_above += anomaly_counts[i - 1];
        }
        calibration->p[CONFORMAL_PLAIN][i] = (1 + above) / (n + 1);
        calibration->recall[i] =
            calibration->anomalies ? anomalies_above / (double)calibration->anomalies : 0;
        mean[blocks] = above / n - (calibration->anomalies ? calibration->alpha * anomalies_above /
                                                                 (double)calibration->anomalies
                                                           : 0);
        length[blocks++] = 1;
        for (; blocks > 1 && mean[blocks - 2] > mean[blocks - 1]; blocks--) {
            double left = (double)length[blocks - 2], right = (double)length[blocks - 1];
            mean[blocks - 2] = (mean[blocks - 2] * left + mean[blocks - 1] * right) / (left + right);
            length[blocks - 2] += length[blocks - 1];
        }
    }
    for (size_t block = 0, i = 0; block < blocks; block++)
        for (size_t k = 0; k < length[block]; k++, i++) {
            double corrected = fmin(1, (1 + n * fmax(0, mean[block])) / (1 + n * (1 - calibration->alpha)));
            calibration->p[CONFORMAL_CORRECTED][i] =
                calibration->anomalies ? corrected : calibration->p[CONFORMAL_PLAIN][i];
        }
}

/* P(anomaly | score) = alpha f_A / f_U: the slopes of alpha G_A over G_U, pooled until they are monotonic.
 * Rows above all calibration scores get the first value. */
static void fill_posterior(conformal *calibration, const uint32_t *unlabeled_counts,
                           const uint32_t *anomaly_counts, double *rows, double *mass, size_t *length)
{
    size_t blocks = 0;
    for (size_t i = 0; i + 1 < calibration->levels; i++) {
        rows[blocks] = unlabeled_counts[i] / (double)calibration->unlabeled;
        mass[blocks] = calibration->anomalies
                           ? calibration->alpha * anomaly_counts[i] / (double)calibration->anomalies
                           : 0;
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
            calibration->posterior[i++] =
                rows[block] > 0 ? fmin(1, mass[block] / rows[block]) : mass[block] > 0;
    calibration->posterior[0] = calibration->posterior[1];
}

/* 2 AUC - 1 of labeled against unlabeled rows above the label that ends this part of them, from 0 on, and how
 * many unlabeled rows there are. */
static double find_overlap(double *out_rows, const conformal *calibration, const uint32_t *unlabeled_counts,
                           const uint32_t *anomaly_counts, double part)
{
    double wanted = ceil(part * (double)calibration->anomalies);
    double above = 0, anomalies_above = 0, lost = 0;
    for (size_t i = 0; i + 1 < calibration->levels && (anomalies_above < wanted || part >= 1); i++) {
        lost += anomaly_counts[i] * (above + 0.5 * unlabeled_counts[i]);
        above += unlabeled_counts[i];
        anomalies_above += anomaly_counts[i];
    }
    double pairs = above * anomalies_above;
    *out_rows = above;
    return pairs > 0 ? fmax(0, 1 - 2 * lost / pairs) : 0;
}

/* Needs alpha. */
static void find_overlaps(conformal *calibration, const uint32_t *unlabeled_counts,
                          const uint32_t *anomaly_counts, double alpha_low)
{
    double rows;
    double auroc = (find_overlap(&rows, calibration, unlabeled_counts, anomaly_counts, 1) + 1) / 2;
    auroc = (auroc - calibration->alpha / 2) / (1 - calibration->alpha);
    calibration->separated = auroc >= CONFORMAL_SEPARATED && 1 - auroc <= alpha_low;
    calibration->nearly_separated = auroc >= CONFORMAL_MIXED;
    if (!calibration->separated)
        calibration->overlap =
            find_overlap(&rows, calibration, unlabeled_counts, anomaly_counts, CONFORMAL_OVERLAP_TOP);
    double wide = find_overlap(&rows, calibration, unlabeled_counts, anomaly_counts, CONFORMAL_OVERLAP_WIDE);
    calibration->overlap = fmax(calibration->overlap, wide);
    calibration->overlap_max =
        calibration->separated ? CONFORMAL_SEPARATED_OVERLAP(rows) : CONFORMAL_OVERLAP_MAX;
}

/* Computes both from the anomaly posterior of the scores. */
static puad_status fill_modeled(conformal *calibration, const uint32_t *unlabeled_counts,
                                const uint32_t *anomaly_counts, const pu_sample *sample, double times)
{
    AUTO_ARENA arena scratch = {0};
    AUTO_PURITY purity found = {0};
    double *tail, *posterior, low, high;
    TRY(purity_new(&found, sample, &purity_for_decisions, times));
    TRY(purity_alpha(&found, &calibration->alpha, &low, &high));
    find_overlaps(calibration, unlabeled_counts, anomaly_counts, low);
    TRY(arena_new(&scratch, &tail, calibration->unlabeled + 1, sizeof *tail));
    TRY(arena_new(&scratch, &posterior, found.bins, sizeof *posterior));
    bool sure = calibration->separated && calibration->labels >= CONFORMAL_SEPARATED_LABELS;
    TRY(purity_tail(tail, &found, sure ? CONFORMAL_SEPARATED_EXCESS : CONFORMAL_EXCESS(calibration->labels)));
    purity_posterior(posterior, &found);
    size_t above = 0;
    for (size_t i = 0; i < calibration->levels; i++) {
        if (i) above += unlabeled_counts[i - 1];
        calibration->p[CONFORMAL_CORRECTED][i] = fmin(tail[above], calibration->p[CONFORMAL_PLAIN][i]);
        calibration->posterior[i] = posterior[purity_bin(&found, above)];
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
    bool modeled = isnan(alpha) && anomalies >= PURITY_LABELS_MIN;
    if (isnan(alpha)) alpha = 0;
    if (!(alpha >= 0 && alpha < 1)) FAIL(PUAD_INVALID, "alpha %g: expected 0 <= alpha < 1", alpha);
    TRY(check(unlabeled, unlabeled_count, "unlabeled rows"));
    TRY(check(anomaly, anomalies, "labeled anomalies"));
    AUTO_ARENA arena scratch = {0};
    AUTO_CONFORMAL conformal calibration = {
        .unlabeled = unlabeled_count, .anomalies = anomalies, .alpha = alpha};
    calibration.modeled = modeled;
    calibration.labels = times * (double)anomalies;
    size_t rows = unlabeled_count + anomalies;
    TRY(arena_new(&calibration.memory, &calibration.level, rows, sizeof *calibration.level));
    memcpy(calibration.level, unlabeled, unlabeled_count * sizeof *unlabeled);
    if (anomalies) memcpy(calibration.level + unlabeled_count, anomaly, anomalies * sizeof *anomaly);
    sort_floats_falling(calibration.level, rows);
    size_t distinct = 0;
    for (size_t i = 0; i < rows; i++)
        if (i == 0 || calibration.level[i] != calibration.level[distinct - 1])
            calibration.level[distinct++] = calibration.level[i];
    calibration.levels = distinct + 1;
    for (int kind = 0; kind < 2; kind++)
        TRY(arena_new(&calibration.memory, &calibration.p[kind], calibration.levels,
                      sizeof *calibration.p[kind]));
    TRY(arena_new(&calibration.memory, &calibration.posterior, calibration.levels,
                  sizeof *calibration.posterior));
    TRY(arena_new(&calibration.memory, &calibration.recall, calibration.levels, sizeof *calibration.recall));
    uint32_t *unlabeled_counts, *anomaly_counts;
    double *row_mass, *anomaly_mass;
    size_t *length;
    TRY(arena_new(&scratch, &unlabeled_counts, calibration.levels, sizeof *unlabeled_counts));
    TRY(arena_new(&scratch, &anomaly_counts, calibration.levels, sizeof *anomaly_counts));
    TRY(arena_new(&scratch, &row_mass, calibration.levels, sizeof *row_mass));
    TRY(arena_new(&scratch, &anomaly_mass, calibration.levels, sizeof *anomaly_mass));
    TRY(arena_new(&scratch, &length, calibration.levels, sizeof *length));
    for (size_t i = 0; i < unlabeled_count; i++)
        unlabeled_counts[conformal_level(&calibration, unlabeled[i]) - 1]++;
    for (size_t i = 0; i < anomalies; i++) anomaly_counts[conformal_level(&calibration, anomaly[i]) - 1]++;
    fill_p(&calibration, unlabeled_counts, anomaly_counts, row_mass, length);
    fill_posterior(&calibration, unlabeled_counts, anomaly_counts, row_mass, anomaly_mass, length);
    if (modeled) TRY(fill_modeled(&calibration, unlabeled_counts, anomaly_counts, sample, times));
    *out = calibration;
    calibration = (conformal){0};
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
        AUTO_CONFORMAL conformal calibration = {0};
        TRY(new_with_labels(&calibration, sample, NAN, times[i]));
        if (conformal_flag_levels(&calibration, CONFORMAL_CORRECTED, counts, rate))
            *out = (size_t)(times[i] * (double)sample->anomalies);
    }
    return PUAD_OK;
}

void conformal_free(conformal *owner)
{
    arena_free(&owner->memory);
    *owner = (conformal){0};
}

double conformal_normals(const conformal *calibration, conformal_kind kind, const uint64_t *counts)
{
    double total = 0, large = 0;
    for (size_t i = 0; i < calibration->levels; i++) {
        total += (double)counts[i];
        if (calibration->p[kind][i] > LARGE_P) large += (double)counts[i];
    }
    return total > 0 ? fmin(1, (1 + large) / ((1 - LARGE_P) * total)) : 1;
}

/* Few labels surrounded by many unlabeled rows, or not separated from normal rows. */
static bool is_crowded(const conformal *calibration)
{
    if (calibration->labels < CONFORMAL_MIXED_LABELS && !calibration->separated) return true;
    if (calibration->labels >= CONFORMAL_FEW_LABELS) return false;
    size_t level = 0;
    while (level + 1 < calibration->levels && calibration->recall[level] < CONFORMAL_FEW_RECALL) level++;
    double n = (double)calibration->unlabeled;
    return calibration->p[CONFORMAL_PLAIN][level] * (n + 1) - 1 > CONFORMAL_FEW_SHARE * n;
}

conformal_reason conformal_declines(const conformal *calibration)
{
    if (!calibration->modeled) return CONFORMAL_ACCEPTED;
    if (is_crowded(calibration)) return CONFORMAL_FEW_LABELS_SPREAD;
    bool overlaps = calibration->overlap > calibration->overlap_max ||
                    !(calibration->separated || calibration->nearly_separated);
    return overlaps ? CONFORMAL_OVERLAPS : CONFORMAL_ACCEPTED;
}

/* The fraction of the rate that may be used if rows down to this level are flagged. */
static double confirmed_part(const conformal *calibration, size_t level, double rate)
{
    double min = fmax(CONFORMAL_RECALL_MIN, CONFORMAL_LABELS_ABOVE / calibration->labels);
    if (calibration->recall[level] < min) return 0;
    return calibration->recall[level] <= CONFORMAL_RECALL_MAX(rate) ? 1 : CONFORMAL_BELOW;
}

size_t conformal_flag_levels(const conformal *calibration, conformal_kind kind, const uint64_t *counts,
                             double rate)
{
    double total = 0, flagged = 0;
    size_t last = 0;
    bool modeled = kind == CONFORMAL_CORRECTED && calibration->modeled;
    for (size_t i = 0; i < calibration->levels; i++) total += (double)counts[i];
    double allowed =
        modeled && conformal_declines(calibration) ? 0 : rate / conformal_normals(calibration, kind, counts);
    for (size_t i = 0; i < calibration->levels; i++) {
        flagged += (double)counts[i];
        bool small = calibration->p[kind][i] <= LARGE_P; /* rows counted as normal are not flagged */
        double part = modeled ? confirmed_part(calibration, i, rate) : 1;
        if (counts[i] && small && calibration->p[kind][i] * total <= part * allowed * flagged) last = i + 1;
    }
    if (!modeled) return last;
    size_t plain = conformal_flag_levels(calibration, CONFORMAL_PLAIN, counts, rate);
    return plain > last ? plain : last;
}

float conformal_flag_rate(const conformal *calibration, double rate)
{
    float threshold = INFINITY;
    double n = (double)calibration->unlabeled;
    for (size_t i = 1; i < calibration->levels; i++) {
        double above = calibration->p[CONFORMAL_PLAIN][i] * (n + 1) - 1;
        if (above > rate * n + 1e-6) break;
        threshold = calibration->level[i - 1];
    }
    return threshold;
}
