/* Random augmentation of training images: shifts by a few pixels, and mirroring if it makes no difference. */
#ifndef DETECTOR_NETWORK_AUGMENT_H
#define DETECTOR_NETWORK_AUGMENT_H

#include "base/rng.h"
#include "nn/layer.h"

typedef enum augment_kind { AUGMENT_NONE, AUGMENT_AUTO, AUGMENT_SHIFT, AUGMENT_FLIP } augment_kind;
const char *augment_name(augment_kind kind);
bool augment_find(augment_kind *out, const char *name);

/* AUGMENT_FLIP if images and their mirror images cannot be distinguished, else AUGMENT_SHIFT. `values` are
 * `rows` images; sorted by `labels`, only unlabeled ones count. */
puad_status augment_choose(augment_kind *out, const float *values, const int8_t *labels, size_t rows,
                           shape in);

/* Augments one image by random draws. Pixels from outside are reflected at the border. */
void augment_image(float *to, const float *from, shape in, augment_kind kind, rng *draws);

#endif
