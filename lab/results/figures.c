/* Draws figures of results. */
#include "lab/results/figures.h"

#include "base/json.h"
#include "base/sort.h"
#include "detector/network/history.h"
#include "lab/results/statistics.h"
#include "lab/run/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The width of panels grows with their texts, limited by the width of a page. */
#define TITLE_LETTER_WIDTH 8
#define PANEL_WIDEST 640

/* In a sweep that also changes alpha, runs with the true fractions are separate curves. */
static const char *const alpha_kinds[] = {"", "alpha_all", "alpha_U"};
enum { ALPHA_KINDS = sizeof alpha_kinds / sizeof *alpha_kinds };

static const char *alpha_kind(const sweep *over, const lab_record *record)
{
    return over->rule == SWEEP_ANY_ALPHA ? "" : lab_alpha_kind(&record->cell);
}

typedef struct curve {
    const selection *subset;
    const sweep *over;
    anomalies which;
    size_t row;
    const char *kind, *set;
} curve;

static double option_of(const curve *points, const lab_record *record)
{
    char buffer[FIELD_CAPACITY];
    return strtod(field_text(buffer, record, lab_field(points->over->option)), NULL);
}

static bool belongs(const curve *points, const lab_record *record)
{
    return strcmp(record->cell.dataset, points->set) == 0 &&
           strcmp(alpha_kind(points->over, record), points->kind) == 0 &&
           selection_compare(points->subset, points->subset->firsts[points->row], record) == 0;
}

double figure_band(double *out_low, double *out_high, const double *values, size_t count)
{
    double mean = statistics_mean(values, count), spread = statistics_deviation(values, count);
    *out_low = isnan(spread) ? mean : fmax(mean - spread, 0);
    *out_high = isnan(spread) ? mean : fmin(mean + spread, 1);
    return mean;
}

/* Mean and spread at each value of the option; count 0 if no run belongs to the curve. */
static puad_status fill_curve(plot_series *out, arena *memory, const curve *source)
{
    size_t count = source->subset->count, found = 0;
    double *x, *y, *low, *high, *values;
    TRY(arena_new(memory, &x, 5 * count, sizeof *x));
    y = x + count, low = y + count, high = low + count, values = high + count;
    for (size_t i = 0; i < count; i++)
        if (belongs(source, source->subset->records[i]))
            x[found++] = option_of(source, source->subset->records[i]);
    sort_doubles(x, found);
    size_t points = 0;
    for (size_t i = 0; i < found; i++)
        if (i == 0 || x[i] != x[points - 1]) x[points++] = x[i];
    for (size_t p = 0; p < points; p++) {
        size_t runs = 0;
        for (size_t i = 0; i < count; i++)
            if (belongs(source, source->subset->records[i]) &&
                option_of(source, source->subset->records[i]) == x[p])
                values[runs++] = anomalies_auroc(source->which, &source->subset->records[i]->result);
        y[p] = figure_band(&low[p], &high[p], values, runs);
    }
    *out = (plot_series){.x = x, .y = y, .low = low, .high = high, .count = points};
    return PUAD_OK;
}

static puad_status name_curve(plot_series *out, arena *memory, const curve *points)
{
    bool unlabeled = strcmp(points->kind, "alpha_U") == 0;
    const lab_cell *cell = &points->subset->firsts[points->row]->cell;
    const char *setting;
    TRY(selection_describe(&setting, memory, points->subset, points->row, true));
    out->dashed = unlabeled;
    return arena_print(memory, &out->name, "%s%s%s%s", cell->method, *setting ? ", " : "", setting,
                       unlabeled ? ", alpha of the unlabeled" : "");
}

puad_status figure_name_axis(const char **out, arena *memory, anomalies which)
{
    return arena_print(memory, out, which == ANOMALIES_all ? "AUROC" : "AUROC on %s", anomalies_title(which));
}

/* The curves of one dataset, named by `points`. */
static puad_status sweep_panel(plot_panel *out, arena *memory, curve *points)
{
    plot_series *series;
    size_t drawn = 0;
    TRY(arena_new(memory, &series, points->subset->row_count * ALPHA_KINDS, sizeof *series));
    for (points->row = 0; points->row < points->subset->row_count; points->row++)
        for (size_t kind = 0; kind < ALPHA_KINDS; kind++) {
            points->kind = alpha_kinds[kind];
            TRY(fill_curve(&series[drawn], memory, points));
            if (series[drawn].count == 0) continue;
            TRY(name_curve(&series[drawn++], memory, points));
        }
    *out = (plot_panel){
        .title = points->set, .x = {.label = points->over->label}, .series = series, .series_count = drawn};
    return figure_name_axis(&out->y.label, memory, points->which);
}

