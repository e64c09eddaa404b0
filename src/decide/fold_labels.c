/* Training once per fold. */
#include "decide/fold_labels.h"

#include "base/rng.h"

#include <string.h>

/* The rows without those of one fold, and those of the fold. */
typedef struct parts {
    float *kept, *fold;
    int8_t *labels;
    size_t kept_count, fold_count;
} parts;

enum { NO_FOLD = 255 };

static void part(parts *out, const puad_rows *rows, const uint8_t *fold_of, uint8_t fold)
{
    size_t columns = rows->height * rows->width * rows->channels;
    out->kept_count = out->fold_count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        bool apart = fold_of[i] == fold;
        float *to = apart ? out->fold + out->fold_count++ * columns : out->kept + out->kept_count * columns;
        memcpy(to, rows->values + i * columns, columns * sizeof *to);
        if (!apart) out->labels[out->kept_count++] = rows->labels[i];
    }
}

static puad_status run_fold(float *scores, const parts *use, const puad_rows *rows,
                            const puad_fit_options *options)
{
    puad_rows kept = *rows;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    kept.values = use->kept;
    kept.labels = use->labels;
    kept.rows = use->kept_count;
    TRY(detector_fit(&model, &kept, options));
    puad_status status = scorer_new(&scorer, model, options->threads, options->head);
    if (status == PUAD_OK) status = scorer_run(scorer, scores, use->fold, use->fold_count);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    return status;
}

puad_status fold_labels(float *scores, const uint32_t *which, size_t count, const puad_rows *rows,
                        const puad_fit_options *options)
{
    AUTO_ARENA arena memory = {0};
    size_t cells, columns = rows->height * rows->width * rows->channels;
    size_t folds = count < FOLDS_MANY_LABELS ? FOLDS_FEW : FOLDS_MANY;
    uint32_t *order, *place;
    uint8_t *fold_of;
    float *found;
    parts use = {0};
    if (folds > count) folds = count;
    if (!size_multiply(&cells, rows->rows, columns))
        FAIL(PUAD_MEMORY, "%zu x %zu values are too many", rows->rows, columns);
    TRY(arena_new(&memory, &order, count, sizeof *order));
    TRY(arena_new(&memory, &place, rows->rows, sizeof *place));
    TRY(arena_new(&memory, &fold_of, rows->rows, 1));
    TRY(arena_new(&memory, &found, count, sizeof *found));
    TRY(arena_new(&memory, &use.kept, cells, sizeof *use.kept));
    TRY(arena_new(&memory, &use.fold, count * columns, sizeof *use.fold));
    TRY(arena_new(&memory, &use.labels, rows->rows, 1));
    memset(fold_of, NO_FOLD, rows->rows);
    rng draws = rng_make(options->seed, rng_stream("label folds", 0));
    rng_permutation(&draws, order, count);
    for (size_t i = 0; i < count; i++) {
        fold_of[which[order[i]]] = (uint8_t)(i % folds);
        place[which[i]] = (uint32_t)i;
    }
    for (uint8_t fold = 0; fold < folds; fold++) {
        part(&use, rows, fold_of, fold);
        TRY(run_fold(found, &use, rows, options));
        for (size_t i = 0, next = 0; i < rows->rows; i++)
            if (fold_of[i] == fold) scores[place[i]] = found[next++];
    }
    return PUAD_OK;
}
