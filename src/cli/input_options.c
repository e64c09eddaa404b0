/* From parsed options to data_options. */
#include "cli/input_options.h"

#include <string.h>

static void take_list(const char *const **out, size_t *out_count, const invocation *call, const char *name)
{
    const option_value *value = value_of(call, name);
    *out = value->list;
    *out_count = value->list_count;
}

/* The text of an option that not every command has. */
static const char *text_of(const invocation *call, const char *name)
{
    size_t i = options_find(call->command->options, call->command->option_count, name);
    return i < call->command->option_count ? call->values[i].text : NULL;
}

void input_options(data_options *out, const invocation *call)
{
    static const struct {
        const char *name;
        char character;
    } delimiters[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"pipe", '|'}};
    *out = (data_options){.label_column = text_of(call, "label-column"),
                          .id_column = text_of(call, "id-column"),
                          .anomalies = text_of(call, "anomalies"),
                          .normals = text_of(call, "normals"),
                          .x = text_of(call, "x"),
                          .y = text_of(call, "y")};
    take_list(&out->ignore, &out->ignore_count, call, "ignore");
    take_list(&out->categorical, &out->categorical_count, call, "categorical");
    take_list(&out->labels.positive, &out->labels.positive_count, call, "positive");
    take_list(&out->labels.unlabeled, &out->labels.unlabeled_count, call, "unlabeled");
    take_list(&out->labels.negative, &out->labels.negative_count, call, "negative");
    const char *header = value_of(call, "header")->text, *delimiter = value_of(call, "delimiter")->text;
    out->header = strcmp(header, "yes") == 0  ? HEADER_YES
                  : strcmp(header, "no") == 0 ? HEADER_NO
                                              : HEADER_DETECT;
    for (size_t i = 0; i < sizeof delimiters / sizeof *delimiters; i++)
        if (strcmp(delimiters[i].name, delimiter) == 0) out->delimiter = delimiters[i].character;
}
