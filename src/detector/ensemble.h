/* Detectors without a network: an isolation forest, a PU forest, the nearest of a few rows, and the committee
 * of the three.
 *
 * The committee knows two reasons to call a row anomalous. It is like the labeled ones: the PU forest's odds,
 * which estimate how many times denser labeled anomalies are there than unlabeled rows. Or it is like nothing
 * else: the tail probability p of the isolation forest's and the nearest rows' scores together, turned into
 * the evidence a p^(a - 1), which has mean 1 over rows as all the others are. a is 1/2, or nearer to 1, where
 * this says nothing, if the labeled anomalies are not unusual in this sense. With n, the share of anomalies
 * that are of a kind not labeled (option novelty), the evidence is (1 - n) odds + n a p^(a - 1), and the
 * score its logarithm. Without labels the second reason is the only one. */
#ifndef DETECTOR_ENSEMBLE_H
#define DETECTOR_ENSEMBLE_H

#include "detector/isolation_forest.h"
#include "detector/nearest_rows.h"
#include "detector/random_trees.h"
#include "detector/tail_scale.h"

struct puad_detector;
struct train_rows;

/* What a detector consists of; a set of bits. */
enum { PART_ISOLATION = 1, PART_TREES = 2, PART_NEAREST = 4 };

typedef struct ensemble {
    arena memory;
    isolation_forest isolation;
    random_trees trees;
    nearest_rows near;
    float
        *typical; /* the median of each column over unlabeled rows, for explanations; NULL in older models */
    /* Of the committee. */
    tail_scale isolation_scale, nearest_scale, outlier_scale;
    float shape; /* a of the evidence a p^(a - 1) */
} ensemble;

puad_status ensemble_fit(struct puad_detector *model, const struct train_rows *rows, team *workers);
puad_status ensemble_score(const struct puad_detector *model, float *scores, const float *values, size_t rows,
                           team *workers);

/* Shares of the columns in a row's score: how far it falls when the column's value becomes a typical one. */
puad_status ensemble_explain(const struct puad_detector *model, float *shares, const float *row,
                             team *workers);

void ensemble_free(ensemble *owner);

#endif
