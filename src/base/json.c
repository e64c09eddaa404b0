/* Exact numbers, JSON printing with memory checks, and valid UTF-8 output. */
#include "base/json.h"

#include "base/c_locale.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

cJSON *json_exact_number(double value)
{
    char text[40];
    if (!isfinite(value)) return cJSON_CreateNull();
    for (int digits = 15; digits <= 17; digits++) {
        c_print(text, sizeof text, "%.*g", digits, value);
        if (c_strtod(text, NULL) == value) break;
    }
    return cJSON_CreateRaw(text);
}

cJSON *json_add_double(cJSON *object, const char *name, double value)
{
    cJSON *number = json_exact_number(value);
    if (number && cJSON_AddItemToObject(object, name, number)) return number;
    cJSON_Delete(number);
    json_spoil(object);
    return NULL;
}

bool json_get_double(double *out, const cJSON *object, const char *name)
{
    return json_double_of(out, cJSON_GetObjectItemCaseSensitive(object, name));
}

bool json_double_of(double *out, const cJSON *item)
{
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

void json_spoil(cJSON *object)
{
    if (object) object->type = cJSON_Invalid;
}

puad_status json_parse_status(void)
{
    return errno == ENOMEM ? PUAD_MEMORY : PUAD_FORMAT;
}

puad_status json_parse(cJSON **out, const char *text, const char *what)
{
    errno = 0;
    *out = cJSON_Parse(text);
    if (*out) return PUAD_OK;
    if (json_parse_status() == PUAD_MEMORY) FAIL(PUAD_MEMORY, "no memory for '%s'", what);
    FAIL(PUAD_FORMAT, "'%s' is not JSON", what);
}

char *json_text_of(const cJSON *object, bool lines)
{
    AUTO_FREE char *text = !object ? NULL : lines ? cJSON_Print(object) : cJSON_PrintUnformatted(object);
    return text ? utf8_valid(text) : NULL;
}

void json_cleanup(cJSON **owner)
{
    cJSON_Delete(*owner);
}
