/* Rejects options and arguments that an action does not use, with advice. */
#include "lab/commands/lab_commands.h"
#include "lab/run/experiment.h"
#include "lab/sets/set.h"

#include <stdio.h>
#include <string.h>

bool lab_has_word(const char *words, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = words; *at;) {
        size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, name, length) == 0) return true;
        at += word + (at[word] == ' ');
    }
    return false;
}

/* The experiment option that corresponds to an option of 'puad lab run', or NULL. */
static const field *cell_option(const char *name)
{
    static const char *const others[][2] = {{"alphas", "alpha"},
                                            {"contamination", "hidden"},
                                            {"normal-class", "normal"},
                                            {"pretrain-epochs", "pretrain_epochs"},
                                            {"seed-list", "seed"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0) return lab_field(others[i][1]);
    const field *found = lab_field(name);
    return found && found->option ? found : NULL;
}

/* "; '--where epochs=20' ..." if there is an equivalent, else the options of the action. */
static void advise(char *out, size_t capacity, const option *row, const option_value *value,
                   const char *takes)
{
    const field *about = cell_option(row->name);
    size_t used = 0;
    if (lab_has_word(takes, "where") && strcmp(row->name, "set") == 0) {
        snprintf(out, capacity, "'--where %s' selects experiments", value->text);
    } else if (lab_has_word(takes, "set") && strcmp(row->name, "where") == 0) {
        snprintf(out, capacity, "'--set %s' sets an option of experiments", value->text);
    } else if (lab_has_word(takes, "where") && about && row->type == OPTION_INTEGER) {
        snprintf(out, capacity, "'--where %s=%lld' selects experiments by it", about->name, value->integer);
    } else if (lab_has_word(takes, "where") && about) {
        snprintf(out, capacity, "'--where %s=%s' selects experiments by it", about->name,
                 strchr(value->text, ',') ? "VALUE" : value->text);
    } else {
        used = (size_t)snprintf(out, capacity, "it takes");
        for (const char *at = takes; *at && used < capacity;) {
            int length = (int)strcspn(at, " ");
            used += (size_t)snprintf(out + used, capacity - used, " --%.*s", length, at);
            at += length + (at[length] == ' ');
        }
    }
}

puad_status lab_check_options(const invocation *call, const char *action, const char *takes)
{
    for (size_t i = 0; i < call->command->option_count; i++) {
        const option *row = &call->command->options[i];
        char advice[512];
        if (!call->values[i].given || lab_has_word("ledger quiet", row->name) ||
            lab_has_word(takes, row->name))
            continue;
        advise(advice, sizeof advice, row, &call->values[i], takes);
        FAIL(PUAD_INVALID, "'puad lab %s' does not take --%s; %s", action, row->name, advice);
    }
    return PUAD_OK;
}

puad_status lab_check_arguments(const invocation *call, const char *usage, size_t max)
{
    const set_row *set;
    if (call->argument_count <= max + 1) return PUAD_OK;
    const char *action = call->arguments[0], *extra = call->arguments[max + 1];
    if (max == 0 && set_find(&set, extra) == PUAD_OK)
        FAIL(PUAD_INVALID, "'puad lab %s' takes datasets as an option: --datasets %s", action, extra);
    if (max == 0 && lab_method_exists(extra))
        FAIL(PUAD_INVALID, "'puad lab %s' takes methods as an option: --methods %s", action, extra);
    FAIL(PUAD_INVALID, "unexpected argument '%s'; usage: puad lab %s%s", extra, action, usage);
}
