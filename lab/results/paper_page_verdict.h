/* The first section of a report: the verdict. */
#ifndef LAB_RESULTS_PAPER_PAGE_VERDICT_H
#define LAB_RESULTS_PAPER_PAGE_VERDICT_H

#include "lab/results/paper_page_groups.h"
#include "lab/results/result_table.h"
#include "plot/page.h"

/* A section with one table: a row per dataset and group; all its strings are in `memory`. */
puad_status report_add_verdict(page *on, arena *memory, const report_groups *groups,
                               const paper_table *paper);

#endif
