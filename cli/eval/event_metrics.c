/* Flags rows in order of falling score and counts the false alarms as they appear and join. */
#include "cli/eval/event_metrics.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct event {
    size_t first, end; /* rows */
    float score;       /* the largest */
} event;

typedef struct event_search {
    const event_rows *rows;
    event *events;
    size_t event_count;
    uint32_t *segment; /* of each row */
    uint8_t *far;      /* 1 for rows whose flags are false alarms */
    uint8_t *flagged;
    uint32_t *order; /* these rows, highest score first */
    size_t far_count;
} event_search;

static void number_segments(event_search *all)
{
    uint32_t number = 0;
    for (size_t i = 0; i < all->rows->rows; i++) {
        number += i && all->rows->starts[i];
        all->segment[i] = number;
    }
}

static void find_events(event_search *all)
{
    const event_rows *rows = all->rows;
    for (size_t i = 0; i < rows->rows; i++) {
        if (rows->truth[i] != 1) continue;
        bool goes_on = i && rows->truth[i - 1] == 1 && all->segment[i] == all->segment[i - 1];
        if (!goes_on) all->events[all->event_count++] = (event){.first = i, .score = rows->scores[i]};
        event *last = &all->events[all->event_count - 1];
        last->end = i + 1;
        if (rows->scores[i] > last->score) last->score = rows->scores[i];
    }
}

/* Marks rows at least `join` rows from every event of their segment. */
static void find_far_rows(event_search *all)
{
    const event_rows *rows = all->rows;
    memset(all->far, 1, rows->rows);
    for (size_t e = 0; e < all->event_count; e++) {
        const event *at = &all->events[e];
        size_t first = at->first > rows->join ? at->first - rows->join + 1 : 0,
               end = rows->rows - at->end > rows->join ? at->end + rows->join - 1 : rows->rows;
        for (size_t i = first; i < end; i++)
            if (all->segment[i] == all->segment[at->first]) all->far[i] = 0;
    }
    for (size_t i = 0; i < rows->rows; i++)
        if (all->far[i]) all->order[all->far_count++] = (uint32_t)i;
}

static int highest_first(const void *left, const void *right, void *context)
{
    const float *scores = context;
    float a = scores[*(const uint32_t *)left], b = scores[*(const uint32_t *)right];
    return (a < b) - (a > b);
}

/* Whether a row is joined to a flagged row on one side. */
static bool joins(const event_search *all, size_t row, int side)
{
    for (size_t k = 1; k <= all->rows->join; k++) {
        if (side < 0 ? k > row : row + k >= all->rows->rows) return false;
        size_t other = side < 0 ? row - k : row + k;
        if (all->segment[other] != all->segment[row]) return false;
        if (all->flagged[other]) return true;
    }
    return false;
}

/* The lowest score that may be flagged, and the false alarms then. */
static double lowest_threshold(size_t *out_alarms, event_search *all, size_t limit)
{
    const float *scores = all->rows->scores;
    size_t alarms = 0;
    *out_alarms = 0;
    for (size_t i = 0, end; i < all->far_count; i = end) {
        float score = scores[all->order[i]];
        for (end = i; end < all->far_count && scores[all->order[end]] == score; end++) {
            size_t row = all->order[end];
            alarms = alarms + 1 - (size_t)joins(all, row, -1) - (size_t)joins(all, row, 1);
            all->flagged[row] = 1;
        }
        if (alarms > limit) return nextafter((double)score, INFINITY); /* this score is too low */
        *out_alarms = alarms;
    }
    return -INFINITY;
}

static int compare_delays(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static puad_status measure_events(event_metrics *out, const event_search *all)
{
    AUTO_FREE double *delays = NULL;
    out->median_delay = (double)NAN;
    if (isnan(out->threshold)) return PUAD_OK;
    TRY(memory_new(&delays, all->event_count, sizeof *delays, "events"));
    for (size_t e = 0; e < all->event_count; e++) {
        size_t row = all->events[e].first;
        if ((double)all->events[e].score < out->threshold) continue;
        while ((double)all->rows->scores[row] < out->threshold) row++;
        delays[out->found++] = (double)(row - all->events[e].first);
    }
    qsort(delays, out->found, sizeof *delays, compare_delays);
    if (out->found) out->median_delay = (delays[(out->found - 1) / 2] + delays[out->found / 2]) / 2;
    return PUAD_OK;
}

/* The lowest of all scores that is at least the bound. */
static double lowest_score(const event_rows *rows, double bound)
{
    double lowest = INFINITY;
    for (size_t i = 0; i < rows->rows; i++)
        if ((double)rows->scores[i] >= bound) lowest = fmin(lowest, (double)rows->scores[i]);
    return isfinite(lowest) ? lowest : (double)NAN;
}

puad_status event_metrics_at(event_metrics *out, const event_rows *rows, size_t false_alarms_max)
{
    AUTO_ARENA arena memory = {0};
    event_search all = {.rows = rows};
    TRY(arena_new(&memory, &all.events, rows->rows, sizeof *all.events));
    TRY(arena_new(&memory, &all.segment, rows->rows, sizeof *all.segment));
    TRY(arena_new(&memory, &all.far, rows->rows, sizeof *all.far));
    TRY(arena_new(&memory, &all.flagged, rows->rows, sizeof *all.flagged));
    TRY(arena_new(&memory, &all.order, rows->rows, sizeof *all.order));
    memset(all.flagged, 0, rows->rows);
    number_segments(&all);
    find_events(&all);
    find_far_rows(&all);
    qsort_r(all.order, all.far_count, sizeof *all.order, highest_first, (void *)(uintptr_t)rows->scores);
    *out = (event_metrics){.events = all.event_count};
    out->threshold = lowest_score(rows, lowest_threshold(&out->false_alarms, &all, false_alarms_max));
    return measure_events(out, &all);
}
