/* Implements <puad/ranking.h>: a sorted array of score, dataset and row. */
#include "base/memory.h"
#include "options/options.h"

#include <math.h>
#include <puad/puad.h>
#include <puad/ranking.h>
#include <stdlib.h>

typedef struct ranked_row {
    float score;
    uint32_t part;
    size_t row;
} ranked_row;

struct puad_ranking {
    ranked_row *rows;
    size_t count, room;
    uint32_t parts;
};

puad_status puad_ranking_new(puad_ranking **out)
{
    NEED(out);
    *out = NULL;
    return memory_new(out, 1, sizeof **out, "a ranking");
}

void puad_ranking_free(puad_ranking *ranking)
{
    if (!ranking) return;
    free(ranking->rows);
    free(ranking);
}

static int larger_first(const void *left, const void *right)
{
    const ranked_row *a = left, *b = right;
    if (a->score != b->score) return a->score < b->score ? 1 : -1;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

puad_status puad_ranking_add(puad_ranking *ranking, const float *scores, const int8_t *labels, size_t count)
{
    NEED(ranking);
    if (count) NEED(scores);
    for (size_t i = 0; i < count; i++)
        if (isnan(scores[i])) FAIL(PUAD_NUMERIC, "scores[%zu] is not a number", i);
    size_t room;
    if (!size_add(&room, ranking->count, count)) FAIL(PUAD_MEMORY, "no memory for a ranking");
    if (room > ranking->room) {
        TRY(memory_grow(&ranking->rows, room, sizeof *ranking->rows, "a ranking"));
        ranking->room = room;
    }
    for (size_t i = 0; i < count; i++)
        if (!labels || labels[i] != PUAD_LABEL_ANOMALY)
            ranking->rows[ranking->count++] = (ranked_row){scores[i], ranking->parts, i};
    ranking->parts++;
    if (ranking->count) qsort(ranking->rows, ranking->count, sizeof *ranking->rows, larger_first);
    return PUAD_OK;
}

size_t puad_ranking_count(const puad_ranking *ranking)
{
    return ranking ? ranking->count : 0;
}

static const ranked_row *at(const puad_ranking *ranking, size_t rank)
{
    return rank < puad_ranking_count(ranking) ? &ranking->rows[rank] : NULL;
}

puad_status puad_ranking_at(const puad_ranking *ranking, puad_ranked_row *out, size_t rank)
{
    NEED(ranking);
    NEED(out);
    const ranked_row *row = at(ranking, rank);
    if (!row) FAIL(PUAD_INVALID, "rank %zu; there are %zu rows", rank, puad_ranking_count(ranking));
    puad_ranked_row made = {.part = row->part, .row = row->row, .score = row->score};
    return struct_write(out, &made, sizeof made, "puad_ranked_row");
}

size_t puad_ranking_above(const puad_ranking *ranking, double threshold)
{
    size_t low = 0, high = puad_ranking_count(ranking);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((double)ranking->rows[middle].score >= threshold)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t puad_ranking_steps(size_t *out_rows, size_t most, const puad_ranking *ranking)
{
    size_t count = puad_ranking_count(ranking), used = 0;
    double half = fmax(1, (double)count / 2);
    for (size_t i = 0; i < most && count; i++) {
        double share = most > 1 ? (double)i / (double)(most - 1) : 0;
        size_t rows = (size_t)(pow(half, share) + 0.5);
        if (rows > count || (used && rows <= out_rows[used - 1])) continue;
        out_rows[used++] = rows;
    }
    return used;
}

puad_status puad_ranking_bins(size_t *out_counts, size_t bins, double *out_from, double *out_to,
                              const puad_ranking *ranking, const float *marks, size_t mark_count)
{
    NEED(out_counts);
    NEED(out_from);
    NEED(out_to);
    NEED(ranking);
    if (mark_count) NEED(marks);
    if (bins == 0) FAIL(PUAD_INVALID, "bins is 0");
    double from = INFINITY, to = -INFINITY;
    if (ranking->count) {
        from = (double)ranking->rows[ranking->count - 1].score;
        to = (double)ranking->rows[0].score;
    }
    for (size_t i = 0; i < mark_count; i++) {
        if ((double)marks[i] < from) from = (double)marks[i];
        if ((double)marks[i] > to) to = (double)marks[i];
    }
    if (!isfinite(from) || !isfinite(to)) from = to = 0;
    if (!(to > from)) to = from + 1;
    for (size_t b = 0; b < bins; b++) out_counts[b] = 0;
    for (size_t i = 0; i < ranking->count; i++) {
        double place = ((double)ranking->rows[i].score - from) / (to - from) * (double)bins;
        out_counts[place >= (double)bins ? bins - 1 : place > 0 ? (size_t)place : 0]++;
    }
    *out_from = from;
    *out_to = to;
    return PUAD_OK;
}
