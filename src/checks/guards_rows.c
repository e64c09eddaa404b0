/* Before a fit: finds labels that contradict rows with identical values. */
#include "checks/guards.h"
#include "dataset/row_keys.h"

#include <stdlib.h>

#define COMMON_MIN 0.05 /* fraction of the unlabeled rows with exactly the values of a labeled anomaly */

typedef struct keyed_row {
    uint64_t key;
    int8_t label;
} keyed_row;

static int by_key(const void *left, const void *right)
{
    uint64_t a = ((const keyed_row *)left)->key, b = ((const keyed_row *)right)->key;
    return (a > b) - (a < b);
}

puad_status guards_check_rows(const puad_options *options, warning_list *list, const dataset *rows,
                              const int8_t *labels)
{
    AUTO_FREE keyed_row *order = NULL;
    size_t unlabeled = 0, anomalies = 0, contradicted = 0, contradicting = 0, common = 0, twins = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        unlabeled += labels[i] == PUAD_LABEL_UNLABELED;
        anomalies += labels[i] == PUAD_LABEL_ANOMALY;
    }
    if (anomalies == 0) return PUAD_OK;
    TRY(memory_new(&order, rows->rows, sizeof *order, "rows"));
    for (size_t i = 0; i < rows->rows; i++)
        order[i] = (keyed_row){row_key(rows->values + i * rows->columns, rows->columns), labels[i]};
    qsort(order, rows->rows, sizeof *order, by_key);
    for (size_t i = 0, end; i < rows->rows; i = end) {
        size_t counts[3] = {0}; /* normal, unlabeled, anomaly */
        for (end = i; end < rows->rows && order[end].key == order[i].key; end++)
            counts[order[end].label + 1]++;
        if (counts[2] && counts[0]) {
            contradicted += counts[2];
            contradicting += counts[0];
        }
        if (counts[2] && (double)counts[1] >= COMMON_MIN * (double)unlabeled) {
            common += counts[2];
            twins += counts[1];
        }
    }
    if (contradicted)
        TRY(guard_warn(options, list, NULL, GUARD_contradicting_labels, (double)contradicted,
                       (double)contradicting));
    if (common && twins)
        TRY(guard_warn(options, list, NULL, GUARD_common_anomalies, (double)common,
                       100 * (double)twins / (double)unlabeled));
    return PUAD_OK;
}
