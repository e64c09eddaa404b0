/* Windows of a time series that recur, and those that do not.
 *
 * The training windows are divided into blocks of time. A window's score is its distance to the nearest
 * window of a block, of the RECURRENCE_RANK-th nearest block: a normal window recurs at several times, a
 * fault that lasts recurs within its own block only. So faults hidden in the training rows do not make
 * other faults look normal, and a training row needs no exclusion of its own window.
 *
 * Channels are scaled to [-1, 1] over the training rows, columns of 0 and 1 stay so (channel_scale). A
 * window w of T rows is compared as w / sqrt(|w|^2 + 0.1 T): by its direction, but a window in which
 * hardly anything happens is not blown up.
 *
 * Labeled anomalies are no part of the blocks; they raise the score of windows that are like them towards
 * `level`, the score that one in fifty of the other training windows has. With d the score, u the distance
 * to the nearest window of the median block and a that to the nearest labeled anomaly, the score is
 * d + (level - d) (u - 2a) / (u + a) where 2a < u and d < level. u and not d: a fault may recur. A score
 * above the level is not raised, since windows next to it in time, which share its rows, would rise with it.
 * Labels of wide intervals often mark windows that look like any other. So labels are not used, and all
 * windows count as unlabeled, if there are labeled anomalies that share no row and at most half of them
 * are nearer to each other than d. */
#ifndef DETECTOR_ENSEMBLE_RECURRENCE_H
#define DETECTOR_ENSEMBLE_RECURRENCE_H

#include "base/threads.h"
#include "series/window.h"

enum {
    RECURRENCE_BLOCKS = 20,
    RECURRENCE_RANK = 3,
    RECURRENCE_VALUES_MOST = 1 << 21, /* floats of all windows kept, and once more of labeled ones */
};

enum { RECURRENCE_STRIDE = 4 };

typedef struct recurrence {
    arena memory; /* owns the arrays */
    size_t length, channels;
    bool plain;           /* rows are compared as they are, and not windows (length 1) */
    size_t blocks, size;  /* windows kept of each block */
    size_t known;         /* labeled anomalies kept */
    float level;          /* of the scores that labels raise */
    channel_scale *scale; /* of each channel */
    float *points;        /* blocks x (length * channels) x size, as compared */
    float *anomalies;     /* (length * channels) x known */
} recurrence;

/* Windows to learn from, in the order of time. */
typedef struct recurrence_rows {
    const float *values;
    const int8_t *labels;
    size_t rows;
    size_t window, stride, columns; /* window 0: rows, and no windows */
    const channel_scale *scale;     /* of each channel; NULL: from the values */
    const uint32_t *first;          /* the first row of each window; NULL: one row apart */
} recurrence_rows;

/* Room for one; for readers of model files, which fill the arrays and call recurrence_check. */
puad_status recurrence_new(recurrence *out, size_t window, size_t columns, size_t blocks, size_t size,
                           size_t known);
puad_status recurrence_check(const recurrence *from);

puad_status recurrence_fit(recurrence *out, const recurrence_rows *rows, team *workers);
puad_status recurrence_score(float *scores, const recurrence *from, const float *values, size_t rows,
                             team *workers);

void recurrence_free(recurrence *owner); /* {0} is fine */

/* The default distance of training windows: windows that are out of phase with their like look unusual. */
static inline size_t recurrence_stride(size_t window)
{
    size_t stride = window / 8;
    return stride < 1 ? 1 : stride > RECURRENCE_STRIDE ? RECURRENCE_STRIDE : stride;
}

#endif
