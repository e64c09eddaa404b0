/* Exact numbers, as raw text of the shortest of 15 to 17 digits. */
#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

cJSON *json_add_double(cJSON *object, const char *name, double value)
{
    char text[40];
    if (!isfinite(value)) return cJSON_AddNullToObject(object, name);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.'; /* whatever the locale */
    return cJSON_AddRawToObject(object, name, text);
}

bool json_get_double(double *out, const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (cJSON_IsNumber(item)) {
        *out = item->valuedouble;
        return true;
    }
    if (!cJSON_IsRaw(item)) return false;
    cJSON *parsed = cJSON_Parse(item->valuestring);
    bool number = cJSON_IsNumber(parsed);
    if (number) *out = parsed->valuedouble;
    cJSON_Delete(parsed);
    return number;
}
