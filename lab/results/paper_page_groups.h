/* The records of a ledger sorted for a report: what was run with one budget
 * and one embedding is one group, whose methods can be compared; other
 * options of a method stand beside the paper's in groups of their own. */
#ifndef LAB_RESULTS_PAPER_PAGE_GROUPS_H
#define LAB_RESULTS_PAPER_PAGE_GROUPS_H

#include "lab/run/experiment.h"

typedef struct report_group {
    long long epochs, pretrain_epochs, patience; /* pretrain_epochs 0: no distance method was run */
    const char *embedding;                       /* "" likewise; NULL: any */
    lab_record *records; /* copies; those without the options are in every group they fit */
    size_t count;
    size_t own; /* records of distance methods, which are in this group alone; where there are none, of others
                   with a network */
    const char *title; /* "10 epochs after 6 of pre-training, embedding=bn" */
} report_group;

typedef struct report_groups {
    report_group *list; /* the one with the most records of its own first */
    size_t count;
    report_group *variants; /* of any embedding: objectives, weights and balances beside each other */
    size_t variant_count;
    lab_record *others; /* of other sizes of the split or other alphas than most: the sweeps */
    size_t other_count;
} report_groups;

/* All in `memory`. */
puad_status report_groups_make(report_groups *out, arena *memory, const lab_record *records, size_t count);

/* Whether a record is of the group's budget and embedding, as far as these mean something to its method. */
bool report_group_fits(const report_group *group, const lab_record *record);

/* Whether it was run as the paper's were, but for the budget. */
bool report_is_papers(const lab_record *record);

/* Whether one of its records is of the same cell. */
bool report_group_has(const report_group *group, const lab_record *record);

/* Commands that run every cell of the records, one line each; in `memory`. */
puad_status report_commands(const char **out, arena *memory, const lab_record *records, size_t count,
                            const char *ledger);

#endif
