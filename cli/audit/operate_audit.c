/* Prints the operating table of an audit. */
#include "cli/audit/operate_audit.h"

#include "cli/audit/audit_scores.h"
#include "cli/common/table_print.h"

#include <math.h>
#include <stdio.h>

static void audit_freed(puad_audit **owner)
{
    puad_audit_free(*owner);
}
static void model_freed(puad_detector **owner)
{
    puad_detector_free(*owner);
}
#define AUTO_AUDIT __attribute__((cleanup(audit_freed)))
#define AUTO_MODEL __attribute__((cleanup(model_freed)))
#define AUTO_SCORES __attribute__((cleanup(score_list_free)))

static void print_estimate(const puad_audit_estimate *estimate)
{
    if (isnan(estimate->value))
        printf("  %-19s", "unknown");
    else
        printf("  %.3f (%.3f-%.3f)", estimate->value, estimate->low, estimate->high);
}

static puad_status print_text(const puad_audit *audit, size_t points)
{
    printf("%15s  %7s  %7s  %7s  %-19s  %s\n", "threshold", "flagged", "rate", "limit", "precision",
           "recall");
    for (size_t i = 0; i < points; i++) {
        puad_audit_point point;
        TRY(audit_point(&point, audit, i));
        printf("%15.9g  %7zu  %7.3f  %7.3f", point.threshold, point.flagged, point.rate, point.limit);
        print_estimate(&point.precision);
        print_estimate(&point.recall);
        putchar('\n');
    }
    printf("\nrate: the smallest --fdr that supports the threshold. limit: with %d%% confidence the fraction "
           "of false\nalarms is at most this, for all thresholds at once. In brackets %d%% intervals.\n",
           AUDIT_CONFIDENCE_PERCENT, AUDIT_CONFIDENCE_PERCENT);
    return PUAD_OK;
}

static puad_status print_json(const invocation *call, const puad_audit *audit,
                              const puad_audit_result *result)
{
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "model", call->arguments[0]);
    cJSON_AddStringToObject(object, "input", call->arguments[1]);
    audit_add_json(object, result);
    TRY(audit_add_points(object, audit, result->point_count));
    return result_print(call, object, "points");
}

puad_status operate_audit(const invocation *call)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    AUTO_MODEL puad_detector *model = NULL;
    AUTO_SCORES score_list scores = {0};
    AUTO_AUDIT puad_audit *audit = NULL;
    puad_audit_result result = {.struct_size = sizeof result};
    TRY(call_options(&options, call));
    TRY(puad_detector_load(&model, call->arguments[0]));
    TRY(score_list_read(&scores, model, call->arguments[1], options, is_given(call, "quiet")));
    TRY(audit_of_answers(&audit, &scores, call));
    TRY(puad_audit_check_labels(audit, model, options));
    TRY(puad_audit_decide(audit, audit_rate(call), AUDIT_CONFIDENCE_PERCENT / 100.0, &result));
    if (!prints_text(call)) return print_json(call, audit, &result);
    TRY(print_text(audit, result.point_count));
    if (!is_given(call, "quiet")) audit_tell(call, &result);
    return PUAD_OK;
}
