/* Thresholds offered by the page, the distribution of scores, and groups of flagged rows, as JSON. */
#include "cli/library_values.h"
#include "cli/report/report.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 80, RUG_MAX = 400, GROUPS_MAX = 12, LADDER = 400 };

puad_status report_json_figure(cJSON *to, const char *name, puad_figure figure)
{
    cJSON *list = cJSON_AddArrayToObject(to, name);
    const double values[] = {figure.value, figure.low, figure.high};
    for (int i = 0; i < 3; i++)
        cJSON_AddItemToArray(list, isfinite(values[i]) ? json_exact_number(round(values[i] * 1e4) / 1e4)
                                                       : cJSON_CreateNull());
    return PUAD_OK;
}

static void add_range(double *low, double *high, float score)
{
    *low = fmin(*low, (double)score);
    *high = fmax(*high, (double)score);
}

/* Equal bins for the ranked rows and the labeled anomalies. */
static puad_status add_scores(cJSON *to, const report *self)
{
    double counts[BINS], low = (double)self->sketch.min, high = (double)self->sketch.max;
    size_t anomalies = calibration_of(self->model).anomaly_count, step = anomalies / RUG_MAX + 1;
    const float *labeled = calibration_of(self->model).anomalies;
    for (size_t i = 0; i < anomalies; i++) add_range(&low, &high, labeled[i]);
    score_sketch_bins(counts, BINS, low, high, &self->sketch);
    cJSON *scores = cJSON_AddObjectToObject(to, "scores");
    json_add_double(scores, "from", low);
    json_add_double(scores, "to", high);
    cJSON *bins = cJSON_AddArrayToObject(scores, "counts");
    for (int i = 0; i < BINS; i++) cJSON_AddItemToArray(bins, cJSON_CreateNumber(counts[i]));
    cJSON *marks = cJSON_AddArrayToObject(scores, "labeled");
    for (size_t i = 0; i < anomalies; i += step)
        cJSON_AddItemToArray(marks, json_exact_number((double)labeled[i]));
    /* For several numbers of rows, the score that approximately that many rows reach. */
    cJSON *ladder = cJSON_AddArrayToObject(scores, "ladder");
    for (int i = 0; i <= LADDER && self->ranked_count; i++) {
        size_t rank = (size_t)((double)(self->ranked_count - 1) * i / LADDER);
        cJSON *step_pair = cJSON_CreateArray();
        cJSON_AddItemToArray(ladder, step_pair);
        cJSON_AddItemToArray(step_pair, cJSON_CreateNumber((double)rank + 1));
        cJSON_AddItemToArray(step_pair,
                             json_exact_number((double)(float)score_sketch_at(&self->sketch, rank)));
    }
    return PUAD_OK;
}

puad_status report_json_thresholds(cJSON *to, report *self)
{
    cJSON_AddNumberToObject(to, "ranked", (double)self->ranked_count);
    cJSON_AddNumberToObject(to, "flagged", (double)report_flagged(self));
    cJSON *stops = cJSON_AddArrayToObject(to, "thresholds");
    for (size_t i = 0; i < self->stop_count; i++) {
        const report_stop *stop = &self->stops[i];
        cJSON *one = cJSON_CreateObject();
        char text[32];
        snprintf(text, sizeof text, "%.9g", stop->threshold);
        cJSON_AddItemToArray(stops, one);
        json_add_double(one, "threshold", stop->threshold);
        cJSON_AddStringToObject(one, "typed", text);
        cJSON_AddNumberToObject(one, "flagged", (double)stop->flagged);
        if (!stop->judged) continue;
        TRY(report_json_figure(one, "recall", stop->recall));
        if (!report_is_declined(self)) TRY(report_json_figure(one, "precision", stop->precision));
    }
    if (!self->stop_count) return PUAD_OK;
    if (isinf(self->cut))
        cJSON_AddNullToObject(to, "suggested");
    else
        cJSON_AddNumberToObject(to, "suggested", (double)self->suggested);
    cJSON_AddStringToObject(to, "suggestion", self->suggestion);
    return add_scores(to, self);
}

puad_status report_json_groups(cJSON *to, report *self)
{
    cJSON *groups = cJSON_AddArrayToObject(to, "groups");
    for (size_t g = 0; self->groups && !self->image && g < puad_groups_count(self->groups) && g < GROUPS_MAX;
         g++) {
        puad_group group = {.struct_size = sizeof group};
        TRY(puad_groups_at(self->groups, &group, g));
        size_t size = group.rows, known = 0;
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(groups, one);
        cJSON *members = cJSON_AddArrayToObject(one, "members");
        for (size_t i = 0; i < self->grouped_count; i++) {
            if (puad_groups_of_row(self->groups, i) != g) continue;
            known += self->grouped_known[i];
            cJSON_AddItemToArray(members, cJSON_CreateNumber((double)self->grouped[i]));
        }
        cJSON_AddNumberToObject(one, "size", (double)size);
        if (self->kinds) cJSON_AddStringToObject(one, "kind", 2 * known >= size ? "known" : "new");
        cJSON_AddNumberToObject(one, "example", (double)self->grouped[group.example]);
        cJSON *reasons = cJSON_AddArrayToObject(one, "reasons");
        for (size_t k = 0; k < group.reasons; k++) {
            puad_reason source = {.struct_size = sizeof source};
            TRY(puad_groups_reason(self->groups, &source, g, k));
            cJSON *reason = cJSON_CreateObject();
            cJSON_AddItemToArray(reasons, reason);
            cJSON_AddNumberToObject(reason, "column", (double)source.index);
            cJSON_AddNumberToObject(reason, "share", round(source.contribution * 1e3) / 1e3);
        }
    }
    cJSON_AddNumberToObject(to, "grouped", (double)self->grouped_count);
    return PUAD_OK;
}
