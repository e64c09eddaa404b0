/* Starts puad-lab for named datasets. */
#include "cli/exec_sets.h"

#include "base/memory.h"
#include "cli/program/exec_program.h"

#include <string.h>

puad_status exec_sets(const invocation *call, const char *name)
{
    static const char *const passed[] = {"--data-dir", "--preview", "--output"};
    AUTO_ARENA arena memory = {0};
    char *words[11] = {NULL};
    size_t count = 0;
    const char *texts[10] = {"puad-lab", "sets"};
    size_t used = 2;
    if (name) texts[used++] = name;
    const char *format = value_of(call, "format")->text;
    bool json = is_given(call, "json") || strcmp(format, "json") == 0;
    if (!json && strcmp(format, "text") != 0)
        FAIL(PUAD_INVALID, "--format %s: datasets are printed as text or json", format);
    if (json) texts[used++] = "--json";
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        const option *table = call->command->options;
        size_t at = options_find(table, call->command->option_count, passed[i] + 2);
        if (at == call->command->option_count || !call->values[at].given) continue;
        texts[used++] = passed[i];
        texts[used++] = call->values[at].text;
    }
    for (; count < used; count++) {
        words[count] = arena_text(&memory, texts[count]);
        if (!words[count]) FAIL(PUAD_MEMORY, "no memory for arguments");
    }
    return exec_program("puad-lab", words, "install puad-lab next to puad for the public datasets");
}
