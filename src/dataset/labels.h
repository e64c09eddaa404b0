/* From what a file says to the label of a row: 1 anomaly, 0 or no value unlabeled, -1 labeled normal, unless
 * the user names other values. Values that are both numbers are compared as numbers ("1.0" is 1). */
#ifndef DATASET_LABELS_H
#define DATASET_LABELS_H

#include "base/text_view.h"
#include "dataset/dataset.h"

/* The values of each class. An empty list stands for the usual value. No value at all is always unlabeled. */
typedef struct label_rule {
    const char *const *positive, *const *unlabeled, *const *negative;
    size_t positive_count, unlabeled_count, negative_count;
    bool also_usual; /* the values are remembered, not given: the usual ones count too */
    bool truth;      /* values of the unlabeled are normal: only no value at all is unlabeled then */
} label_rule;

/* PUAD_INVALID when one value is named for two classes. */
puad_status label_rule_check(const label_rule *rule);

bool label_rule_is_given(const label_rule *rule); /* the user named any value */

/* False when the value fits no class. */
bool label_read(int8_t *out, const label_rule *rule, text_view value);
bool label_read_number(int8_t *out, const label_rule *rule, double value);

/* "expected 1 (anomaly), 0 or nothing (unlabeled) or -1 (normal)" */
void label_rule_describe(char *out, size_t room, const label_rule *rule);

#endif
