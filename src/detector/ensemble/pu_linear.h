/* Kinds of evidence for a row with many columns, such as the features of an image, added up: a linear
 * classifier of labeled anomalies against unlabeled rows, the Mahalanobis distance to the unlabeled rows,
 * and, of images with a backbone, the patch scores, which are the last columns (backbone/patches.h): distances
 * in the first half of them, outputs of a classifier of patches in the second half.
 *
 * z is a row with every column standardized over the unlabeled rows and clipped to +-PU_LINEAR_BOUND. The
 * distance is d^2 = sum_k p_k^2 / (v_k + s v) + (|z|^2 - sum_k p_k^2) / (r + s v): p_k are the coordinates
 * of z along the first axes of the unlabeled rows and v_k their variances, v the mean variance of all
 * axes, r that of the others, s = PU_LINEAR_SHRINKAGE. Center and axes are learned twice, the second time
 * without the most distant PU_LINEAR_TRIM of the rows, so that hidden anomalies do not affect them.
 *
 * The classifier minimizes |w|^2 / 2 + c (mean loss of labeled anomalies + mean loss of the others) / 2
 * with the logistic loss and c = PU_LINEAR_COST x rows. It is learned twice too: the second time without
 * the fraction alpha of the unlabeled rows with the highest first scores.
 *
 * The score is a weighted sum of the classifier's output, log(1 + d^2) and the sums of both halves of the patch
 * scores, each of which is standardized first. All terms are standardized over the unlabeled rows. The
 * classifier's weight grows with the number n of labeled anomalies, PU_LINEAR_WEIGHT n / (n +
 * PU_LINEAR_HALF_LABELS): with few of them it is uncertain. That of patches, which needs fewer, has
 * PU_LINEAR_PATCH_WEIGHT, falling in proportion to 1 / n beyond PU_LINEAR_PATCH_LABELS. The weight of a distance is half the mean of its
 * values for the labeled anomalies, as if there were PU_LINEAR_PRIOR_LABELS more with the value 2. It
 * is at least PU_LINEAR_WEIGHT_MIN, since anomalies of other kinds may show what the labeled ones do not. */
#ifndef DETECTOR_ENSEMBLE_PU_LINEAR_H
#define DETECTOR_ENSEMBLE_PU_LINEAR_H

#include "base/memory.h"
#include "base/threads.h"

#define PU_LINEAR_BOUND 8.0F
#define PU_LINEAR_SHRINKAGE 0.1
#define PU_LINEAR_TRIM 0.15
#define PU_LINEAR_COST 1e-3
#define PU_LINEAR_WEIGHT 2.0 /* x labels / (labels + PU_LINEAR_HALF_LABELS) */
#define PU_LINEAR_HALF_LABELS 20.0
#define PU_LINEAR_PATCH_WEIGHT 1.5 /* for up to PU_LINEAR_PATCH_LABELS labeled anomalies */
#define PU_LINEAR_PATCH_LABELS 30.0
#define PU_LINEAR_PRIOR_LABELS 5.0
#define PU_LINEAR_WEIGHT_MIN 0.7
#define PU_LINEAR_WEIGHT_MAX 2.0
#define PU_LINEAR_ALPHA 0.05 /* fraction removed before the second training if alpha is not known */
enum { PU_LINEAR_AXES = 100 };

typedef struct pu_linear {
    arena memory;                  /* owns the arrays */
    size_t columns, kept, patches; /* a row has columns, then patches values */
    float *mean, *factor;          /* per column: z = (x - mean) x factor, factor 0 for a constant column */
    float *center;                 /* per column, of z */
    float *axes;                   /* kept x columns, each of length 1 */
    float *strength;               /* kept: 1 / (v_k + s v) - 1 / (r + s v) */
    float *weights;                /* per column; all 0 without labeled anomalies */
    float *patch_weights;          /* per patch score: 1 / its standard deviation */
    /* 1 / (r + s v); mean and deviation of each term; weights of all terms */
    float scale[13];
} pu_linear;

enum {
    SCALE_REST,
    SCALE_OUTPUT_MEAN,
    SCALE_OUTPUT_DEVIATION,
    SCALE_DISTANCE_MEAN,
    SCALE_DISTANCE_DEVIATION,
    SCALE_PATCH_MEAN,
    SCALE_PATCH_DEVIATION,
    SCALE_LIKE_MEAN,
    SCALE_LIKE_DEVIATION,
    SCALE_OUTPUT_WEIGHT,
    SCALE_DISTANCE_WEIGHT,
    SCALE_PATCH_WEIGHT,
    SCALE_LIKE_WEIGHT
};
/* the classifier's output, log(1 + d^2), the sums of both halves of the patch scores */
enum { PU_LINEAR_TERMS = 4 };

/* Allocates the arrays; for readers of model files, which fill them and call pu_linear_check. */
puad_status pu_linear_new(pu_linear *out, size_t columns, size_t kept, size_t patches);
puad_status pu_linear_check(const pu_linear *model);
void pu_linear_free(pu_linear *owner); /* {0} is fine */

/* Training rows: indices of unlabeled rows, labeled anomalies and labeled normal rows in `values`. */
typedef struct pu_linear_rows {
    const float *values;
    size_t columns, patches; /* of a row */
    const uint32_t *unlabeled, *anomalies, *normals;
    size_t unlabeled_count, anomaly_count, normal_count;
} pu_linear_rows;

/* alpha: anomalies among the unlabeled rows, NaN if unknown. */
puad_status pu_linear_fit(pu_linear *out, const pu_linear_rows *rows, double alpha, uint64_t seed,
                          team *workers);

puad_status pu_linear_score(float *scores, const pu_linear *model, const float *values, size_t rows,
                            team *workers, arena *scratch);

/* The first two terms of one standardized row; all terms of many raw rows. */
void pu_linear_measure(double out[2], const pu_linear *model, const float *z);
puad_status pu_linear_measures(double *measured, const pu_linear *model, const float *values, size_t rows,
                               team *workers, arena *scratch);

/* z - center of a row. */
void pu_linear_standardize(float *z, const pu_linear *model, const float *row);

#endif
