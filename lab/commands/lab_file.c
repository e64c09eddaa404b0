/* --dataset-file of 'puad lab run': a user's file as the dataset of a request. */
#include "base/file.h"
#include "lab/commands/lab_commands.h"
#include "lab/sets/file_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static puad_status refuse_without_file(const invocation *call)
{
    static const char *const of_files[] = {"classes", "label-column", "features", "labels-array"};
    for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++)
        if (is_given(call, of_files[i]))
            FAIL(PUAD_INVALID, "--%s is about the file of --dataset-file, which is not given", of_files[i]);
    return PUAD_OK;
}

static puad_status refuse_others(const invocation *call)
{
    const option_value *set = value_of(call, "set");
    if (is_given(call, "datasets")) FAIL(PUAD_INVALID, "--datasets and --dataset-file: give one of them");
    if (is_given(call, "classes") && is_given(call, "normal-class"))
        FAIL(PUAD_INVALID, "--normal-class and --classes: give one of them");
    for (size_t i = 0; i < set->list_count; i++)
        if (strncmp(set->list[i], "unseen=", 7) == 0)
            FAIL(PUAD_INVALID, "--set %s: the unseen classes of a file are given as --classes NORMAL/UNSEEN",
                 set->list[i]);
    return PUAD_OK;
}

puad_status lab_use_file(plan_request *request, const invocation *call, arena *memory)
{
    const char *classes = value_of(call, "classes")->text, *slash = classes ? strchr(classes, '/') : NULL;
    const file_set *file;
    if (!is_given(call, "dataset-file")) return refuse_without_file(call);
    TRY(refuse_others(call));
    file_choice what = {.path = value_of(call, "dataset-file")->text,
                        .label_column = value_of(call, "label-column")->text,
                        .x = value_of(call, "features")->text,
                        .y = value_of(call, "labels-array")->text,
                        .unseen = slash ? slash + 1 : NULL};
    TRY(file_set_open(&file, &what));
    request->datasets = file->about.name;
    if (classes) return arena_print(memory, &request->normals, "%.*s", (int)strcspn(classes, "/"), classes);
    /* those of the file: a plan's classes belong to public sets */
    if (!request->normals) request->normals = "";
    return PUAD_OK;
}

/* "fault" of "12_fault.npz"; ADBench numbers its files. */
static void table_name(char out[64], const char *file)
{
    size_t digits = strspn(file, "0123456789"), skip = digits && file[digits] == '_' ? digits + 1 : 0;
    snprintf(out, 64, "%.*s", (int)(strlen(file) - skip - 4), file + skip);
}

static int is_table(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".npz") == 0;
}

static bool is_wanted(const char *name, const char *const *wanted, size_t count, bool *found)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(wanted[i], name) == 0) return found[i] = true;
    return count == 0;
}

/* Opens the requested tables of the folder, and lists their names separated by commas. */
static puad_status open_tables(const char **out, arena *memory, const char *folder, const char *const *wanted,
                               size_t wanted_count, bool *found)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_table, versionsort);
    if (count < 0)
        FAIL(PUAD_IO, "%s: cannot be read: %s; ADBench's tables are expected there as NPZ files", folder,
             strerror(errno));
    puad_status status = PUAD_OK;
    *out = "";
    for (int i = 0; i < count; i++) {
        char name[64];
        const file_set *file;
        AUTO_FREE char *path = file_join(folder, entries[i]->d_name);
        table_name(name, entries[i]->d_name);
        free(entries[i]);
        if (status != PUAD_OK || !is_wanted(name, wanted, wanted_count, found)) continue;
        status = path ? file_set_open(&file, &(file_choice){.path = path, .stem = name}) : PUAD_MEMORY;
        if (status == PUAD_OK)
            status = arena_print(memory, out, "%s%s%s", *out, **out ? "," : "", file->about.name);
    }
    free(entries);
    return status;
}

static bool is_set(const invocation *call, const char *name)
{
    const option_value *set = value_of(call, "set");
    for (size_t i = 0; i < set->list_count; i++)
        if (strncmp(set->list[i], name, strlen(name)) == 0 && set->list[i][strlen(name)] == '=') return true;
    return false;
}

puad_status lab_plan_adbench(plan_request *request, const invocation *call, arena *memory)
{
    AUTO_FREE char *data = NULL, *folder = NULL;
    const char **wanted = NULL;
    bool *found;
    size_t count = 0;
    lab_cell *variants;
    TRY(arena_new(memory, &variants, request->variant_count, sizeof *variants));
    memcpy(variants, request->variants, request->variant_count * sizeof *variants);
    if (!is_set(call, "protocol"))
        TRY(plan_vary(&variants, &request->variant_count, "protocol=adbench", memory));
    if (!is_set(call, "share"))
        TRY(plan_vary(&variants, &request->variant_count, "share=0,0.01,0.05,0.1,0.25", memory));
    request->variants = variants;
    if (!request->seeds) request->seeds = "1,2,3";
    if (!request->methods) request->methods = "if,committee";
    if (is_given(call, "dataset-file")) return PUAD_OK; /* a single table of the user */
    TRY(sets_folder(&data, value_of(call, "data-dir")->text));
    folder = file_join(data, "adbench");
    if (!folder) FAIL(PUAD_MEMORY, "no memory for a file name");
    if (request->datasets) TRY(parts_of(&wanted, &count, memory, request->datasets));
    TRY(arena_new(memory, &found, count, sizeof *found));
    TRY(open_tables(&request->datasets, memory, folder, wanted, count, found));
    for (size_t i = 0; i < count; i++)
        if (!found[i]) FAIL(PUAD_INVALID, "%s: there is no table '%s'", folder, wanted[i]);
    if (!*request->datasets) FAIL(PUAD_IO, "%s: there are no tables", folder);
    return PUAD_OK;
}
