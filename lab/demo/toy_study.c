/* Trains on the toy set, and draws the figure. */
#include "lab/demo/toy_study.h"

#include "base/sort.h"
#include "objective/objective.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[TOY_METHODS] = {"pu", "dae", "abc", "pudae"};
/* Anomalies of a kind without examples in training. */
static const double star_x[] = {-5, 5}, star_y[] = {-5, 5};
static const double reach = 7.5;        /* half the side of the drawn plane */
static const double least_score = 1e-2; /* lower limit of the figure's scale */

typedef struct watcher {
    const toy_options *options;
    size_t method;
} watcher;

static puad_answer watch(void *context, const puad_progress *now)
{
    const watcher *self = context;
    if (!self->options->progress) return PUAD_GO_ON;
    double epochs = now->epochs ? (double)now->epochs : 1, batches = now->batches ? (double)now->batches : 1;
    double share = fmin(1, ((double)now->epoch + (double)now->batch / batches) / epochs);
    char what[64];
    snprintf(what, sizeof what, "toy: %s", methods[self->method]);
    self->options->progress(self->options->context, ((double)self->method + share) / TOY_METHODS, what);
    return PUAD_GO_ON;
}

/* The scores of the whole plane as drawn; distances span several decades. */
static puad_status score_plane(toy_method *to, const puad_detector *model, team *workers)
{
    AUTO_FREE float *points = NULL, *scores = NULL;
    puad_scorer *scorer = NULL;
    size_t count = TOY_GRID * TOY_GRID;
    TRY(memory_new(&points, count * 2, sizeof *points, "the plane"));
    TRY(memory_new(&scores, count, sizeof *scores, "the plane"));
    for (size_t i = 0; i < count; i++) {
        points[2 * i] = (float)(-reach + 2 * reach * (double)(i % TOY_GRID) / (TOY_GRID - 1));
        points[2 * i + 1] = (float)(-reach + 2 * reach * (double)(i / TOY_GRID) / (TOY_GRID - 1));
    }
    TRY(scorer_new(&scorer, model, workers, NULL));
    puad_status status = scorer_run(scorer, scores, points, count);
    puad_scorer_free(scorer);
    to->logarithm = !head_is_logit(model->config.head);
    for (size_t i = 0; i < count; i++)
        to->field[i] = to->logarithm ? log10(fmax(scores[i], least_score)) : scores[i];
    return status;
}

static puad_status run_method(toy_study *study, size_t which)
{
    static const char *const settings[] = {"depth=3", "width=500", "latent=2", "decay=1e-3",
                                           "weight=prior"}; /* as in the paper */
    const puad_objective *objective = detector_kind_objective(detector_kind_find(methods[which]));
    toy_method *to = &study->methods[which];
    const dataset *train = &study->parts.train;
    team *workers = study->options.workers;
    watcher self = {&study->options, which};
    labeled_rows rows = {train->values, train->labels, train->rows, 1, 1, train->columns, NULL};
    fit_options options = fit_options_standard();
    options.method = to->method = methods[which];
    options.alpha = study->parts.plan.alpha_all;
    options.alpha_kind = "alpha_all";
    options.epochs = study->options.epochs;
    options.steps = 0;
    options.seed = study->options.seed;
    options.workers = workers;
    options.network = "mlp";
    /* with 20 labels a plain shuffle leaves some batches without any, and pu collapses */
    options.sampler = "stratified";
    options.settings = settings;
    options.setting_count = objective_takes(objective, "weight") ? 5 : 4;
    options.learning_rate = 1e-4; /* as in the paper */
    options.progress = watch;
    options.context = &self;
    puad_detector *model = NULL;
    TRY(arena_new(&study->memory, &to->field, TOY_GRID * TOY_GRID, sizeof *to->field));
    TRY(detector_fit(&model, &rows, &options));
    to->title = model->config.kind->title;
    to->best_epoch = model->best_epoch;
    to->result = lab_result_unknown();
    to->training = model->training; /* transfers ownership */
    model->training = (history){0};
    puad_status status = lab_judge(&to->result, model, &study->parts, workers);
    if (status == PUAD_OK) status = score_plane(to, model, workers);
    puad_detector_free(model);
    return status;
}

puad_status toy_run(toy_study *out, const toy_options *options)
{
    const set_row *about = NULL;
    AUTO_RAW_SET raw_set raw = {0};
    *out = (toy_study){.options = *options};
    TRY(set_find(&about, "toy"));
    TRY(set_read(&raw, about, NULL, options->seed));
    split_request request = split_standard(about, ONE(1), options->seed);
    TRY(split_make(&out->parts, &raw, &request));
    for (size_t i = 0; i < TOY_METHODS; i++) TRY(run_method(out, i));
    return PUAD_OK;
}

void toy_free(toy_study *owner)
{
    for (size_t i = 0; i < TOY_METHODS; i++) history_free(&owner->methods[i].training);
    split_free(&owner->parts);
    arena_free(&owner->memory);
    *owner = (toy_study){0};
}

