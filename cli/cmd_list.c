/* puad list: methods and networks; puad-lab lists the datasets. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/table_print.h"
#include "cli/exec_sets.h"
#include "cli/library_values.h"
#include "options/similar_name.h"

#include <puad/detector.h>
#include <stdio.h>
#include <string.h>

/* One row per kind of thing to list. With `json`, a row's function appends objects to that array;
 * otherwise it prints. */
static puad_status list_methods(const invocation *call, cJSON *json)
{
    (void)call;
    if (!json) printf("methods:\n  %-11s %-15s %-16s %s\n", "name", "head", "objective", "");
    for (size_t i = 0; method_at(i).name; i++) {
        if (json) {
            cJSON *object = cJSON_CreateObject();
            cJSON_AddStringToObject(object, "name", method_at(i).name);
            cJSON_AddStringToObject(object, "title", method_at(i).title);
            cJSON_AddStringToObject(object, "head", method_at(i).head);
            cJSON_AddStringToObject(object, "objective", method_at(i).objective);
            cJSON_AddItemToArray(json, object);
        } else {
            printf("  %-11s %-15s %-16s %s\n", method_at(i).name, method_at(i).head, method_at(i).objective,
                   method_at(i).title);
        }
    }
    return PUAD_OK;
}

static puad_status list_networks(const invocation *call, cJSON *json)
{
    (void)call;
    if (!json) printf("networks:\n");
    for (size_t i = 0; network_at(i).name; i++) {
        if (!json) {
            printf("  %-9s %s\n", network_at(i).name, network_at(i).title);
            continue;
        }
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", network_at(i).name);
        cJSON_AddStringToObject(object, "title", network_at(i).title);
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
};
#define LISTS "methods|networks|datasets"
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static puad_status run(const invocation *call)
{
    const char *wanted = call->argument_count ? call->arguments[0] : NULL;
    if (wanted && strcmp(wanted, "datasets") == 0) return exec_sets(call, NULL);
    bool text = prints_text(call), known = !wanted;
    if (!text && !wanted && !is_given(call, "json") && strcmp(value_of(call, "format")->text, "json") != 0)
        FAIL(PUAD_INVALID, "only a single list can be a table: puad list methods|networks --format %s",
             value_of(call, "format")->text);
    AUTO_JSON cJSON *all = text ? NULL : cJSON_CreateObject();
    for (int i = 0; i < KIND_COUNT; i++) {
        if (wanted && strcmp(wanted, kinds[i].name) != 0) continue;
        if (text && !wanted && i > 0) printf("\n");
        TRY(kinds[i].list(call, text ? NULL : cJSON_AddArrayToObject(all, kinds[i].name)));
        known = true;
    }
    if (!known) {
        char hint[SIMILAR_CAPACITY];
        FAIL(PUAD_INVALID, "cannot list '%s'; choose one of %s%s", wanted, LISTS,
             similar_choice(hint, wanted, LISTS));
    }
    return text ? PUAD_OK : result_print(call, all, wanted);
}

static const option options[] = {
    {.name = "data-dir",
     .type = OPTION_TEXT,
     .value = "DIR",
     .help = "folder with one folder per dataset; default $PUAD_DATA, then ~/.local/share/puad"},
    OUTPUT_OPTION,
    FORMAT_OPTION,
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object"},
};

const command command_list = {
    .name = "list",
    .summary = "list methods, networks and datasets",
    .usage = "[methods|networks|datasets] [OPTIONS]",
    .description = "Lists the methods with their score head and objective, and the networks. 'puad "
                   "list datasets' lists the public and generated datasets of the laboratory (puad-lab).",
    .example = "puad list\npuad list datasets --json",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints = true,
    .arguments_most = 1,
    .argument_choices = LISTS,
    .run = run,
};
