/* What is known about a row. */
#ifndef PUAD_LABEL_H
#define PUAD_LABEL_H

/* The label of a row, kept as int8_t. */
typedef enum puad_label {
    PUAD_LABEL_NORMAL = -1,
    PUAD_LABEL_UNLABELED = 0,
    PUAD_LABEL_ANOMALY = 1
} puad_label;

#endif
