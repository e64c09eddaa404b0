/* Random augmentation of training images: shifts by a few pixels, and mirroring if it makes no difference.
 * Turned images can serve as further anomalies. */
#ifndef DETECTOR_NETWORK_AUGMENT_H
#define DETECTOR_NETWORK_AUGMENT_H

#include "base/rng.h"
#include "nn/layer.h"

typedef enum augment_kind { AUGMENT_NONE, AUGMENT_AUTO, AUGMENT_SHIFT, AUGMENT_FLIP } augment_kind;
const char *augment_name(augment_kind kind);
bool augment_find(augment_kind *out, const char *name);

/* Images to learn from; only unlabeled ones (label 0) count. All borrowed. */
typedef struct train_images {
    const float *values; /* rows x shape_size(in) */
    const int8_t *labels;
    size_t rows;
    shape in;
} train_images;

/* AUGMENT_FLIP if images and their mirror images cannot be distinguished, else AUGMENT_SHIFT. */
puad_status augment_choose(augment_kind *out, const train_images *images);

enum { TURNS_MAX = 3 };
typedef struct turn_set {
    int turns[TURNS_MAX]; /* in quarters, ascending */
    size_t count;
} turn_set;

/* The turns of square images that a linear rule distinguishes from the images themselves. */
puad_status augment_turns(turn_set *out, const train_images *images);

/* One of the turns with probability `part`, else 0. */
int augment_draw_turn(const turn_set *turns, double part, rng *draws);

typedef struct image_change {
    augment_kind kind;
    int turn; /* in quarters; other than 0 for square images only */
} image_change;

/* Changes one image by random draws. Pixels from outside are reflected at the border. */
void augment_image(float *to, const float *source, shape in, image_change change, rng *draws);

#endif
