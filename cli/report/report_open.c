/* Opens the files to rank, and writes the page for an existing model. */
#include "cli/library_values.h"
#include "cli/report/report.h"

#include <string.h>

static bool is_about_labels(const char *name)
{
    static const char *const names[] = {"label_column", "positive",     "unlabeled",
                                        "negative",     "labels_array", "intervals"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Labels of the rows to rank are not read, unless they are the training rows; other input options are
 * those of training. */
puad_status report_input_options(puad_options **out, const report *self)
{
    TRY(puad_options_new(out));
    for (size_t i = 0; i < puad_option_count(); i++) {
        const char *name = option_at(i).name;
        if (option_at(i).group != PUAD_GROUP_INPUT || !puad_options_entry(self->options, name, 0)) continue;
        if (!self->ranks_training && is_about_labels(name)) continue;
        if (option_at(i).type != PUAD_OPTION_LIST) {
            TRY(puad_options_set(*out, name, puad_options_get(self->options, name)));
            continue;
        }
        for (size_t k = 0; puad_options_entry(self->options, name, k); k++)
            TRY(puad_options_add(*out, name, puad_options_entry(self->options, name, k)));
    }
    TRY(puad_options_set(*out, "threads", puad_options_get(self->options, "threads")));
    return puad_options_set(*out, "reread", "yes");
}

puad_status report_open(report *self, const char *const *paths, size_t count)
{
    TRY(arena_new(&self->memory, &self->inputs, count, sizeof *self->inputs));
    for (size_t i = 0; i < count; i++) self->inputs[i].path = paths[i];
    self->input_count = count;
    return PUAD_OK;
}

puad_status report_of_model(const invocation *call, puad_detector *model, puad_options *options,
                            const char *path)
{
    report self = {.call = call,
                   .model = model,
                   .options = options,
                   .model_path = call->arguments[0],
                   .told_before = true,
                   .top = 1000};
    if (strcmp(call->arguments[1], "-") == 0)
        FAIL(PUAD_INVALID,
             "--html reads the rows twice, which is impossible for standard input: name a file");
    puad_status status = report_open(&self, call->arguments + 1, call->argument_count - 1);
    if (status == PUAD_OK) status = report_rank(&self);
    if (status == PUAD_OK) status = report_page_write(&self, path, NULL);
    report_free(&self);
    return status;
}
