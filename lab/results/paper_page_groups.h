/* The records of a ledger, grouped for a report: runs with one budget and one embedding form one group,
 * whose methods can be compared; other options of a method are compared with the paper's in separate
 * groups. */
#ifndef LAB_RESULTS_PAPER_PAGE_GROUPS_H
#define LAB_RESULTS_PAPER_PAGE_GROUPS_H

#include "lab/run/experiment.h"

typedef struct report_group {
    long long epochs, pretrain_epochs, patience; /* pretrain_epochs 0: no distance method was run */
    const char *embedding;                       /* "" in the same case; NULL: any */
    lab_record *records; /* copies; those without the options are in every group they fit */
    size_t count;
    /* records of distance methods, which are only in this group; if there are none, of other methods with
     * a network */
    size_t own;
    const char *title; /* "10 epochs after 6 of pretraining, embedding=bn" */
} report_group;

typedef struct report_groups {
    report_group *list; /* the one with the most records that are only in it first */
    size_t count;
    report_group *variants; /* of any embedding: objectives, weights and balances compared */
    size_t variant_count;
    lab_record *others; /* of other sizes of the split or other alphas than most: the sweeps */
    size_t other_count;
} report_groups;

/* All in `memory`. */
puad_status report_groups_make(report_groups *out, arena *memory, const lab_record *records, size_t count);

/* Whether a record has the group's budget and embedding, for options that its method uses. */
bool report_group_fits(const report_group *group, const lab_record *record);

/* Whether it was run with the paper's settings, except for the budget. */
bool report_is_papers(const lab_record *record);

/* Whether one of its records is of the same experiment. */
bool report_group_has(const report_group *group, const lab_record *record);

/* Commands that run every experiment of the records, one per line; in `memory`. */
puad_status report_commands(const char **out, arena *memory, const lab_record *records, size_t count,
                            const char *ledger);

#endif
