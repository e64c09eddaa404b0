/* Numbers in JSON that come back bit for bit (cJSON's own printer keeps 15 digits where it thinks them close
 * enough), and objects that are whole or cannot be printed. Who needs cJSON includes this header and not
 * cJSON's own. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Adds `value` with as many digits as it needs; null when it is not finite. NULL when memory ran out. */
cJSON *json_add_double(cJSON *object, const char *name, double value);

/* The number by itself, for arrays. */
cJSON *json_exact_number(double value);

/* A number of an object, whether parsed or added as above; false when there is none. */
bool json_get_double(double *out, const cJSON *object, const char *name);

/* The same of an item of a list. */
bool json_double_of(double *out, const cJSON *item);

/* Parses a text; the caller deletes *out. The message calls it `what` and tells a text that is not JSON from
 * memory that ran out. */
puad_status json_parse(cJSON **out, const char *text, const char *what);

/* After a call of cJSON's parser that returned NULL, with errno 0 before it: PUAD_MEMORY or PUAD_FORMAT. */
puad_status json_parse_status(void);

/* The object as text on the heap, with or without line breaks, in valid UTF-8: bytes that are none become
 * U+FFFD. NULL when memory ran out, now or while something was added to it. */
char *json_text_of(const cJSON *object, bool lines);

/* Something that could not be added, for lack of memory, makes what lacks it invalid: cJSON refuses to print
 * it, so nobody has to ask after every addition. */
void json_spoil(cJSON *object);

#define JSON_ADDITION(name, type, call, ...)                                                                 \
    static inline type json_checked_##name(cJSON *object, __VA_ARGS__)                                       \
    {                                                                                                        \
        type added = call;                                                                                   \
        if (!added) json_spoil(object);                                                                      \
        return added;                                                                                        \
    }
JSON_ADDITION(string, cJSON *, cJSON_AddStringToObject(object, name, text), const char *name,
              const char *text)
JSON_ADDITION(raw, cJSON *, cJSON_AddRawToObject(object, name, text), const char *name, const char *text)
JSON_ADDITION(number, cJSON *, cJSON_AddNumberToObject(object, name, value), const char *name, double value)
JSON_ADDITION(flag, cJSON *, cJSON_AddBoolToObject(object, name, value), const char *name, bool value)
JSON_ADDITION(null, cJSON *, cJSON_AddNullToObject(object, name), const char *name)
JSON_ADDITION(object, cJSON *, cJSON_AddObjectToObject(object, name), const char *name)
JSON_ADDITION(array, cJSON *, cJSON_AddArrayToObject(object, name), const char *name)
JSON_ADDITION(item, bool, cJSON_AddItemToObject(object, name, item), const char *name, cJSON *item)
JSON_ADDITION(element, bool, cJSON_AddItemToArray(object, item), cJSON *item)
#undef JSON_ADDITION
#define cJSON_AddStringToObject json_checked_string
#define cJSON_AddRawToObject json_checked_raw
#define cJSON_AddNumberToObject json_checked_number
#define cJSON_AddBoolToObject json_checked_flag
#define cJSON_AddNullToObject json_checked_null
#define cJSON_AddObjectToObject json_checked_object
#define cJSON_AddArrayToObject json_checked_array
#define cJSON_AddItemToObject json_checked_item
#define cJSON_AddItemToArray json_checked_element

/* Deletes an object at the end of a scope. */
void json_cleanup(cJSON **owner);
#define AUTO_JSON __attribute__((cleanup(json_cleanup)))

#endif
