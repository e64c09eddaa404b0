/* JSON with numbers that are restored bit for bit (cJSON prints 15 digits if it considers them close
 * enough) and with out-of-memory checks. Include this header instead of <cjson/cJSON.h>. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/status.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Adds `value` with as many digits as it needs; null when it is not finite. NULL when memory ran out. */
cJSON *json_add_double(cJSON *object, const char *name, double value);

/* The number as an item, for arrays. */
cJSON *json_exact_number(double value);

/* Reads a number of an object, parsed or added as above; false if there is none. */
bool json_get_double(double *out, const cJSON *object, const char *name);

/* The same for an item of a list. */
bool json_double_of(double *out, const cJSON *item);

/* Parses a string; the caller deletes *out. `what` names it in the message. Invalid JSON is PUAD_FORMAT,
 * out of memory is PUAD_MEMORY. */
puad_status json_parse(cJSON **out, const char *text, const char *what);

/* The reason why cJSON's parser returned NULL: PUAD_MEMORY or PUAD_FORMAT. Set errno to 0 before the call
 * to the parser. */
puad_status json_parse_status(void);

/* The object as a string on the heap, with or without line breaks, in valid UTF-8: other bytes become
 * U+FFFD. NULL when memory ran out, now or while an item was added. */
char *json_text_of(const cJSON *object, bool lines);

/* Marks an object as incomplete because an addition ran out of memory. json_text_of then returns NULL, so
 * callers need not check every addition. */
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
