/* The laboratory's report: the whole ledger as one HTML page. */
#ifndef LAB_RESULTS_PAPER_PAGE_H
#define LAB_RESULTS_PAPER_PAGE_H

#include "lab/demo/toy_study.h"
#include "lab/results/paper.h"

typedef struct lab_report {
    const lab_record *records; /* with their histories */
    size_t count;
    const char *ledger;          /* its name */
    const char *chosen;          /* the options that selected the records, " --datasets svhn"; or "" */
    bool no_training;            /* as the option */
    const paper_table *paper;    /* or NULL */
    const toy_study *toy;        /* or NULL */
    const plot_figure *examples; /* or NULL */
} lab_report;

puad_status report_write(const lab_report *what, const char *path);

#endif
