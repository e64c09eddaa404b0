/* The paper's tables from a ledger's records: mean and standard deviation of the AUROC over normal classes
 * and seeds, for each method (and each setting it was run with) on each dataset, with the best marked, and
 * the paper's result. */
#ifndef LAB_RESULTS_RESULT_TABLE_H
#define LAB_RESULTS_RESULT_TABLE_H

#include "lab/ledger/record_filter.h"
#include "lab/results/paper.h"
#include "lab/results/text_grid.h"

typedef struct table_query {
    anomalies which;
    const paper_table *paper; /* NULL for none */
    record_query cells;
    size_t seeds; /* number per normal class in a complete table; 0: as the records have */
} table_query;

typedef struct table_row {
    const char *method;
    const char *setting; /* the difference from other rows: "embedding=linear, epochs=20"; "" if none */
} table_row;

typedef struct table_value {
    size_t runs, expected;
    double mean, deviation; /* with equal weights of normal classes; NaN without runs, without two runs */
    /* effective number of runs: equals `runs` if they are evenly spread over the classes */
    double worth;
    /* the best, or not significantly different from it by a paired t-test at 5% over the classes and seeds
     * that all competing rows have; with fewer than four of these, only the best. Rows with fewer runs
     * than the median, with reduced splits while others are complete, or with other unseen classes than
     * the set's default do not compete, and a single row is not marked */
    bool best;
    bool reduced;           /* some run had fewer rows than the paper's: the paper's result is not shown */
    const paper_row *paper; /* or NULL */
    double difference;      /* to the paper's mean, which is over all normal classes: NaN if one is missing */
    double error; /* its standard error, over classes and seeds of both sides; NaN without two runs */
} table_value;

typedef struct lab_table {
    anomalies which;
    const char *common; /* the options that all rows have in common */
    const char *budget; /* "10 epochs after 6 of pretraining"; "" if rows differ in it */
    table_row *rows;
    size_t row_count;
    const char **datasets;
    size_t dataset_count;
    table_value *values; /* rows x datasets */
} lab_table;

/* All in `memory`. PUAD_INVALID if no record matches the query. */
puad_status table_build(lab_table *out, arena *memory, const lab_record *records, size_t count,
                        const table_query *query);

/* One dataset: method, AUROC, runs, paper, difference. */
puad_status table_block(grid *out, arena *memory, const lab_table *table, size_t dataset);

/* All datasets as columns. */
puad_status table_wide(grid *out, arena *memory, const lab_table *table);

#define TABLE_FORMATS "terminal|markdown|csv|latex"
puad_status table_write(FILE *stream, const lab_table *table, const char *format);

#endif
