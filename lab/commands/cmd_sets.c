/* puad-lab sets: lists the named datasets, or describes one: official parts, classes and example rows. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/json_line.h"
#include "cli/common/preview_images.h"
#include "cli/common/table_print.h"
#include "lab/sets/set_survey.h"
#include "plot/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 10, NAME_CAPACITY = 64 };

static const char *const part_names[PART_COUNT] = {[PART_TRAIN] = "train", [PART_TEST] = "test"};

static puad_status print_json(const raw_set *set, const char *path, const set_survey *counted)
{
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    const set_row *about = set->about;
    cJSON_AddStringToObject(object, "name", about->name);
    cJSON_AddStringToObject(object, "title", about->title);
    cJSON_AddStringToObject(object, "format", "set");
    cJSON_AddStringToObject(object, "kind", set->image ? "images" : "table");
    cJSON_AddBoolToObject(object, "synthetic", about->reader->generated);
    if (path && path[0]) cJSON_AddStringToObject(object, "path", path);
    size_t rows = set->parts[PART_TRAIN].rows + set->parts[PART_TEST].rows;
    cJSON_AddNumberToObject(object, "rows", (double)rows);
    const double sizes[] = {(double)rows, set->height, set->width, set->channels};
    cJSON_AddItemToObject(object, "shape", cJSON_CreateDoubleArray(sizes, 4));
    cJSON_AddNumberToObject(object, "duplicates", (double)counted->duplicates);
    cJSON_AddNumberToObject(object, "missing", 0);
    cJSON *parts = cJSON_AddObjectToObject(object, "parts");
    for (int p = 0; p < PART_COUNT; p++) {
        cJSON *part = cJSON_AddObjectToObject(parts, part_names[p]);
        cJSON_AddNumberToObject(part, "rows", (double)set->parts[p].rows);
        cJSON *classes = cJSON_AddObjectToObject(part, "classes");
        for (int class = 0; class < about->class_count; class ++) {
            char number[16];
            snprintf(number, sizeof number, "%d", class);
            cJSON_AddNumberToObject(classes, number, (double)counted->classes[p][class]);
        }
    }
    cJSON *names = cJSON_AddArrayToObject(object, "class_names");
    for (int class = 0; class < about->class_count; class ++) {
        char name[NAME_CAPACITY];
        set_class_name(name, sizeof name, about, class);
        cJSON_AddItemToArray(names, cJSON_CreateString(name));
    }
    return json_line(object);
}

static void print_text(const raw_set *set, const char *path, const set_survey *counted)
{
    const set_row *about = set->about;
    printf("%s: %s%s%s\n", about->name, about->title, about->reader->generated ? "" : ", from ",
           about->reader->generated ? "" : path);
    if (set->image)
        printf("images of %d x %d pixels, %s\n", set->height, set->width,
               set->channels == 1 ? "gray" : "color");
    else
        printf("a table of %d columns\n", set->channels);
    printf("%zu rows for training, %zu for testing; %zu repeat an earlier one\n", set->parts[PART_TRAIN].rows,
           set->parts[PART_TEST].rows, counted->duplicates);
    printf("  class                            train      test\n");
    for (int class = 0; class < about->class_count; class ++) {
        char name[NAME_CAPACITY];
        set_class_name(name, sizeof name, about, class);
        printf("  %2d %-24.24s  %9zu %9zu%s\n", class, name, counted->classes[PART_TRAIN][class],
               counted->classes[PART_TEST][class], about->unseen & ONE(class) ? "  unseen" : "");
    }
}

/* The first rows of each class of the training part, one line of the grid per class. */
static puad_status preview_classes(const raw_set *set, const char *path)
{
    const set_row *about = set->about;
    const raw_part *part = &set->parts[PART_TRAIN];
    size_t max = (size_t)about->class_count * EXAMPLES, count = 0;
    AUTO_FREE uint32_t *rows = NULL;
    AUTO_FREE char(*names)[NAME_CAPACITY] = NULL;
    AUTO_FREE const char **captions = NULL;
    AUTO_DATASET dataset examples = {0};
    TRY(memory_new(&rows, max, sizeof *rows, "the picture"));
    TRY(memory_new(&names, (size_t)about->class_count, sizeof *names, "the picture"));
    TRY(memory_new(&captions, max, sizeof *captions, "the picture"));
    for (int class = 0; class < about->class_count; class ++) {
        size_t found = 0;
        set_class_name(names[class], sizeof names[class], about, class);
        for (size_t i = 0; i < part->rows && found < EXAMPLES; i++) {
            if (part->classes[i] != class) continue;
            captions[count] = names[class];
            rows[count++] = (uint32_t)i;
            found++;
        }
    }
    TRY(raw_set_rows(&examples, set, PART_TRAIN, rows, count, 32));
    char title[200];
    snprintf(title, sizeof title, "%s: %s", about->name, about->title);
    preview_shape shape = {examples.height, examples.width, examples.channels};
    return preview_images(path, title, examples.values, examples.rows, shape, captions, EXAMPLES);
}

