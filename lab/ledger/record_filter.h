/* Which records a table or a figure is about, and which of them belong to one row of it: those of one method
 * and one setting of all options but those that say where a run stands in an average. Runs on splits that had
 * to be reduced are rows of their own. */
#ifndef LAB_LEDGER_RECORD_FILTER_H
#define LAB_LEDGER_RECORD_FILTER_H

#include "lab/run/experiment.h"

typedef struct record_query {
    const char *const *datasets; /* which ones, in this order; count 0 for all there are */
    size_t dataset_count;
    const char *const *methods;
    size_t method_count;
    const char *const
        *where; /* "epochs=10": only cells with this option, or to whose method it means nothing */
    size_t where_count;
    const char *const *swept; /* options that do not tell rows apart: what a figure is drawn over */
    size_t swept_count;
    bool by_rows; /* what is swept keeps the number of training rows, which then tells rows apart */
} record_query;

typedef struct selection {
    const record_query *query;
    const lab_record **records; /* sorted by row, data set, normal class, seed */
    size_t count;
    const lab_record **firsts; /* of each row; by the order of detectors.def */
    size_t row_count;
    const char **datasets; /* in the order of the query, else of sets.def */
    size_t dataset_count;
} selection;

/* All in `memory`. PUAD_INVALID when no record fits. */
puad_status selection_make(selection *out, arena *memory, const lab_record *records, size_t count,
                           const record_query *query);

/* "10 epochs after 6 of pre-training", where all rows that have epochs share them; else "". */
puad_status selection_budget(const char **out, arena *memory, const selection *from);

/* 0 for records of one row. */
int selection_compare(const selection *in, const lab_record *one, const lab_record *other);

/* "name=value, ..." of the options that differ between rows, as a row has them; or of those that all rows
 * share. Options without a meaning for a row are not mentioned. */
puad_status selection_describe(const char **out, arena *memory, const selection *from, size_t row,
                               bool varying);

#endif