/* The points of a part of the training set as a series. */
static puad_status gather(plot_series *out, arena *memory, const split *parts, int label, int truth)
{
    const split_plan *plan = &parts->plan;
    double *x, *y;
    TRY(arena_new(memory, &x, plan->train_count, sizeof *x));
    TRY(arena_new(memory, &y, plan->train_count, sizeof *y));
    for (size_t i = 0; i < plan->train_count; i++) {
        if (plan->train_labels[i] != label || plan->train_truth[i] != truth) continue;
        x[out->count] = parts->train.values[2 * i];
        y[out->count++] = parts->train.values[2 * i + 1];
    }
    out->x = x;
    out->y = y;
    return PUAD_OK;
}

enum { CLOUDS = 4 };

static puad_status make_clouds(plot_series **out, arena *memory, const split *parts)
{
    TRY(arena_new(memory, out, CLOUDS, sizeof **out));
    plot_series *series = *out;
    series[0] = (plot_series){.name = "unlabeled: normal", .mark = PLOT_POINTS, .color = PLOT_GREEN};
    series[1] =
        (plot_series){.name = "unlabeled: hidden anomaly", .mark = PLOT_RINGS, .color = PLOT_VERMILION};
    series[2] = (plot_series){.name = "labeled anomaly", .mark = PLOT_EDGED, .color = PLOT_ORANGE};
    series[3] = (plot_series){.name = "unseen anomaly",
                              .x = star_x,
                              .y = star_y,
                              .count = 2,
                              .mark = PLOT_STARS,
                              .color = PLOT_PINK};
    TRY(gather(&series[0], memory, parts, PUAD_LABEL_UNLABELED, 0));
    TRY(gather(&series[1], memory, parts, PUAD_LABEL_UNLABELED, 1));
    return gather(&series[2], memory, parts, PUAD_LABEL_ANOMALY, 1);
}

/* The score between the points of the grid, bilinear. */
static double score_at(const double *plane, double x, double y)
{
    double column = fmin(fmax((x + reach) / (2 * reach), 0), 1) * (TOY_GRID - 1),
           row = fmin(fmax((y + reach) / (2 * reach), 0), 1) * (TOY_GRID - 1);
    size_t c = (size_t)fmin(column, TOY_GRID - 2), r = (size_t)fmin(row, TOY_GRID - 2);
    const double *at = plane + r * TOY_GRID + c;
    column -= (double)c;
    row -= (double)r;
    return (1 - row) * ((1 - column) * at[0] + column * at[1]) +
           row * ((1 - column) * at[TOY_GRID] + column * at[TOY_GRID + 1]);
}

/* Scores of different detectors have different scales, so the fraction of unlabeled rows with lower scores
 * is drawn. */
static puad_status make_shares(double **out, arena *memory, const toy_study *study, const double *plane)
{
    const split_plan *plan = &study->parts.plan;
    double *scores;
    size_t count = 0;
    TRY(arena_new(memory, &scores, plan->train_count, sizeof *scores));
    TRY(arena_new(memory, out, TOY_GRID * TOY_GRID, sizeof **out));
    for (size_t i = 0; i < plan->train_count; i++)
        if (plan->train_labels[i] == PUAD_LABEL_UNLABELED)
            scores[count++] =
                score_at(plane, study->parts.train.values[2 * i], study->parts.train.values[2 * i + 1]);
    sort_doubles(scores, count);
    for (size_t i = 0; i < TOY_GRID * TOY_GRID; i++) {
        size_t low = 0, high = count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (scores[middle] < plane[i])
                low = middle + 1;
            else
                high = middle;
        }
        (*out)[i] = count ? (double)low / (double)count : 0;
    }
    return PUAD_OK;
}

puad_status toy_figure(plot_figure *out, arena *memory, const toy_study *study)
{
    plot_series *clouds;
    plot_panel *panels;
    TRY(make_clouds(&clouds, memory, &study->parts));
    TRY(arena_new(memory, &panels, TOY_METHODS, sizeof *panels));
    for (size_t i = 0; i < TOY_METHODS; i++) {
        const toy_method *method = &study->methods[i];
        double *shares;
        char title[96];
        snprintf(title, sizeof title, "%s: AUROC %.3f, of unseen anomalies %.3f", method->method,
                 method->result.auroc, method->result.auroc_unseen);
        TRY(make_shares(&shares, memory, study, method->field));
        panels[i] = (plot_panel){.kind = PLOT_FIELD,
                                 .title = arena_text(memory, title),
                                 .x = {.min = -reach, .max = reach},
                                 .y = {.min = -reach, .max = reach},
                                 .series = clouds,
                                 .series_count = CLOUDS,
                                 .field = shares,
                                 .field_min = 0,
                                 .field_max = 1,
                                 .field_rows = TOY_GRID,
                                 .field_columns = TOY_GRID,
                                 .field_label = i % 2 ? "fraction of unlabeled rows that score lower" : NULL};
        if (!panels[i].title) FAIL(PUAD_MEMORY, "no memory for a figure");
    }
    *out = (plot_figure){
        .panels = panels, .panel_count = TOY_METHODS, .columns = 2, .panel_width = 440, .panel_height = 400};
    return PUAD_OK;
}
