/* Implements <puad/calibration.h>: the held-out scores of a model, and the operating table. */
#include "base/c_locale.h"
#include "decide/decision.h"
#include "decide/operating.h"
#include "detector/model/model.h"
#include "options/options.h"

#include <math.h>
#include <puad/calibration.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)PUAD_OPERATING_POINTS_MAX == (int)OPERATING_POINTS_MAX, "one bound");

puad_status puad_detector_calibration(const puad_detector *model, puad_calibration *out)
{
    NEED(model);
    NEED(out);
    const calibration *held = &model->held_out;
    bool known = held->unlabeled_count && !held->alpha_unknown;
    puad_calibration made = {.unlabeled = held->unlabeled_count ? held->unlabeled : NULL,
                             .unlabeled_count = held->unlabeled_count,
                             .anomalies = held->anomaly_count ? held->anomalies : NULL,
                             .anomaly_count = held->anomaly_count,
                             .fraction = held->share,
                             .alpha_known = known,
                             .alpha_estimated = held->alpha_estimated,
                             .alpha = known ? held->alpha : (double)NAN,
                             .alpha_low = known ? held->alpha_low : (double)NAN,
                             .alpha_high = known ? held->alpha_high : (double)NAN};
    return struct_write(out, &made, sizeof made, "puad_calibration");
}

struct puad_operating {
    operating_table table;
};

static puad_status check_held(const calibration *held, bool alpha_given)
{
    if (held->unlabeled_count == 0)
        FAIL(PUAD_INVALID, "the model has no held-out scores: train it again with option 'calibrate'");
    if (held->anomaly_count == 0)
        FAIL(PUAD_INVALID,
             "the model was calibrated without labeled anomalies, which the operating table needs");
    if (held->alpha_unknown && !alpha_given)
        FAIL(PUAD_INVALID,
             "alpha could not be estimated from the training data: give it with option 'alpha=FRACTION'");
    return PUAD_OK;
}

/* If alpha is not identifiable, only recall and the intervals of alpha and the AUROC remain. The best point is
 * the one with the largest Youden index, TPR - FPR = (recall - flagged) / (1 - alpha), whatever alpha is. */
static void decline(operating_table *table)
{
    const operating_figure none = {NAN, NAN, NAN, NAN};
    double largest = -INFINITY;
    for (size_t i = 0; i < table->count; i++) {
        double index = table->points[i].tpr.raw - table->points[i].flagged;
        if (!(index > largest)) continue;
        largest = index;
        table->best_f1 = i;
    }
    table->alpha = table->auroc.value = table->auroc.raw = NAN;
    for (size_t i = 0; i < table->count; i++)
        table->points[i].precision = table->points[i].fpr = table->points[i].f1 = none;
}

static puad_status decline_if_open(operating_table *table, const calibration *held,
                                   const puad_options *options)
{
    conformal conformal_scores = {0};
    pu_sample sample = calibration_sample(held);
    TRY(conformal_new(&conformal_scores, &sample, NAN));
    conformal_reason reason = decision_declines(&conformal_scores, held);
    puad_status status = decision_warn_declined(reason, &conformal_scores, held, options);
    if (reason) decline(table);
    conformal_free(&conformal_scores);
    return status;
}

static puad_status make(operating_table *out, const calibration *held, size_t points,
                        const puad_options *options)
{
    AUTO_TEAM team *workers = NULL;
    bool given = OPTION_GIVEN(options, alpha);
    double alpha = held->alpha;
    TRY(check_held(held, given));
    if (given) {
        const char *text = OPTION_TEXT_OF(options, alpha);
        if (!option_read_fraction(&alpha, text) || !(alpha >= 0 && alpha < 1))
            FAIL(PUAD_INVALID, "option 'alpha': '%s' is not a fraction of at least 0 and below 1", text);
    }
    TRY(options_team(&workers, options));
    uint64_t seed = (uint64_t)OPTION_INTEGER_OF(options, seed);
    pu_sample sample = calibration_sample(held);
    alpha_interval interval = {alpha, given ? alpha : held->alpha_low, given ? alpha : held->alpha_high};
    TRY(operating_table_new(out, &sample, &interval, points, seed, workers));
    if (given || !held->modeled || !held->alpha_estimated) return PUAD_OK;
    TRY(operating_table_model(out, &sample, seed));
    return decline_if_open(out, held, options);
}

puad_status puad_operating_new(puad_operating **out, const puad_detector *model, size_t points,
                               const puad_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(model);
    if (points < 2 || points > OPERATING_POINTS_MAX)
        FAIL(PUAD_INVALID, "%zu points, expected 2 to %d", points, OPERATING_POINTS_MAX);
    puad_operating *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "an operating table"));
    puad_status status = make(&made->table, &model->held_out, points, options);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_operating_free(made);
    return status;
}

void puad_operating_free(puad_operating *table)
{
    if (!table) return;
    operating_table_free(&table->table);
    free(table);
}

void puad_operating_thin(puad_operating *table, size_t points)
{
    if (table) operating_table_thin(&table->table, points < 2 ? 2 : points);
}

static puad_figure figure(const operating_figure *point)
{
    return (puad_figure){point->value, point->low, point->high, point->raw};
}

puad_status puad_operating_summary(const puad_operating *table, puad_operating_info *out)
{
    NEED(table);
    NEED(out);
    const operating_table *operating = &table->table;
    puad_operating_info made = {
        .count = operating->count,
        .best_f1 = operating->best_f1,
        .auroc = figure(&operating->auroc),
        .alpha = {operating->alpha, operating->alpha_low, operating->alpha_high, operating->alpha}};
    return struct_write(out, &made, sizeof made, "puad_operating_info");
}

puad_status puad_operating_at(const puad_operating *table, puad_operating_point *out, size_t point)
{
    NEED(table);
    NEED(out);
    if (point >= table->table.count)
        FAIL(PUAD_INVALID, "point %zu; the table has %zu", point, table->table.count);
    const operating_point *at = &table->table.points[point];
    puad_operating_point made = {.threshold = at->threshold,
                                 .flagged = at->flagged,
                                 .ratio = at->tpr.raw > 0 ? at->flagged / at->tpr.raw : (double)NAN,
                                 .recall = figure(&at->tpr),
                                 .fpr = figure(&at->fpr),
                                 .precision = figure(&at->precision),
                                 .f1 = figure(&at->f1)};
    return struct_write(out, &made, sizeof made, "puad_operating_point");
}
