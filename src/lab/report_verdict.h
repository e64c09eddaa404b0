/* The verdict of a report, which comes first. */
#ifndef LAB_REPORT_VERDICT_H
#define LAB_REPORT_VERDICT_H

#include "lab/report_groups.h"
#include "lab/table.h"
#include "plot/page.h"

/* A section with one table: a row per data set and group; all its texts in `memory`. */
puad_status report_add_verdict(page *on, arena *memory, const report_groups *groups,
                               const paper_table *paper);

#endif
