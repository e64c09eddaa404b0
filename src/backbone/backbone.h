/* A backbone: a pretrained convolutional network whose weights stay as they are. It turns a picture into
 * features, which a detector takes as the columns of a table.
 *
 * The file is a safetensors container with the metadata "format" = "puad-backbone" and a JSON description
 * "backbone" of the graph (docs: reference of the model format). Tensors are those of its convolutions.
 * BatchNorm is folded into them when the file is made. */
#ifndef BACKBONE_BACKBONE_H
#define BACKBONE_BACKBONE_H

#include "base/threads.h"
#include "io/safetensors.h"

#include <stdbool.h>
#include <stddef.h>

enum { BACKBONE_SIDE_LEAST = 8, BACKBONE_SIDE_MOST = 1024 };

typedef struct backbone backbone;

/* Reads a backbone file. Errors name the file and the node or tensor that is wrong. */
puad_status backbone_open(backbone **out, const char *path);

/* The same from an open container, which may hold other tensors too: a model file. `prefix` stands before the
 * names of its tensors. */
puad_status backbone_read(backbone **out, const safetensors *file, const char *prefix);

/* Adds what backbone_read reads; `owner` must live until the file is written. */
puad_status backbone_write(safetensors *file, const backbone *owner, const char *prefix);
void backbone_free(backbone *owner); /* NULL is fine */

/* One more owner of the same backbone, which the last backbone_free frees. */
backbone *backbone_share(backbone *owner);
void backbone_cleanup(backbone **owner);
#define AUTO_BACKBONE __attribute__((cleanup(backbone_cleanup)))

const char *backbone_name(const backbone *owner);
int backbone_side(const backbone *owner); /* height and width of the pictures it was trained on */
const char *backbone_fingerprint(const backbone *owner); /* 16 hexadecimal digits of graph and weights */

/* Features of a picture, and their names ("stage 4 mean 17"). */
size_t backbone_feature_count(const backbone *owner);
puad_status backbone_feature_name(char *out, size_t size, const backbone *owner, size_t index);

/* What runs a backbone on pictures of side x side pixels, with memory for each thread of the team, which must
 * outlive it. */
typedef struct backbone_runner backbone_runner;
puad_status backbone_runner_new(backbone_runner **out, const backbone *source, int side, team *workers);
void backbone_runner_free(backbone_runner *owner); /* NULL is fine */
void backbone_runner_cleanup(backbone_runner **owner);
#define AUTO_BACKBONE_RUNNER __attribute__((cleanup(backbone_runner_cleanup)))

/* One picture, side x side x 3 values in [0, 1], which are normalized in place, to its features; `thread` as
 * team_run gives it. */
void backbone_run(backbone_runner *runner, float *features, float *picture, int thread);

/* The output of a stage for the picture that backbone_run saw last on this thread. Valid until the next. */
typedef struct stage_map {
    size_t height, width, channels;
    const float *values; /* channels last */
} stage_map;
size_t backbone_stage_count(const backbone *owner);
stage_map backbone_stage(const backbone_runner *runner, size_t stage, int thread);

#endif
