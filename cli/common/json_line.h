/* Printing for --json. */
#ifndef CLI_COMMON_JSON_LINE_H
#define CLI_COMMON_JSON_LINE_H

#include "base/json.h"
#include "base/status.h"

/* Prints one object on one line of standard output and flushes, for readers that work line by line. NULL
 * means that memory ran out. */
puad_status json_line(const cJSON *object);

/* The version of all JSON objects, key "schema": it increases when a key changes its meaning. */
enum { JSON_SCHEMA = 1 };

#endif
