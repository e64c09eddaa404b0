/* A forest that learns from labeled anomalies and from unlabeled rows that contain hidden anomalies.
 *
 * A first forest separates labeled anomalies from unlabeled rows. Its out-of-bag score of an unlabeled row
 * estimates how likely the row is a hidden anomaly, and how fine the trees should be. Then forests are grown again without the fraction
 * alpha of the unlabeled rows that look most like anomalies. Even a given alpha is uncertain, so several
 * values are tried and all trees are averaged. */
#ifndef DETECTOR_FOREST_PU_FOREST_H
#define DETECTOR_FOREST_PU_FOREST_H

#include "detector/forest/random_trees.h"

enum {
    PU_FOREST_TREES = 300,
    PU_FOREST_FIRST = 400,
    PU_FOREST_TRIED = 150, /* in the first pass, with each setting */
    PU_FOREST_POOL = 65536,
    PU_FOREST_ALPHAS = 4,
    PU_FOREST_STEPS = 120000
};

/* Rows by their label; indices into `values`. */
typedef struct pu_rows {
    const float *values;
    size_t columns, first_column; /* columns before first_column are not tested */
    const uint32_t *unlabeled, *anomalies, *normals;
    size_t unlabeled_count, anomaly_count, normal_count;
    size_t asked_count; /* the last anomalies were found by asking about rows, and are not a random sample */
    bool one_setting;   /* the usual one; else the settings of the trees are chosen (tree_growth.h) */
} pu_rows;

/* The number of anomalies, the first ones, from which weights and settings are learned: those that were not found by
 * asking, if there are any. */
size_t pu_rows_random(const pu_rows *rows);

/* Each row's score by the trees that did not train on it. */
typedef struct pu_out_of_bag {
    float *unlabeled, *anomalies; /* NaN for an anomaly that all trees trained on */
} pu_out_of_bag;

/* Grows a PU forest. alpha: the fraction of anomalies among the unlabeled rows; NaN if unknown. `outside`
 * may be NULL. */
puad_status pu_forest_fit(random_trees *out, const pu_out_of_bag *outside, const pu_rows *rows, double alpha,
                          uint64_t seed, team *workers);

/* Writes the alphas whose forests are averaged to `out`; returns their number. alpha: NaN if unknown. */
size_t pu_forest_alphas(double out[PU_FOREST_ALPHAS], double alpha);

#endif
