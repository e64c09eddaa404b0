/* Scores windows of a time series by whether they recur.
 *
 * The training windows are divided into blocks of time. A window's score is its distance to the nearest
 * window of a block, for the block with the RECURRENCE_RANK-th smallest distance: a normal window recurs
 * at several times, a lasting fault recurs only within its block. Faults hidden in the training rows
 * therefore do not make other faults look normal, and a training row need not exclude its own window.
 *
 * Channels are scaled to [-1, 1] over the training rows, columns of 0 and 1 stay unchanged
 * (channel_scale); columns with two values together weigh as much as one other column. A window w of T rows is compared as w / sqrt(|w|^2 + 0.1 T): by its direction, without
 * amplifying windows that are nearly constant.
 *
 * Labeled anomalies are not part of the blocks; they raise the score of similar windows toward `level`,
 * the score that one in fifty of the other training windows exceeds. With d the score, u the distance to
 * the nearest window of the median block and a that to the nearest labeled anomaly, the score is d +
 * (level - d) (u - 2a) / (u + a) if 2a < u and d < level. u is used instead of d because a fault may
 * recur. A score above the level is not raised, because windows that overlap with it would rise too.
 * Labels of wide intervals often mark windows that look normal. Labels are therefore ignored, and all
 * windows count as unlabeled, if there are labeled anomalies without common rows and at most half of them
 * are nearer to each other than d. */
#ifndef DETECTOR_ENSEMBLE_RECURRENCE_H
#define DETECTOR_ENSEMBLE_RECURRENCE_H

#include "base/threads.h"
#include "series/window.h"

enum {
    RECURRENCE_BLOCKS = 20,
    RECURRENCE_RANK = 3,
    RECURRENCE_VALUES_MAX = 1 << 21, /* floats of all stored windows, and the same limit for labeled ones */
};

enum { RECURRENCE_STRIDE = 4 };

typedef struct recurrence {
    arena memory; /* owns the arrays */
    size_t length, channels;
    bool plain;           /* rows are compared unchanged and are not windows (length 1) */
    size_t blocks, size;  /* windows per block */
    size_t known;         /* labeled anomalies stored */
    size_t rank;          /* which of a window's distances to the blocks counts: RECURRENCE_RANK */
    float level;          /* limit up to which labels raise scores */
    channel_scale *scale; /* per channel */
    float *points;        /* blocks x (length * channels) x size, normalized */
    float *anomalies;     /* (length * channels) x known */
} recurrence;

/* Training windows in order of time. */
typedef struct recurrence_rows {
    const float *values;
    const int8_t *labels;
    size_t rows;
    size_t window, stride, columns; /* window 0: plain rows */
    const channel_scale *scale;     /* per channel; NULL: learned from the values */
    const uint32_t *first;          /* the first row of each window; NULL: one row apart */
} recurrence_rows;

/* Allocates the arrays; for readers of model files, which fill them and call recurrence_check. */
puad_status recurrence_new(recurrence *out, size_t window, size_t columns, size_t blocks, size_t size,
                           size_t known);
puad_status recurrence_check(const recurrence *model);

puad_status recurrence_fit(recurrence *out, const recurrence_rows *rows, team *workers);
puad_status recurrence_score(float *scores, const recurrence *model, const float *values, size_t rows,
                             team *workers);

void recurrence_free(recurrence *owner); /* {0} is fine */

/* The default stride of training windows: windows out of phase with similar ones look unusual. */
static inline size_t recurrence_stride(size_t window)
{
    size_t stride = window / 8;
    return stride < 1 ? 1 : stride > RECURRENCE_STRIDE ? RECURRENCE_STRIDE : stride;
}

#endif