/* "normal class 1, seed 0", or the number of each. */
puad_status figure_name_runs(const char **out, arena *memory, const selection *subset)
{
    const lab_cell *first = &subset->records[0]->cell;
    size_t classes = 0, seeds = 0;
    for (size_t i = 0; i < subset->count; i++) {
        bool new_class = true, new_seed = true;
        for (size_t k = 0; k < i; k++) {
            new_class &= strcmp(subset->records[k]->cell.normal, subset->records[i]->cell.normal) != 0;
            new_seed &= subset->records[k]->cell.seed != subset->records[i]->cell.seed;
        }
        classes += new_class;
        seeds += new_seed;
    }
    const char *normal, *seed;
    TRY(classes == 1 ? arena_print(memory, &normal, "normal class %s", first->normal)
                     : arena_print(memory, &normal, "%zu normal classes", classes));
    TRY(seeds == 1 ? arena_print(memory, &seed, "seed %lld", first->seed)
                   : arena_print(memory, &seed, "%zu seeds", seeds));
    return arena_print(memory, out, "%s, %s", normal, seed);
}

/* Gives the panels the same range of AUROC, so that they can be compared. */
void figure_share_axis(plot_panel *panels, size_t count)
{
    double min = 1, max = 0;
    for (size_t p = 0; p < count; p++)
        for (size_t s = 0; s < panels[p].series_count; s++)
            for (size_t i = 0; i < panels[p].series[s].count; i++) {
                min = fmin(min, panels[p].series[s].low[i]);
                max = fmax(max, panels[p].series[s].high[i]);
            }
    double margin = 0.04 * (max - min);
    for (size_t p = 0; p < count && max > min; p++) {
        panels[p].y.min = min - margin;
        panels[p].y.max = fmin(max + margin, fmax(1, max));
    }
}

/* Marks the fraction of anomalies among the unlabeled rows if it is the same in all runs of the dataset. */
static puad_status mark_true_alpha(plot_panel *out, arena *memory, const curve *points)
{
    double alpha = NAN;
    plot_rule *rule;
    for (size_t i = 0; i < points->subset->count; i++) {
        const lab_cell *cell = &points->subset->records[i]->cell;
        if (strcmp(cell->dataset, points->set) != 0) continue;
        double own = (double)cell->hidden / (double)(cell->hidden + cell->normals);
        if (!isnan(alpha) && own != alpha) return PUAD_OK;
        alpha = own;
    }
    if (isnan(alpha)) return PUAD_OK;
    TRY(arena_new(memory, &rule, 1, sizeof *rule));
    *rule = (plot_rule){.vertical = true, .at = alpha, .label = "true alpha"};
    out->rules = rule;
    out->rule_count = 1;
    return PUAD_OK;
}

puad_status figure_sweep(plot_figure *out, arena *memory, const lab_record *records, size_t count,
                         const char *option, anomalies which, const record_query *query)
{
    curve points = {.which = which, .over = sweep_find(option)};
    lab_record *runs;
    size_t run_count;
    if (!points.over) FAIL(PUAD_INVALID, "figures can be drawn over alpha or hidden, not over '%s'", option);
    TRY(sweep_records(&runs, &run_count, memory, records, count, points.over));
    if (run_count == 0)
        FAIL(PUAD_INVALID, "no experiments differ only in %s; 'puad lab run --plan %s' runs such a sweep",
             option, strcmp(option, "hidden") == 0 ? "contamination" : option);
    record_query swept = *query;
    swept.swept = points.over->swept;
    swept.swept_count = points.over->swept_count;
    swept.by_rows = points.over->rule == SWEEP_TRUE_ALPHA;
    selection subset;
    plot_panel *panels;
    TRY(selection_make(&subset, memory, runs, run_count, &swept));
    points.subset = &subset;
    TRY(arena_new(memory, &panels, subset.dataset_count, sizeof *panels));
    *out = (plot_figure){.panels = panels, .panel_count = subset.dataset_count};
    for (size_t d = 0; d < subset.dataset_count; d++) {
        points.set = subset.datasets[d];
        TRY(sweep_panel(&panels[d], memory, &points));
        if (points.over->rule == SWEEP_ANY_ALPHA) TRY(mark_true_alpha(&panels[d], memory, &points));
        /* separate ranges: methods are compared, and sets have very different values */
        figure_share_axis(&panels[d], 1);
    }
    const char *budget, *runs_named;
    TRY(selection_budget(&budget, memory, &subset));
    TRY(figure_name_runs(&runs_named, memory, &subset));
    return arena_print(memory, &out->title, "%s%s%s", runs_named, *budget ? "; " : "", budget);
}

