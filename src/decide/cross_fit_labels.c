/* Trains one model per fold. */
#include "decide/cross_fit_labels.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/sort.h"
#include "detector/ensemble/empirical_tail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rows outside one fold, and those in it. */
typedef struct parts {
    float *kept, *fold;
    int8_t *labels;
    uint8_t *asked;
    size_t kept_count, fold_count;
} parts;

enum { NO_FOLD = 255 };

/* The rows of fold_scale, and their scores by the whole model and by a fold's model, both ascending. */
typedef struct scales {
    const float *values;
    float *whole, *fold;
    size_t rows;
} scales;

/* The number of values below `score`, or at most `score`. */
static size_t count_below(const float *sorted, size_t count, float score, bool or_equal)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sorted[middle] < score || (or_equal && sorted[middle] == score))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

float fold_rescale(float score, const float *source, const float *to, size_t count)
{
    size_t below = count_below(source, count, score, false),
           through = count_below(source, count, score, true);
    if (below == count) return fmaxf(score, to[count - 1]);
    if (through == 0) return fminf(score, to[0]);
    if (through > below) { /* ties */
        size_t first = below, last = through - 1;
        return (to[(first + last) / 2] + to[(first + last + 1) / 2]) / 2;
    }
    float share = (score - source[below - 1]) / (source[below] - source[below - 1]);
    return to[below - 1] + share * (to[below] - to[below - 1]);
}

static void part(parts *out, const labeled_rows *rows, const uint8_t *fold_of, uint8_t fold)
{
    size_t columns = rows->height * rows->width * rows->channels;
    out->kept_count = out->fold_count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        bool apart = fold_of[i] == fold;
        float *to = apart ? out->fold + out->fold_count++ * columns : out->kept + out->kept_count * columns;
        memcpy(to, rows->values + i * columns, columns * sizeof *to);
        if (apart) continue;
        if (rows->asked) out->asked[out->kept_count] = rows->asked[i];
        out->labels[out->kept_count++] = rows->labels[i];
    }
}

static puad_status score_fold(float *scores, const parts *use, puad_scorer *scorer, const scales *on)
{
    TRY(scorer_run(scorer, scores, use->fold, use->fold_count));
    if (on->rows == 0) return PUAD_OK;
    TRY(scorer_run(scorer, on->fold, on->values, on->rows));
    sort_floats(on->fold, on->rows);
    for (size_t i = 0; i < use->fold_count; i++)
        scores[i] = fold_rescale(scores[i], on->fold, on->whole, on->rows);
    return PUAD_OK;
}

static puad_status run_fold(float *scores, const parts *use, const labeled_rows *rows, const scales *on,
                            const fit_options *options)
{
    labeled_rows kept = *rows;
    AUTO_DETECTOR puad_detector *model = NULL;
    AUTO_SCORER puad_scorer *scorer = NULL;
    kept.values = use->kept;
    kept.labels = use->labels;
    kept.asked = use->asked;
    kept.rows = use->kept_count;
    TRY(detector_fit(&model, &kept, options));
    TRY(scorer_new(&scorer, model, options->workers, options->head));
    return score_fold(scores, use, scorer, on);
}

static puad_status make_scales(scales *out, arena *memory, const fold_scale *scale)
{
    out->values = scale->values;
    out->rows = scale->rows < FOLD_SCALE_ROWS ? scale->rows : FOLD_SCALE_ROWS;
    if (out->rows == 0) return PUAD_OK;
    TRY(arena_new(memory, &out->whole, out->rows, sizeof *out->whole));
    TRY(arena_new(memory, &out->fold, out->rows, sizeof *out->fold));
    memcpy(out->whole, scale->scores, out->rows * sizeof *out->whole);
    sort_floats(out->whole, out->rows);
    return PUAD_OK;
}

/* Reports `done` of `all` models as epochs. */
static puad_status report_models(const fit_options *options, size_t done, size_t all, double begin)
{
    if (!options->progress) return PUAD_OK;
    puad_progress now = {.epoch = done - 1,
                         .epochs = all,
                         .batch = 1,
                         .batches = 1,
                         .train_loss = NAN,
                         .valid_loss = NAN,
                         .seconds = seconds_now() - begin};
    if (options->progress(options->context, &now) == PUAD_ABORT)
        FAIL(PUAD_CANCELLED, "stopped by the progress callback");
    return PUAD_OK;
}

puad_status fold_labels(float *scores, const uint32_t *which, size_t count, const labeled_rows *rows,
                        const fold_scale *scale, const fit_options *options)
{
    AUTO_ARENA arena memory = {0};
    size_t cells, columns = rows->height * rows->width * rows->channels;
    size_t folds = count < FOLDS_MANY_LABELS ? FOLDS_FEW : FOLDS_MANY;
    uint32_t *order, *place;
    uint8_t *fold_of;
    float *found;
    parts use = {0};
    scales on = {0};
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
    TRY(arena_new(&memory, &use.asked, rows->rows, 1));
    TRY(make_scales(&on, &memory, scale));
    memset(fold_of, NO_FOLD, rows->rows);
    rng draws = rng_make(options->seed, rng_stream("label folds", 0));
    rng_permutation(&draws, order, count);
    for (size_t i = 0; i < count; i++) {
        fold_of[which[order[i]]] = (uint8_t)(i % folds);
        place[which[i]] = (uint32_t)i;
    }
    double begin = seconds_now();
    fit_options quiet = *options;
    quiet.progress = NULL;
    TRY(report_models(options, 1, folds + 1, begin)); /* the model of all rows came first */
    for (size_t fold = 0; fold < folds; fold++) {
        part(&use, rows, fold_of, (uint8_t)fold);
        TRY(run_fold(found, &use, rows, &on, &quiet));
        TRY(report_models(options, fold + 2, folds + 1, begin));
        for (size_t i = 0, next = 0; i < rows->rows; i++)
            if (fold_of[i] == fold) scores[place[i]] = found[next++];
    }
    return PUAD_OK;
}
