/* Calibration of a model of windows, in blocks. Overlapping windows share rows, so whole blocks of rows
 * are held out with every window that touches them, and are represented by rows one window apart. Labeled
 * anomalies are held out, or cross-fitted, by whole runs of labeled rows. The stored scores are scores of
 * rows, as decisions need them. */
#include "base/clock.h"
#include "base/rng.h"
#include "base/sort.h"
#include "dataset/row_keys.h"
#include "decide/cross_fit_labels.h"
#include "objective/objective.h"
#include "train/fit_job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_WINDOWS = 4
}; /* adjacent windows per block; rows of the first and last are too close to its ends */

/* Consecutive rows of one segment. */
typedef struct piece {
    size_t begin, end;
    size_t start, to; /* including the surrounding rows that its windows may contain */
    size_t picks;     /* number of rows, one window apart, that represent it */
} piece;

typedef struct series_parts {
    arena memory;
    piece *blocks, *runs;                                  /* without any label; of labeled anomalies */
    size_t block_count, run_count, held_blocks, held_runs; /* the held-out ones come first */
    /* per row: no window that contains it is used in training */
    uint8_t *away;
} series_parts;

static size_t run_picks(size_t rows, size_t length)
{
    assert(length > 0);
    return rows < length ? 1 : rows / length;
}

static void add_run(series_parts *out, size_t length, size_t begin, size_t end, size_t segment,
                    size_t segment_end)
{
    out->runs[out->run_count++] =
        (piece){begin, end, begin - segment < length ? segment : begin - length + 1,
                segment_end - end < length ? segment_end : end + length - 1, run_picks(end - begin, length)};
}

static void divide_segment(series_parts *out, const dataset *rows, size_t length, size_t begin, size_t end)
{
    for (size_t at = begin; at + BLOCK_WINDOWS * length <= end; at += BLOCK_WINDOWS * length) {
        bool labeled = false;
        size_t stop = at + BLOCK_WINDOWS * length;
        for (size_t i = at; rows->labels && i < stop; i++) labeled |= rows->labels[i] != PUAD_LABEL_UNLABELED;
        if (!labeled) out->blocks[out->block_count++] = (piece){at, stop, at, stop, BLOCK_WINDOWS - 1};
    }
    for (size_t i = begin, stop; rows->labels && i < end; i = stop) {
        for (stop = i + 1; stop < end && rows->labels[stop] == rows->labels[i];) stop++;
        if (rows->labels[i] == PUAD_LABEL_ANOMALY) add_run(out, length, i, stop, begin, end);
    }
}

static puad_status look_at_series(series_parts *out, const dataset *rows, size_t length)
{
    TRY(arena_new(&out->memory, &out->blocks, rows->rows / (BLOCK_WINDOWS * length) + 1,
                  sizeof *out->blocks));
    TRY(arena_new(&out->memory, &out->runs, rows->rows / 2 + 1, sizeof *out->runs));
    TRY(arena_new(&out->memory, &out->away, rows->rows, 1));
    for (size_t begin = 0, end; begin < rows->rows; begin = end) {
        for (end = begin + 1; end < rows->rows && !(rows->breaks && rows->breaks[end]);) end++;
        divide_segment(out, rows, length, begin, end);
    }
    return PUAD_OK;
}

static puad_status shuffle(piece *list, size_t count, uint64_t seed, const char *what)
{
    AUTO_ARENA arena scratch = {0};
    uint32_t *order;
    piece *before;
    TRY(arena_new(&scratch, &order, count, sizeof *order));
    TRY(arena_new(&scratch, &before, count, sizeof *before));
    if (count) memcpy(before, list, count * sizeof *before);
    rng draws = rng_make(seed, rng_stream(what, 0));
    rng_permutation(&draws, order, count);
    for (size_t i = 0; i < count; i++) list[i] = before[order[i]];
    return PUAD_OK;
}

static size_t count_picks(const piece *list, size_t count)
{
    size_t picks = 0;
    for (size_t i = 0; i < count; i++) picks += list[i].picks;
    return picks;
}

static puad_status hold_blocks(series_parts *out, const fit_job *job, bool folds)
{
    double share = job->plan.share > 0 ? job->plan.share
                   : folds             ? CALIBRATION_SHARE_FOLDED
                                       : CALIBRATION_SHARE;
    TRY(shuffle(out->blocks, out->block_count, job->options.seed, "calibration"));
    out->held_blocks = (size_t)(share * (double)out->block_count + 0.5);
    size_t picks = count_picks(out->blocks, out->held_blocks);
    if (picks < CALIBRATION_UNLABELED_MIN)
        FAIL(PUAD_INVALID,
             "option 'calibrate': %g of %zu blocks of %d windows hold %zu rows, not %d; use shorter windows",
             share, out->block_count, BLOCK_WINDOWS, picks, CALIBRATION_UNLABELED_MIN);
    return PUAD_OK;
}

