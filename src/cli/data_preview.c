/* Pictures of what an input holds: example images in a grid, or the distribution of each column. */
#include "base/memory.h"
#include "cli/data_parts.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MOST = 24, BARS_MOST = 12, EXAMPLES = 8, GROUPS_MOST = 20 };

puad_status preview_images(const char *path, const char *title, const dataset *images,
                           const char *const *captions, size_t columns)
{
    plot_panel panel = {.kind = PLOT_IMAGES,
                        .images = images->values,
                        .image_count = images->rows,
                        .image_columns = columns,
                        .image_height = images->height,
                        .image_width = images->width,
                        .image_channels = images->channels,
                        .captions = captions};
    size_t lines = (images->rows + columns - 1) / columns;
    plot_figure figure = {.title = title,
                          .panels = &panel,
                          .panel_count = 1,
                          .panel_width = 84.0 * (double)columns,
                          .panel_height = 98.0 * (double)lines};
    return plot_write(&figure, path);
}

static const char *const label_names[] = {"normal", "unlabeled", "anomaly"};

/* The group of an image: its class, else its label, else one for all. */
static size_t group_of(const dataset *rows, size_t row)
{
    if (rows->classes) return (size_t)rows->classes[row];
    return rows->labels ? (size_t)(rows->labels[row] + 1) : 0;
}

static const char *group_name(const dataset *rows, size_t group)
{
    if (rows->classes) return rows->class_names[group];
    return rows->labels ? label_names[group] : "";
}

/* The first few images of each group, group after group. */
static puad_status preview_examples(const char *path, const dataset *rows, const char *title)
{
    size_t groups = rows->classes ? rows->class_count : rows->labels ? 3 : 1;
    if (groups > GROUPS_MOST) groups = GROUPS_MOST;
    size_t each = groups == 1 ? 5 * EXAMPLES : EXAMPLES, count = 0;
    AUTO_FREE float *values = NULL;
    AUTO_FREE const char **captions = NULL;
    TRY(memory_new(&values, groups * each * rows->columns, sizeof *values, "the picture"));
    TRY(memory_new(&captions, groups * each, sizeof *captions, "the picture"));
    for (size_t group = 0; group < groups; group++) {
        size_t found = 0;
        for (size_t r = 0; r < rows->rows && found < each; r++) {
            if (group_of(rows, r) != group) continue;
            memcpy(values + count * rows->columns, rows->values + r * rows->columns,
                   rows->columns * sizeof *values);
            captions[count++] = groups == 1 && rows->ids ? rows->ids[r] : group_name(rows, group);
            found++;
        }
    }
    dataset examples = *rows; /* borrowed, only for its shape */
    examples.values = values;
    examples.rows = count;
    return preview_images(path, title, &examples, captions, EXAMPLES);
}

/* The values of a number column as they are in the file, for rows of one label (or all, with NULL labels). */
static size_t raw_values(double *out, const dataset *rows, const transform_column *column,
                         const int8_t *label)
{
    size_t count = 0;
    for (size_t r = 0; r < rows->rows; r++) {
        const float *row = rows->values + r * rows->columns;
        if (label && rows->labels[r] != *label) continue;
        if (column->indicator && row[column->first + 1] != 0) continue;
        out[count++] =
            column->pivot +
            ((double)row[column->first] / column->scale * column->sd + column->mean) / column->factor;
    }
    return count;
}

typedef struct panels {
    arena memory;
    plot_panel panels[PANELS_MOST];
    size_t count;
} panels;

static puad_status add_histogram(panels *all, const dataset *rows, const transform_column *column)
{
    static const int8_t labels[] = {0, 1, -1};
    plot_series *series;
    size_t used = 0;
    TRY(arena_new(&all->memory, &series, 3, sizeof *series));
    for (size_t k = 0; k < (rows->labels ? 3u : 1u); k++) {
        double *values;
        TRY(arena_new(&all->memory, &values, rows->rows, sizeof *values));
        size_t count = raw_values(values, rows, column, rows->labels ? &labels[k] : NULL);
        if (count == 0) continue;
        series[used++] = (plot_series){
            .name = rows->labels ? label_names[labels[k] + 1] : NULL, .x = values, .count = count};
    }
    if (used == 0) return PUAD_OK;
    all->panels[all->count++] = (plot_panel){.kind = PLOT_HISTOGRAM,
                                             .title = column->name,
                                             .y = {.label = rows->labels ? "share of rows" : "rows"},
                                             .series = series,
                                             .series_count = used,
                                             .share = rows->labels != NULL};
    return PUAD_OK;
}

typedef struct ranked {
    uint64_t count;
    const char *text;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return (x->count < y->count) - (x->count > y->count);
}

static puad_status add_bars(panels *all, const profile_column *column)
{
    size_t count = column->words.count < BARS_MOST ? column->words.count : BARS_MOST;
    ranked *order;
    double *lengths;
    const char **names;
    plot_series *series;
    if (count == 0) return PUAD_OK;
    TRY(arena_new(&all->memory, &order, column->words.count, sizeof *order));
    TRY(arena_new(&all->memory, &lengths, count, sizeof *lengths));
    TRY(arena_new(&all->memory, &names, count, sizeof *names));
    TRY(arena_new(&all->memory, &series, 1, sizeof *series));
    for (size_t i = 0; i < column->words.count; i++)
        order[i] = (ranked){column->words.counts[i], column->words.texts[i].text};
    qsort(order, column->words.count, sizeof *order, compare_ranked);
    for (size_t i = 0; i < count; i++) {
        names[i] = order[i].text;
        lengths[i] = (double)order[i].count;
    }
    *series = (plot_series){.y = lengths, .count = count};
    all->panels[all->count++] = (plot_panel){.kind = PLOT_BARS,
                                             .title = column->name,
                                             .x = {.label = "rows"},
                                             .series = series,
                                             .series_count = 1,
                                             .names = names,
                                             .name_count = count,
                                             .decimals = -1};
    return PUAD_OK;
}

static const profile_column *find_column(const profile *found, const char *name)
{
    for (size_t i = 0; i < found->column_count; i++)
        if (strcmp(found->columns[i].name, name) == 0) return &found->columns[i];
    return NULL;
}

static puad_status preview_columns(const char *path, const dataset *rows, const profile *found,
                                   const char *title)
{
    panels all = {0};
    puad_status status = PUAD_OK;
    const transform *how = rows->transform;
    for (size_t i = 0; i < how->column_count && all.count < PANELS_MOST && status == PUAD_OK; i++) {
        const transform_column *column = &how->columns[i];
        const profile_column *counted = find_column(found, column->name);
        if (column->type == COLUMN_NUMBER)
            status = add_histogram(&all, rows, column);
        else if (column->type == COLUMN_CATEGORY && counted)
            status = add_bars(&all, counted);
    }
    if (status == PUAD_OK)
        status =
            plot_write(&(plot_figure){.title = title, .panels = all.panels, .panel_count = all.count}, path);
    arena_free(&all.memory);
    return status;
}

puad_status preview_dataset(const char *path, const dataset *rows, const profile *found)
{
    char title[300];
    snprintf(title, sizeof title, "%s: %zu rows", found->name, found->rows);
    return rows->image ? preview_examples(path, rows, title) : preview_columns(path, rows, found, title);
}
