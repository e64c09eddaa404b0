/* Draws previews of an input: example images in a grid, or the distribution of each column. */
#include "cli/data_preview.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/common/preview_images.h"
#include "cli/library_values.h"
#include "plot/plot.h"

#include <math.h>
#include <puad/dataset.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS_MAX = 24, BARS_MAX = 12, EXAMPLES = 8, GROUPS_MAX = 20 };

static const char *const label_names[] = {"normal", "unlabeled", "anomaly"};

/* The group of an image: its class, else its label, else one group for all. */
static size_t group_of(const puad_dataset *rows, size_t row)
{
    const int32_t *classes = dataset_of(rows).classes;
    const int8_t *labels = dataset_of(rows).labels;
    return classes ? (size_t)classes[row] : labels ? (size_t)(labels[row] + 1) : 0;
}

static const char *group_name(const puad_dataset *rows, size_t group)
{
    if (dataset_of(rows).classes) return puad_dataset_class_name(rows, group);
    return dataset_of(rows).labels && group < sizeof label_names / sizeof *label_names ? label_names[group]
                                                                                       : "";
}

/* The first few images of each group, group by group. */
static puad_status preview_examples(const char *path, const puad_dataset *rows, const char *title)
{
    size_t groups = dataset_of(rows).classes ? dataset_of(rows).class_count : dataset_of(rows).labels ? 3 : 1;
    if (groups > GROUPS_MAX) groups = GROUPS_MAX;
    size_t each = groups == 1 ? 5 * EXAMPLES : EXAMPLES, count = 0, columns = dataset_of(rows).columns;
    AUTO_FREE float *values = NULL;
    AUTO_FREE const char **captions = NULL;
    puad_dataset_rows_info about = dataset_of(rows);
    preview_shape shape = {.height = about.height, .width = about.width, .channels = about.channels};
    TRY(memory_new(&values, groups * each * columns, sizeof *values, "the picture"));
    TRY(memory_new(&captions, groups * each, sizeof *captions, "the picture"));
    for (size_t group = 0; group < groups; group++) {
        size_t taken = 0;
        for (size_t r = 0; r < puad_dataset_rows(rows) && taken < each; r++) {
            if (group_of(rows, r) != group) continue;
            memcpy(values + count * columns, dataset_of(rows).values + r * columns, columns * sizeof *values);
            const char *id = puad_dataset_id(rows, r);
            captions[count++] = groups == 1 && id ? id : group_name(rows, group);
            taken++;
        }
    }
    return preview_images(path, title, values, count, shape, captions, EXAMPLES);
}

typedef struct panels {
    arena memory;
    plot_panel panels[PANELS_MAX];
    size_t count;
} panels;

/* One series per label, or one for all rows if there are no labels. */
static puad_status add_histogram(panels *all, const puad_dataset *rows, const char *column)
{
    static const int8_t order[] = {0, 1, -1};
    const int8_t *labels = dataset_of(rows).labels;
    plot_series *series;
    double *numbers, *values;
    size_t used = 0, count = puad_dataset_rows(rows);
    TRY(arena_new(&all->memory, &series, 3, sizeof *series));
    TRY(arena_new(&all->memory, &numbers, count, sizeof *numbers));
    TRY(arena_new(&all->memory, &values, count, sizeof *values));
    TRY(puad_dataset_numbers(rows, column, numbers, count));
    for (size_t k = 0; k < (labels ? 3u : 1u); k++) {
        size_t taken = 0;
        for (size_t r = 0; r < count; r++)
            if (!isnan(numbers[r]) && (!labels || labels[r] == order[k])) values[taken++] = numbers[r];
        if (taken == 0) continue;
        series[used++] =
            (plot_series){.name = labels ? label_names[order[k] + 1] : NULL, .x = values, .count = taken};
        values += taken;
    }
    if (used == 0) return PUAD_OK;
    all->panels[all->count++] = (plot_panel){.kind = PLOT_HISTOGRAM,
                                             .title = column,
                                             .y = {.label = labels ? "fraction of rows" : "rows"},
                                             .series = series,
                                             .series_count = used,
                                             .share = labels != NULL};
    return PUAD_OK;
}

static puad_status add_bars(panels *all, const puad_profile *found, size_t column)
{
    size_t count = 0, rows;
    double *lengths;
    const char **names, *text;
    plot_series *series;
    TRY(arena_new(&all->memory, &lengths, BARS_MAX, sizeof *lengths));
    TRY(arena_new(&all->memory, &names, BARS_MAX, sizeof *names));
    TRY(arena_new(&all->memory, &series, 1, sizeof *series));
    for (; count < BARS_MAX && (text = puad_profile_column_text(found, column, count, &rows)); count++) {
        names[count] = text;
        lengths[count] = (double)rows;
    }
    if (count == 0) return PUAD_OK;
    *series = (plot_series){.y = lengths, .count = count};
    all->panels[all->count++] = (plot_panel){.kind = PLOT_BARS,
                                             .title = profile_at(found, column).name,
                                             .x = {.label = "rows"},
                                             .series = series,
                                             .series_count = 1,
                                             .names = names,
                                             .name_count = count,
                                             .decimals = -1};
    return PUAD_OK;
}

static puad_status preview_columns(const char *path, const puad_dataset *rows, const puad_profile *found,
                                   const char *title)
{
    panels all = {0};
    puad_status status = PUAD_OK;
    const char *name;
    for (size_t i = 0; (name = profile_at(found, i).name) && all.count < PANELS_MAX; i++) {
        puad_column_kind kind = puad_dataset_column_kind(rows, name);
        if (status == PUAD_OK && kind == PUAD_COLUMN_NUMBER) status = add_histogram(&all, rows, name);
        if (status == PUAD_OK && kind == PUAD_COLUMN_CATEGORY) status = add_bars(&all, found, i);
    }
    if (status == PUAD_OK)
        status =
            plot_write(&(plot_figure){.title = title, .panels = all.panels, .panel_count = all.count}, path);
    arena_free(&all.memory);
    return status;
}

static void dataset_freed(puad_dataset **owner)
{
    puad_dataset_free(*owner);
}

puad_status preview_input(const char *picture, const char *input, const puad_profile *found,
                          const puad_options *options)
{
    __attribute__((cleanup(dataset_freed))) puad_dataset *rows = NULL;
    AUTO_CALL_OPTIONS puad_options *given = NULL;
    const char *label = puad_options_get(options, "label_column");
    if (file_is_pipe(input))
        FAIL(PUAD_INVALID, "--preview needs a file: %s can be read only once", profile_of(found).name);
    TRY(puad_options_copy(&given, options));
    if (label && isnan(puad_profile_number(found, PUAD_PROFILE_ANOMALIES))) {
        TRY(puad_options_add(given, "ignore", label));
        TRY(puad_options_set(given, "label_column", NULL));
    }
    TRY(puad_dataset_open(&rows, input, NULL, given));
    char title[300];
    snprintf(title, sizeof title, "%s: %.0f rows", profile_of(found).name,
             puad_profile_number(found, PUAD_PROFILE_ROWS));
    return dataset_of(rows).image ? preview_examples(picture, rows, title)
                                  : preview_columns(picture, rows, found, title);
}