/* One panel; *out_drawn is false if the record has no history. */
static puad_status training_panel(plot_panel *out, bool *out_drawn, arena *memory, const lab_record *record,
                                  const char *setting)
{
    *out_drawn = record->result.history[0] != 0;
    if (!*out_drawn) return PUAD_OK;
    AUTO_JSON cJSON *json = NULL;
    AUTO_HISTORY history epochs = {0};
    puad_status status = json_parse(&json, record->result.history, "history");
    if (status == PUAD_OK) status = history_from_json(&epochs, json);
    if (status != PUAD_OK)
        status_prefix("experiment %s %s %s seed %lld", record->cell.dataset, record->cell.normal,
                      record->cell.method, record->cell.seed);
    TRY(status);
    *out_drawn = epochs.count > 0;
    double *x, *train, *valid;
    plot_series *series;
    plot_rule *best;
    TRY(arena_new(memory, &x, 3 * epochs.count, sizeof *x));
    TRY(arena_new(memory, &series, 2, sizeof *series));
    TRY(arena_new(memory, &best, 1, sizeof *best));
    train = x + epochs.count, valid = train + epochs.count;
    for (size_t i = 0; i < epochs.count; i++) {
        x[i] = epochs.rows[i].epoch;
        train[i] = epochs.rows[i].train_loss;
        valid[i] = epochs.rows[i].valid_loss;
    }
    bool plain = epochs.count > 1; /* a single point needs its mark */
    series[0] = (plot_series){.name = "training", .x = x, .y = train, .count = epochs.count, .plain = plain};
    series[1] = (plot_series){
        .name = "validation", .x = x, .y = valid, .count = epochs.count, .plain = plain, .dashed = true};
    *best = (plot_rule){.vertical = true, .at = (double)record->result.best_epoch, .label = "best"};
    *out = (plot_panel){.x = {.label = "epoch", .whole = true},
                        .y = {.label = "loss"},
                        .series = series,
                        .series_count = 2,
                        .rules = best,
                        .rule_count = 1};
    return arena_print(memory, &out->title, "%s %s, %s%s%s, seed %lld", record->cell.dataset,
                       record->cell.normal, record->cell.method, *setting ? ", " : "", setting,
                       record->cell.seed);
}

puad_status figure_training(plot_figure *out, arena *memory, const lab_record *records, size_t count,
                            const record_query *query)
{
    selection subset;
    plot_panel *panels;
    const char *cut = NULL;
    size_t drawn = 0, longest = 0, histories = 0;
    TRY(selection_make(&subset, memory, records, count, query));
    TRY(arena_new(memory, &panels, FIGURE_CURVES_MAX, sizeof *panels));
    for (size_t i = 0, row = 0; i < subset.count; i++) {
        const char *setting;
        bool there;
        histories += subset.records[i]->result.history[0] != 0 && subset.records[i]->result.epochs_run > 0;
        if (drawn == FIGURE_CURVES_MAX) continue;
        while (selection_compare(&subset, subset.firsts[row], subset.records[i]) != 0) row++;
        TRY(selection_describe(&setting, memory, &subset, row, true));
        TRY(training_panel(&panels[drawn], &there, memory, subset.records[i], setting));
        if (there && strlen(panels[drawn].title) > longest) longest = strlen(panels[drawn].title);
        drawn += there;
    }
    if (drawn == 0) FAIL(PUAD_INVALID, "no matching experiment has a history");
    if (histories > drawn)
        TRY(arena_print(memory, &cut, "The first %zu of %zu experiments", drawn, histories));
    *out = (plot_figure){.title = cut,
                         .panels = panels,
                         .panel_count = drawn,
                         .panel_width = fmin(fmax(300, TITLE_LETTER_WIDTH * (double)longest), PANEL_WIDEST),
                         .panel_height = 210};
    return PUAD_OK;
}
