/* puad list: what there is to choose from. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "lab/sets/set.h"

#include <puad/detector.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "1,2,3" or the group's name */
static void cells_text(char *out, size_t room, const set_row *about)
{
    set_cell cells[SET_CELLS_MOST];
    size_t used = 0, count = set_cells(cells, about);
    for (size_t i = 0; i < count && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? "," : "", cells[i].name);
}

static cJSON *dataset_json(const set_row *about, bool present, const char *path)
{
    cJSON *object = cJSON_CreateObject(), *classes = cJSON_AddArrayToObject(object, "classes");
    set_cell cells[SET_CELLS_MOST];
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
    if (!json) printf("data sets in %s:\n  %-15s %-9s %-19s %s\n", folder, "name", "", "normal class", "");
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

/* One row per kind of thing that can be listed. With `json`, a row's function appends objects to that array;
 * without, it prints. */
static puad_status list_methods(const invocation *call, cJSON *json)
{
    (void)call;
    if (!json) printf("methods:\n  %-11s %-15s %-16s %s\n", "name", "head", "objective", "");
    for (size_t i = 0; puad_method_name(i); i++) {
        if (json) {
            cJSON *object = cJSON_CreateObject();
            cJSON_AddStringToObject(object, "name", puad_method_name(i));
            cJSON_AddStringToObject(object, "title", puad_method_title(i));
            cJSON_AddStringToObject(object, "head", puad_method_head(i));
            cJSON_AddStringToObject(object, "objective", puad_method_objective(i));
            cJSON_AddItemToArray(json, object);
        } else {
            printf("  %-11s %-15s %-16s %s\n", puad_method_name(i), puad_method_head(i),
                   puad_method_objective(i), puad_method_title(i));
        }
    }
    return PUAD_OK;
}

static puad_status list_networks(const invocation *call, cJSON *json)
{
    (void)call;
    if (!json) printf("networks:\n");
    for (size_t i = 0; puad_network_name(i); i++) {
        if (!json) {
            printf("  %-9s %s\n", puad_network_name(i), puad_network_title(i));
            continue;
        }
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", puad_network_name(i));
        cJSON_AddStringToObject(object, "title", puad_network_title(i));
        cJSON_AddItemToArray(json, object);
    }
    return PUAD_OK;
}

static const struct {
    const char *name;
    puad_status (*list)(const invocation *call, cJSON *json);
} kinds[] = {
    {"methods", list_methods},
    {"networks", list_networks},
    {"datasets", list_datasets},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static puad_status run(const invocation *call)
{
    const char *wanted = call->argument_count ? call->arguments[0] : NULL;
    bool json = is_given(call, "json"), known = !wanted;
    cJSON *all = json ? cJSON_CreateObject() : NULL;
    puad_status status = PUAD_OK;
    for (int i = 0; i < KIND_COUNT && status == PUAD_OK; i++) {
        if (wanted && strcmp(wanted, kinds[i].name) != 0) continue;
        if (!json && !wanted && i > 0) printf("\n");
        status = kinds[i].list(call, json ? cJSON_AddArrayToObject(all, kinds[i].name) : NULL);
        known = true;
    }
    if (status == PUAD_OK && !known) {
        char names[200] = "";
        for (int i = 0; i < KIND_COUNT; i++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                     kinds[i].name);
        status = status_fail(PUAD_INVALID, "cannot list '%s'; expected one of: %s", wanted, names);
    }
    char *text = status == PUAD_OK && json ? json_text_of(all, true) : NULL;
    if (text) printf("%s\n", text);
    if (status == PUAD_OK && json && !text) status = status_fail(PUAD_MEMORY, "no memory for the list");
    free(text);
    cJSON_Delete(all);
    return status;
}

static const option options[] = {
    {.name = "data-dir",
     .type = OPTION_TEXT,
     .value = "DIR",
     .help = "folder with one folder per data set; without it $PUAD_DATA, then ~/.local/share/puad"},
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object"},
};

const command command_list = {
    .name = "list",
    .summary = "what there is to choose from",
    .usage = "[methods|networks|datasets] [OPTIONS]",
    .description =
        "Lists the methods with their score head and objective, the networks, and the data sets that have a "
        "name: whether their official files are in the data folder, which of "
        "their classes take turns at being normal, and what they show. Generated sets are always there; they "
        "are synthetic and say so.",
    .example = "puad list\npuad list datasets --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_most = 1,
    .run = run,
};
