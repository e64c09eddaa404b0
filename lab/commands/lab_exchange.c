/* puad lab export and import: converts the ledger to and from CSV. */
#include "base/file.h"
#include "cli/common/output_check.h"
#include "lab/commands/lab_commands.h"

#include <stdio.h>

puad_status lab_action_export(const invocation *call)
{
    AUTO_LEDGER ledger *book = NULL;
    const char *output = value_of(call, "output")->text;
    if (call->argument_count > 2 || (call->argument_count == 2) == (output != NULL))
        FAIL(PUAD_INVALID, "usage: puad lab export FILE");
    if (!output) output = call->arguments[1];
    TRY(output_check(call, output));
    TRY(lab_open_ledger(&book, call, LEDGER_READ));
    return ledger_export(book, output);
}

static puad_status import_all(ledger *book, const invocation *call)
{
    for (size_t i = 1; i < call->argument_count; i++) {
        ledger_merge merged;
        TRY(ledger_import(&merged, book, call->arguments[i], is_given(call, "replace")));
        if (is_given(call, "quiet")) continue;
        fprintf(stderr, "%s: %zu experiments new, %zu identical, %zu with other results", call->arguments[i],
                merged.added, merged.same, merged.differing);
        if (merged.differing) fputs(is_given(call, "replace") ? ", replaced" : ", left unchanged", stderr);
        fputc('\n', stderr);
    }
    return PUAD_OK;
}

puad_status lab_action_import(const invocation *call)
{
    const char *path = value_of(call, "ledger")->text;
    bool there = file_exists(path);
    puad_status status;
    if (call->argument_count < 2) FAIL(PUAD_INVALID, "usage: puad lab import FILE...");
    {
        AUTO_LEDGER ledger *book = NULL;
        TRY(lab_open_ledger(&book, call, LEDGER_CREATE));
        status = import_all(book, call);
    }
    if (status != PUAD_OK && !there) remove(path); /* nothing was imported */
    return status;
}