/* Points in the plane, or the first two columns of a wider table. */
static puad_status preview_points(const raw_set *set, const char *path)
{
    const raw_part *part = &set->parts[PART_TRAIN];
    AUTO_DATASET dataset all = {0};
    TRY(raw_set_rows(&all, set, PART_TRAIN, NULL, part->rows, 0));
    AUTO_FREE double *x = NULL;
    AUTO_FREE double *y = NULL;
    plot_series series[8];
    char names[8][NAME_CAPACITY];
    size_t used = 0, begin = 0, at = 0;
    TRY(memory_new(&x, part->rows, sizeof *x, "the picture"));
    TRY(memory_new(&y, part->rows, sizeof *y, "the picture"));
    for (int class = 0; class < set->about->class_count && used < 8; class ++, begin = at) {
        for (size_t i = 0; i < part->rows; i++) {
            if (part->classes[i] != class) continue;
            x[at] = (double)all.values[i * all.columns];
            y[at++] = (double)all.values[i * all.columns + (all.columns > 1)];
        }
        set_class_name(names[used], sizeof names[used], set->about, class);
        if (at > begin) {
            series[used] = (plot_series){.name = names[used],
                                         .x = x + begin,
                                         .y = y + begin,
                                         .count = at - begin,
                                         .mark = PLOT_POINTS};
            used++;
        }
    }
    plot_panel panel = {
        .kind = PLOT_CURVES, .title = set->about->title, .series = series, .series_count = used};
    return plot_write(
        &(plot_figure){.panels = &panel, .panel_count = 1, .panel_width = 480, .panel_height = 400}, path);
}

static puad_status describe(const invocation *call, const set_row *about)
{
    AUTO_FREE char *folder = NULL;
    AUTO_FREE char *path = NULL;
    AUTO_RAW_SET raw_set set = {0};
    set_survey counted;
    TRY(sets_folder(&folder, value_of(call, "data-dir")->text));
    set_is_present(&path, about, folder);
    TRY(set_read(&set, about, folder, 0));
    TRY(set_survey_read(&counted, &set));
    const char *picture = value_of(call, "preview")->text;
    if (picture) TRY(set.image ? preview_classes(&set, picture) : preview_points(&set, picture));
    if (is_given(call, "json")) return print_json(&set, path, &counted);
    print_text(&set, path ? path : folder, &counted);
    return PUAD_OK;
}

/* "1,2,3" or the group's name */
static void cells_text(char *out, size_t capacity, const set_row *about)
{
    set_cell cells[SET_CELLS_MAX];
    size_t used = 0, count = set_cells(cells, about);
    for (size_t i = 0; i < count && used < capacity; i++)
        used += (size_t)snprintf(out + used, capacity - used, "%s%s", i ? "," : "", cells[i].name);
}

