/* Prints warnings at once, even with --quiet, and records them for --json and --strict. */
#ifndef CLI_COMMON_PRINT_WARNINGS_H
#define CLI_COMMON_PRINT_WARNINGS_H

#include "base/json.h"
#include "cli/common/command.h"

#include <puad/detector.h>

void warning_print(const command *which, const puad_warning *warning);

/* Repeats the warnings of a model's training. */
void warnings_of_model(const invocation *call, const puad_detector *model);

size_t warnings_count(void);

/* Adds "warnings": [{"name", "column", "text"}], empty if there were none. */
void warnings_add_json(cJSON *object);

#endif
