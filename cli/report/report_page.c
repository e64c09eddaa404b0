/* The page as a whole: warnings, what matters most, and the sections. */
#include "base/json.h"
#include "cli/common/print_warnings.h"
#include "cli/report/report.h"
#include "cli/report/report_texts.h"

#include <string.h>

static void add_warnings(page *on, const report *of)
{
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    warnings_add_json(object);
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, "warnings"), *one;
    FILE *to = page_markup(on);
    cJSON_ArrayForEach(one, list)
    {
        const cJSON *text = cJSON_GetObjectItemCaseSensitive(one, "text"),
                    *name = cJSON_GetObjectItemCaseSensitive(one, "name");
        if (cJSON_IsString(text) && report_is_drift(of, text->valuestring)) continue; /* it has a section */
        fputs("<div class=\"warning\" role=\"alert\"><b>Warning", to);
        if (cJSON_IsString(name)) {
            AUTO_FREE char *words = strdup(name->valuestring);
            for (char *at = words; at && *at; at++)
                if (*at == '_') *at = ' ';
            fputs(": ", to);
            page_escape(on, words);
        }
        fputs(".</b> ", to);
        page_escape(on, cJSON_IsString(text) ? text->valuestring : "");
        fputs("</div>\n", to);
    }
    if (report_drift_count(of))
        fprintf(to,
                "<div class=\"warning\" role=\"alert\"><b>Warning: drift.</b> The new data differ "
                "from the training data in %zu way%s: <a href=\"#drift\">see which</a>.</div>\n",
                report_drift_count(of), report_drift_count(of) == 1 ? "" : "s");
    else if (!cJSON_GetArraySize(list))
        fputs("<div class=\"warning calm\"><b>No warnings.</b> The checks of the labels, "
              "the columns and the model found nothing to object to.</div>\n",
              to);
}

static void add_summary(page *on, report *of)
{
    double alpha, low, high;
    page_tile tiles[6];
    size_t count = 0, flagged = report_flagged(of);
    tiles[count++] =
        (page_tile){of->ranks_training ? "rows" : "rows ranked", report_count_text(of, of->ranked_count),
                    of->ranks_training ? "trained on and ranked" : "not trained on"};
    if (of->stop_count)
        tiles[count++] = (page_tile){
            "rows flagged", report_count_text(of, flagged),
            report_text(
                of, "%s, at the suggested threshold",
                report_percent(of, of->ranked_count ? (double)flagged / (double)of->ranked_count : 0))};
    if (of->table) {
        puad_figure auroc = puad_operating_auroc(of->table);
        tiles[count++] = (page_tile){"AUROC", report_text(of, "%.3f", auroc.value),
                                     report_text(of, "%.3f to %.3f, labeled kinds", auroc.low, auroc.high)};
    }
    if (puad_calibration_alpha(of->model, &alpha, &low, &high))
        tiles[count++] = (page_tile){
            "hidden anomalies", report_is_declined(of) ? "unknown" : report_text(of, "%.1f%%", 100 * alpha),
            puad_calibration_alpha_is_estimated(of->model)
                ? report_text(of, "%.1f%% to %.1f%% of unlabeled rows", 100 * low, 100 * high)
                : "as given"};
    tiles[count++] = (page_tile){
        "labeled anomalies",
        report_count_text(of, of->train ? puad_dataset_count(of->train, PUAD_LABEL_ANOMALY)
                                        : (size_t)puad_detector_number(of->model, "anomalies")),
        report_text(of, "of %s training rows",
                    report_count_text(of, of->train ? puad_dataset_rows(of->train)
                                                    : (size_t)puad_detector_number(of->model, "rows")))};
    if (of->groups && !of->image)
        tiles[count++] = (page_tile){"kinds", report_count_text(of, puad_groups_count(of->groups)),
                                     "groups of flagged rows"};
    page_tiles(on, tiles, count);
}

puad_status report_add(page *on, report *of)
{
    fputs("<style>\n", page_markup(on));
    fputs(report_css, page_markup(on));
    fputs("</style>\n", page_markup(on));
    add_warnings(on, of);
    add_summary(on, of);
    TRY(report_add_operating(on, of));
    if (of->stop_count)
        TRY(of->image    ? report_add_pictures(on, of)
            : of->window ? report_add_series(on, of)
                         : report_add_rows(on, of));
    TRY(report_add_groups(on, of));
    TRY(report_add_drift(on, of));
    TRY(report_add_quality(on, of));
    TRY(report_add_alpha(on, of));
    TRY(report_add_columns(on, of));
    TRY(report_add_training(on, of));
    TRY(report_add_settings(on, of));
    fputs("<script>\n", page_markup(on));
    fputs(report_js, page_markup(on));
    fputs("</script>\n", page_markup(on));
    return PUAD_OK;
}

puad_status report_page_write(report *of, const char *path, const char *title)
{
    page *on = NULL;
    const char *what = of->train_path ? of->train_path : of->input_count ? of->inputs[0].path : "";
    if (!title) title = report_text(of, "Anomalies in %s", of->input_count ? of->inputs[0].path : what);
    TRY(page_new(&on, title,
                 report_text(of, "%s, %s", puad_detector_text(of->model, "title"),
                             of->train_path
                                 ? report_text(of, "trained on %s", of->train_path)
                                 : report_text(of, "model %s", of->model_path ? of->model_path : "given"))));
    puad_status status = report_add(on, of);
    if (status == PUAD_OK && of->lacks_memory) status = status_fail(PUAD_MEMORY, "%s: no memory", path);
    if (status == PUAD_OK) status = page_write(on, path);
    page_free(on);
    return status;
}
