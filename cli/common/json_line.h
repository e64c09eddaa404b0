/* What --json prints. */
#ifndef CLI_COMMON_JSON_LINE_H
#define CLI_COMMON_JSON_LINE_H

#include "base/json.h"
#include "base/status.h"

/* One object on one line of standard output, for whoever reads line by line: it is sent off at once. NULL is
 * an object that memory did not suffice for. */
puad_status json_line(const cJSON *object);

/* The version of all JSON objects, their key "schema": it grows when a key changes its meaning. */
enum { JSON_SCHEMA = 1 };

#endif