static cJSON *dataset_json(const set_row *about, bool present, const char *path)
{
    cJSON *object = cJSON_CreateObject(), *classes = cJSON_AddArrayToObject(object, "classes");
    set_cell cells[SET_CELLS_MAX];
    size_t count = set_cells(cells, about);
    cJSON *normals = cJSON_AddArrayToObject(object, "normal"),
          *unseen = cJSON_AddArrayToObject(object, "unseen");
    for (int class = 0; class < about->class_count; class ++) {
        char name[128];
        set_class_name(name, sizeof name, about, class);
        cJSON_AddItemToArray(classes, cJSON_CreateString(name));
        if (about->unseen & ONE(class)) cJSON_AddItemToArray(unseen, cJSON_CreateNumber(class));
    }
    for (size_t i = 0; i < count; i++) cJSON_AddItemToArray(normals, cJSON_CreateString(cells[i].name));
    cJSON_AddStringToObject(object, "name", about->name);
    cJSON_AddStringToObject(object, "title", about->title);
    cJSON_AddBoolToObject(object, "synthetic", about->reader->generated);
    cJSON_AddBoolToObject(object, "present", present);
    if (present && path[0]) cJSON_AddStringToObject(object, "path", path);
    return object;
}

static puad_status list_datasets(const invocation *call, cJSON *json)
{
    AUTO_FREE char *folder = NULL;
    size_t count;
    const set_row *rows = sets_all(&count);
    TRY(sets_folder(&folder, value_of(call, "data-dir")->text));
    if (!json) printf("datasets in %s:\n  %-15s %-9s %-19s %s\n", folder, "name", "", "normal class", "");
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *path = NULL;
        char cells[64];
        bool present = set_is_present(&path, &rows[i], folder);
        if (present && !path) FAIL(PUAD_MEMORY, "no memory for a path");
        cells_text(cells, sizeof cells, &rows[i]);
        if (json)
            cJSON_AddItemToArray(json, dataset_json(&rows[i], present, path));
        else
            printf("  %-15s %-9s %-19s %s\n", rows[i].name,
                   rows[i].reader->generated ? "generated"
                   : present                 ? "present"
                                             : "absent",
                   cells, rows[i].title);
    }
    return PUAD_OK;
}

static puad_status run(const invocation *call)
{
    if (call->argument_count) {
        const set_row *about;
        if (set_find(&about, call->arguments[0]) != PUAD_OK)
            FAIL(PUAD_IO, "%s: neither a file nor a dataset; 'puad-lab sets' lists the datasets",
                 call->arguments[0]);
        return describe(call, about);
    }
    if (is_given(call, "preview")) FAIL(PUAD_INVALID, "--preview needs the name of a dataset");
    if (!is_given(call, "json")) return list_datasets(call, NULL);
    AUTO_JSON cJSON *all = cJSON_CreateObject();
    TRY(list_datasets(call, cJSON_AddArrayToObject(all, "datasets")));
    return json_line(all);
}

static const option options[] = {
    {.name = "data-dir",
     .type = OPTION_TEXT,
     .value = "DIR",
     .help = "folder with one folder per dataset; default $PUAD_DATA, then ~/.local/share/puad"},
    {.name = "preview",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "draw example rows of a dataset; the extension selects SVG, PNG or PDF"},
    OUTPUT_OPTION,
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object"},
};

const command command_sets = {
    .name = "sets",
    .summary = "list the public and generated datasets, or describe one",
    .usage = "[NAME] [OPTIONS]",
    .description =
        "Lists the named datasets: whether their official files are in the data folder, which of their "
        "classes are used as the normal class, and their contents. With a name: the size of its parts and "
        "classes, and example rows with --preview. Generated datasets are always present.",
    .example = "puad-lab sets\npuad-lab sets mnist --preview mnist.png",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints = true,
    .arguments_most = 1,
    .run = run,
};
