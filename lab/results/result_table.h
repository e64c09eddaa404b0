/* The paper's tables out of a ledger's records: mean and deviation of the AUROC over normal classes and
 * seeds, for each method (and each setting it was run with) on each data set, the best marked, the paper's
 * figure beside. */
#ifndef LAB_RESULTS_RESULT_TABLE_H
#define LAB_RESULTS_RESULT_TABLE_H

#include "lab/ledger/record_filter.h"
#include "lab/results/paper.h"
#include "lab/results/text_grid.h"

typedef struct table_query {
    anomalies which;
    const paper_table *paper; /* NULL for none */
    record_query cells;
    size_t seeds; /* how many each normal class should have; 0: as many as the records have */
} table_query;

typedef struct table_row {
    const char *method;
    const char *setting; /* what tells it from other rows: "embedding=linear, epochs=20"; "" for nothing */
} table_row;

typedef struct table_value {
    size_t runs, expected;
    double mean, deviation; /* each normal class counts the same; NaN without runs, without two */
    /* as many runs, spread evenly over the classes, would tell as much; `runs` where they are */
    double worth;
    bool best; /* or not told from it by a paired t-test at 5% over the classes and seeds that all competing
                  rows have; where these are fewer than four, the best alone. Rows with fewer runs than the
                  middle one, of reduced splits where others are full, or with unseen classes other than the
                  set's own, do not compete, and a lone row is not the best of anything */
    bool reduced;           /* some run had fewer rows than the paper's: no paper figure beside it */
    const paper_row *paper; /* or NULL */
    double difference; /* to the paper's mean, which is over all normal classes: NaN where one is missing */
    double error; /* the standard error of it, over classes and seeds of both sides; NaN without two runs */
} table_value;

typedef struct lab_table {
    anomalies which;
    const char *common; /* the options that all rows share */
    const char *budget; /* "10 epochs after 6 of pre-training"; "" where rows differ in it */
    table_row *rows;
    size_t row_count;
    const char **datasets;
    size_t dataset_count;
    table_value *values; /* rows x datasets */
} lab_table;

/* All in `memory`. PUAD_INVALID when no record fits the query. */
puad_status table_build(lab_table *out, arena *memory, const lab_record *records, size_t count,
                        const table_query *query);

/* One data set: method, AUROC, runs, paper, difference. */
puad_status table_block(grid *out, arena *memory, const lab_table *table, size_t dataset);

/* All data sets side by side. */
puad_status table_wide(grid *out, arena *memory, const lab_table *table);

#define TABLE_FORMATS "terminal|markdown|csv|latex"
puad_status table_write(FILE *stream, const lab_table *table, const char *format);

#endif
