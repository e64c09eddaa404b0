/* Stores rows in a temporary file, and the top rows in memory. */
#include "cli/score/score_spool.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

puad_status row_spool_open(row_spool *out)
{
    *out = (row_spool){0};
    return file_temporary(&out->file);
}

void row_spool_close(row_spool *owner)
{
    if (owner->file) fclose(owner->file);
    free(owner->texts);
    *owner = (row_spool){0};
}

/* Precedes the values and strings of a row in the spool. Sizes are in bytes, strings with their final NUL;
 * 0 is none. */
typedef struct spooled {
    uint64_t row;
    uint64_t values_size;
    uint32_t id_size, kept_size;
    float score;
    uint32_t known;
} spooled;

puad_status row_spool_keep(row_spool *spool, const scored_row *row, size_t columns)
{
    spooled start = {.row = row->row, .score = row->score, .known = row->known};
    start.id_size = row->id ? (uint32_t)strlen(row->id) + 1 : 0;
    start.kept_size = row->kept ? (uint32_t)strlen(row->kept) + 1 : 0;
    start.values_size = row->values ? columns * sizeof *row->values : 0;
    bool fine = fwrite(&start, sizeof start, 1, spool->file) == 1;
    if (start.values_size) fine &= fwrite(row->values, start.values_size, 1, spool->file) == 1;
    if (start.id_size) fine &= fwrite(row->id, start.id_size, 1, spool->file) == 1;
    if (start.kept_size) fine &= fwrite(row->kept, start.kept_size, 1, spool->file) == 1;
    if (!fine)
        FAIL(PUAD_IO, "cannot write the temporary file of --fdr: %s (is TMPDIR full?)", strerror(errno));
    return PUAD_OK;
}

puad_status row_spool_rewind(row_spool *spool)
{
    if (fflush(spool->file) != 0 || fseek(spool->file, 0, SEEK_SET) != 0)
        FAIL(PUAD_IO, "cannot write the temporary file of --fdr: %s (is TMPDIR full?)", strerror(errno));
    return PUAD_OK;
}

puad_status row_spool_take(bool *out_more, scored_row *out, row_spool *spool)
{
    spooled start;
    *out_more = fread(&start, sizeof start, 1, spool->file) == 1;
    if (!*out_more) {
        if (ferror(spool->file))
            FAIL(PUAD_IO, "cannot read the temporary file of --fdr: %s", strerror(errno));
        return PUAD_OK;
    }
    size_t values = (size_t)start.values_size, size = values + start.id_size + start.kept_size;
    if (size > spool->capacity) {
        TRY(memory_grow(&spool->texts, 2 * size, 1, "a row's strings"));
        spool->capacity = 2 * size;
    }
    if (size && fread(spool->texts, size, 1, spool->file) != 1)
        FAIL(PUAD_IO, "the temporary file of --fdr is truncated");
    *out = (scored_row){.score = start.score,
                        .row = (size_t)start.row,
                        .values = values ? (const float *)(void *)spool->texts : NULL,
                        .id = start.id_size ? spool->texts + values : NULL,
                        .kept = start.kept_size ? spool->texts + values + start.id_size : NULL,
                        .known = start.known};
    return PUAD_OK;
}

static bool weaker(const scored_row *a, const scored_row *b)
{
    return a->score < b->score || (a->score == b->score && a->row > b->row);
}

static void sift_down(top_rows *top, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= top->count) return;
        if (child + 1 < top->count && weaker(&top->heap[child + 1], &top->heap[child])) child++;
        if (!weaker(&top->heap[child], &top->heap[at])) return;
        scored_row swap = top->heap[at];
        top->heap[at] = top->heap[child];
        top->heap[child] = swap;
        at = child;
    }
}

/* Copies `row`, whose strings and values are borrowed, to `own`. */
static puad_status copy_row(scored_row *own, const scored_row *row, size_t columns)
{
    *own = (scored_row){.score = row->score, .row = row->row, .known = row->known};
    if (row->values) {
        float *values = NULL;
        TRY(memory_new(&values, columns, sizeof *values, "a row"));
        own->values = memcpy(values, row->values, columns * sizeof *values);
    }
    own->id = row->id ? strdup(row->id) : NULL;
    own->kept = row->kept ? strdup(row->kept) : NULL;
    if ((row->id && !own->id) || (row->kept && !own->kept))
        FAIL(PUAD_MEMORY, "no memory for a row's strings");
    return PUAD_OK;
}

static void free_row(scored_row *own)
{
    memory_free(own->id);
    memory_free(own->kept);
    memory_free(own->values);
}

puad_status top_rows_keep(top_rows *top, const scored_row *given, size_t columns)
{
    if (top->count == top->max) {
        if (!weaker(&top->heap[0], given)) return PUAD_OK;
        free_row(&top->heap[0]);
        TRY(copy_row(&top->heap[0], given, columns));
        sift_down(top, 0);
        return PUAD_OK;
    }
    if ((top->count & (top->count - 1)) == 0)
        TRY(memory_grow(&top->heap, top->count ? 2 * top->count : 1, sizeof *top->heap, "the top rows"));
    size_t at = top->count++;
    TRY(copy_row(&top->heap[at], given, columns));
    while (at > 0 && weaker(&top->heap[at], &top->heap[(at - 1) / 2])) {
        scored_row swap = top->heap[at];
        top->heap[at] = top->heap[(at - 1) / 2];
        top->heap[(at - 1) / 2] = swap;
        at = (at - 1) / 2;
    }
    return PUAD_OK;
}

static int strongest_first(const void *a, const void *b)
{
    return weaker(a, b) ? 1 : weaker(b, a) ? -1 : 0;
}

bool top_rows_want(const top_rows *top, const scored_row *row)
{
    return !top->max || top->count < top->max || weaker(&top->heap[0], row);
}

void top_rows_sort(top_rows *top)
{
    if (top->count) qsort(top->heap, top->count, sizeof *top->heap, strongest_first);
}

void top_rows_free(top_rows *owner)
{
    for (size_t i = 0; i < owner->count; i++) free_row(&owner->heap[i]);
    free(owner->heap);
    *owner = (top_rows){0};
}
