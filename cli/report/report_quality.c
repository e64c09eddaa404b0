/* How well labeled anomalies are told apart, and the share
 * of hidden ones, both from rows held out of training. */
#include "cli/report/report.h"

#include <math.h>

static puad_status copy_scores(double **out, report *of, const float *scores, size_t count)
{
    TRY(arena_new(&of->memory, out, count, sizeof **out));
    for (size_t i = 0; i < count; i++) (*out)[i] = (double)scores[i];
    return PUAD_OK;
}

static puad_status add_histogram(page *on, report *of)
{
    size_t unlabeled = puad_calibration_unlabeled_count(of->model),
           anomalies = puad_calibration_anomaly_count(of->model);
    double *u, *a;
    TRY(copy_scores(&u, of, puad_calibration_unlabeled(of->model), unlabeled));
    TRY(copy_scores(&a, of, puad_calibration_anomalies(of->model), anomalies));
    const plot_series series[] = {
        {.name = "unlabeled rows", .x = u, .count = unlabeled, .colour = PLOT_BLUE},
        {.name = "labeled anomalies", .x = a, .count = anomalies, .colour = PLOT_ORANGE},
    };
    const plot_panel panel = {.kind = PLOT_HISTOGRAM,
                              .x = {.label = "score"},
                              .y = {.label = "share of each"},
                              .share = true,
                              .series = series,
                              .series_count = anomalies ? 2 : 1};
    const plot_figure figure = {.panels = &panel, .panel_count = 1, .panel_width = 520, .panel_height = 260};
    page_add_figure(on, &figure,
                    report_text(of,
                                "Scores of %s unlabeled rows held out of training and %s labeled anomalies, "
                                "scored by models that had not seen them.",
                                report_count_text(of, unlabeled), report_count_text(of, anomalies)));
    return PUAD_OK;
}

typedef struct curve {
    double *x, *y, *low, *high;
    size_t count;
} curve;

static puad_status new_curve(curve *out, report *of, size_t most)
{
    *out = (curve){0};
    TRY(arena_new(&of->memory, &out->x, most, sizeof(double)));
    TRY(arena_new(&of->memory, &out->y, most, sizeof(double)));
    TRY(arena_new(&of->memory, &out->low, most, sizeof(double)));
    return arena_new(&of->memory, &out->high, most, sizeof(double));
}

static puad_status add_curves(page *on, report *of)
{
    static const puad_operating_figure kinds[] = {PUAD_OPERATING_RECALL, PUAD_OPERATING_PRECISION};
    static const char *const names[] = {"anomalies found (recall)", "flagged that are anomalies (precision)"};
    plot_series series[2];
    size_t count = puad_operating_count(of->table);
    for (int k = 0; k < 2; k++) {
        curve made;
        TRY(new_curve(&made, of, count));
        for (size_t i = 0; i < count; i++) {
            puad_figure at = puad_operating_at(of->table, i, kinds[k]);
            made.x[i] = puad_operating_at(of->table, i, PUAD_OPERATING_FLAGGED).value;
            made.y[i] = at.value;
            made.low[i] = at.low;
            made.high[i] = at.high;
        }
        series[k] = (plot_series){.name = names[k],
                                  .x = made.x,
                                  .y = made.y,
                                  .low = made.low,
                                  .high = made.high,
                                  .count = count,
                                  .plain = true};
    }
    const plot_panel panel = {.kind = PLOT_CURVES,
                              .x = {.label = "share of unlabeled rows flagged", .log = true},
                              .y = {.min = 0, .max = 1},
                              .series = series,
                              .series_count = 2};
    const plot_figure figure = {.panels = &panel, .panel_count = 1, .panel_width = 520, .panel_height = 260};
    page_add_figure(on, &figure,
                    "Bands hold with 95%, the uncertainty of the share of hidden anomalies included.");
    return PUAD_OK;
}

static const char *banded(report *of, puad_figure figure)
{
    return report_text(of, "%.3f (%.3f to %.3f)", figure.value, figure.low, figure.high);
}

static puad_status add_table(page *on, report *of)
{
    static const char *const headings[] = {"threshold",           "flagged", "recall", "precision",
                                           "false positive rate", "F1"};
    enum { COLUMNS = sizeof headings / sizeof *headings };
    static const puad_operating_figure kinds[] = {PUAD_OPERATING_RECALL, PUAD_OPERATING_PRECISION,
                                                  PUAD_OPERATING_FPR, PUAD_OPERATING_F1};
    size_t rows = puad_operating_count(of->table);
    page_cell *cells;
    TRY(arena_new(&of->memory, &cells, rows * COLUMNS, sizeof *cells));
    for (size_t i = 0; i < rows; i++) {
        page_cell *row = cells + i * COLUMNS;
        bool best = i == puad_operating_best_f1(of->table);
        row[0].text =
            report_text(of, "%.6g", puad_operating_at(of->table, i, PUAD_OPERATING_THRESHOLD).value);
        row[1].text =
            report_text(of, "%.2f%%", 100 * puad_operating_at(of->table, i, PUAD_OPERATING_FLAGGED).value);
        for (int k = 0; k < 4; k++)
            row[2 + k] =
                (page_cell){.text = banded(of, puad_operating_at(of->table, i, kinds[k])), .strong = best};
    }
    page_fold(on, "The whole operating table");
    page_add_table(on, &(page_table){.headings = headings, .columns = COLUMNS, .rows = rows, .cells = cells});
    page_unfold(on);
    return PUAD_OK;
}

