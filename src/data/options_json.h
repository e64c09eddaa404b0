/* How an input was read, as JSON: `input` of a model (docs/model-format.md). */
#ifndef DATA_OPTIONS_JSON_H
#define DATA_OPTIONS_JSON_H

#include "base/json.h"
#include "data/options.h"


/* The options that are not the default, by the names of the program's. The caller deletes it; NULL when
 * memory ran out. */
cJSON *data_options_to_json(const data_options *from);

/* The text a model keeps; the caller frees *out. */
puad_status data_options_text(char **out, const cJSON *object);

/* The character of "comma", "semicolon", "tab" or "pipe"; 0 for any other name. */
char data_delimiter_find(const char *name);

#endif
