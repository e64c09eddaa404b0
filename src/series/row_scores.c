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
    size_t stretch;    /* its first row */
    size_t next;       /* first row of the next window */
    float *values;     /* its last rows */
    size_t held, room; /* rows in `values`, and their maximum number */
    float *mirrored;   /* for a segment shorter than a window */
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
    size_t columns = window_columns(plan), most = VALUES_A_BATCH / columns;
    TRY(memory_new(&made, 1, sizeof *made, "scores of rows"));
    made->plan = *plan;
    made->score = score;
    made->own = own;
    made->context = context;
    made->room = 2 * plan->length;
    made->windows_most = most > WINDOWS_A_BATCH ? WINDOWS_A_BATCH : most ? most : 1;
    puad_status status = memory_new(&made->values, made->room * plan->channels, sizeof(float), "rows");
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
        size_t room = into->sum_room ? 2 * into->sum_room : 1024;
        TRY(memory_grow(&into->sums, room, sizeof *into->sums, "scores of rows"));
        TRY(memory_grow(&into->counts, room, sizeof *into->counts, "scores of rows"));
        TRY(memory_grow(&into->alone, room, sizeof *into->alone, "scores of rows"));
        into->sum_room = room;
    }
    into->sums[used] = 0;
    into->counts[used] = 0;
    into->alone[used] = alone;
    into->rows++;
    return PUAD_OK;
}

/* Scores the waiting windows, without updating `ready`. */
static puad_status score_waiting(row_scores *by)
{
    if (by->window_count == 0) return PUAD_OK;
    TRY(by->score(by->context, by->found, by->windows, by->window_count));
    for (size_t w = 0; w < by->window_count; w++)
        for (size_t i = 0; i < by->waiting[w].count; i++) {
            size_t at = by->waiting[w].first - by->first + i;
            by->sums[at] += (double)by->found[w];
            by->counts[at]++;
        }
    by->window_count = 0;
    return PUAD_OK;
}

puad_status row_scores_flush(row_scores *by)
{
    TRY(score_waiting(by));
    size_t known = by->next < by->rows ? by->next : by->rows;
    if (known > by->ready) by->ready = known;
    return PUAD_OK;
}

static float *window_room(row_scores *by, size_t first, size_t count)
{
    by->waiting[by->window_count] = (waiting_window){first, count};
    return by->windows + by->window_count++ * window_columns(&by->plan);
}

/* Scores the last rows of a segment. */
static puad_status end_stretch(row_scores *by)
{
    size_t length = by->plan.length, count = by->rows - by->stretch, channels = by->plan.channels;
    if (count == 0) return PUAD_OK;
    size_t covered = by->next > by->stretch ? by->next - by->plan.stride + length : by->stretch;
    if (by->window_count == by->windows_most) TRY(score_waiting(by));
    if (count < length)
        window_encode_short(window_room(by, by->stretch, count), &by->plan, by->values, count, by->mirrored);
    else if (covered < by->rows)
        window_encode(window_room(by, covered, by->rows - covered), &by->plan,
                      by->values + (by->held - length) * channels);
    TRY(score_waiting(by));
    by->ready = by->stretch = by->next = by->rows;
    by->held = 0;
    return PUAD_OK;
}

puad_status row_scores_push(row_scores *into, const float *row, bool begins)
{
    size_t length = into->plan.length, channels = into->plan.channels;
    if (begins) TRY(end_stretch(into));
    if (into->held == into->room) { /* the next window needs only the last rows */
        memmove(into->values, into->values + (into->room - length) * channels,
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

puad_status row_scores_end(row_scores *by)
{
    return end_stretch(by);
}

size_t row_scores_ready(const row_scores *by)
{
    return by->ready - by->first;
}

size_t row_scores_take(row_scores *from, float *scores, size_t most)
{
    size_t count = row_scores_ready(from), left;
    if (count > most) count = most;
    for (size_t i = 0; i < count; i++)
        scores[i] = (float)(from->sums[i] / from->counts[i] + (double)from->alone[i]);
    left = from->rows - from->first - count;
    memmove(from->sums, from->sums + count, left * sizeof *from->sums);
    memmove(from->counts, from->counts + count, left * sizeof *from->counts);
    memmove(from->alone, from->alone + count, left * sizeof *from->alone);
    from->first += count;
    return count;
}
