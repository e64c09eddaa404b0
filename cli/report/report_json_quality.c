/* Estimates from held-out rows as JSON: recall and precision, alpha, and the calibration of probabilities. */
#include "cli/library_values.h"
#include "cli/report/report.h"

#include <math.h>

enum { BINS = 40, PROBABILITY_BINS = 10 };

static void add_histogram(cJSON *to, const char *name, const float *scores, size_t count, double low,
                          double high)
{
    size_t counts[BINS] = {0};
    for (size_t i = 0; i < count; i++) {
        double place = high > low ? ((double)scores[i] - low) / (high - low) * BINS : 0;
        counts[place < 0 ? 0 : place >= BINS ? BINS - 1 : (size_t)place]++;
    }
    cJSON *list = cJSON_AddArrayToObject(to, name);
    for (int i = 0; i < BINS; i++) cJSON_AddItemToArray(list, cJSON_CreateNumber((double)counts[i]));
}

static void add_held_out(cJSON *to, const report *self)
{
    size_t unlabeled = calibration_of(self->model).unlabeled_count,
           anomalies = calibration_of(self->model).anomaly_count;
    const float *u = calibration_of(self->model).unlabeled, *a = calibration_of(self->model).anomalies;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < unlabeled + anomalies; i++) {
        double score = (double)(i < unlabeled ? u[i] : a[i - unlabeled]);
        low = fmin(low, score);
        high = fmax(high, score);
    }
    if (!unlabeled) return;
    cJSON *held = cJSON_AddObjectToObject(to, "held_out");
    cJSON_AddNumberToObject(held, "unlabeled_rows", (double)unlabeled);
    cJSON_AddNumberToObject(held, "anomaly_rows", (double)anomalies);
    json_add_double(held, "from", low);
    json_add_double(held, "to", high);
    add_histogram(held, "unlabeled", u, unlabeled, low, high);
    add_histogram(held, "anomalies", a, anomalies, low, high);
}

static puad_status add_table(cJSON *to, const report *self)
{
    cJSON *list = cJSON_AddArrayToObject(to, "operating");
    for (size_t i = 0; i < operating_of(self->table).count; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
        json_add_double(one, "threshold", operating_point(self->table, i).threshold);
        json_add_double(one, "flagged", operating_point(self->table, i).flagged);
        TRY(report_json_figure(one, "recall", operating_point(self->table, i).recall));
        if (report_is_declined(self)) continue;
        TRY(report_json_figure(one, "precision", operating_point(self->table, i).precision));
        TRY(report_json_figure(one, "false_positive_rate", operating_point(self->table, i).fpr));
        TRY(report_json_figure(one, "f1", operating_point(self->table, i).f1));
    }
    return PUAD_OK;
}

/* Stated probabilities of the held-out unlabeled rows by bins, and the estimate from labels for each bin:
 * alpha x (fraction of the labeled anomalies in it) / (fraction of the unlabeled rows in it). */
static void add_calibration(cJSON *to, const report *self, double alpha)
{
    size_t unlabeled = calibration_of(self->model).unlabeled_count,
           anomalies = calibration_of(self->model).anomaly_count;
    const float *u = calibration_of(self->model).unlabeled, *a = calibration_of(self->model).anomalies;
    double sums[PROBABILITY_BINS] = {0};
    size_t rows[PROBABILITY_BINS] = {0}, labeled[PROBABILITY_BINS] = {0};
    if (!decided(self->decider).has_probability || !anomalies) return;
    for (size_t i = 0; i < unlabeled + anomalies; i++) {
        double stated = puad_decider_probability(self->decider, i < unlabeled ? u[i] : a[i - unlabeled]);
        if (isnan(stated)) return;
        size_t bin = stated >= 1 ? PROBABILITY_BINS - 1 : (size_t)(fmax(stated, 0) * PROBABILITY_BINS);
        if (i < unlabeled) {
            rows[bin]++;
            sums[bin] += stated;
        } else {
            labeled[bin]++;
        }
    }
    cJSON *list = cJSON_AddArrayToObject(to, "probabilities");
    for (int i = 0; i < PROBABILITY_BINS; i++) {
        if (!rows[i]) continue;
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
        cJSON_AddNumberToObject(one, "rows", (double)rows[i]);
        cJSON_AddNumberToObject(one, "labeled", (double)labeled[i]);
        json_add_double(one, "stated", (double)(float)(sums[i] / (double)rows[i]));
        double estimated =
            alpha * ((double)labeled[i] / (double)anomalies) / ((double)rows[i] / (double)unlabeled);
        json_add_double(one, "estimated", (double)(float)fmin(estimated, 1));
    }
}

puad_status report_json_quality(cJSON *to, report *self)
{
    puad_calibration held = calibration_of(self->model);
    cJSON *one = cJSON_AddObjectToObject(to, "contamination");
    if (held.alpha_known) {
        if (report_is_declined(self))
            cJSON_AddNullToObject(one, "value");
        else
            json_add_double(one, "value", held.alpha);
        json_add_double(one, "low", held.alpha_low);
        json_add_double(one, "high", held.alpha_high);
        cJSON_AddBoolToObject(one, "estimated", held.alpha_estimated);
    }
    json_add_double(one, "used", info_of(self->model).alpha);
    cJSON_AddStringToObject(one, "kind", info_of(self->model).alpha_kind);
    cJSON_AddBoolToObject(to, "declined", report_is_declined(self));
    if (self->table_lacks) cJSON_AddStringToObject(to, "no_estimates", self->table_lacks);
    if (self->uncalibrated) cJSON_AddStringToObject(to, "uncalibrated", self->uncalibrated);
    add_held_out(to, self);
    if (!self->table) return PUAD_OK;
    TRY(report_json_figure(to, "auroc", operating_of(self->table).auroc));
    TRY(add_table(to, self));
    if (held.alpha_known && !report_is_declined(self)) add_calibration(to, self, held.alpha);
    return PUAD_OK;
}
