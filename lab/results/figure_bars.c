/* A table as dots with standard deviations, alongside the paper's results. */
#include "lab/results/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LETTER_WIDTH 5.8
#define PANEL_WIDEST 640
enum { ROWS_MAX = 40, COLUMNS_MAX = 4 }; /* per picture */

/* The dots of one dataset; *any_paper becomes true if the paper has results for it. */
static puad_status bar_panel(plot_panel *out, bool *any_paper, arena *memory, const lab_table *table,
                             size_t at, const size_t *shown, size_t rows)
{
    plot_series *series;
    double *here;
    TRY(arena_new(memory, &series, 2, sizeof *series));
    TRY(arena_new(memory, &here, 6 * rows, sizeof *here));
    double *low = here + rows, *high = low + rows, *paper = high + rows, *paper_low = paper + rows,
           *paper_high = paper_low + rows;
    for (size_t row = 0; row < rows; row++) {
        const table_value *value = &table->values[shown[row] * table->dataset_count + at];
        here[row] = value->mean;
        low[row] = value->mean - value->deviation;
        high[row] = value->mean + value->deviation;
        const bool both = value->paper && value->runs;
        paper[row] = both ? value->paper->mean : NAN;
        paper_low[row] = both ? paper[row] - value->paper->deviation : NAN;
        paper_high[row] = both ? paper[row] + value->paper->deviation : NAN;
        *any_paper = *any_paper || !isnan(paper[row]);
    }
    series[0] = (plot_series){.name = "here", .y = here, .low = low, .high = high, .count = rows};
    series[1] =
        (plot_series){.name = "paper", .y = paper, .low = paper_low, .high = paper_high, .count = rows};
    *out = (plot_panel){.kind = PLOT_BARS,
                        .title = table->datasets[at],
                        .name_count = rows,
                        .series = series,
                        .series_count = 2,
                        .dots = true};
    return figure_name_axis(&out->x.label, memory, table->which);
}

/* The label of a dot: method, setting, and whether the split was reduced. */
static puad_status bar_name(const char **out, arena *memory, const lab_table *table, size_t row)
{
    const char *setting = table->rows[row].setting;
    bool reduced = false;
    for (size_t d = 0; d < table->dataset_count; d++)
        reduced = reduced || table->values[row * table->dataset_count + d].reduced;
    return arena_print(memory, out, "%s%s%s%s", table->rows[row].method, *setting ? ", " : "", setting,
                       reduced && !strstr(setting, "reduced") ? ", reduced" : "");
}

static size_t runs_of(const lab_table *table, size_t row)
{
    size_t runs = 0;
    for (size_t d = 0; d < table->dataset_count; d++)
        runs += table->values[row * table->dataset_count + d].runs;
    return runs;
}

/* All rows or, if there are too many, those with the most runs, in the order of the table. */
static puad_status choose_rows(size_t **out, size_t *out_count, arena *memory, const lab_table *table)
{
    size_t rows = table->row_count, count = 0, min = 0, above;
    TRY(arena_new(memory, out, rows, sizeof **out));
    do { /* the smallest number of runs that leaves few enough rows */
        above = 0;
        for (size_t row = 0; row < rows; row++) above += runs_of(table, row) >= min;
        min++;
    } while (above > ROWS_MAX && min < 1000000);
    for (size_t row = 0; row < rows; row++)
        if (runs_of(table, row) >= min - 1 || rows <= ROWS_MAX) (*out)[count++] = row;
    for (size_t row = 0; row < rows && !count && row < ROWS_MAX; row++)
        (*out)[count++] = row; /* all have equally many */
    *out_count = count;
    return PUAD_OK;
}

puad_status figure_bars(plot_figure *out, arena *memory, const lab_table *table)
{
    size_t rows, longest = 0, *shown;
    double min = 0.42;
    bool any_paper = false;
    const char **names;
    plot_panel *panels;
    TRY(choose_rows(&shown, &rows, memory, table));
    TRY(arena_new(memory, &names, rows, sizeof *names));
    TRY(arena_new(memory, &panels, table->dataset_count, sizeof *panels));
    for (size_t row = 0; row < rows; row++) {
        TRY(bar_name(&names[row], memory, table, shown[row]));
        if (strlen(names[row]) > longest) longest = strlen(names[row]);
        for (size_t d = 0; d < table->dataset_count; d++) {
            const table_value *value = &table->values[shown[row] * table->dataset_count + d];
            min = fmin(min, isnan(value->deviation) ? value->mean : value->mean - value->deviation);
        }
    }
    for (size_t d = 0; d < table->dataset_count; d++) {
        TRY(bar_panel(&panels[d], &any_paper, memory, table, d, shown, rows));
        panels[d].names = names;
        panels[d].x.min = fmax(0, floor(10 * min) / 10);
        panels[d].x.max = 1;
    }
    for (size_t d = 0; d < table->dataset_count && !any_paper; d++) panels[d].series_count = 1;
    const char *title = table->budget;
    if (rows < table->row_count)
        TRY(arena_print(memory, &title, "%s%sthe %zu of %zu rows with the most runs", title,
                        *title ? "; " : "", rows, table->row_count));
    *out = (plot_figure){.title = *title ? title : NULL,
                         .panels = panels,
                         .panel_count = table->dataset_count,
                         .columns = table->dataset_count > COLUMNS_MAX ? COLUMNS_MAX : 0,
                         .no_legend = !any_paper,
                         .panel_width =
                             fmin(fmax(PLOT_PANEL_WIDTH, 200 + LETTER_WIDTH * (double)longest), PANEL_WIDEST),
                         .panel_height = fmax(120, 60 + 26 * (double)rows)};
    return PUAD_OK;
}
