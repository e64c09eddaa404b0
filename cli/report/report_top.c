/* A bounded heap of rows with the smallest score at the root; and counts of scores by their leading bits. */
#include "cli/report/report_top.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report_top {
    report_row *rows;
    size_t count, capacity;
};

void report_row_free(report_row *owner)
{
    free(owner->id);
    free(owner->values);
    free(owner->cells);
    *owner = (report_row){0};
}

puad_status report_top_new(report_top **out, size_t capacity)
{
    report_top *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a list of rows"));
    puad_status status = memory_new(&made->rows, capacity, sizeof *made->rows, "a list of rows");
    made->capacity = capacity;
    *out = made;
    return status;
}

void report_top_free(report_top *owner)
{
    if (!owner) return;
    for (size_t i = 0; i < owner->count; i++) report_row_free(&owner->rows[i]);
    free(owner->rows);
    free(owner);
}

static int largest_first(const void *left, const void *right)
{
    const report_row *a = left, *b = right;
    if (a->score != b->score) return a->score < b->score ? 1 : -1;
    if (a->input != b->input) return a->input < b->input ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

bool report_top_takes(const report_top *top, const report_row *row)
{
    return top->count < top->capacity || largest_first(row, &top->rows[0]) < 0;
}

static void swap(report_row *a, report_row *b)
{
    report_row kept = *a;
    *a = *b;
    *b = kept;
}

bool report_top_add(report_row *out, report_top *to, report_row row)
{
    if (!report_top_takes(to, &row)) {
        *out = row;
        return true;
    }
    if (to->count < to->capacity) {
        size_t at = to->count++;
        to->rows[at] = row;
        for (size_t up; at && largest_first(&to->rows[at], &to->rows[up = (at - 1) / 2]) > 0; at = up)
            swap(&to->rows[at], &to->rows[up]);
        return false;
    }
    *out = to->rows[0];
    to->rows[0] = row;
    for (size_t at = 0, last;; at = last) {
        last = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < to->count; child++)
            if (largest_first(&to->rows[child], &to->rows[last]) > 0) last = child;
        if (last == at) return true;
        swap(&to->rows[at], &to->rows[last]);
    }
}

void report_top_sort(report_top *top)
{
    if (top->count) qsort(top->rows, top->count, sizeof *top->rows, largest_first);
}

size_t report_top_count(const report_top *top)
{
    return top ? top->count : 0;
}

const report_row *report_top_at(const report_top *top, size_t rank)
{
    return &top->rows[rank];
}

enum { KEY_BITS = 18, KEYS = 1 << KEY_BITS };

/* Maps larger scores to larger keys: sets the sign bit of positive floats, inverts negative ones. */
static size_t key_of(float score)
{
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    bits = bits & 0x80000000U ? ~bits : bits | 0x80000000U;
    return bits >> (32 - KEY_BITS);
}

static double score_of(size_t key, double part)
{
    uint32_t bits = ((uint32_t)key << (32 - KEY_BITS)) + (uint32_t)(part * (1U << (32 - KEY_BITS)));
    bits = bits & 0x80000000U ? bits & 0x7fffffffU : ~bits;
    float score;
    memcpy(&score, &bits, sizeof score);
    return (double)score;
}

static puad_status need_counts(score_sketch *to)
{
    return to->counts ? PUAD_OK : memory_new(&to->counts, KEYS, sizeof *to->counts, "a histogram");
}

puad_status score_sketch_add(score_sketch *to, const float *scores, size_t count)
{
    TRY(need_counts(to));
    for (size_t i = 0; i < count; i++) {
        to->counts[key_of(scores[i])]++;
        if (to->total == 0 || scores[i] < to->min) to->min = scores[i];
        if (to->total == 0 || scores[i] > to->max) to->max = scores[i];
        to->total++;
    }
    return PUAD_OK;
}

puad_status score_sketch_merge(score_sketch *to, const score_sketch *sketch)
{
    if (!sketch->total) return PUAD_OK;
    TRY(need_counts(to));
    for (size_t i = 0; i < KEYS; i++) to->counts[i] += sketch->counts[i];
    to->min = to->total ? fminf(to->min, sketch->min) : sketch->min;
    to->max = to->total ? fmaxf(to->max, sketch->max) : sketch->max;
    to->total += sketch->total;
    return PUAD_OK;
}

void score_sketch_free(score_sketch *owner)
{
    free(owner->counts);
    *owner = (score_sketch){0};
}

double score_sketch_at(const score_sketch *sketch, size_t rank)
{
    size_t above = 0;
    for (size_t key = KEYS; sketch->total && key-- > 0;) {
        size_t here = sketch->counts[key];
        if (above + here > rank) {
            double part = 1 - ((double)(rank - above) + 0.5) / (double)here;
            return fmin(fmax(score_of(key, part), (double)sketch->min), (double)sketch->max);
        }
        above += here;
    }
    return sketch->total ? (double)sketch->min : (double)NAN;
}

size_t score_sketch_above(const score_sketch *sketch, double threshold)
{
    size_t above = 0, start = key_of((float)threshold);
    for (size_t key = KEYS; sketch->total && key-- > start;) above += sketch->counts[key];
    return above;
}

void score_sketch_bins(double *out, size_t bins, double start, double to, const score_sketch *sketch)
{
    memset(out, 0, bins * sizeof *out);
    for (size_t key = 0; sketch->total && key < KEYS; key++) {
        if (!sketch->counts[key]) continue;
        double at = fmin(fmax(score_of(key, 0.5), (double)sketch->min), (double)sketch->max);
        double place = to > start ? (at - start) / (to - start) * (double)bins : 0;
        out[place < 0 ? 0 : place >= (double)bins ? bins - 1 : (size_t)place] += (double)sketch->counts[key];
    }
}