/* Holds out some runs for networks; all runs for methods that do not use labels. */
static puad_status hold_runs(series_parts *out, const fit_job *job, bool used)
{
    size_t all = count_picks(out->runs, out->run_count), min = CALIBRATION_ANOMALIES_MIN, picks = 0;
    double share = job->plan.share > 0 ? job->plan.share : CALIBRATION_SHARE;
    if (all == 0) return PUAD_OK;
    TRY(shuffle(out->runs, out->run_count, job->options.seed, "calibration of runs"));
    while (out->held_runs < out->run_count && (!used || picks < min || (double)picks < share * (double)all))
        picks += out->runs[out->held_runs++].picks;
    if (picks >= min && (!used || all - picks >= min)) return PUAD_OK;
    FAIL(PUAD_INVALID,
         "option 'calibrate': %zu labeled runs hold %zu rows, %zu are needed%s; label "
         "more, or shorter windows",
         out->run_count, all, used ? 2 * min : min, used ? ", in runs that are trained on and others" : "");
}

static puad_status check_runs(const series_parts *parts)
{
    size_t all = count_picks(parts->runs, parts->run_count);
    if (all == 0 || (all >= CALIBRATION_FOLDED_MIN && parts->run_count > 1)) return PUAD_OK;
    FAIL(PUAD_INVALID,
         "option 'calibrate': %zu labeled runs hold %zu rows, 2 and %d are needed; label "
         "more, or shorter windows",
         parts->run_count, all, CALIBRATION_FOLDED_MIN);
}

static void send_away(uint8_t *away, const piece *list, size_t count, uint8_t value)
{
    for (size_t i = 0; i < count; i++) memset(away + list[i].begin, value, list[i].end - list[i].begin);
}

/* Trains on the windows that contain no held-out row. */
static puad_status train_rest(puad_detector **out, const fit_job *job, const uint8_t *away,
                              const fit_options *options)
{
    AUTO_ARENA arena memory = {0};
    const windows *source = &job->windows;
    size_t columns = source->data.columns, length = options->window, kept = 0;
    float *values;
    int8_t *labels;
    uint32_t *first;
    TRY(arena_new(&memory, &first, source->data.rows, sizeof *first));
    TRY(arena_new(&memory, &values, source->data.rows * columns, sizeof *values));
    TRY(arena_new(&memory, &labels, source->data.rows, 1));
    for (size_t i = 0; i < source->data.rows; i++) {
        if (memchr(away + source->first[i], 1, length)) continue;
        memcpy(values + kept * columns, source->data.values + i * columns, columns * sizeof *values);
        first[kept] = source->first[i];
        labels[kept++] = source->data.labels[i];
    }
    labeled_rows rows = {values, labels, kept, 1, 1, columns, NULL};
    if (kept == 0) FAIL(PUAD_INVALID, "option 'calibrate': no window is left to train on");
    fit_options rest = *options;
    rest.first = first;
    return detector_fit(out, &rows, &rest);
}

typedef struct pick_list {
    float *scores;
    uint32_t *rows;
    uint64_t *keys;
    size_t count;
} pick_list;

/* Appends the scores of the rows that represent a piece. */
static puad_status pick(pick_list *into, puad_scorer *scorer, const dataset *rows, const piece *segment,
                        bool block)
{
    size_t length = scorer_model(scorer)->config.window, columns = rows->columns,
           count = segment->to - segment->start;
    size_t first = block ? length - 1
                         : segment->begin - segment->start +
                               (segment->end - segment->begin < length ? (segment->end - segment->begin) / 2
                                                                       : length / 2);
    AUTO_FREE float *scores = NULL;
    TRY(memory_new(&scores, count, sizeof *scores, "scores"));
    TRY(series_run(scorer, scores, rows->values + segment->start * columns, NULL, count));
    for (size_t i = 0; i < segment->picks; i++) {
        size_t at = first + i * length, row = segment->start + at;
        into->scores[into->count] = scores[at];
        into->rows[into->count] = (uint32_t)row;
        into->keys[into->count++] = row_key(rows->values + row * columns, columns);
    }
    return PUAD_OK;
}

