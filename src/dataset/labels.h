/* Converts label values of a file to labels: 1 anomaly, 0 or missing unlabeled, -1 labeled normal, unless
 * the user names other values. Values that are numbers are compared as numbers ("1.0" is 1). */
#ifndef DATASET_LABELS_H
#define DATASET_LABELS_H

#include "base/utf8.h"
#include "dataset/dataset.h"

/* The values of each class. An empty list means the default value. A missing value is always unlabeled. */
typedef struct label_rule {
    const char *const *positive, *const *unlabeled, *const *negative;
    size_t positive_count, unlabeled_count, negative_count;
    bool also_usual; /* the values come from the model: the defaults are accepted too */
    bool truth;      /* the unlabeled value means normal; only missing values are unlabeled */
} label_rule;

/* PUAD_INVALID if a value is named for two classes. */
puad_status label_rule_check(const label_rule *rule);

bool label_rule_is_given(const label_rule *rule); /* whether the user named any value */

/* False if the value belongs to no class. */
bool label_read(int8_t *out, const label_rule *rule, text_view value);
bool label_read_number(int8_t *out, const label_rule *rule, double value);

/* "expected 1 (anomaly), 0 or nothing (unlabeled) or -1 (normal)" */
void label_rule_describe(char *out, size_t capacity, const label_rule *rule);

#endif
