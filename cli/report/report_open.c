/* The files whose rows are ranked, and the page of a model that is there already. */
#include "cli/common/csv_print.h"
#include "cli/report/report.h"

#include <string.h>

/* Rows to rank have no labels to read; how the file is written is known from training. */
static puad_status ranking_options(puad_options **out, const report *of)
{
    TRY(puad_options_new(out));
    for (size_t i = 0; i < puad_option_count(); i++) {
        const char *name = puad_option_name(i);
        bool label = strcmp(name, "label_column") == 0 || strcmp(name, "positive") == 0 ||
                     strcmp(name, "unlabeled") == 0 || strcmp(name, "negative") == 0 ||
                     strcmp(name, "labels_array") == 0 || strcmp(name, "intervals") == 0;
        if (puad_option_group_of(i) != PUAD_GROUP_INPUT || label || !puad_options_is_set(of->options, name))
            continue;
        if (puad_option_type_of(i) != PUAD_OPTION_LIST) {
            TRY(puad_options_set(*out, name, puad_options_get(of->options, name)));
            continue;
        }
        for (size_t k = 0; k < puad_options_list_count(of->options, name); k++)
            TRY(puad_options_add(*out, name, puad_options_list_at(of->options, name, k)));
    }
    TRY(puad_options_set(*out, "threads", puad_options_get(of->options, "threads")));
    return puad_options_set(*out, "reread", "yes");
}

puad_status report_open(report *of, const char *const *paths, size_t count)
{
    AUTO_CALL_OPTIONS puad_options *bare = NULL;
    TRY(ranking_options(&bare, of));
    TRY(arena_new(&of->memory, &of->inputs, count, sizeof *of->inputs));
    for (size_t i = 0; i < count; i++) {
        report_input *to = &of->inputs[of->input_count];
        to->path = paths[i];
        TRY(puad_dataset_open_for(&to->rows, of->model, to->path, bare));
        of->input_count++;
        if (!of->told_before) print_notes(of->call, to->rows);
    }
    return PUAD_OK;
}

puad_status report_of_model(const invocation *call, puad_detector *model, puad_options *options,
                            const char *path)
{
    report of = {.call = call,
                 .model = model,
                 .options = options,
                 .model_path = call->arguments[0],
                 .told_before = true,
                 .top = 50};
    if (strcmp(call->arguments[1], "-") == 0)
        FAIL(PUAD_INVALID,
             "--html reads the rows once more, and standard input can be read once: name a file");
    puad_status status = report_open(&of, call->arguments + 1, call->argument_count - 1);
    if (status == PUAD_OK) status = report_rank(&of);
    if (status == PUAD_OK) status = report_page_write(&of, path, NULL);
    report_free(&of);
    return status;
}
