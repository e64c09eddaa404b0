/* Computes thresholds, the formulas at each of them, and bands by resampling both kinds of rows and alpha. */
#include "decide/operating.h"

#include "base/rng.h"
#include "base/sort.h"
#include "prior/score_bootstrap.h"

#include <math.h>
#include <string.h>

enum { FIGURES = 4 }; /* tpr, fpr, precision, f1 */

static double within(double low, double value, double high)
{
    return fmin(high, fmax(low, value));
}

/* The formulas of operating.h, unclipped. If no unlabeled row is above the threshold, precision is its
 * limit. */
static void raw_figures(double out[FIGURES], double share_a, double share_u, double alpha)
{
    out[0] = share_a;
    out[1] = (share_u - alpha * share_a) / (1 - alpha);
    out[2] = share_u > 0 ? alpha * share_a / share_u : 1;
    out[3] = share_u + alpha > 0 ? 2 * alpha * share_a / (share_u + alpha) : 0;
}

/* Results of resampling: values at every point, and the AUROC. */
typedef struct bands {
    const pu_scores *scores;
    /* first point that flags the row; `count` if none does */
    const uint32_t *anomaly_point, *unlabeled_point;
    size_t count;
    double alpha, alpha_low, alpha_high;
    uint64_t seed;
    double *figures; /* [point][value][replicate] */
    double *aurocs;
    struct workspace *workspaces;
} bands;

typedef struct workspace {
    uint32_t *times, *anomaly_counts, *unlabeled_counts, *anomaly_slots, *unlabeled_slots;
} workspace;

/* Draws alpha from its interval: normal with a separate spread on each side. */
static double draw_alpha(const bands *all, rng *draws)
{
    double z = rng_normal(draws);
    double spread = (z < 0 ? all->alpha - all->alpha_low : all->alpha_high - all->alpha) / 1.96;
    return within(0, all->alpha + z * fmax(0, spread), 0.999);
}

static void run_replicate(void *context, size_t item, int thread)
{
    bands *all = context;
    const workspace *use = &all->workspaces[thread];
    const pu_scores *scores = all->scores;
    rng draws = rng_make(all->seed, rng_stream("operating bootstrap", item));
    double alpha = draw_alpha(all, &draws);
    memset(use->anomaly_counts, 0, (all->count + 1) * sizeof *use->anomaly_counts);
    memset(use->unlabeled_counts, 0, (all->count + 1) * sizeof *use->unlabeled_counts);
    memset(use->anomaly_slots, 0, scores->slots * sizeof *use->anomaly_slots);
    memset(use->unlabeled_slots, 0, scores->slots * sizeof *use->unlabeled_slots);
    pu_resample(use->times, scores->anomalies, &draws);
    for (size_t i = 0; i < scores->anomalies; i++) {
        use->anomaly_counts[all->anomaly_point[i]] += use->times[i];
        use->anomaly_slots[scores->anomaly_slot[i]] += use->times[i];
    }
    pu_resample(use->times, scores->unlabeled, &draws);
    for (size_t i = 0; i < scores->unlabeled; i++) {
        use->unlabeled_counts[all->unlabeled_point[i]] += use->times[i];
        use->unlabeled_slots[scores->unlabeled_slot[i]] += use->times[i];
    }
    double above = 0, rows_above = 0, figures[FIGURES];
    for (size_t point = 0; point < all->count; point++) {
        above += use->anomaly_counts[point];
        rows_above += use->unlabeled_counts[point];
        raw_figures(figures, above / (double)scores->anomalies, rows_above / (double)scores->unlabeled,
                    alpha);
        for (int k = 0; k < FIGURES; k++)
            all->figures[(point * FIGURES + (size_t)k) * OPERATING_REPLICATES + item] =
                within(0, figures[k], 1);
    }
    double auroc = pu_auroc(use->anomaly_slots, use->unlabeled_slots, scores->slots);
    all->aurocs[item] = pu_auroc_corrected(auroc, alpha);
}

/* Thresholds at scores of U (and the largest of A), evenly spaced on a log scale of the number of flagged
 * rows. */
