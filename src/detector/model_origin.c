/* Reading and writing `input` of a model. */
#include "detector/model_origin.h"

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
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(object, "labels"), *file;
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
        for (size_t k = 0; k < puad_options_list_count(but, "labels"); k++)
            left_out |= strcmp(puad_options_list_at(but, "labels", k), model->label_files[i]) == 0;
        if (!left_out)
            TRY(arena_print(memory, out, "%s%soption 'labels=%s'", *out, **out ? " " : "",
                            model->label_files[i]));
    }
    return PUAD_OK;
}

puad_status model_id_column(const char **out, const puad_detector *model, arena *memory)
{
    AUTO_JSON cJSON *object = NULL;
    if (model->input) TRY(json_parse(&object, model->input, "input"));
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "id-column");
    *out = cJSON_IsString(item) ? arena_text(memory, item->valuestring) : NULL;
    if (cJSON_IsString(item) && !*out) FAIL(PUAD_MEMORY, "no memory for the options of the input");
    return PUAD_OK;
}

puad_status puad_options_take_input(puad_options *options, const puad_detector *model)
{
    NEED(options);
    NEED(model);
    if (!model->input) return PUAD_OK;
    AUTO_JSON cJSON *object = cJSON_Parse(model->input);
    if (!object) FAIL(PUAD_FORMAT, "'input' of the model is not JSON");
    return options_from_json(options, object, 1u << PUAD_GROUP_INPUT);
}
