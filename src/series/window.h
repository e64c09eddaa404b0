/* Windows over the rows of a time series: what a detector sees of it.
 *
 * A window of T rows with C channels (encoded columns) becomes C * (T + 2) numbers: of each channel its level
 * (mean), its amplitude (standard deviation), and its shape, the T values with the level taken off and
 * divided by the amplitude. The shape comes first, step after step with its channels side by side, then the
 * levels, then the amplitudes, both multiplied by the root of T: a distance between windows is as much one
 * of levels and of amplitudes as of all T values of the shape. A channel that hardly moves is not blown up:
 * AMPLITUDE_LEAST is added to its amplitude, in squares. */
#ifndef SERIES_WINDOW_H
#define SERIES_WINDOW_H

#include "dataset/dataset.h"

enum { WINDOW_STRIDES = 8 }; /* a stride that nobody gives is a window divided by this */
enum { WINDOW_MOST = 65536 };

typedef struct window_plan {
    size_t length, stride; /* rows of a window, and from one to the next */
    size_t channels;
} window_plan;

static inline size_t window_columns(const window_plan *plan)
{
    return plan->channels * (plan->length + 2);
}
static inline size_t window_stride(size_t length)
{
    return length / WINDOW_STRIDES ? length / WINDOW_STRIDES : 1;
}

/* What makes the values of a channel comparable with those of others: (value - middle) * factor. */
typedef struct channel_scale {
    float middle, factor;
} channel_scale;

/* From -1 to 1 over the rows; a channel of 0 and 1 stays so. `how` says which encoded values these are; NULL:
 * 0 and 1 themselves. */
void channel_scales_learn(channel_scale *out, const float *rows, size_t count, size_t channels,
                          const struct transform *how);

/* The length of a window that nobody gives: the period at which the scaled channels correlate most with
 * themselves, doubled until it has WINDOW_LEAST rows; WINDOW_STANDARD where there is none. At most a tenth
 * of the longest stretch. */
enum { WINDOW_LEAST = 48, WINDOW_STANDARD = 100 };
puad_status window_choose(size_t *out, const dataset *rows, const channel_scale *scales);

/* One window of length x channels values. */
void window_encode(float *out, const window_plan *plan, const float *rows);

/* The values that window_encode was given, but for rounding. */
void window_decode(float *rows, const window_plan *plan, const float *window);

/* A stretch of `count` rows that is shorter than a window: it is mirrored at its ends until it fills one.
 * `room` has length x channels floats. */
void window_encode_short(float *out, const window_plan *plan, const float *rows, size_t count, float *room);

/* Which rows the window around a row has; fewer than a window where its stretch is shorter. */
void window_place(size_t *first, size_t *end, const window_plan *plan, const uint8_t *breaks, size_t count,
                  size_t row);

/* The window around a row: centred on it as far as its stretch reaches, and mirrored where that is shorter
 * than a window. It needs no row that the row's score does not need. `rows` are `count` rows, `breaks` (or
 * NULL) says where stretches begin; `room` as above. */
void window_around(float *out, const window_plan *plan, const float *rows, const uint8_t *breaks,
                   size_t count, size_t row, float *room);

/* The mean row of an encoded window. */
void window_mean(float *row, const window_plan *plan, const float *window);

/* All windows to train on: from the beginning of each stretch, a stride apart, and one that ends with it. A
 * window is labeled an anomaly when half of its rows are, or when it holds a whole run of such rows; it is
 * left out when it holds some but less, or unlabeled if `partial`. It is labeled normal when all its rows
 * are. */
typedef struct windows {
    dataset data;    /* one row per window; its memory, labels and values */
    uint32_t *first; /* the first row of each */
    size_t left_out, stretches;
    size_t short_stretches, short_rows, longest; /* stretches shorter than a window have none */
} windows;
puad_status windows_make(windows *out, const dataset *rows, const int8_t *labels, const window_plan *plan,
                         bool partial);
void windows_free(windows *owner); /* {0} is fine */

#endif
