/* For `puad data`: the warnings that `puad fit` would give about a table, and a suggested command. */
#ifndef CLI_DATA_CHECKS_H
#define CLI_DATA_CHECKS_H

#include "base/memory.h"
#include "cli/common/command.h"

#include <puad/profile.h>

/* Fields are NULL if nothing was found. */
typedef struct data_checks {
    arena memory;
    const char *refusal; /* why fit would fail */
    /* Columns that the options do not name, and the value of labeled anomalies if it is not 1. */
    const char *label_column, *positive, *id_column, *time_column;
    const char *fit;        /* a command with the columns above, except `time_column` */
    const char *fit_series; /* the same with `time_column` */
} data_checks;

/* Prints the warnings. Pipes, images and tables without column details in `found` are not checked. The
 * caller calls data_checks_free, even after a failure. */
puad_status data_checks_make(data_checks *out, const invocation *call, const char *input,
                             const puad_profile *found, const puad_options *options);
void data_checks_free(data_checks *checks); /* {0} is fine */

#endif
