/* What training again with more labels changed. */
#include "cli/figure_json.h"
#include "cli/fit.h"

#include <stdio.h>

static void print_line(const char *name, const operating_figure *before, const operating_figure *after)
{
    fprintf(stderr, "  %-22s %.3f (%.3f to %.3f)  ->  %.3f (%.3f to %.3f)\n", name, before->value,
            before->low, before->high, after->value, after->low, after->high);
}

static puad_status table_of(operating_table *out, const calibration *held, team *workers)
{
    return operating_table_new(out, held->anomalies, held->anomaly_count, held->unlabeled,
                               held->unlabeled_count, held->alpha, held->alpha_low, held->alpha_high,
                               OPERATING_GRID, 0, workers);
}

static const char *what_lacks(const calibration *old, const calibration *new)
{
    if (!old->unlabeled_count || !new->unlabeled_count) return "rows must be held out of both (--calibrate)";
    if (!old->anomaly_count || !new->anomaly_count) return "no labeled anomalies were held out";
    if (old->alpha_unknown || new->alpha_unknown) return "the data could not tell alpha; give --alpha";
    return NULL;
}

puad_status fit_print_moves(const puad_detector *model, const fit_job *job)
{
    const puad_detector *from = job->from;
    const calibration *old = &from->held_out, *new = &model->held_out;
    fprintf(stderr, "compared with %s:\n", value_of(job->call, "from")->text);
    fprintf(stderr, "  %-22s %s  ->  %s\n", "method", from->how.kind->name, model->how.kind->name);
    fprintf(stderr, "  %-22s %zu and %zu  ->  %zu and %zu\n", "anomalies, normals", from->anomalies,
            from->normals, model->anomalies, model->normals);
    fprintf(stderr, "  %-22s %.4f (%s)  ->  %.4f (%s)\n", "alpha", from->how.objective.alpha,
            from->how.alpha_kind, model->how.objective.alpha, model->how.alpha_kind);
    const char *lacking = what_lacks(old, new);
    if (lacking) {
        fprintf(stderr, "  the operating tables cannot be compared: %s\n", lacking);
        return PUAD_OK;
    }
    AUTO_OPERATING operating_table before = {0}, after = {0};
    TRY(table_of(&before, old, job->workers));
    TRY(table_of(&after, new, job->workers));
    fprintf(stderr, "  %-22s %.4f (%.4f to %.4f)  ->  %.4f (%.4f to %.4f)\n", "alpha_U for decisions",
            old->alpha, old->alpha_low, old->alpha_high, new->alpha, new->alpha_low, new->alpha_high);
    const operating_point *was = &before.points[before.best_f1], *is = &after.points[after.best_f1];
    print_line("AUROC", &before.auroc, &after.auroc);
    print_line("best F1", &was->f1, &is->f1);
    print_line("recall there", &was->tpr, &is->tpr);
    print_line("precision there", &was->precision, &is->precision);
    fprintf(stderr, "  %-22s %.6g  ->  %.6g\n", "threshold there", was->threshold, is->threshold);
    return PUAD_OK;
}

static puad_status add_model(cJSON *object, const char *name, const puad_detector *model, team *workers)
{
    const calibration *held = &model->held_out;
    cJSON *json = cJSON_AddObjectToObject(object, name);
    cJSON_AddStringToObject(json, "method", model->how.kind->name);
    cJSON_AddNumberToObject(json, "anomalies", (double)model->anomalies);
    cJSON_AddNumberToObject(json, "normals", (double)model->normals);
    json_add_double(json, "alpha", model->how.objective.alpha);
    cJSON_AddStringToObject(json, "alpha_kind", model->how.alpha_kind);
    if (!held->anomaly_count || held->alpha_unknown) return PUAD_OK;
    AUTO_OPERATING operating_table table = {0};
    TRY(table_of(&table, held, workers));
    const operating_point *best = &table.points[table.best_f1];
    const operating_figure alpha = {held->alpha, held->alpha_low, held->alpha_high, held->alpha};
    add_figure(json, "alpha_U", &alpha);
    add_figure(json, "auroc", &table.auroc);
    add_figure(json, "best_f1", &best->f1);
    add_figure(json, "recall", &best->tpr);
    add_figure(json, "precision", &best->precision);
    json_add_double(json, "threshold", best->threshold);
    return PUAD_OK;
}

puad_status fit_add_moves(cJSON *object, const puad_detector *model, const fit_job *job)
{
    cJSON *moves = cJSON_AddObjectToObject(object, "moved");
    cJSON_AddStringToObject(moves, "model", value_of(job->call, "from")->text);
    TRY(add_model(moves, "before", job->from, job->workers));
    return add_model(moves, "after", model, job->workers);
}
