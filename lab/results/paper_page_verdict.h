/* The verdict of a report, which comes first. */
#ifndef LAB_RESULTS_PAPER_PAGE_VERDICT_H
#define LAB_RESULTS_PAPER_PAGE_VERDICT_H

#include "lab/results/paper_page_groups.h"
#include "lab/results/result_table.h"
#include "plot/page.h"

/* A section with one table: a row per data set and group; all its texts in `memory`. */
puad_status report_add_verdict(page *on, arena *memory, const report_groups *groups,
                               const paper_table *paper);

#endif