/* Scores the runs of one fold with a model trained without them, mapped to the whole model's scale. */
static puad_status score_fold(pick_list *into, const pick_list *held, const fit_job *job,
                              const series_parts *parts, size_t fold, size_t folds,
                              const fit_options *options)
{
    AUTO_ARENA arena memory = {0};
    pick_list scale = {0};
    float *to;
    uint8_t *away = parts->away;
    AUTO_DETECTOR puad_detector *model = NULL;
    AUTO_SCORER puad_scorer *scorer = NULL;
    size_t before = into->count;
    TRY(arena_new(&memory, &scale.scores, held->count, sizeof *scale.scores));
    TRY(arena_new(&memory, &scale.rows, held->count, sizeof *scale.rows));
    TRY(arena_new(&memory, &scale.keys, held->count, sizeof *scale.keys));
    TRY(arena_new(&memory, &to, held->count, sizeof *to));
    for (size_t r = fold; r < parts->run_count; r += folds) send_away(away, &parts->runs[r], 1, 1);
    puad_status status = train_rest(&model, job, away, options);
    for (size_t r = fold; r < parts->run_count; r += folds) send_away(away, &parts->runs[r], 1, 0);
    TRY(status);
    TRY(scorer_new(&scorer, model, options->workers, options->head));
    for (size_t b = 0; b < parts->held_blocks; b++)
        TRY(pick(&scale, scorer, job->series, &parts->blocks[b], true));
    for (size_t r = fold; r < parts->run_count; r += folds)
        TRY(pick(into, scorer, job->series, &parts->runs[r], false));
    memcpy(to, held->scores, held->count * sizeof *to);
    sort_floats(to, held->count);
    sort_floats(scale.scores, held->count);
    for (size_t i = before; i < into->count; i++)
        into->scores[i] = fold_rescale(into->scores[i], scale.scores, to, held->count);
    return PUAD_OK;
}

static puad_status score_parts(calibration *out, const puad_detector *model, const fit_job *job,
                               const series_parts *parts, bool folds)
{
    size_t unlabeled = count_picks(parts->blocks, parts->held_blocks);
    size_t anomalies = count_picks(parts->runs, folds ? parts->run_count : parts->held_runs);
    AUTO_SCORER puad_scorer *scorer = NULL;
    TRY(arena_new(&out->memory, &out->unlabeled, unlabeled + anomalies, sizeof *out->unlabeled));
    TRY(arena_new(&out->memory, &out->rows, unlabeled + anomalies, sizeof *out->rows));
    TRY(arena_new(&out->memory, &out->keys, unlabeled + anomalies, sizeof *out->keys));
    pick_list held = {out->unlabeled, out->rows, out->keys, 0};
    pick_list known = {out->unlabeled + unlabeled, out->rows + unlabeled, out->keys + unlabeled, 0};
    TRY(scorer_new(&scorer, model, job->workers, job->options.head));
    for (size_t i = 0; i < parts->held_blocks; i++)
        TRY(pick(&held, scorer, job->series, &parts->blocks[i], true));
    for (size_t i = 0; !folds && i < parts->held_runs; i++)
        TRY(pick(&known, scorer, job->series, &parts->runs[i], false));
    fit_options quiet = job->options;
    quiet.progress = NULL;
    quiet.weights = &model->parts.weights;
    size_t max = anomalies < FOLDS_MANY_LABELS ? FOLDS_FEW : FOLDS_MANY;
    size_t count = parts->run_count < max ? parts->run_count : max;
    for (size_t fold = 0; folds && fold < count; fold++)
        TRY(score_fold(&known, &held, job, parts, fold, count, &quiet));
    out->anomalies = out->unlabeled + unlabeled;
    out->unlabeled_count = unlabeled;
    out->anomaly_count = anomalies;
    return PUAD_OK;
}

static puad_status fit_parts(puad_detector **out, const fit_job *job, series_parts *parts)
{
    const detector_kind *kind = detector_kind_find(job->options.method);
    bool folds = calibration_folds(kind), used = detector_kind_objective(kind)->labels & PUAD_USES_ANOMALIES;
    TRY(look_at_series(parts, job->series, job->options.window));
    TRY(hold_blocks(parts, job, folds));
    TRY(folds ? check_runs(parts) : hold_runs(parts, job, used));
    if (folds) TRY(shuffle(parts->runs, parts->run_count, job->options.seed, "label folds"));
    send_away(parts->away, parts->blocks, parts->held_blocks, 1);
    send_away(parts->away, parts->runs, parts->held_runs, 1);
    TRY(train_rest(out, job, parts->away, &job->options));
    double begin = seconds_now();
    calibration *held = &(*out)->held_out;
    held->share = job->plan.share;
    held->folded = folds;
    held->modeled = true;
    TRY(score_parts(held, *out, job, parts, folds));
    TRY(calibration_read_alpha(held, &job->plan));
    (*out)->seconds += seconds_now() - begin;
    return PUAD_OK;
}

puad_status series_calibrated_fit(puad_detector **out, const fit_job *job)
{
    series_parts parts = {0};
    puad_status status = fit_parts(out, job, &parts);
    arena_free(&parts.memory);
    return status;
}
