/* Converts images to rows in parallel: resized pixels, or the features of a backbone. */
#ifndef INPUT_PICTURE_ROWS_H
#define INPUT_PICTURE_ROWS_H

#include "base/threads.h"
#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "image/image.h"
#include "table/encoding/transform.h"

/* Decodes image `index`; the caller frees it. Called from any thread. */
typedef puad_status picture_source(void *context, image *out, size_t index);

typedef struct picture_rows picture_rows;

/* `encoding` and `workers`, which may be NULL, must outlive the result. */
puad_status picture_rows_new(picture_rows **out, const transform *encoding, team *workers);
void picture_rows_free(picture_rows *owner); /* NULL is fine */
void picture_rows_cleanup(picture_rows **owner);
#define AUTO_PICTURE_ROWS __attribute__((cleanup(picture_rows_cleanup)))

/* Converts `count` images, starting at `first`, to rows of how->encoded floats. For an image that cannot
 * be decoded (PUAD_FORMAT), damaged[i] becomes 1, its row 0, and it is counted. Without `damaged`, and for
 * other failures, the call fails. */
puad_status picture_rows_run(picture_rows *job, float *values, uint8_t *damaged, size_t first, size_t count,
                             picture_source *source, void *context);

/* Learns usual patches, and those of labeled anomalies, from some of the `count` images, and converts these: the next
 * picture_rows_run leaves them as they are. Does nothing without a backbone, or if they are known. */
puad_status picture_rows_learn(picture_rows *job, float *values, uint8_t *damaged, const int8_t *labels,
                               size_t count, picture_source *source, void *context);

/* Writes height x width values of an image with 3 channels, for a backbone with usual patches: the mean over
 * the stages of the patches' distances, in standard deviations above the mean of usual patches, interpolated
 * between patches. */
puad_status picture_heat(float *heat, const transform *encoding, const image *picture);

/* The damaged images so far; valid as long as `job`. */
const unreadable_images *picture_rows_damaged(const picture_rows *job);

/* The encoding of images with 1 or 3 channels that the options ask for: pixels, or a backbone's features.
 * `longest` is the longest side if all images are small, else 0. */
puad_status picture_transform(transform **out, const data_options *options, int channels, int longest);

/* Shape and column names of the encoded rows. */
puad_status picture_shape(dataset *out, const transform *encoding);

#endif
