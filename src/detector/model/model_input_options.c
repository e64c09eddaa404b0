/* Reading and writing `input` of a model. */
#include "detector/model/model_input_options.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

puad_status model_set_input(puad_detector *model, const char *text)
{
    if (!text) return PUAD_OK;
    model->input = strdup(text);
    if (!model->input) FAIL(PUAD_MEMORY, "no memory for the options of the input");
    AUTO_JSON cJSON *object = NULL;
    TRY(json_parse(&object, text, "input"));
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(object, "answers"), *file;
    size_t count = cJSON_IsArray(files) ? (size_t)cJSON_GetArraySize(files) : 0;
    TRY(arena_new(&model->memory, &model->label_files, count, sizeof *model->label_files));
    cJSON_ArrayForEach(file, files)
    {
        if (!cJSON_IsString(file) || model->label_file_count == count) continue;
        const char *name = arena_text(&model->memory, file->valuestring);
        if (!name) FAIL(PUAD_MEMORY, "no memory for the options of the input");
        model->label_files[model->label_file_count++] = name;
    }
    return PUAD_OK;
}

puad_status model_label_files(const char **out, const puad_detector *model, const puad_options *but,
                              arena *memory)
{
    *out = "";
    for (size_t i = 0; i < model->label_file_count; i++) {
        bool left_out = false;
        for (size_t k = 0; puad_options_entry(but, "answers", k); k++)
            left_out |= strcmp(puad_options_entry(but, "answers", k), model->label_files[i]) == 0;
        if (!left_out)
            TRY(arena_print(memory, out, "%s%soption 'answers=%s'", *out, **out ? " " : "",
                            model->label_files[i]));
    }
    return PUAD_OK;
}

/* The first column that was dropped because it identifies rows; NULL if none. */
static const char *identifier_of(const puad_detector *model)
{
    size_t count = model->table ? model->table->column_count : 0;
    for (size_t i = 0; i < count; i++) {
        const transform_column *column = &model->table->columns[i];
        if (column->type == COLUMN_DROPPED && column->reason &&
            strcmp(column->reason, DROPPED_IDENTIFIER) == 0)
            return column->name;
    }
    return NULL;
}

/* The id column of training, else an identifier among its columns; NULL if none. */
static puad_status id_column(const char **out, const puad_detector *model, arena *memory)
{
    AUTO_JSON cJSON *object = NULL;
    if (model->input) TRY(json_parse(&object, model->input, "input"));
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "id-column");
    const char *name = cJSON_IsString(item) ? item->valuestring : identifier_of(model);
    *out = name ? arena_text(memory, name) : NULL;
    if (name && !*out) FAIL(PUAD_MEMORY, "no memory for the options of the input");
    return PUAD_OK;
}

static puad_status take_words(const char *const **out, size_t *out_count, const cJSON *object,
                              const char *name, arena *memory)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, name), *item;
    size_t count = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0, used = 0;
    const char **words;
    if (count == 0) return PUAD_OK;
    TRY(arena_new(memory, &words, count, sizeof *words));
    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item)) continue;
        words[used] = arena_text(memory, item->valuestring);
        if (!words[used++]) FAIL(PUAD_MEMORY, "no memory for label values");
    }
    *out = words;
    *out_count = used;
    return PUAD_OK;
}

/* Columns of the training file that options excluded from the features; none if unknown. */
static puad_status idle_columns(const char *const **out, size_t *out_count, const puad_detector *model,
                                arena *memory)
{
    static const char *const single[] = {"label-column", "id-column", "time-column", "series-column"};
    enum { SINGLE = sizeof single / sizeof *single };
    AUTO_JSON cJSON *object = NULL;
    const char *const *ignored = NULL;
    const char **names;
    size_t count = 0, used = 0;
    *out = NULL;
    *out_count = 0;
    if (!model->input) return PUAD_OK;
    TRY(json_parse(&object, model->input, "input"));
    TRY(take_words(&ignored, &count, object, "ignore", memory));
    TRY(arena_new(memory, &names, count + SINGLE, sizeof *names));
    for (; used < count; used++) names[used] = ignored[used];
    for (size_t i = 0; i < SINGLE; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, single[i]);
        if (!cJSON_IsString(item)) continue;
        names[used] = arena_text(memory, item->valuestring);
        if (!names[used++]) FAIL(PUAD_MEMORY, "no memory for the options of the input");
    }
    *out = names;
    *out_count = used;
    return PUAD_OK;
}

/* Adds the label values of training to a rule without values. */
static puad_status label_words(label_rule *rule, const puad_detector *model, arena *memory)
{
    AUTO_JSON cJSON *object = NULL;
    if (label_rule_is_given(rule) || !model->input) return PUAD_OK;
    TRY(json_parse(&object, model->input, "input"));
    TRY(take_words(&rule->positive, &rule->positive_count, object, "positive", memory));
    TRY(take_words(&rule->unlabeled, &rule->unlabeled_count, object, "unlabeled", memory));
    TRY(take_words(&rule->negative, &rule->negative_count, object, "negative", memory));
    rule->also_usual = true;
    return PUAD_OK;
}

puad_status model_reading(data_options *settled, const puad_detector *model, arena *memory)
{
    if (!settled->id_column) {
        TRY(id_column(&settled->id_column, model, memory));
        settled->id_optional = true;
    }
    TRY(idle_columns(&settled->idle, &settled->idle_count, model, memory));
    return label_words(&settled->labels, model, memory);
}

puad_status puad_options_take_input(puad_options *options, const puad_detector *model)
{
    NEED(options);
    NEED(model);
    if (!model->input) return PUAD_OK;
    AUTO_JSON cJSON *object = NULL;
    TRY(json_parse(&object, model->input, "input of the model"));
    return options_from_json(options, object, 1u << PUAD_GROUP_INPUT);
}
