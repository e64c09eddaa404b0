/* Selects the records of a table or a figure, and groups them into rows: one row per method and setting of
 * all options, except those that identify a run within an average. Runs on reduced splits are separate
 * rows. */
#ifndef LAB_LEDGER_RECORD_FILTER_H
#define LAB_LEDGER_RECORD_FILTER_H

#include "lab/run/experiment.h"

typedef struct record_query {
    const char *const *datasets; /* which ones, in this order; count 0 for all */
    size_t dataset_count;
    const char *const *methods;
    size_t method_count;
    const char *const
        *where; /* "epochs=10": only experiments with this option, or whose method does not use it */
    size_t where_count;
    const char *const *swept; /* options that do not distinguish rows: the x axis of a figure */
    size_t swept_count;
    bool by_rows; /* a sweep keeps the number of training rows, which then distinguishes rows */
} record_query;

typedef struct selection {
    const record_query *query;
    const lab_record **records; /* sorted by row, dataset, normal class, seed */
    size_t count;
    const lab_record **firsts; /* of each row; in the order of detectors.def */
    size_t row_count;
    const char **datasets; /* in the order of the query, else of sets.def */
    size_t dataset_count;
} selection;

/* All in `memory`. PUAD_INVALID if no record matches. */
puad_status selection_make(selection *out, arena *memory, const lab_record *records, size_t count,
                           const record_query *query);

/* "10 epochs after 6 of pretraining" if all rows with epochs have the same; else "". */
puad_status selection_budget(const char **out, arena *memory, const selection *subset);

/* 0 for records of one row. */
int selection_compare(const selection *in, const lab_record *one, const lab_record *other);

/* "name=value, ..." of the options that differ between rows, for one row; or of those that all rows have
 * in common. Options that a row does not use are omitted. */
puad_status selection_describe(const char **out, arena *memory, const selection *subset, size_t row,
                               bool varying);

#endif
