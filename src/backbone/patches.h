/* Patches of an image: the pixels of a backbone's middle stages, each averaged over its 3x3 neighbors.
 *
 * Usual patches have a Gaussian distribution per stage, learned from unlabeled images, the same at every
 * position. A patch's distance is log(1 + d^2) with the Mahalanobis distance d; an image's score is the
 * mean of its PATCHES_TOP largest distances. Learning has two turns: the second leaves out the
 * PATCHES_TRIM of the images with the highest scores, so that patches of hidden anomalies do not become
 * usual. Scores of the training images are cross-fitted, so that they compare with those of new ones. */
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

/* Learns from images x floats patches, which are centered in place; scores gets `count` values per image,
 * the first at scores + i * stride. */
puad_status patches_learn(patch_model *model, const patch_shape *shape, float *patches, size_t images,
                          float *scores, size_t stride, team *workers);

/* Distances of one stage's patches, positions of them. `patches` are changed; `scratch` has as many floats. */
void patches_distances(float *distances, const patch_stage *stage, float *patches, size_t positions,
                       float *scratch);

/* The mean of the largest distances, which are sorted in place. */
float patches_top(float *distances, size_t positions);

puad_status patches_write(safetensors *file, const patch_model *model, const char *prefix);
/* Does nothing if the file has none. */
puad_status patches_read(patch_model *model, const safetensors *file, const char *prefix);
uint64_t patches_hash(uint64_t hash, const patch_model *model);

#endif
