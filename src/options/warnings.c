/* Lists of warnings, in memory and as JSON. */
#include "options/warnings.h"

#include <string.h>

static puad_status copy_text(const char **out, arena *memory, const char *text)
{
    *out = text ? arena_text(memory, text) : NULL;
    if (text && !*out) FAIL(PUAD_MEMORY, "no memory for a warning");
    return PUAD_OK;
}

puad_status warnings_add(warning_list *list, const puad_warning *warning)
{
    if (list->count == list->capacity) {
        puad_warning *more;
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        TRY(arena_new(&list->memory, &more, capacity, sizeof *more));
        if (list->count) memcpy(more, list->items, list->count * sizeof *more);
        list->items = more;
        list->capacity = capacity;
    }
    puad_warning copy;
    TRY(copy_text(&copy.name, &list->memory, warning->name));
    TRY(copy_text(&copy.column, &list->memory, warning->column));
    TRY(copy_text(&copy.text, &list->memory, warning->text));
    list->items[list->count++] = copy;
    return PUAD_OK;
}

void warnings_free(warning_list *list)
{
    arena_free(&list->memory);
    *list = (warning_list){0};
}

cJSON *warnings_to_json(const warning_list *list)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; array && i < list->count; i++) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", list->items[i].name);
        if (list->items[i].column) cJSON_AddStringToObject(object, "column", list->items[i].column);
        cJSON_AddStringToObject(object, "text", list->items[i].text);
        cJSON_AddItemToArray(array, object);
    }
    return array;
}

puad_status warnings_from_json(warning_list *out, const cJSON *list)
{
    const cJSON *item;
    if (!cJSON_IsArray(list)) FAIL(PUAD_FORMAT, "'warnings' is not a list");
    cJSON_ArrayForEach(item, list)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "name"),
                    *column = cJSON_GetObjectItemCaseSensitive(item, "column"),
                    *text = cJSON_GetObjectItemCaseSensitive(item, "text");
        if (!cJSON_IsString(name) || !cJSON_IsString(text) || (column && !cJSON_IsString(column)))
            FAIL(PUAD_FORMAT, "'warnings': entry %zu lacks its name or text", out->count);
        if (out->count == WARNINGS_MAX)
            FAIL(PUAD_FORMAT, "'warnings' has more than %d entries", WARNINGS_MAX);
        puad_warning read = {name->valuestring, column ? column->valuestring : NULL, text->valuestring};
        TRY(warnings_add(out, &read));
    }
    return PUAD_OK;
}
