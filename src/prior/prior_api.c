/* Implements <puad/prior.h>: the estimate with its evidence. */
#include "checks/guards.h"
#include "input/dataset_api.h"
#include "prior/prior.h"
#include "prior/score_bootstrap.h"

#include <math.h>
#include <puad/prior.h>
#include <stdlib.h>

struct puad_prior {
    arena memory; /* owns the arrays */
    prior_estimate found;
    size_t rows, anomalies, unlabeled;     /* of the input */
    size_t used_anomalies, used_unlabeled; /* rows that were used */
    float *probabilities;                  /* per row */
    size_t points;
    double *x, *y;
};

/* How G_U / G_A converges to alpha as fewer normal rows are above the threshold. */
static puad_status find_points(puad_prior *prior, const float *split)
{
    AUTO_PU_SCORES pu_scores scores = {0};
    AUTO_FREE double *counts = NULL;
    TRY(pu_scores_new(&scores, &(pu_sample){split, prior->used_anomalies, split + prior->used_anomalies,
                                            prior->used_unlabeled}));
    TRY(arena_new(&prior->memory, &prior->x, scores.levels, sizeof *prior->x));
    TRY(arena_new(&prior->memory, &prior->y, scores.levels, sizeof *prior->y));
    TRY(memory_new(&counts, 2 * scores.slots, sizeof *counts, "levels"));
    for (size_t i = 0; i < prior->used_anomalies; i++)
        counts[scores.anomaly_slot[i]] += 1 / (double)prior->used_anomalies;
    for (size_t i = 0; i < prior->used_unlabeled; i++)
        counts[scores.slots + scores.unlabeled_slot[i]] += 1 / (double)prior->used_unlabeled;
    double share_a = 0, share_u = 0;
    for (size_t level = 0; level < scores.levels; level++) {
        share_a += counts[2 * level + 1];
        share_u += counts[scores.slots + 2 * level] + counts[scores.slots + 2 * level + 1];
        prior->x[level] = share_a;
        prior->y[level] = share_u / share_a;
    }
    prior->points = scores.levels;
    return PUAD_OK;
}

static puad_status estimate(puad_prior *prior, const dataset *rows, const puad_options *options)
{
    AUTO_TEAM team *workers = NULL;
    AUTO_FREE float *split = NULL;
    if (!rows->labels)
        FAIL(
            PUAD_INVALID,
            "%s has no labels: name them with option 'label_column', option 'labels_array' or option 'anomalies'",
            rows->name);
    TRY(guards_check_columns(options, NULL, rows, rows->labels));
    TRY(options_team(&workers, options));
    TRY(arena_new(&prior->memory, &prior->probabilities, rows->rows, sizeof(float)));
    prior->rows = rows->rows;
    prior_rows source = {rows->values, rows->labels, rows->rows, rows->columns, 0, 0};
    TRY(prior_from_rows(&prior->found, prior->probabilities, &source,
                        (uint64_t)OPTION_INTEGER_OF(options, seed), workers, NULL));
    prior->anomalies = dataset_count(rows, PUAD_LABEL_ANOMALY);
    prior->unlabeled = dataset_count(rows, PUAD_LABEL_UNLABELED);
    if (prior->found.refused && isnan(prior->found.alpha)) return PUAD_OK; /* no evidence to return */
    for (size_t i = 0; i < rows->rows; i++) {
        if (isnan(prior->probabilities[i])) continue;
        prior->used_anomalies += rows->labels[i] == PUAD_LABEL_ANOMALY;
        prior->used_unlabeled += rows->labels[i] != PUAD_LABEL_ANOMALY;
    }
    size_t a = 0, u = prior->used_anomalies;
    TRY(memory_new(&split, prior->used_anomalies + prior->used_unlabeled, sizeof *split, "scores"));
    for (size_t i = 0; i < rows->rows; i++)
        if (!isnan(prior->probabilities[i]))
            split[rows->labels[i] == PUAD_LABEL_ANOMALY ? a++ : u++] = prior->probabilities[i];
    return find_points(prior, split);
}

puad_status puad_prior_estimate(puad_prior **out, const puad_dataset *data, const puad_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(data);
    puad_prior *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "an estimate"));
    puad_status status = estimate(made, &data->data, options);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_prior_free(made);
    return status;
}

void puad_prior_free(puad_prior *prior)
{
    if (!prior) return;
    arena_free(&prior->memory);
    free(prior);
}

static double all_of(const puad_prior *prior, double alpha)
{
    return prior_alpha_all(alpha, prior->unlabeled, prior->anomalies);
}

double puad_prior_log_odds(const puad_prior *prior, size_t row)
{
    if (!prior || row >= prior->rows || isnan(prior->probabilities[row])) return NAN;
    double p = fmin(1 - 1e-6, fmax(1e-6, (double)prior->probabilities[row]));
    return log(p / (1 - p));
}

puad_status puad_prior_result(const puad_prior *prior, puad_prior_evidence *out)
{
    NEED(prior);
    NEED(out);
    const prior_estimate *found = &prior->found;
    puad_prior_evidence made = {.alpha = found->alpha,
                                .alpha_low = found->low,
                                .alpha_high = found->high,
                                .alpha_all = all_of(prior, found->alpha),
                                .alpha_all_low = all_of(prior, found->low),
                                .alpha_all_high = all_of(prior, found->high),
                                .auroc = found->auroc,
                                .auroc_low = found->auroc_low,
                                .auroc_high = found->auroc_high,
                                .rows_used = prior->used_unlabeled,
                                .refused = found->refused,
                                .reason = prior->found.reason,
                                .probabilities = prior->probabilities,
                                .point_count = prior->points,
                                .x = prior->x,
                                .y = prior->y};
    return struct_write(out, &made, sizeof made, "puad_prior_evidence");
}
