/* Windows over the rows of a time series, the input of a detector.
 *
 * A window of T rows with C channels (encoded columns) becomes C * (T + 2) numbers: for each channel its
 * level (mean), its amplitude (standard deviation), and its shape, the T values minus the level, divided
 * by the amplitude. The shape comes first, step by step with adjacent channels, then the levels, then the
 * amplitudes, both multiplied by the root of T. In a distance between windows, level and amplitude thus
 * have the same weight as all T values of the shape. A channel that is nearly constant is not amplified:
 * AMPLITUDE_MIN is added to its amplitude, in squares. */
#ifndef SERIES_WINDOW_H
#define SERIES_WINDOW_H

#include "dataset/dataset.h"

enum { WINDOW_STRIDES = 8 }; /* the default stride is a window divided by this */
enum { WINDOW_MAX = 65536 };

typedef struct window_plan {
    size_t length, stride; /* rows of a window, and rows between windows */
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

/* Makes the values of different channels comparable: (value - middle) * factor, and in distances also * weight.
 * Channels with two values together have the weight of one other channel, if there is one: a series with many
 * switches would otherwise be compared by them alone. */
typedef struct channel_scale {
    float middle, factor, weight;
} channel_scale;

/* Scales to [-1, 1] over the rows; a channel of 0 and 1 is unchanged. `encoding` states which encoded values 0
 * and 1 have; NULL: 0 and 1 themselves. */
void channel_scales_learn(channel_scale *out, const float *rows, size_t count, size_t channels,
                          const struct transform *encoding);

/* The default length of a window: the period with the highest autocorrelation of the scaled channels,
 * doubled until it has WINDOW_MIN rows; WINDOW_STANDARD if there is none. At most a tenth of the longest
 * segment. */
enum { WINDOW_MIN = 48, WINDOW_STANDARD = 100 };
puad_status window_choose(size_t *out, const dataset *rows, const channel_scale *scales);

/* Encodes one window of length x channels values. */
void window_encode(float *out, const window_plan *plan, const float *rows);

/* Inverts window_encode, up to rounding. */
void window_decode(float *rows, const window_plan *plan, const float *window);

/* Encodes a segment of `count` rows that is shorter than a window, mirrored at its ends until it fills
 * one. `buffer` has length x channels floats. */
void window_encode_short(float *out, const window_plan *plan, const float *rows, size_t count, float *buffer);

/* The rows of the window around a row; fewer than a window if its segment is shorter. */
void window_place(size_t *first, size_t *end, const window_plan *plan, const uint8_t *breaks, size_t count,
                  size_t row);

/* The window around a row: centered on it if the segment allows, and mirrored if the segment is shorter
 * than a window. It needs only rows that the row's score needs. `rows` are `count` rows, `breaks` (or
 * NULL) marks where segments begin; `buffer` as above. */
void window_around(float *out, const window_plan *plan, const float *rows, const uint8_t *breaks,
                   size_t count, size_t row, float *buffer);

/* The mean row of an encoded window. */
void window_mean(float *row, const window_plan *plan, const float *window);

/* All training windows: from the beginning of each segment, a stride apart, and one that ends with it. A
 * window is labeled an anomaly if half of its rows are, or if it contains a whole run of such rows; with
 * some but fewer it is left out, or unlabeled if `partial`. It is labeled normal if all its rows are. */
typedef struct windows {
    dataset data;    /* one row per window; its memory, labels and values */
    uint32_t *first; /* the first row of each */
    size_t left_out, stretches;
    size_t short_stretches, short_rows, longest; /* segments shorter than a window have none */
} windows;
puad_status windows_make(windows *out, const dataset *rows, const int8_t *labels, const window_plan *plan,
                         bool partial);
void windows_free(windows *owner); /* {0} is fine */

#endif
