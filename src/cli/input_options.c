/* From parsed options to data_options. */
#include "cli/input_options.h"

#include "data/options_json.h"
#include "detector/model_origin.h"

#include <stdio.h>
#include <stdlib.h>
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
    const char *header = value_of(call, "header")->text;
    out->header = strcmp(header, "yes") == 0  ? HEADER_YES
                  : strcmp(header, "no") == 0 ? HEADER_NO
                                              : HEADER_DETECT;
    const char *decimal = value_of(call, "decimal")->text;
    out->decimal = strcmp(decimal, "comma") == 0 ? ',' : strcmp(decimal, "point") == 0 ? '.' : 0;
    out->delimiter = data_delimiter_find(value_of(call, "delimiter")->text);
}

/* What a model remembers, as data/options_json.c writes it; files with more rows (--anomalies) and with
 * answers (--labels) must be named again. */
static const char *const remembered[] = {"label-column", "id-column",   "positive", "unlabeled", "negative",
                                         "ignore",       "categorical", "x",        "y",         "header",
                                         "delimiter",    "decimal"};
static const char *const more_rows[] = {"anomalies", "normals"};
enum { REMEMBERED = sizeof remembered / sizeof *remembered };

puad_status input_options_text(char **out, const invocation *call)
{
    data_options given;
    input_options(&given, call);
    AUTO_JSON cJSON *object = data_options_to_json(&given);
    const option_value *answers = value_of(call, "labels");
    cJSON *files = answers->list_count ? cJSON_AddArrayToObject(object, "labels") : NULL;
    for (size_t i = 0; i < answers->list_count; i++)
        cJSON_AddItemToArray(files, cJSON_CreateString(answers->list[i]));
    return data_options_text(out, object);
}

puad_status input_more_rows_again(const invocation *call, const struct puad_detector *model)
{
    AUTO_JSON cJSON *object = NULL;
    TRY(model_origin(&object, model));
    for (size_t i = 0; i < sizeof more_rows / sizeof *more_rows; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, more_rows[i]);
        if (cJSON_IsString(item) && !value_of(call, more_rows[i])->given)
            FAIL(PUAD_INVALID, "that model was trained with --%s %s: name the file again", more_rows[i],
                 item->valuestring);
    }
    return PUAD_OK;
}

static puad_status take(option_value *value, const option *row, const cJSON *item, arena *memory)
{
    if (!cJSON_IsString(item)) FAIL(PUAD_FORMAT, "'%s' of the model's input is not a text", row->name);
    const char *text = arena_text(memory, item->valuestring);
    if (!text) FAIL(PUAD_MEMORY, "no memory for the options of the input");
    return option_set(value, row, text);
}

puad_status input_options_of_model(const invocation *call, const struct puad_detector *model, arena *memory)
{
    AUTO_JSON cJSON *object = NULL;
    TRY(model_origin(&object, model));
    for (size_t i = 0; i < REMEMBERED; i++) {
        size_t at = options_find(call->command->options, call->command->option_count, remembered[i]);
        const option *row = &call->command->options[at];
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, remembered[i]), *entry;
        if (!item || call->values[at].given) continue;
        if (row->type == OPTION_LIST) {
            cJSON_ArrayForEach(entry, item) TRY(take(&call->values[at], row, entry, memory));
        } else {
            TRY(take(&call->values[at], row, item, memory));
        }
        call->values[at].given = true;
    }
    return PUAD_OK;
}