puad_status report_add_quality(page *on, report *of)
{
    page_section(on, "How well labeled anomalies are told apart");
    if (!puad_calibration_unlabeled_count(of->model)) {
        page_text(on, "No rows were held out of training, so nothing can be said about it: %s",
                  of->table_lacks ? of->table_lacks : "train with rows held out.");
        return PUAD_OK;
    }
    if (of->table) {
        puad_figure auroc = puad_operating_auroc(of->table);
        page_text(
            on,
            "Of a labeled anomaly and a normal row, both unseen by the model that scores them, "
            "the anomaly has the larger score with a probability (AUROC) of %.3f; with "
            "95%% confidence between %.3f and %.3f. It is estimated without a single labeled normal row.",
            auroc.value, auroc.low, auroc.high);
    } else {
        page_text(on, "There is no estimate: %s", of->table_lacks ? of->table_lacks : "");
    }
    fputs("<div class=\"pair\">\n", page_markup(on));
    TRY(add_histogram(on, of));
    if (of->table) TRY(add_curves(on, of));
    fputs("</div>\n", page_markup(on));
    return of->table ? add_table(on, of) : PUAD_OK;
}

/* Flagged share / recall at each threshold: where only anomalies are left above it, that is alpha. */
static puad_status add_evidence(page *on, report *of, double alpha, double low, double high)
{
    size_t count = puad_operating_count(of->table);
    curve made;
    double least = INFINITY; /* of the curve, where it is not a matter of chance */
    TRY(new_curve(&made, of, count + 4));
    for (size_t i = 0; i < count; i++) {
        double recall = puad_operating_at(of->table, i, PUAD_OPERATING_RECALL).raw,
               ratio = puad_operating_at(of->table, i, PUAD_OPERATING_RATIO).value;
        if (isnan(ratio)) continue;
        made.x[made.count] = recall;
        made.y[made.count++] = ratio;
        if (recall >= 0.1) least = fmin(least, ratio);
    }
    double *ends = made.low, *level = made.high; /* the estimate from end to end with its interval */
    double *bottom, *ceiling;
    TRY(arena_new(&of->memory, &bottom, 2, sizeof *bottom));
    TRY(arena_new(&of->memory, &ceiling, 2, sizeof *ceiling));
    ends[0] = 0;
    ends[1] = 1;
    level[0] = level[1] = alpha;
    bottom[0] = bottom[1] = low;
    ceiling[0] = ceiling[1] = high;
    const plot_series series[] = {
        {.name = "rows above a threshold / labeled anomalies above it",
         .x = made.x,
         .y = made.y,
         .count = made.count,
         .plain = true,
         .colour = PLOT_BLUE},
        {.name = "estimate with its 95% interval",
         .x = ends,
         .y = level,
         .low = bottom,
         .high = ceiling,
         .count = 2,
         .plain = true,
         .colour = PLOT_ORANGE},
    };
    const plot_panel panel = {
        .kind = PLOT_CURVES,
        .x = {.label = "share of labeled anomalies above the threshold", .min = 0, .max = 1},
        .y = {.min = 0, .max = fmin(1, fmax(fmax(4 * alpha, 1.5 * high), isfinite(least) ? 2.5 * least : 0))},
        .series = series,
        .series_count = 2};
    const plot_figure figure = {.panels = &panel, .panel_count = 1, .panel_width = 520, .panel_height = 260};
    page_add_figure(
        on, &figure,
        "Where the curve is level, hardly any normal row scores above the threshold: "
        "its height is the share of hidden anomalies. "
        "To the left few rows are left to count and the curve is noisy; to the right normal rows raise it.");
    return PUAD_OK;
}

puad_status report_add_alpha(page *on, report *of)
{
    double alpha, low, high;
    page_section(on, "The share of hidden anomalies");
    const char *kind = puad_detector_text(of->model, "alpha_kind");
    if (!puad_calibration_alpha(of->model, &alpha, &low, &high)) {
        double used = puad_detector_number(of->model, "alpha");
        if (isfinite(used))
            page_text(on, "It is not known. Training used %g (%s); the rows held out give no estimate.", used,
                      kind);
        else
            page_text(on, "It is not known: the rows held out give no estimate.");
        return PUAD_OK;
    }
    if (report_is_declined(of))
        page_text(on,
                  "It is not identifiable: labeled anomalies score like many unlabeled rows. "
                  "With 95%% confidence it is between %.2f%% and %.2f%%.",
                  100 * low, 100 * high);
    else if (puad_calibration_alpha_is_estimated(of->model))
        page_text(on,
                  "Of the unlabeled rows %.2f%% are estimated to be anomalies like the labeled ones; "
                  "with 95%% confidence between %.2f%% and %.2f%%. New kinds of anomaly are not counted.",
                  100 * alpha, 100 * low, 100 * high);
    else
        page_text(
            on, "It was given: %.2f%% of the unlabeled rows. All estimates on this page take it as certain.",
            100 * alpha);
    return of->table ? add_evidence(on, of, alpha, low, high) : PUAD_OK;
}
