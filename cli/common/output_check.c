/* Prevents a command from overwriting its inputs. */
#include "cli/common/output_check.h"

#include "base/file.h"
#include "base/memory.h"

#include <string.h>

/* The options of all commands that name a file to write, and those that name files to read in addition to
 * the arguments. --update is not among them: a model may replace the one it continues. */
static const char *const writes[] = {"output", "save-model", "html", "plot", "preview", "summary"};
static const char *const reads[] = {"anomalies", "normals", "answers", "labels-array", "paper", "ledger"};
enum { WRITES = sizeof writes / sizeof *writes, READS = sizeof reads / sizeof *reads };

/* The value of a string option; NULL if the command does not have it. */
static const option_value *file_option(const invocation *call, const char *name)
{
    const command *which = call->command;
    size_t i = options_find(which->options, which->option_count, name);
    if (i == which->option_count || which->options[i].type == OPTION_CHOICE) return NULL;
    return &call->values[i];
}

static puad_status refuse_same(const char *output, const char *input)
{
    if (!input || !file_is_same(output, input)) return PUAD_OK;
    if (strcmp(output, input) == 0)
        FAIL(PUAD_INVALID, "refusing to overwrite the input file %s; name another output", output);
    FAIL(PUAD_INVALID, "%s: is the same file as the input %s; name another output", output, input);
}

/* Fails early if the folder is missing. The demo creates its folder. */
static puad_status need_folder(const invocation *call, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || strcmp(call->command->name, "demo") == 0) return PUAD_OK;
    AUTO_FREE char *folder = strndup(path, (size_t)(slash - path));
    if (!folder) FAIL(PUAD_MEMORY, "%s: no memory", path);
    if (!file_is_folder(folder)) FAIL(PUAD_IO, "%s: the folder %s does not exist", path, folder);
    return PUAD_OK;
}

/* Checks that a file can be created, by creating one; devices and pipes are skipped. */
static puad_status need_writable(const invocation *call, const char *path)
{
    AUTO_OUTPUT file_output trial = {0};
    if (strcmp(call->command->name, "demo") == 0 || file_is_pipe(path)) return PUAD_OK;
    return file_create(&trial, path);
}

puad_status output_check(const invocation *call, const char *path)
{
    TRY(need_folder(call, path));
    if (file_is_folder(path) && strcmp(call->command->name, "demo") != 0)
        FAIL(PUAD_IO, "%s: is a folder, expected a file to write", path);
    bool words = strcmp(call->command->name, "lab") == 0; /* its arguments are names of actions and figures */
    for (size_t i = 0; i < call->argument_count && !words; i++) TRY(refuse_same(path, call->arguments[i]));
    for (size_t i = 0; i < READS; i++) {
        const option_value *value = file_option(call, reads[i]);
        if (!value) continue;
        TRY(refuse_same(path, value->text));
        for (size_t k = 0; k < value->list_count; k++) TRY(refuse_same(path, value->list[k]));
    }
    return need_writable(call, path);
}

puad_status output_check_all(const invocation *call)
{
    for (size_t i = 0; i < WRITES; i++) {
        const option_value *value = file_option(call, writes[i]);
        if (value && value->text) TRY(output_check(call, value->text));
    }
    return PUAD_OK;
}
