/* Warnings on their way to people and programs: printed at once, even with --quiet, and kept for --json and
 * --strict. */
#ifndef CLI_COMMON_PRINT_WARNINGS_H
#define CLI_COMMON_PRINT_WARNINGS_H

#include "base/json.h"
#include "cli/common/command.h"

#include <puad/detector.h>

void warning_print(const command *which, const puad_warning *warning);

/* What the training of a model warned of, again. */
void warnings_of_model(const invocation *call, const puad_detector *model);

size_t warnings_count(void);

/* Adds "warnings": [{"name", "column", "text"}], empty where there were none. */
void warnings_add_json(cJSON *object);

#endif
