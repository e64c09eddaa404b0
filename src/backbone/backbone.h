/* A backbone: a pretrained convolutional network with fixed weights. It computes features of an image,
 * which a detector uses as the columns of a table.
 *
 * The file is a safetensors container with the metadata "format" = "puad-backbone" and a JSON description
 * "backbone" of the graph (docs/reference/model-format.md). Its tensors are the weights of the
 * convolutions. BatchNorm is folded into them when the file is made. */
#ifndef BACKBONE_BACKBONE_H
#define BACKBONE_BACKBONE_H

#include "backbone/patches.h"
#include "base/threads.h"
#include "io/safetensors.h"

#include <stdbool.h>
#include <stddef.h>

enum { BACKBONE_SIDE_MIN = 8, BACKBONE_SIDE_MAX = 1024 };

typedef struct backbone backbone;

/* Reads a backbone file. Errors name the file and the invalid node or tensor. */
puad_status backbone_open(backbone **out, const char *path);

/* The same from an open container that may hold other tensors too: a model file. `prefix` precedes the
 * names of the backbone's tensors. */
puad_status backbone_read(backbone **out, const safetensors *file, const char *prefix);

/* Adds the tensors and metadata that backbone_read reads; `owner` must live until the file is written. */
puad_status backbone_write(safetensors *file, const backbone *owner, const char *prefix);
void backbone_free(backbone *owner); /* NULL is fine */

/* Adds an owner; the last backbone_free frees the backbone. */
backbone *backbone_share(backbone *owner);
void backbone_cleanup(backbone **owner);
#define AUTO_BACKBONE __attribute__((cleanup(backbone_cleanup)))

int backbone_side(const backbone *owner);                /* height and width of its training images */
const char *backbone_fingerprint(const backbone *owner); /* 16 hexadecimal digits of graph and weights */

/* Features of an image, and the names of features and patch scores ("stage 4 mean 17", "stage 2
 * patches"). */
size_t backbone_feature_count(const backbone *owner);
puad_status backbone_feature_name(char *out, size_t size, const backbone *owner, size_t index);

/* Patch scores of an image (backbone/patches.h), which follow the features: for each of the patch stages the
 * distances, then the outputs of the classifier. They are 0 until usual patches have been learned. Then the
 * fingerprint is another one. */
size_t backbone_patch_count(const backbone *owner);
size_t backbone_patch_stages(const backbone *owner);
bool backbone_patches_learned(const backbone *owner);

/* Runs a backbone on images of side x side pixels, with memory for each thread of the team, which must
 * outlive it. */
typedef struct backbone_runner backbone_runner;
puad_status backbone_runner_new(backbone_runner **out, const backbone *source, int side, team *workers);
void backbone_runner_free(backbone_runner *owner); /* NULL is fine */
void backbone_runner_cleanup(backbone_runner **owner);
#define AUTO_BACKBONE_RUNNER __attribute__((cleanup(backbone_runner_cleanup)))

/* Computes the features of one image, side x side x 3 values in [0, 1], which are normalized in place;
 * `thread` is that of team_run. */
void backbone_run(backbone_runner *runner, float *features, float *picture, int thread);

/* Patches of the last image that backbone_run processed on this thread: their number of floats, the floats,
 * and the patch scores, which change the floats. Not thread-safe: backbone_learn_patches. */
size_t backbone_patch_floats(const backbone_runner *runner);
void backbone_patches(const backbone_runner *runner, float *patches, int thread);
void backbone_patch_scores(const backbone_runner *runner, float *scores, float *patches, int thread);
/* The distances of the patches of one of the patch stages, tall x wide, in standard deviations above
 * the mean of usual patches; changes the floats. */
void backbone_patch_map(const backbone_runner *runner, float *map, size_t *tall, size_t *wide, float *patches,
                        size_t index, int thread);
puad_status backbone_learn_patches(backbone *owner, const backbone_runner *runner, const patch_images *images,
                                   team *workers);

/* The output of a stage for the last image that backbone_run processed on this thread. Valid until the
 * next one. */
typedef struct stage_map {
    size_t height, width, channels;
    const float *values; /* channels last */
} stage_map;
stage_map backbone_stage(const backbone_runner *runner, size_t stage, int thread);

#endif
