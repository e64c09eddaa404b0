/* Collects the scores of an input, and prints the result of an audit in sentences. */
#include "cli/audit/audit_scores.h"
#include "cli/library_values.h"

#include "base/memory.h"
#include "cli/common/json_line.h"
#include "cli/common/message.h"
#include "cli/common/spinner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

puad_status score_list_add(score_list *to, const float *scores, size_t count)
{
    if (to->count + count > to->capacity) {
        size_t capacity = 2 * (to->count + count);
        TRY(memory_grow(&to->scores, capacity, sizeof *to->scores, "scores"));
        to->capacity = capacity;
    }
    if (count) memcpy(to->scores + to->count, scores, count * sizeof *scores);
    to->count += count;
    return PUAD_OK;
}

void score_list_free(score_list *owner)
{
    free(owner->scores);
    *owner = (score_list){0};
}

static puad_status read_stream(score_list *to, puad_stream *stream)
{
    for (;;) {
        TRY(puad_stream_next(stream));
        if (block_of(stream).rows == 0) return PUAD_OK;
        TRY(score_list_add(to, block_of(stream).scores, block_of(stream).rows));
    }
}

puad_status score_list_read(score_list *to, const puad_detector *model, const char *path,
                            const puad_options *options, bool quiet)
{
    puad_stream *stream = NULL;
    TRY(puad_stream_open(&stream, model, path, options));
    activity_begin_reading("scoring", quiet, &path, 1, 1);
    puad_status status = read_stream(to, stream);
    activity_end();
    puad_stream_free(stream);
    return status;
}

puad_status audit_of_answers(puad_audit **out, const score_list *scores, const invocation *call)
{
    const option_value *files = value_of(call, "answers");
    return puad_audit_read(out, scores->scores, scores->count, files->list, files->list_count);
}

double audit_rate(const invocation *call)
{
    return is_given(call, "fdr") ? value_of(call, "fdr")->number : 0;
}

static void tell_interval(const char *who, const char *name, const puad_audit_estimate *estimate)
{
    if (!isnan(estimate->value))
        message_print(MESSAGE_NOTE, who, "%s: %.3g (%.3g to %.3g)", name, estimate->value, estimate->low,
                      estimate->high);
}

void audit_tell(const invocation *call, const puad_audit_result *result)
{
    const char *name = call->command->name;
    bool threshold = !isnan(result->threshold);
    if (threshold) {
        message_print(MESSAGE_NOTE, name, "%zu rows are flagged, with scores of at least %.9g",
                      result->flagged, result->threshold);
        message_print(MESSAGE_NOTE, name,
                      "the expected fraction of false alarms is at most %.3g, whatever the labels",
                      result->rate);
        message_print(MESSAGE_NOTE, name, "with %d%% confidence it is at most %.3g", AUDIT_CONFIDENCE_PERCENT,
                      result->limit);
    } else {
        message_print(MESSAGE_NOTE, name, "the answers support no threshold at a rate of %.3g", result->rate);
        message_print(MESSAGE_NOTE, name, "only the %zu checked anomalies are flagged", result->flagged);
    }
    message_print(MESSAGE_NOTE, name, "%zu rows are checked, %zu of them anomalies", result->checked,
                  result->anomalies);
    if (result->unanswered)
        message_print(MESSAGE_NOTE, name, "%zu rows without an answer count as normal", result->unanswered);
    tell_interval(name, "precision", &result->precision);
    tell_interval(name, "recall", &result->recall);
    tell_interval(name, "fraction of anomalies", &result->alpha);
    if (!threshold && !isnan(result->lowest_rate))
        message_print(MESSAGE_NOTE, name, "the smallest supported rate is %.3g, with %zu rows flagged",
                      result->lowest_rate, result->lowest_rate_flagged);
    if (result->checks_for_rate > result->checked)
        message_print(MESSAGE_NOTE, name, "a rate of %.3g would take about %zu checks in all",
                      threshold ? result->rate / 2 : result->rate, result->checks_for_rate);
    if (result->checks_for_rows > result->checked)
        message_print(MESSAGE_NOTE, name, "flagging half as many rows again would take about %zu checks",
                      result->checks_for_rows);
}

static void add_estimate(cJSON *object, const char *name, const puad_audit_estimate *estimate)
{
    cJSON *json = cJSON_AddObjectToObject(object, name);
    json_add_double(json, "value", estimate->value);
    json_add_double(json, "low", estimate->low);
    json_add_double(json, "high", estimate->high);
}

void audit_add_json(cJSON *object, const puad_audit_result *result)
{
    cJSON *json = cJSON_AddObjectToObject(object, "audit");
    cJSON_AddNumberToObject(json, "checked", (double)result->checked);
    cJSON_AddNumberToObject(json, "anomalies", (double)result->anomalies);
    cJSON_AddNumberToObject(json, "unanswered", (double)result->unanswered);
    cJSON_AddNumberToObject(json, "flagged", (double)result->flagged);
    json_add_double(json, "threshold", result->threshold);
    json_add_double(json, "rate", result->rate);
    json_add_double(json, "round_rate", result->round_rate);
    json_add_double(json, "limit", result->limit);
    cJSON_AddNumberToObject(json, "confidence", AUDIT_CONFIDENCE_PERCENT / 100.0);
    json_add_double(json, "lowest_rate", result->lowest_rate);
    cJSON_AddNumberToObject(json, "lowest_rate_flagged", (double)result->lowest_rate_flagged);
    cJSON_AddNumberToObject(json, "checks_for_rate", (double)result->checks_for_rate);
    cJSON_AddNumberToObject(json, "checks_for_rows", (double)result->checks_for_rows);
    add_estimate(json, "precision", &result->precision);
    add_estimate(json, "recall", &result->recall);
    add_estimate(json, "alpha", &result->alpha);
}

puad_status audit_point(puad_audit_point *out, const puad_audit *audit, size_t index)
{
    *out = (puad_audit_point){.struct_size = sizeof *out};
    return puad_audit_point_get(audit, index, AUDIT_CONFIDENCE_PERCENT / 100.0, out);
}

puad_status audit_add_points(cJSON *object, const puad_audit *audit, size_t count)
{
    cJSON *points = cJSON_AddArrayToObject(object, "points");
    for (size_t i = 0; i < count; i++) {
        puad_audit_point point;
        TRY(audit_point(&point, audit, i));
        cJSON *json = cJSON_CreateObject();
        json_add_double(json, "threshold", point.threshold);
        cJSON_AddNumberToObject(json, "flagged", (double)point.flagged);
        json_add_double(json, "rate", point.rate);
        json_add_double(json, "limit", point.limit);
        add_estimate(json, "precision", &point.precision);
        add_estimate(json, "recall", &point.recall);
        cJSON_AddItemToArray(points, json);
    }
    return PUAD_OK;
}
