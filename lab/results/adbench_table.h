/* Tables with few labels: the records of ADBench's protocol by the fraction of labeled anomalies; means
 * over tables of the means over seeds, alongside published results if a file of them is given. */
#ifndef LAB_RESULTS_ADBENCH_TABLE_H
#define LAB_RESULTS_ADBENCH_TABLE_H

#include "lab/ledger/record_filter.h"
#include "lab/results/text_grid.h"

typedef struct published_row {
    const char *dataset, *model;
    double percent; /* percentage of anomalies that were labeled */
    bool auroc;     /* or average precision */
    double value;   /* 0 to 1 */
} published_row;

typedef struct published_table {
    const published_row *rows;
    size_t count;
} published_table;

/* A CSV file with the columns table, metric (AUCROC or AUCPR), labeled_anomaly_pct, dataset, model, value
 * (in percent, or N/A). */
puad_status published_read(published_table *out, arena *memory, const char *path);

/* AUROC / average precision for each method and label fraction, over the datasets that all rows have at
 * that fraction; the heading has their number. `beside` may be NULL. PUAD_INVALID if no record belongs to
 * the protocol. */
puad_status few_labels_grid(grid *out, arena *memory, const lab_record *records, size_t count,
                            const record_query *query, const published_table *beside);

/* A section of a page, if there is such a record. */
puad_status few_labels_add(page *on, arena *memory, const lab_record *records, size_t count);

#endif
