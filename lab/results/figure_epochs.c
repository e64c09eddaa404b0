/* AUROC over the epochs of trainings that recorded it. */
#include "lab/results/figures.h"
#include "lab/run/epoch_curve.h"

#include <stdio.h>
#include <string.h>

enum { MARKS_MAX = 20 }; /* longer lines have no marks */

typedef struct run_curve {
    const double *auroc;
    size_t count; /* number of epochs */
} run_curve;

/* Copies of the records whose history has a curve, and the curves in the same order. */
typedef struct looked_at {
    lab_record *records;
    run_curve *curves;
    size_t count;
} looked_at;

static puad_status list_curves(looked_at *out, arena *memory, const lab_record *records, size_t count,
                               anomalies which)
{
    *out = (looked_at){0};
    TRY(arena_new(memory, &out->records, count, sizeof *out->records));
    TRY(arena_new(memory, &out->curves, count, sizeof *out->curves));
    for (size_t i = 0; i < count; i++) {
        AUTO_JSON cJSON *json = NULL;
        double *values = NULL;
        size_t epochs = 0;
        if (!curve_is_there(records[i].result.history)) continue;
        TRY(json_parse(&json, records[i].result.history, "history"));
        TRY(curve_from_json(&values, &epochs, memory, json, which, false));
        out->records[out->count] = records[i];
        out->curves[out->count++] = (run_curve){values, epochs};
    }
    return PUAD_OK;
}

/* Mean and spread after each epoch over the runs of one row and dataset; count 0 if there are none. */
static puad_status fill_line(plot_series *out, arena *memory, const selection *subset, const looked_at *runs,
                             size_t row, const char *set)
{
    size_t longest = 0;
    const run_curve **own;
    size_t own_count = 0;
    TRY(arena_new(memory, &own, subset->count, sizeof *own));
    for (size_t i = 0; i < subset->count; i++) {
        const run_curve *curve = &runs->curves[subset->records[i] - runs->records];
        if (strcmp(subset->records[i]->cell.dataset, set) != 0 ||
            selection_compare(subset, subset->firsts[row], subset->records[i]) != 0)
            continue;
        own[own_count++] = curve;
        if (curve->count > longest) longest = curve->count;
    }
    double *x, *y, *low, *high, *values;
    TRY(arena_new(memory, &x, 4 * longest + own_count, sizeof *x));
    y = x + longest, low = y + longest, high = low + longest, values = high + longest;
    for (size_t epoch = 0; epoch < longest; epoch++) {
        size_t there = 0;
        for (size_t i = 0; i < own_count; i++)
            if (epoch < own[i]->count) values[there++] = own[i]->auroc[epoch];
        x[epoch] = (double)(epoch + 1);
        y[epoch] = figure_band(&low[epoch], &high[epoch], values, there);
    }
    *out = (plot_series){
        .x = x, .y = y, .low = low, .high = high, .count = longest, .plain = longest > MARKS_MAX};
    return PUAD_OK;
}

static puad_status epochs_panel(plot_panel *out, arena *memory, const selection *subset,
                                const looked_at *runs, const char *set, anomalies which)
{
    plot_series *series;
    size_t drawn = 0;
    TRY(arena_new(memory, &series, subset->row_count, sizeof *series));
    for (size_t row = 0; row < subset->row_count; row++) {
        const char *setting;
        TRY(fill_line(&series[drawn], memory, subset, runs, row, set));
        if (series[drawn].count == 0) continue;
        TRY(selection_describe(&setting, memory, subset, row, true));
        TRY(arena_print(memory, &series[drawn++].name, "%s%s%s", subset->firsts[row]->cell.method,
                        *setting ? ", " : "", setting));
    }
    *out = (plot_panel){.title = set,
                        .x = {.label = "epochs of training", .whole = true},
                        .series = series,
                        .series_count = drawn};
    return figure_name_axis(&out->y.label, memory, which);
}

puad_status figure_epochs(plot_figure *out, arena *memory, const lab_record *records, size_t count,
                          anomalies which, const record_query *query)
{
    looked_at runs;
    selection subset;
    plot_panel *panels;
    const char *named;
    TRY(list_curves(&runs, memory, records, count, which));
    if (runs.count == 0)
        FAIL(PUAD_INVALID, "no experiment in the ledger has a curve; 'puad lab run --curve' records them");
    TRY(selection_make(&subset, memory, runs.records, runs.count, query));
    TRY(arena_new(memory, &panels, subset.dataset_count, sizeof *panels));
    for (size_t d = 0; d < subset.dataset_count; d++)
        TRY(epochs_panel(&panels[d], memory, &subset, &runs, subset.datasets[d], which));
    figure_share_axis(panels, subset.dataset_count);
    TRY(figure_name_runs(&named, memory, &subset));
    *out = (plot_figure){.title = named, .panels = panels, .panel_count = subset.dataset_count};
    return PUAD_OK;
}
