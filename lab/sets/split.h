/* The paper's construction of a contaminated training set and a test set from a set of classes.
 *
 * From the official training part: normal rows and hidden anomalies, all unlabeled, and other anomalies
 * that are labeled. Anomalies in training come from the pooled seen classes. From the official test part:
 * normal, seen and unseen rows. */
#ifndef LAB_SETS_SPLIT_H
#define LAB_SETS_SPLIT_H

#include "lab/sets/set.h"

typedef enum split_group { GROUP_NORMAL, GROUP_SEEN, GROUP_UNSEEN, GROUP_COUNT } split_group;

typedef struct split_request {
    class_bits normal, unseen;     /* classes; all others are seen */
    size_t train_normal;           /* unlabeled normal rows */
    size_t train_hidden;           /* unlabeled anomalies */
    size_t train_labeled;          /* labeled anomalies */
    size_t train_known;            /* labeled normal rows, in addition */
    size_t test_rows[GROUP_COUNT]; /* maximum */
    uint64_t seed;
    int side; /* images are resized to side x side */
} split_request;

/* Row numbers of the official parts for each part of the split, before any pixel is read. */
typedef struct split_plan {
    arena memory;                                                  /* owns the arrays */
    size_t train_normal, train_hidden, train_labeled, train_known; /* actual sizes */
    size_t train_count;
    uint32_t *train_rows;
    int8_t *train_labels; /* puad_label, as used in training */
    int8_t *train_truth;  /* 1 anomaly, 0 normal: not visible in training */
    size_t test_count, test_rows_of[GROUP_COUNT];
    uint32_t *test_rows;
    uint8_t *test_groups; /* split_group */
    double alpha_u, alpha_all;
    bool reduced; /* fewer training rows than requested, normal and anomalous ones by the same factor */
} split_plan;

typedef struct split {
    split_plan plan;
    dataset train; /* labels 1, 0, -1 as plan.train_labels */
    dataset test;  /* labels are the truth: 1 anomaly, 0 normal */
} split;

/* The paper's sizes (or the set's own) for one cell and seed. */
split_request split_standard(const set_row *about, class_bits normal, uint64_t seed);

puad_status split_draw(split_plan *out, const raw_set *set, const split_request *request);
puad_status split_make(split *out, const raw_set *set, const split_request *request);
void split_plan_free(split_plan *owner); /* {0} is fine */
void split_free(split *owner);           /* {0} is fine */
#define AUTO_SPLIT_PLAN __attribute__((cleanup(split_plan_free)))
#define AUTO_SPLIT __attribute__((cleanup(split_free)))

#endif
