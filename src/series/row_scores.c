/* Combines scores of windows to scores of rows. Rows are counted from the first one pushed. */
#include "series/row_scores.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOWS_A_BATCH = 256, VALUES_A_BATCH = 1 << 20 };

typedef struct waiting_window {
    size_t first, count; /* the rows that it contributes to */
} waiting_window;

struct row_scores {
    window_plan plan;
    window_score *score;
    row_score *own;
    void *context;
    /* The current segment. */
    size_t segment;        /* its first row */
    size_t next;           /* first row of the next window */
    float *values;         /* its last rows */
    size_t held, capacity; /* rows in `values`, and their maximum number */
    float *mirrored;       /* for a segment shorter than a window */
    /* Complete windows that are not scored yet. */
    float *windows, *found;
    waiting_window *waiting;
    size_t window_count, windows_most;
    /* Rows not taken yet: from `first` to `rows`; the scores of those before `ready` are known. */
    size_t first, ready, rows;
    double *sums;
    float *alone; /* the score of the row itself */
    uint32_t *counts;
    size_t sum_room;
};

puad_status row_scores_new(row_scores **out, const window_plan *plan, window_score *score, row_score *own,
                           void *context)
{
    row_scores *made = NULL;
    size_t columns = window_columns(plan), max = VALUES_A_BATCH / columns;
    TRY(memory_new(&made, 1, sizeof *made, "scores of rows"));
    made->plan = *plan;
    made->score = score;
    made->own = own;
    made->context = context;
    made->capacity = 2 * plan->length;
    made->windows_most = max > WINDOWS_A_BATCH ? WINDOWS_A_BATCH : max ? max : 1;
    puad_status status = memory_new(&made->values, made->capacity * plan->channels, sizeof(float), "rows");
    if (status == PUAD_OK)
        status = memory_new(&made->mirrored, plan->length * plan->channels, sizeof(float), "rows");
    if (status == PUAD_OK)
        status = memory_new(&made->windows, made->windows_most * columns, sizeof(float), "windows");
    if (status == PUAD_OK) status = memory_new(&made->found, made->windows_most, sizeof(float), "windows");
    if (status == PUAD_OK)
        status = memory_new(&made->waiting, made->windows_most, sizeof *made->waiting, "windows");
    if (status == PUAD_OK)
        *out = made;
    else
        row_scores_free(made);
    return status;
}

void row_scores_free(row_scores *owner)
{
    if (!owner) return;
    free(owner->values);
    free(owner->mirrored);
    free(owner->windows);
    free(owner->found);
    free(owner->waiting);
    free(owner->sums);
    free(owner->counts);
    free(owner->alone);
    free(owner);
}

/* Adds the sums of one more row; reuses the space of rows that were taken. */
static puad_status add_place(row_scores *into, float alone)
{
    size_t used = into->rows - into->first;
    if (used == into->sum_room) {
        size_t capacity = into->sum_room ? 2 * into->sum_room : 1024;
        TRY(memory_grow(&into->sums, capacity, sizeof *into->sums, "scores of rows"));
        TRY(memory_grow(&into->counts, capacity, sizeof *into->counts, "scores of rows"));
        TRY(memory_grow(&into->alone, capacity, sizeof *into->alone, "scores of rows"));
        into->sum_room = capacity;
    }
    into->sums[used] = 0;
    into->counts[used] = 0;
    into->alone[used] = alone;
    into->rows++;
    return PUAD_OK;
}

/* Scores the waiting windows, without updating `ready`. */
static puad_status score_waiting(row_scores *scores)
{
    if (scores->window_count == 0) return PUAD_OK;
    TRY(scores->score(scores->context, scores->found, scores->windows, scores->window_count));
    for (size_t w = 0; w < scores->window_count; w++)
        for (size_t i = 0; i < scores->waiting[w].count; i++) {
            size_t at = scores->waiting[w].first - scores->first + i;
            scores->sums[at] += (double)scores->found[w];
            scores->counts[at]++;
        }
    scores->window_count = 0;
    return PUAD_OK;
}

puad_status row_scores_flush(row_scores *scores)
{
    TRY(score_waiting(scores));
    size_t known = scores->next < scores->rows ? scores->next : scores->rows;
    if (known > scores->ready) scores->ready = known;
    return PUAD_OK;
}

static float *window_room(row_scores *scores, size_t first, size_t count)
{
    scores->waiting[scores->window_count] = (waiting_window){first, count};
    return scores->windows + scores->window_count++ * window_columns(&scores->plan);
}

/* Scores the last rows of a segment. */
static puad_status end_stretch(row_scores *scores)
{
    size_t length = scores->plan.length, count = scores->rows - scores->segment,
           channels = scores->plan.channels;
    if (count == 0) return PUAD_OK;
    size_t covered =
        scores->next > scores->segment ? scores->next - scores->plan.stride + length : scores->segment;
    if (scores->window_count == scores->windows_most) TRY(score_waiting(scores));
    if (count < length)
        window_encode_short(window_room(scores, scores->segment, count), &scores->plan, scores->values, count,
                            scores->mirrored);
    else if (covered < scores->rows)
        window_encode(window_room(scores, covered, scores->rows - covered), &scores->plan,
                      scores->values + (scores->held - length) * channels);
    TRY(score_waiting(scores));
    scores->ready = scores->segment = scores->next = scores->rows;
    scores->held = 0;
    return PUAD_OK;
}

puad_status row_scores_push(row_scores *into, const float *row, bool begins)
{
    size_t length = into->plan.length, channels = into->plan.channels;
    if (begins) TRY(end_stretch(into));
    if (into->held == into->capacity) { /* the next window needs only the last rows */
        memmove(into->values, into->values + (into->capacity - length) * channels,
                length * channels * sizeof *into->values);
        into->held = length;
    }
    const float *before = into->held ? into->values + (into->held - 1) * channels : row;
    TRY(add_place(into, into->own(into->context, row, before)));
    memcpy(into->values + into->held++ * channels, row, channels * sizeof *row);
    if (into->rows < into->next + length) return PUAD_OK;
    if (into->window_count == into->windows_most) TRY(row_scores_flush(into));
    window_encode(window_room(into, into->next, length), &into->plan,
                  into->values + (into->held - length) * channels);
    into->next += into->plan.stride;
    return PUAD_OK;
}

puad_status row_scores_end(row_scores *scores)
{
    return end_stretch(scores);
}

size_t row_scores_ready(const row_scores *scores)
{
    return scores->ready - scores->first;
}

size_t row_scores_take(row_scores *source, float *scores, size_t max)
{
    size_t count = row_scores_ready(source), left;
    if (count > max) count = max;
    for (size_t i = 0; i < count; i++)
        scores[i] = (float)(source->sums[i] / source->counts[i] + (double)source->alone[i]);
    left = source->rows - source->first - count;
    memmove(source->sums, source->sums + count, left * sizeof *source->sums);
    memmove(source->counts, source->counts + count, left * sizeof *source->counts);
    memmove(source->alone, source->alone + count, left * sizeof *source->alone);
    source->first += count;
    return count;
}
