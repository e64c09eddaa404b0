/* Numbers in JSON that come back bit for bit. cJSON's own printer keeps 15 digits where it thinks them close
 * enough. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* Adds `value` with as many digits as it needs; null when it is not finite. NULL when memory ran out. */
cJSON *json_add_double(cJSON *object, const char *name, double value);

/* The number by itself, for arrays. */
cJSON *json_exact_number(double value);

/* A number of an object, whether parsed or added as above; false when there is none. */
bool json_get_double(double *out, const cJSON *object, const char *name);

/* Deletes an object at the end of a scope. */
void json_cleanup(cJSON **owner);
#define AUTO_JSON __attribute__((cleanup(json_cleanup)))

#endif
