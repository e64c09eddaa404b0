/* The paper's result tables, built in or read from a file with the same columns. */
#ifndef LAB_RESULTS_PAPER_H
#define LAB_RESULTS_PAPER_H

#include "base/memory.h"
#include "lab/run/experiment.h"

/* The anomalies of the test part that an AUROC is about: name, field of lab_result, title. */
#define ANOMALIES_LIST(X)                                                                                    \
    X(all, auroc, "all anomalies")                                                                           \
    X(seen, auroc_seen, "seen anomalies")                                                                    \
    X(unseen, auroc_unseen, "unseen anomalies")

typedef enum anomalies {
#define ENTRY(name, member, title) ANOMALIES_##name,
    ANOMALIES_LIST(ENTRY)
#undef ENTRY
} anomalies;

const char *anomalies_name(anomalies which);
const char *anomalies_title(anomalies which);
puad_status anomalies_find(anomalies *out, const char *name);
double anomalies_auroc(anomalies which, const lab_result *result);

typedef struct paper_row {
    anomalies which;
    const char *dataset, *method; /* names used in this program */
    double mean, deviation;
    bool best; /* the best, or not significantly different from it */
} paper_row;

typedef struct paper_table {
    const paper_row *rows;
    size_t count;
} paper_table;

paper_table paper_built_in(void);

/* A CSV file with the columns anomalies, dataset, method, auroc_mean, auroc_std, best; names are compared
 * ignoring case, '-' and '_'. */
puad_status paper_read(paper_table *out, arena *memory, const char *path);

/* NULL if the paper does not have it. */
const paper_row *paper_find(const paper_table *in, anomalies which, const char *dataset, const char *method);

#endif
