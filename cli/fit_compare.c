/* Compares a model with the one it was updated from. */
#include "cli/fit_compare.h"
#include "cli/library_values.h"

#include "cli/common/figure_json.h"

#include <math.h>
#include <stdio.h>

enum { GRID = 64 }; /* enough points that the best of them is close to the optimum */

static void table_freed(puad_operating **owner)
{
    puad_operating_free(*owner);
}
#define AUTO_OPERATING __attribute__((cleanup(table_freed)))

static puad_status table_of(puad_operating **out, const puad_detector *model, const invocation *call)
{
    puad_options *options = NULL; /* each model uses its alpha */
    TRY(puad_options_new(&options));
    puad_status status = puad_options_set(options, "threads", value_of(call, "threads")->text);
    if (status == PUAD_OK) status = puad_operating_new(out, model, GRID, options);
    puad_options_free(options);
    return status;
}

static void print_line(const char *name, puad_figure before, puad_figure after)
{
    fprintf(stderr, "  %-22s %.3f (%.3f to %.3f)  ->  %.3f (%.3f to %.3f)\n", name, before.value, before.low,
            before.high, after.value, after.low, after.high);
}

static const char *what_lacks(const puad_detector *old, const puad_detector *new)
{
    if (!calibration_of(old).unlabeled_count || !calibration_of(new).unlabeled_count)
        return "rows must be held out in both models (--calibrate)";
    if (!calibration_of(old).anomaly_count || !calibration_of(new).anomaly_count)
        return "no labeled anomalies were held out";
    if (!calibration_of(old).alpha_known || !calibration_of(new).alpha_known)
        return "alpha could not be estimated from the data; give --alpha";
    return NULL;
}

static puad_operating_point best(const puad_operating *table)
{
    return operating_point(table, operating_of(table).best_f1);
}

puad_status fit_add_alpha(cJSON *object, const puad_detector *model)
{
    char *text = NULL;
    TRY(puad_detector_to_json(&text, model));
    AUTO_JSON cJSON *all = NULL;
    puad_status status = json_parse(&all, text, "the model");
    puad_free(text);
    TRY(status);
    cJSON *recipe = cJSON_GetObjectItemCaseSensitive(all, "recipe");
    static const char *const keys[] = {"alpha", "alpha_kind", "alphas"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(recipe, keys[i]);
        if (item) cJSON_AddItemToObject(object, keys[i], item);
    }
    return PUAD_OK;
}

static const char *alpha_text(char out[64], const puad_detector *model)
{
    const char *kind = info_of(model).alpha_kind;
    double alpha = info_of(model).alpha;
    if (!*kind) return "not used";
    if (isnan(alpha)) return "several (assumed)";
    snprintf(out, 64, "%.4f (%s)", alpha, kind);
    return out;
}

puad_status fit_print_moves(const puad_detector *model, const puad_detector *source, const invocation *call)
{
    AUTO_OPERATING puad_operating *before = NULL, *after = NULL;
    fprintf(stderr, "compared with %s:\n", value_of(call, "update")->text);
    fprintf(stderr, "  %-22s %s  ->  %s\n", "method", info_of(source).method, info_of(model).method);
    fprintf(stderr, "  %-22s %.0f and %.0f  ->  %.0f and %.0f\n", "anomalies, normals",
            (double)info_of(source).anomalies, (double)info_of(source).normals,
            (double)info_of(model).anomalies, (double)info_of(model).normals);
    char buffer[2][64];
    fprintf(stderr, "  %-22s %s  ->  %s\n", "alpha", alpha_text(buffer[0], source),
            alpha_text(buffer[1], model));
    const char *lacking = what_lacks(source, model);
    if (lacking) {
        fprintf(stderr, "  the operating tables cannot be compared: %s\n", lacking);
        return PUAD_OK;
    }
    TRY(table_of(&before, source, call));
    TRY(table_of(&after, model, call));
    puad_figure was = operating_of(before).alpha, is = operating_of(after).alpha;
    if (isnan(was.value) || isnan(is.value)) {
        fprintf(stderr, "  the operating tables cannot be compared: alpha is not identifiable\n");
        return PUAD_OK;
    }
    fprintf(stderr, "  %-22s %.4f (%.4f to %.4f)  ->  %.4f (%.4f to %.4f)\n", "alpha_U for decisions",
            was.value, was.low, was.high, is.value, is.low, is.high);
    print_line("AUROC", operating_of(before).auroc, operating_of(after).auroc);
    print_line("best F1", best(before).f1, best(after).f1);
    print_line("recall at best F1", best(before).recall, best(after).recall);
    print_line("precision at best F1", best(before).precision, best(after).precision);
    fprintf(stderr, "  %-22s %.9g  ->  %.9g\n", "threshold of best F1", best(before).threshold,
            best(after).threshold);
    return PUAD_OK;
}

static puad_status add_model(cJSON *object, const char *name, const puad_detector *model,
                             const invocation *call)
{
    AUTO_OPERATING puad_operating *table = NULL;
    cJSON *json = cJSON_AddObjectToObject(object, name);
    cJSON_AddStringToObject(json, "method", info_of(model).method);
    cJSON_AddNumberToObject(json, "anomalies", (double)info_of(model).anomalies);
    cJSON_AddNumberToObject(json, "normals", (double)info_of(model).normals);
    TRY(fit_add_alpha(json, model));
    if (!calibration_of(model).anomaly_count || !calibration_of(model).alpha_known) return PUAD_OK;
    TRY(table_of(&table, model, call));
    add_figure(json, "alpha_U", operating_of(table).alpha);
    add_figure(json, "auroc", operating_of(table).auroc);
    add_figure(json, "best_f1", best(table).f1);
    add_figure(json, "recall", best(table).recall);
    add_figure(json, "precision", best(table).precision);
    json_add_double(json, "threshold", best(table).threshold);
    return PUAD_OK;
}

puad_status fit_add_moves(cJSON *object, const puad_detector *model, const puad_detector *source,
                          const invocation *call)
{
    cJSON *moves = cJSON_AddObjectToObject(object, "moved");
    cJSON_AddStringToObject(moves, "model", value_of(call, "update")->text);
    TRY(add_model(moves, "before", source, call));
    return add_model(moves, "after", model, call);
}
