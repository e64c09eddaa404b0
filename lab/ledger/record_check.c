/* Checks records from outside. */
#include "lab/ledger/record_check.h"
#include "cli/library_values.h"

#include "base/json.h"
#include "base/plain_text.h"
#include "detector/model/detectors.h"
#include "detector/network/history.h"
#include "lab/run/epoch_curve.h"
#include "lab/run/plan.h"
#include "lab/run/run_experiment.h"
#include "lab/sets/file_set.h"

#include <math.h>
#include <puad/options.h>
#include <string.h>
#include <time.h>

#define COUNT_MAX 1e9

/* Ranges of numbers. Unknown results are NaN, or -1 for counts. A loss may have any value: that of a
 * diverged training is infinite. */
static const struct {
    const char *name;
    double min, max;
} ranges[] = {
    {"alpha", 0, 1},
    {"normals", 0, COUNT_MAX},
    {"hidden", 0, COUNT_MAX},
    {"labeled", 0, COUNT_MAX},
    {"share", 0, 1},
    {"auroc", 0, 1},
    {"auroc_seen", 0, 1},
    {"auroc_unseen", 0, 1},
    {"auprc", 0, 1},
    {"alpha_u", 0, 1},
    {"alpha_all", 0, 1},
    {"reduced", -1, 1},
    {"train_rows", -1, COUNT_MAX},
    {"test_rows", -1, COUNT_MAX},
    {"best_epoch", -1, COUNT_MAX},
    {"epochs_run", -1, COUNT_MAX},
    {"seconds", 0, COUNT_MAX},
    {"pretrain_seconds", 0, COUNT_MAX},
};

static puad_status check_range(const lab_record *record, const field *which, double min, double max)
{
    const char *at = (const char *)record + which->offset;
    double value = which->type == FIELD_REAL ? *(const double *)at : (double)*(const long long *)at;
    if (!isnan(value) && !(value >= min && value <= max))
        FAIL(PUAD_INVALID, "%s: %g is not a number from %g to %g", which->name, value, min, max);
    return PUAD_OK;
}

static puad_status check_ranges(const lab_record *record)
{
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        TRY(check_range(record, lab_field(ranges[i].name), ranges[i].min, ranges[i].max));
    /* the range that a fit accepts: the bounds of the option table */
    for (size_t i = 0; i < lab_option_count; i++) {
        const field *which = &lab_fields(&(size_t){0})[i];
        size_t index = puad_option_find(which->name);
        if (which->type == FIELD_INTEGER && option_at(index).type == PUAD_OPTION_INTEGER)
            TRY(check_range(record, which, option_at(index).min, option_at(index).max));
    }
    return PUAD_OK;
}

/* Relations between the results of a run and its options; unknown results are skipped. */
static puad_status check_relations(const lab_record *record)
{
    const lab_cell *cell = &record->cell;
    const lab_result *result = &record->result;
    const double tiny = 1e-9;
    if (result->epochs_run > cell->epochs)
        FAIL(PUAD_INVALID, "epochs_run: %lld of %lld", result->epochs_run, cell->epochs);
    if (result->epochs_run >= 0 && result->best_epoch > 0 && result->best_epoch >= result->epochs_run)
        FAIL(PUAD_INVALID, "best_epoch: %lld, but only %lld were run", result->best_epoch,
             result->epochs_run);
    if (result->train_rows == 0 || result->test_rows == 0 ||
        (!*cell->protocol && result->train_rows > lab_rows(cell)))
        FAIL(PUAD_INVALID, "train_rows, test_rows: %lld and %lld, for an experiment with %lld training rows",
             result->train_rows, result->test_rows, lab_rows(cell));
    double min = fmin(result->auroc_seen, result->auroc_unseen),
           max = fmax(result->auroc_seen, result->auroc_unseen);
    bool known = !isnan(result->auroc_seen) && !isnan(result->auroc_unseen);
    if (known && (result->auroc < min - tiny || result->auroc > max + tiny))
        FAIL(PUAD_INVALID, "auroc: %g is not between those of seen and unseen anomalies, %g and %g",
             result->auroc, result->auroc_seen, result->auroc_unseen);
    return PUAD_OK;
}

/* Strings that a run writes in a few patterns. */
static puad_status check_texts(const lab_result *result)
{
    static const char *const kinds[] = {"", "given", "alpha_U", "alpha_all"};
    struct tm when;
    bool kind = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        kind = kind || strcmp(result->alpha_kind, kinds[i]) == 0;
    if (!kind)
        FAIL(PUAD_INVALID, "alpha_kind: '%s' is not one of given, alpha_U, alpha_all", result->alpha_kind);
    const char *end = strptime(result->finished, "%Y-%m-%dT%H:%M:%SZ", &when);
    if (*result->finished && (!end || *end))
        FAIL(PUAD_INVALID, "finished: '%s' does not have the form 2026-01-31T12:00:00Z", result->finished);
    return PUAD_OK;
}

/* Fails with "name: ..." if the check of that field has failed. */
static puad_status of_member(const char *name, puad_status status)
{
    if (status != PUAD_OK) status_prefix("%s", name);
    return status;
}

static puad_status check_history(const char *text)
{
    if (!*text) return PUAD_OK;
    AUTO_JSON cJSON *json = NULL;
    AUTO_HISTORY history epochs = {0};
    AUTO_ARENA arena scratch = {0};
    TRY(json_parse(&json, text, "history"));
    TRY(history_from_json(&epochs, json));
    for (int kind = 0; kind < CURVE_KINDS; kind++)
        for (int averaged = 0; averaged < 2; averaged++) {
            double *values;
            size_t count;
            TRY(curve_from_json(&values, &count, &scratch, json, (anomalies)kind, averaged));
        }
    return PUAD_OK;
}

/* Strings are shown on terminals and pages. The history is JSON, which its reader checks. */
static puad_status check_printable(const lab_record *record)
{
    size_t count;
    const field *fields = lab_fields(&count);
    for (size_t i = 0; i < count; i++) {
        if (fields[i].type != FIELD_TEXT || strcmp(fields[i].name, "history") == 0) continue;
        const char *text = *(const char *const *)((const char *)record + fields[i].offset);
        if (!text_is_plain(text)) FAIL(PUAD_INVALID, "%s: contains control characters", fields[i].name);
    }
    return PUAD_OK;
}

puad_status lab_record_check_values(const lab_record *record)
{
    TRY(lab_cell_check(&record->cell));
    TRY(check_ranges(record));
    TRY(check_printable(record));
    return check_texts(&record->result);
}

puad_status lab_record_check(lab_record *record, arena *memory)
{
    lab_cell *cell = &record->cell;
    const set_row *about;
    TRY(lab_record_check_values(record));
    if (!set_is_of_file(cell->dataset)) TRY(of_member("dataset", set_find(&about, cell->dataset)));
    TRY(of_member(detector_kind_find(cell->method) ? "objective" : "method", lab_cell_settle(cell)));
    TRY(lab_cell_name_classes(cell, memory));
    TRY(lab_check_cell(cell));
    TRY(check_relations(record));
    return check_history(record->result.history);
}
