/* An isolation forest trained on the same rows, as a baseline for the model. */
#include "cli/library_values.h"
#include "cli/report/report.h"

enum { POINTS = 64, ROWS_MAX = 1000000 };

static void ignore(void *context, const puad_warning *warning)
{
    (void)context;
    (void)warning;
}

static puad_status train_baseline(puad_detector **out, const report *self)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    char share[32], holdout[32];
    TRY(puad_options_new(&options));
    snprintf(holdout, sizeof holdout, "%.9g", calibration_of(self->model).fraction);
    TRY(puad_options_set(options, "method", "if"));
    TRY(puad_options_set(options, "calibrate", holdout));
    TRY(puad_options_set(options, "threads", puad_options_get(self->options, "threads")));
    if (puad_options_entry(self->options, "seed", 0))
        TRY(puad_options_set(options, "seed", puad_options_get(self->options, "seed")));
    puad_calibration held = calibration_of(self->model);
    if (held.alpha_known) {
        snprintf(share, sizeof share, "%.9g", held.alpha);
        TRY(puad_options_set(options, "alpha", share));
    }
    puad_options_set_warning(options, ignore, NULL);
    return puad_detector_fit(out, self->train, options);
}

static puad_status add_recall(cJSON *to, const puad_detector *baseline, const report *self)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    puad_operating *table = NULL;
    TRY(puad_options_new(&options));
    TRY(puad_options_set(options, "threads", puad_options_get(self->options, "threads")));
    puad_options_set_warning(options, ignore, NULL);
    TRY(puad_operating_new(&table, baseline, POINTS, options));
    puad_status status = report_json_figure(to, "auroc", operating_of(table).auroc);
    cJSON *list = cJSON_AddArrayToObject(to, "operating");
    for (size_t i = 0; i < operating_of(table).count && status == PUAD_OK; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
        json_add_double(one, "flagged", operating_point(table, i).flagged);
        status = report_json_figure(one, "recall", operating_point(table, i).recall);
    }
    puad_operating_free(table);
    return status;
}

puad_status report_json_baseline(cJSON *to, report *self)
{
    puad_detector *baseline = NULL;
    if (!self->table || !self->train || self->image || self->window ||
        puad_dataset_rows(self->train) > ROWS_MAX)
        return PUAD_OK;
    AUTO_JSON cJSON *found = cJSON_CreateObject();
    cJSON_AddStringToObject(found, "method", "isolation forest");
    puad_status status = train_baseline(&baseline, self);
    if (status == PUAD_OK) status = add_recall(found, baseline, self);
    puad_detector_free(baseline);
    if (status == PUAD_OK) {
        cJSON_AddItemToObject(to, "baseline", found);
        found = NULL;
    }
    return status == PUAD_MEMORY ? status : PUAD_OK; /* the baseline is optional */
}
