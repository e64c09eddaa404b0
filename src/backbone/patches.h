/* Patches of an image: the pixels of a backbone's middle stages, each averaged over its 3x3 neighbors.
 *
 * Usual patches have a Gaussian distribution per stage, learned from unlabeled images, the same at every
 * position. A patch's distance is log(1 + d^2) with the Mahalanobis distance d; an image's score is the
 * mean of its PATCHES_TOP largest distances. Learning has two turns: the second leaves out the
 * PATCHES_TRIM of the images with the highest scores, so that patches of hidden anomalies do not become
 * usual.
 *
 * With PATCH_FOLDS or more labeled anomalies, a linear classifier of patches is learned too: its direction is
 * u = S^-1 (mean patch of labeled anomalies - mean patch of unlabeled images), divided by the length of
 * that difference under S^-1, with the covariance S of usual patches. A patch's output is (x - mean) u; an
 * image's second score is the mean of its PATCHES_TOP largest outputs, 0 without a classifier.
 *
 * Scores of the training images are cross-fitted, so that they compare with those of new ones. */
#ifndef BACKBONE_PATCHES_H
#define BACKBONE_PATCHES_H

#include "base/memory.h"
#include "base/threads.h"
#include "io/safetensors.h"

#include <stdbool.h>

#define PATCHES_TOP 0.05
#define PATCHES_TRIM 0.15
#define PATCHES_SHRINKAGE 0.01 /* of the mean variance, added to each variance */
enum { PATCH_STAGES_MAX = 16, PATCH_CHANNELS_MAX = 256, PATCH_FOLDS = 5 };

typedef struct patch_stage {
    size_t stage, channels, step; /* every step-th channel of the stage */
    float *mean;                  /* channels */
    float *factor;                /* channels x channels: d^2 = |(x - mean) factor|^2 */
    float *level;                 /* mean and standard deviation of the distances of usual patches */
    float *direction;             /* channels: u of the classifier, or 0 */
} patch_stage;

typedef struct patch_model {
    bool learned;
    size_t count;
    patch_stage stages[PATCH_STAGES_MAX];
} patch_model;

/* The patches of one image: for each stage, positions x channels floats from `at` on. */
typedef struct patch_shape {
    size_t height[PATCH_STAGES_MAX], width[PATCH_STAGES_MAX], at[PATCH_STAGES_MAX];
    size_t floats, positions_most;
} patch_shape;

/* Chooses the middle stages of a backbone from its stages' channels: all but the first and the last of four
 * or more, all but the last of two or three. */
puad_status patches_choose(patch_model *out, arena *memory, const size_t *channels, size_t stages);

/* Images x floats patches, which are centered in place when a model is learned; the last `anomalies` of the
 * images are labeled anomalies. An image has 2 x model.count scores, distances first. */
typedef struct patch_images {
    float *patches, *scores;
    size_t images, anomalies;
} patch_images;
puad_status patches_learn(patch_model *model, const patch_shape *shape, const patch_images *images,
                          team *workers);

/* Distances of one stage's patches, positions of them. `patches` are centered; `scratch` has as many floats. */
void patches_distances(float *distances, const patch_stage *stage, float *patches, size_t positions,
                       float *scratch);

/* Outputs of the classifier for patches that patches_distances has centered. */
void patches_outputs(float *outputs, const patch_stage *stage, const float *patches, size_t positions);

/* The mean of the largest values, which are sorted in place. */
float patches_top(float *values, size_t positions);

puad_status patches_write(safetensors *file, const patch_model *model, const char *prefix);
/* Does nothing if the file has none. */
puad_status patches_read(patch_model *model, const safetensors *file, const char *prefix);
uint64_t patches_hash(uint64_t hash, const patch_model *model);

#endif
