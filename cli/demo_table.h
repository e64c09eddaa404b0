/* The demonstration: a table of payments with hidden anomalies, and a report about it. */
#ifndef CLI_DEMO_TABLE_H
#define CLI_DEMO_TABLE_H

#include "cli/report/report.h"

typedef struct demo_table {
    char train[4200], fresh[4200]; /* the files */
    report self;
} demo_table;

/* Writes demo-train.csv and demo-new.csv to the folder of `beside`, trains on the first and ranks the
 * second. */
puad_status demo_table_run(demo_table *out, const invocation *call, const char *beside);
void demo_table_free(demo_table *owner); /* {0} is fine */

#endif
