/* Explains failures caused by models in place of rows, and rows in place of a model. */
#include "cli/program/argument_explain.h"

#include "base/file.h"
#include "base/model_head.h"

#include <stdio.h>
#include <string.h>

typedef enum file_kind { KIND_UNKNOWN, KIND_MODEL, KIND_TEXT } file_kind;

/* Unknown: folders, pipes, missing and binary files; the library has better messages for them. */
static file_kind kind_of(const char *path)
{
    unsigned char head[MODEL_HEAD];
    if (file_is_pipe(path) || file_is_folder(path)) return KIND_UNKNOWN;
    FILE *file = fopen(path, "rbe");
    size_t size = file ? fread(head, 1, sizeof head, file) : 0;
    if (file) fclose(file);
    if (head_is_model(head, size)) return KIND_MODEL;
    return size == sizeof head && !memchr(head, 0, size) ? KIND_TEXT : KIND_UNKNOWN;
}

static bool takes(const command *which, const char *option_name)
{
    return options_find(which->options, which->option_count, option_name) < which->option_count;
}

static puad_status refuse_model(const command *which, const char *path)
{
    const char *option_name = takes(which, "model") ? "model" : takes(which, "update") ? "update" : NULL;
    if (option_name)
        FAIL(PUAD_INVALID, "%s is a model, but rows are expected; use --%s %s", path, option_name, path);
    FAIL(PUAD_INVALID, "%s is a model, but rows are expected; usage: puad %s %s", path, which->name,
         which->usage);
}

puad_status argument_explain(const invocation *call, puad_status status)
{
    const command *which = call->command;
    bool model_first = strncmp(which->usage, "MODEL", 5) == 0;
    if (!model_first && strncmp(which->usage, "INPUT", 5) != 0 && strncmp(which->usage, "TRAIN", 5) != 0)
        return status;
    file_kind first = model_first ? kind_of(call->arguments[0]) : KIND_UNKNOWN;
    for (size_t i = model_first; i < call->argument_count; i++) {
        if (kind_of(call->arguments[i]) != KIND_MODEL) continue;
        if (model_first && first != KIND_MODEL && file_exists(call->arguments[0]))
            FAIL(PUAD_INVALID, "%s is not a model, but %s is: use 'puad %s %s %s'", call->arguments[0],
                 call->arguments[i], which->name, call->arguments[i], call->arguments[0]);
        return refuse_model(which, call->arguments[i]);
    }
    if (first == KIND_TEXT)
        FAIL(PUAD_FORMAT, "%s is not a model (it looks like text, such as CSV); usage: puad %s %s",
             call->arguments[0], which->name, which->usage);
    return status;
}
