/* The demonstration's own table: payments that nobody has cleaned, and the report about them. */
#ifndef CLI_DEMO_TABLE_H
#define CLI_DEMO_TABLE_H

#include "cli/report/report.h"

typedef struct demo_table {
    char train[4200], fresh[4200]; /* the files */
    report of;
} demo_table;

/* Writes demo-train.csv and demo-new.csv next to the file `beside`, trains on the one and ranks the other. */
puad_status demo_table_run(demo_table *out, const invocation *call, const char *beside);
void demo_table_free(demo_table *owner); /* {0} is fine */

#endif
