/* Options as JSON, keyed by the program's option names. */
#include "options/options.h"

#include <string.h>

/* "label-column" */
static const char *dashed(char out[64], const char *name)
{
    size_t i = 0;
    for (; name[i] && i < 63; i++) out[i] = name[i] == '_' ? '-' : name[i];
    out[i] = 0;
    return out;
}

cJSON *options_to_json(const puad_options *options, unsigned groups)
{
    cJSON *object = cJSON_CreateObject();
    char name[64];
    for (size_t i = 0; object && i < OPTION_AT_COUNT; i++) {
        const option_value *value = options_value(options, (enum option_at)i);
        if (!(groups >> option_group(i) & 1) || !options_given(options, (enum option_at)i)) continue;
        dashed(name, option_table[i].name);
        if (option_table[i].standard && value->text && strcmp(value->text, option_table[i].standard) == 0)
            continue; /* explicitly set to the default: omit */
        if (option_table[i].type != OPTION_LIST) {
            cJSON_AddStringToObject(object, name, value->text);
            continue;
        }
        cJSON *list = cJSON_AddArrayToObject(object, name);
        for (size_t k = 0; k < value->list_count; k++)
            cJSON_AddItemToArray(list, cJSON_CreateString(value->list[k]));
    }
    return object;
}

static puad_status take(puad_options *options, const char *name, const cJSON *item, bool list)
{
    if (!cJSON_IsString(item)) FAIL(PUAD_FORMAT, "'%s' of the model's input is not a string", name);
    return list ? puad_options_add(options, name, item->valuestring)
                : puad_options_set(options, name, item->valuestring);
}

puad_status options_from_json(puad_options *options, const cJSON *object, unsigned groups)
{
    char name[64];
    for (size_t i = 0; i < OPTION_AT_COUNT; i++) {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, dashed(name, option_table[i].name)),
                    *entry;
        if (!item || !(groups >> option_group(i) & 1) || options->values[i].given) continue;
        if (option_table[i].type != OPTION_LIST) {
            TRY(take(options, option_table[i].name, item, false));
            continue;
        }
        cJSON_ArrayForEach(entry, item) TRY(take(options, option_table[i].name, entry, true));
    }
    return PUAD_OK;
}
