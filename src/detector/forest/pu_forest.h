/* A forest that learns from labeled anomalies and unlabeled rows with anomalies among them.
 *
 * A first forest tells labeled anomalies from unlabeled rows. What it thinks of an unlabeled row that it was
 * not grown on (out of bag) says how likely a hidden anomaly is. Then forests are grown again without the
 * share alpha of the unlabeled rows that look most like anomalies. The share is not known well even where it
 * is given, so several are tried and all their trees vote. */
#ifndef DETECTOR_FOREST_PU_FOREST_H
#define DETECTOR_FOREST_PU_FOREST_H

#include "detector/forest/random_trees.h"

enum { PU_FOREST_TREES = 300, PU_FOREST_FIRST = 400, PU_FOREST_POOL = 65536, PU_FOREST_ALPHAS = 4 };

/* Rows by what is known of them; the numbers point into `values`. */
typedef struct pu_rows {
    const float *values;
    size_t columns;
    const uint32_t *unlabeled, *anomalies, *normals;
    size_t unlabeled_count, anomaly_count, normal_count;
} pu_rows;

/* Each row's score by the trees that were not grown on it. */
typedef struct pu_out_of_bag {
    float *unlabeled, *anomalies; /* of an anomaly that all trees were grown on: NaN */
} pu_out_of_bag;

/* Grows one. alpha: the fraction of anomalies among the unlabeled rows; NaN when nobody knows it. `outside`
 * may be NULL. */
puad_status pu_forest_fit(random_trees *out, const pu_out_of_bag *outside, const pu_rows *rows, double alpha,
                          uint64_t seed, team *workers);

/* The alphas whose forests vote together, into out; returns how many. alpha: NaN if it is not known. */
size_t pu_forest_alphas(double out[PU_FOREST_ALPHAS], double alpha);

#endif