static size_t choose_thresholds(float *thresholds, size_t max, const float *sorted, size_t rows,
                                float largest_anomaly)
{
    size_t count = 0;
    if (largest_anomaly > sorted[0]) thresholds[count++] = largest_anomaly;
    double steps = (double)(max - count > 1 ? max - count - 1 : 1);
    for (size_t step = 0; count < max && (double)step <= steps; step++) {
        size_t flagged = (size_t)floor(pow((double)rows, (double)step / steps) + 0.5);
        float threshold = sorted[(flagged < 1 ? 1 : flagged > rows ? rows : flagged) - 1];
        if (count == 0 || threshold < thresholds[count - 1]) thresholds[count++] = threshold;
    }
    return count;
}

static uint32_t point_of(const float *thresholds, size_t count, float score)
{
    size_t low = 0, high = count; /* first threshold that is not above the score */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (thresholds[middle] > score)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* The closest monotonic sequence: violating neighbors are pooled by weight (PAVA). */
static void make_monotone(double *values, const double *weights, size_t count, bool rising, double *mean,
                          double *mass, size_t *length)
{
    size_t blocks = 0;
    for (size_t i = 0; i < count; i++) {
        mean[blocks] = values[i];
        mass[blocks] = weights[i];
        length[blocks++] = 1;
        for (; blocks > 1 &&
               (rising ? mean[blocks - 2] > mean[blocks - 1] : mean[blocks - 2] < mean[blocks - 1]);
             blocks--) {
            double sum = mass[blocks - 2] + mass[blocks - 1];
            mean[blocks - 2] =
                (mean[blocks - 2] * mass[blocks - 2] + mean[blocks - 1] * mass[blocks - 1]) / sum;
            mass[blocks - 2] = sum;
            length[blocks - 2] += length[blocks - 1];
        }
    }
    for (size_t block = 0, i = 0; block < blocks; block++)
        for (size_t k = 0; k < length[block]; k++) values[i++] = mean[block];
}

/* Clips values and makes them monotonic: TPR and FPR increase as the threshold falls, precision decreases;
 * F1 follows from precision and TPR. */
static puad_status settle_values(operating_table *table, size_t unlabeled)
{
    AUTO_ARENA arena scratch = {0};
    double *values, *weights, *mean, *mass;
    size_t *length;
    TRY(arena_new(&scratch, &values, table->count, sizeof *values));
    TRY(arena_new(&scratch, &weights, table->count, sizeof *weights));
    TRY(arena_new(&scratch, &mean, table->count, sizeof *mean));
    TRY(arena_new(&scratch, &mass, table->count, sizeof *mass));
    TRY(arena_new(&scratch, &length, table->count, sizeof *length));
    for (size_t i = 0; i < table->count; i++) {
        values[i] = within(0, table->points[i].fpr.raw, 1);
        weights[i] = 1;
    }
    make_monotone(values, weights, table->count, true, mean, mass, length);
    for (size_t i = 0; i < table->count; i++) table->points[i].fpr.value = values[i];
    for (size_t i = 0; i < table->count; i++) {
        values[i] = within(0, table->points[i].precision.raw, 1);
        weights[i] = 1 + table->points[i].flagged * (double)unlabeled;
    }
    make_monotone(values, weights, table->count, false, mean, mass, length);
    for (size_t i = 0; i < table->count; i++) {
        operating_point *point = &table->points[i];
        point->tpr.value = point->tpr.raw;
        point->precision.value = values[i];
        double sum = point->precision.value + point->tpr.value;
        point->f1.value = sum > 0 ? 2 * point->precision.value * point->tpr.value / sum : 0;
        if (point->f1.value > table->points[table->best_f1].f1.value) table->best_f1 = i;
    }
    return PUAD_OK;
}

/* Wilson's interval: if all or none of few rows are above a threshold, resampling has no spread and would
 * claim certainty. */
static void share_interval(double *out_low, double *out_high, double share, double count)
{
    const double z = 1.96;
    double center = (share + z * z / (2 * count)) / (1 + z * z / count);
    double half = z / (1 + z * z / count) * sqrt(share * (1 - share) / count + z * z / (4 * count * count));
    *out_low = within(0, center - half, share);
    *out_high = within(share, center + half, 1);
}

static void widen(operating_figure *figure, double low, double high)
{
    figure->low = fmin(figure->low, within(0, low, 1));
    figure->high = fmax(figure->high, within(0, high, 1));
}

static void read_band(operating_figure *figure, double *replicates)
{
    figure->low = fmin(figure->value, quantile_of(replicates, OPERATING_REPLICATES, 0.025));
    figure->high = fmax(figure->value, quantile_of(replicates, OPERATING_REPLICATES, 0.975));
}

/* The other values are functions of the fraction of anomalies found: they inherit the uncertainty that
 * resampling misses. */
static void read_bands(operating_table *table, const bands *all)
{
    double anomalies = (double)all->scores->anomalies, rows = (double)all->scores->unlabeled;
    for (size_t i = 0; i < table->count; i++) {
        operating_point *point = &table->points[i];
        operating_figure *figures[FIGURES] = {&point->tpr, &point->fpr, &point->precision, &point->f1};
        for (int k = 0; k < FIGURES; k++)
            read_band(figures[k], all->figures + (i * FIGURES + (size_t)k) * OPERATING_REPLICATES);
        double low[FIGURES], high[FIGURES], few, many;
        share_interval(&few, &many, point->tpr.raw, anomalies);
        widen(&point->tpr, few, many);
        if (point->flagged * rows >= 10) continue;
        share_interval(&few, &many, point->flagged, rows); /* few rows, or none at all */
        raw_figures(low, point->tpr.low, many, table->alpha_low);
        raw_figures(high, point->tpr.high, few, table->alpha_high);
        widen(&point->fpr, high[1], low[1]);
        widen(&point->precision, low[2], high[2]);
        widen(&point->f1, low[3], high[3]);
    }
    read_band(&table->auroc, all->aurocs);
}

static puad_status make_rooms(arena *memory, bands *all, size_t threads)
{
    size_t max =
        all->scores->anomalies > all->scores->unlabeled ? all->scores->anomalies : all->scores->unlabeled;
    TRY(arena_new(memory, &all->workspaces, threads, sizeof *all->workspaces));
    for (size_t i = 0; i < threads; i++) {
        workspace *use = &all->workspaces[i];
        TRY(arena_new(memory, &use->times, max, sizeof *use->times));
        TRY(arena_new(memory, &use->anomaly_counts, all->count + 1, sizeof *use->anomaly_counts));
        TRY(arena_new(memory, &use->unlabeled_counts, all->count + 1, sizeof *use->unlabeled_counts));
        TRY(arena_new(memory, &use->anomaly_slots, all->scores->slots, sizeof *use->anomaly_slots));
        TRY(arena_new(memory, &use->unlabeled_slots, all->scores->slots, sizeof *use->unlabeled_slots));
    }
    size_t figures = all->count * FIGURES;
    TRY(arena_new(memory, &all->figures, figures, OPERATING_REPLICATES * sizeof *all->figures));
    return arena_new(memory, &all->aurocs, OPERATING_REPLICATES, sizeof *all->aurocs);
}

/* The raw values at each threshold, and the first point that flags each row. */
static void fill_points(operating_table *table, uint32_t *anomaly_point, uint32_t *unlabeled_point,
                        const float *thresholds, const pu_sample *sample)
{
    const float *anomaly = sample->anomaly, *unlabeled = sample->unlabeled;
    size_t anomalies = sample->anomalies, rows = sample->rows;
    for (size_t i = 0; i < anomalies; i++) anomaly_point[i] = point_of(thresholds, table->count, anomaly[i]);
    for (size_t i = 0; i < rows; i++) unlabeled_point[i] = point_of(thresholds, table->count, unlabeled[i]);
    for (size_t i = 0; i < anomalies; i++)
        if (anomaly_point[i] < table->count) table->points[anomaly_point[i]].tpr.raw += 1 / (double)anomalies;
    for (size_t i = 0; i < rows; i++)
        if (unlabeled_point[i] < table->count) table->points[unlabeled_point[i]].flagged += 1 / (double)rows;
    double share_a = 0, share_u = 0, figures[FIGURES];
    for (size_t i = 0; i < table->count; i++) {
        operating_point *point = &table->points[i];
        share_a = fmin(1, share_a + point->tpr.raw);
        share_u = fmin(1, share_u + point->flagged);
        raw_figures(figures, share_a, share_u, table->alpha);
        point->threshold = (double)thresholds[i];
        point->flagged = share_u;
        point->tpr.raw = figures[0];
        point->fpr.raw = figures[1];
        point->precision.raw = figures[2];
        point->f1.raw = figures[3];
    }
}

static void fill_auroc(operating_table *table, workspace *use, const pu_scores *scores)
{
    for (size_t i = 0; i < scores->anomalies; i++) use->anomaly_slots[scores->anomaly_slot[i]]++;
    for (size_t i = 0; i < scores->unlabeled; i++) use->unlabeled_slots[scores->unlabeled_slot[i]]++;
    double auroc = pu_auroc(use->anomaly_slots, use->unlabeled_slots, scores->slots);
    table->auroc.raw = (auroc - table->alpha / 2) / (1 - table->alpha);
    table->auroc.value = pu_auroc_corrected(auroc, table->alpha);
}

puad_status operating_table_new(operating_table *out, const pu_sample *sample, const alpha_interval *alpha,
                                size_t points, uint64_t seed, team *workers)
{
    *out = (operating_table){0};
    if (!(alpha->value >= 0 && alpha->value < 1) ||
        !(alpha->low <= alpha->value && alpha->value <= alpha->high))
        FAIL(PUAD_INVALID, "an operating table for alpha %g in [%g, %g]: expected 0 <= alpha < 1",
             alpha->value, alpha->low, alpha->high);
    if (points < 2 || points > OPERATING_POINTS_MAX)
        FAIL(PUAD_INVALID, "%zu operating points: expected 2 to %d", points, OPERATING_POINTS_MAX);
    AUTO_ARENA arena scratch = {0};
    AUTO_PU_SCORES pu_scores scores = {0};
    AUTO_OPERATING operating_table table = {
        .alpha = alpha->value, .alpha_low = fmax(0, alpha->low), .alpha_high = fmin(0.999, alpha->high)};
    TRY(pu_scores_new(&scores, sample));
    float *sorted, *thresholds;
    uint32_t *anomaly_point, *unlabeled_point;
    TRY(arena_new(&scratch, &sorted, sample->rows, sizeof *sorted));
    TRY(arena_new(&scratch, &thresholds, points, sizeof *thresholds));
    TRY(arena_new(&scratch, &anomaly_point, sample->anomalies, sizeof *anomaly_point));
    TRY(arena_new(&scratch, &unlabeled_point, sample->rows, sizeof *unlabeled_point));
    memcpy(sorted, sample->unlabeled, sample->rows * sizeof *sorted);
    sort_floats_falling(sorted, sample->rows);
    table.count = choose_thresholds(thresholds, points, sorted, sample->rows, scores.level[0]);
    TRY(arena_new(&table.memory, &table.points, table.count, sizeof *table.points));
    fill_points(&table, anomaly_point, unlabeled_point, thresholds, sample);
    bands all = {.scores = &scores,
                 .anomaly_point = anomaly_point,
                 .unlabeled_point = unlabeled_point,
                 .seed = seed,
                 .count = table.count,
                 .alpha = alpha->value,
                 .alpha_low = table.alpha_low,
                 .alpha_high = table.alpha_high};
    TRY(make_rooms(&scratch, &all, (size_t)team_size(workers)));
    fill_auroc(&table, &all.workspaces[0], &scores);
    TRY(settle_values(&table, sample->rows));
    TRY(team_run_until_stopped(workers, OPERATING_REPLICATES, run_replicate, &all));
    read_bands(&table, &all);
    *out = table;
    table = (operating_table){0};
    return PUAD_OK;
}

void operating_table_thin(operating_table *table, size_t points)
{
    size_t last = table->count - 1, best = table->best_f1;
    if (points < 2) points = 2;
    if (table->count <= points) return;
    for (size_t i = 0; i < points; i++) {
        size_t at = i * last / (points - 1), next = (i + 1) * last / (points - 1);
        bool has_best = at <= best && best < next; /* it represents its neighbors */
        table->points[i] = table->points[has_best ? best : at];
        if (has_best) table->best_f1 = i;
    }
    table->count = points;
}

void operating_table_free(operating_table *owner)
{
    arena_free(&owner->memory);
    *owner = (operating_table){0};
}
