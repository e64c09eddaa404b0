/* Whether the rows that are ranked look like those of training. */
#include "cli/common/print_warnings.h"
#include "cli/report/report.h"

#include <string.h>

typedef struct listener {
    report *of;
    report_input *about;
} listener;

static void listen(void *context, const puad_warning *warning)
{
    listener *by = context;
    char said[SPOKEN_ROOM];
    if (by->about->drift_count < REPORT_DRIFT_MOST)
        by->about->drift[by->about->drift_count++] =
            report_text(by->of, "%s", speak(said, by->of->call->command, warning->text));
    if (!by->of->told_before) warning_print(by->of->call->command, warning);
}

puad_status report_find_drift(report *of, report_input *about, const float *scores)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    listener by = {of, about};
    if (of->ranks_training) return PUAD_OK;
    TRY(puad_options_new(&options));
    puad_options_set_warning(options, listen, &by);
    return puad_detector_compare(of->model, about->rows, scores, options);
}

bool report_is_drift(const report *of, const char *text)
{
    for (size_t i = 0; i < of->input_count; i++)
        for (size_t k = 0; k < of->inputs[i].drift_count; k++)
            if (strcmp(of->inputs[i].drift[k], text) == 0) return true;
    return false;
}

size_t report_drift_count(const report *of)
{
    size_t count = 0;
    for (size_t i = 0; i < of->input_count; i++) count += of->inputs[i].drift_count;
    return count;
}

static void add_input(page *on, report *of, const report_input *about)
{
    enum { ROWS_LEAST = 20 }; /* that the library compares */
    const char *rows = report_count_text(of, puad_dataset_rows(about->rows));
    if (puad_dataset_rows(about->rows) < ROWS_LEAST) {
        page_text(on, "%s has %s rows, too few to compare: %d are needed.", about->path, rows, ROWS_LEAST);
    } else if (!about->drift_count) {
        page_text(on,
                  "No drift found: "
                  "the columns of %s (%s rows) are spread as those of the %s unlabeled rows of training%s.",
                  about->path, rows,
                  report_count_text(of, (size_t)puad_detector_number(of->model, "compared_rows")),
                  puad_calibration_unlabeled_count(of->model)
                      ? ", and the scores as those of the rows held out"
                      : "");
    } else {
        page_text(on, "%s differs from the training data:", about->path);
        page_list(on, about->drift, about->drift_count);
    }
}

puad_status report_add_drift(page *on, report *of)
{
    if (of->ranks_training) return PUAD_OK;
    fputs("<span id=\"drift\"></span>", page_markup(on));
    page_section(on, "Drift between training and new data");
    if (!(puad_detector_number(of->model, "compared_rows") > 0)) {
        page_text(on, of->image
                          ? "Drift is not measured for images."
                          : "The model does not know how its training data were spread, so the new rows "
                            "cannot be compared with them: train it again with this version.");
        return PUAD_OK;
    }
    for (size_t i = 0; i < of->input_count; i++) add_input(on, of, &of->inputs[i]);
    if (report_drift_count(of))
        page_text(on, "Scores are meant for rows like those of training. Where a column has changed, a row "
                      "can stand out for that reason alone, and the estimates on this page may not hold.");
    return PUAD_OK;
}
