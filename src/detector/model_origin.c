/* Reading `input` of a model. */
#include "detector/model_origin.h"

#include "base/json.h"

#include <string.h>

puad_status model_origin(cJSON **out, const puad_detector *model)
{
    return model->input ? json_parse(out, model->input, "input") : PUAD_OK;
}

puad_status model_add_label_file(const char **text, const char *file, arena *memory)
{
    TRY(arena_shell_word(memory, &file, file));
    return arena_print(memory, text, "%s%s--labels %s", *text, **text ? " " : "", file);
}

puad_status model_label_files(const char **out, const puad_detector *model, const char *const *but,
                                  size_t but_count, arena *memory)
{
    AUTO_JSON cJSON *object = NULL;
    TRY(model_origin(&object, model));
    const cJSON *files = cJSON_GetObjectItemCaseSensitive(object, "labels"), *file;
    *out = "";
    cJSON_ArrayForEach(file, files)
    {
        bool left_out = !cJSON_IsString(file);
        for (size_t i = 0; !left_out && i < but_count; i++) left_out = strcmp(but[i], file->valuestring) == 0;
        if (!left_out) TRY(model_add_label_file(out, file->valuestring, memory));
    }
    return PUAD_OK;
}

puad_status model_id_column(const char **out, const puad_detector *model, arena *memory)
{
    AUTO_JSON cJSON *object = NULL;
    TRY(model_origin(&object, model));
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "id-column");
    *out = cJSON_IsString(item) ? arena_text(memory, item->valuestring) : NULL;
    if (cJSON_IsString(item) && !*out) FAIL(PUAD_MEMORY, "no memory for the options of the input");
    return PUAD_OK;
}
