/* --dataset-file of 'puad lab run': a user's file as the data set of a request. */
#include "cli/lab.h"
#include "sets/file_set.h"

#include <string.h>

static puad_status refuse_without_file(const invocation *call)
{
    static const char *const of_files[] = {"classes", "label-column", "x", "y"};
    for (size_t i = 0; i < sizeof of_files / sizeof *of_files; i++)
        if (is_given(call, of_files[i]))
            FAIL(PUAD_INVALID, "--%s says something about the file of --dataset-file, which is not given",
                 of_files[i]);
    return PUAD_OK;
}

static puad_status refuse_others(const invocation *call)
{
    const option_value *set = value_of(call, "set");
    if (is_given(call, "datasets")) FAIL(PUAD_INVALID, "--datasets and --dataset-file: give one of them");
    if (is_given(call, "classes") && is_given(call, "normal"))
        FAIL(PUAD_INVALID, "--normal and --classes: give one of them");
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
                        .x = value_of(call, "x")->text,
                        .y = value_of(call, "y")->text,
                        .unseen = slash ? slash + 1 : NULL};
    TRY(file_set_open(&file, &what));
    request->datasets = file->about.name;
    if (!classes) return PUAD_OK;
    TRY(arena_print(memory, &request->normals, "%.*s", (int)strcspn(classes, "/"), classes));
    if (!*request->normals) request->normals = NULL;
    return PUAD_OK;
}
