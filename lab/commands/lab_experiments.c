/* Expands the options of 'puad lab run' to experiments. */
#include "lab/commands/lab_commands.h"
#include "lab/run/epoch_curve.h"
#include "lab/run/plugin.h"
#include "lab/run/run_experiment.h"

#include <stdio.h>
#include <string.h>

/* Rejects options of --set that are also set by another option, or twice. */
static puad_status refuse_twice(const invocation *call)
{
    static const char *const same[][2] = {{"epochs", "epochs"},
                                          {"pretrain_epochs", "pretrain-epochs"},
                                          {"patience", "patience"},
                                          {"hidden", "contamination"},
                                          {"objective", "objective-plugin"}};
    const option_value *set = value_of(call, "set");
    for (size_t i = 0; i < set->list_count; i++) {
        size_t length = strcspn(set->list[i], "=");
        for (size_t k = 0; k < sizeof same / sizeof *same; k++)
            if (strlen(same[k][0]) == length && strncmp(same[k][0], set->list[i], length) == 0 &&
                is_given(call, same[k][1]))
                FAIL(PUAD_INVALID, "--set %s: --%s has another value; give one of them", set->list[i],
                     same[k][1]);
        for (size_t j = 0; j < i; j++)
            if (strcspn(set->list[j], "=") == length && strncmp(set->list[j], set->list[i], length) == 0)
                FAIL(PUAD_INVALID, "--set %s: '%.*s' is set twice; separate several values by commas, %s,...",
                     set->list[i], (int)length, set->list[i], set->list[j]);
    }
    return PUAD_OK;
}

/* Rejects an empty list: it is probably an unset variable, and does not mean all. */
static puad_status refuse_empty(const invocation *call)
{
    static const char *const lists[] = {"datasets", "methods",       "normal-class",
                                        "alphas",   "contamination", "seed-list"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (is_given(call, lists[i]) && !*value_of(call, lists[i])->text)
            FAIL(PUAD_INVALID, "--%s: '' is an empty list", lists[i]);
    return PUAD_OK;
}

static puad_status set_options(plan_request *request, const lab_cell *common, const invocation *call,
                               arena *memory)
{
    const option_value *given = value_of(call, "set");
    lab_cell *variants = NULL;
    TRY(arena_new(memory, &variants, 1, sizeof *variants));
    *variants = *common;
    request->variant_count = 1;
    if (is_given(call, "objective-plugin")) {
        const char *name, *setting;
        TRY(lab_plugin_load(&name, value_of(call, "objective-plugin")->text));
        TRY(arena_print(memory, &setting, "objective=%s", name));
        TRY(plan_vary(&variants, &request->variant_count, setting, memory));
    }
    for (size_t i = 0; i < given->list_count; i++)
        if (plan_vary(&variants, &request->variant_count, given->list[i], memory) != PUAD_OK) {
            status_prefix("--set");
            return PUAD_INVALID;
        }
    request->variants = variants;
    return PUAD_OK;
}

/* "0,1,...,n-1" or the list as given; NULL for the default. */
static puad_status seed_list(const char **out, const invocation *call, arena *memory)
{
    const option_value *count = value_of(call, "seeds"), *list = value_of(call, "seed-list");
    *out = list->text;
    if (list->given || !count->given) return PUAD_OK;
    if (count->integer == 0) FAIL(PUAD_INVALID, "--seeds: a run needs at least 1");
    char *text = NULL;
    TRY(arena_new(memory, &text, (size_t)count->integer * 5 + 1, 1));
    for (long long i = 0, used = 0; i < count->integer; i++)
        used += sprintf(text + used, "%s%lld", i ? "," : "", i);
    *out = text;
    return PUAD_OK;
}

bool lab_is_whole(const lab_result *result, const invocation *call)
{
    return !is_given(call, "curve") || result->epochs_run == 0 || curve_is_there(result->history);
}

puad_status lab_is_done(bool *out, lab_result *result, ledger *book, const lab_cell *cell,
                        const invocation *call, arena *memory)
{
    *out = false;
    if (is_given(call, "rerun")) return PUAD_OK;
    TRY(ledger_find(out, result, book, cell, memory));
    *out = *out && lab_is_whole(result, call);
    return PUAD_OK;
}

puad_status lab_list_cells(cell_list *out, const invocation *call)
{
    plan_request request = {.datasets = value_of(call, "datasets")->text,
                            .methods = value_of(call, "methods")->text,
                            .normals = value_of(call, "normal-class")->text,
                            .alphas = value_of(call, "alphas")->text,
                            .hidden = value_of(call, "contamination")->text,
                            .alpha_from = is_given(call, "contamination") && !is_given(call, "alphas")
                                              ? ALPHA_FROM_ALL
                                              : ALPHA_FROM_VARIANT};
    TRY(refuse_empty(call));
    TRY(refuse_twice(call));
    TRY(lab_use_file(&request, call, &out->memory));
    lab_cell common = lab_cell_standard();
    common.epochs = value_of(call, "epochs")->integer;
    common.pretrain_epochs =
        is_given(call, "pretrain-epochs") ? value_of(call, "pretrain-epochs")->integer : common.epochs;
    common.patience = value_of(call, "patience")->integer;
    TRY(set_options(&request, &common, call, &out->memory));
    TRY(seed_list(&request.seeds, call, &out->memory));
    bool adbench = is_given(call, "plan") && strcmp(value_of(call, "plan")->text, "adbench") == 0;
    if (adbench) TRY(lab_plan_adbench(&request, call, &out->memory));
    if (is_given(call, "plan") && !adbench)
        TRY(plan_paper(out, value_of(call, "plan")->text, &request));
    else
        TRY(plan_expand(out, &request));
    if (out->count == 0) FAIL(PUAD_INVALID, "no experiments: the plan has none of the given methods");
    for (size_t i = 0; i < out->count; i++) {
        TRY(lab_check_cell(&out->cells[i]));
        TRY(lab_check_objective(&out->cells[i]));
    }
    return PUAD_OK;
}
