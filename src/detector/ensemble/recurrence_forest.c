/* Cross-fits a PU forest over labeled runs and decides whether to keep it. */
#include "detector/ensemble/recurrence_forest.h"

#include "detector/forest/pu_forest.h"
#include "detector/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCKS_PER_FOLD = 4,
    BLOCK_LENGTHS = 4, /* minimum length of a block of unlabeled windows, in windows */
    NO_FOLD = UINT8_MAX
};

/* Windows in order of time. */
typedef struct series_windows {
    const train_rows *rows;
    size_t length; /* rows per window */
    uint8_t *fold; /* of each window; NO_FOLD if it is not used */
    uint32_t *run; /* of each labeled window */
    size_t runs, folds, unlabeled;
    float *odds;  /* of each window, by the forest that was trained without its fold */
    double *tail; /* tail probability of each window's distance; of labeled and unlabeled ones */
} series_windows;

static bool is_anomaly(const series_windows *all, size_t i)
{
    return all->rows->labels[i] == PUAD_LABEL_ANOMALY;
}

static bool overlap(const series_windows *all, size_t a, size_t b)
{
    uint32_t first = all->rows->first[a], second = all->rows->first[b];
    return (first < second ? second - first : first - second) < all->length;
}

/* Numbers the runs of labeled windows. Windows that share rows belong to the same run. */
static void number_runs(series_windows *all)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < all->rows->rows; i++) {
        if (!is_anomaly(all, i)) continue;
        if (last == SIZE_MAX || !overlap(all, last, i)) all->runs++;
        all->run[i] = (uint32_t)(all->runs - 1);
        last = i;
    }
}

/* Marks unlabeled windows that share rows with a labeled one: they may be partly anomalous. */
static void leave_out_neighbors(series_windows *all)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < all->rows->rows; i++) {
        if (is_anomaly(all, i)) last = i;
        if (last != SIZE_MAX && !is_anomaly(all, i) && overlap(all, last, i)) all->fold[i] = NO_FOLD;
    }
    last = SIZE_MAX;
    for (size_t i = all->rows->rows; i-- > 0;) {
        if (is_anomaly(all, i)) last = i;
        if (last != SIZE_MAX && !is_anomaly(all, i) && overlap(all, last, i)) all->fold[i] = NO_FOLD;
    }
}

static void assign_folds(series_windows *all)
{
    const train_rows *rows = all->rows;
    size_t unlabeled = 0, seen = 0;
    all->folds = all->runs < RECURRENCE_FOREST_FOLDS ? all->runs : RECURRENCE_FOREST_FOLDS;
    leave_out_neighbors(all);
    for (size_t i = 0; i < rows->rows; i++)
        unlabeled += rows->labels[i] == PUAD_LABEL_UNLABELED && all->fold[i] != NO_FOLD;
    size_t span = rows->rows ? rows->first[rows->rows - 1] - rows->first[0] : 0,
           blocks = span / (BLOCK_LENGTHS * all->length);
    if (blocks > BLOCKS_PER_FOLD * all->folds) blocks = BLOCKS_PER_FOLD * all->folds;
    if (blocks < all->folds) blocks = all->folds;
    for (size_t i = 0; i < rows->rows; i++) {
        if (is_anomaly(all, i))
            all->fold[i] = (uint8_t)(all->run[i] % all->folds);
        else if (rows->labels[i] != PUAD_LABEL_UNLABELED)
            all->fold[i] = NO_FOLD; /* labeled normal windows only train */
        else if (all->fold[i] != NO_FOLD)
            all->fold[i] = (uint8_t)(seen++ * blocks / unlabeled % all->folds);
    }
    all->unlabeled = unlabeled;
}

/* Windows to train on without a fold. An unlabeled window that shares rows with one of the fold is left out. */
static pu_rows without_fold(const series_windows *all, size_t fold, uint32_t *numbers)
{
    const train_rows *rows = all->rows;
    size_t count = rows->rows, last = SIZE_MAX, next = 0;
    pu_rows out = {.values = rows->values, .columns = shape_size(rows->in), .one_setting = true};
    out.first_column = out.columns / (all->length + 2) * all->length; /* levels and amplitudes */
    uint32_t *kinds[3] = {numbers, numbers + count, numbers + 2 * count};
    for (size_t i = 0; i < count; i++) {
        if (all->fold[i] == fold) last = i;
        if (next <= i) next = i + 1;
        while (next < count && all->fold[next] != fold) next++;
        bool near = (last != SIZE_MAX && overlap(all, last, i)) || (next < count && overlap(all, next, i));
        if (all->fold[i] == fold || near) continue;
        if (is_anomaly(all, i))
            kinds[1][out.anomaly_count++] = (uint32_t)i;
        else if (rows->labels[i] == PUAD_LABEL_NORMAL)
            kinds[2][out.normal_count++] = (uint32_t)i;
        else if (all->fold[i] != NO_FOLD)
            kinds[0][out.unlabeled_count++] = (uint32_t)i;
    }
    out.unlabeled = kinds[0];
    out.anomalies = kinds[1];
    out.normals = kinds[2];
    return out;
}

static puad_status score_fold(series_windows *all, size_t fold, const random_trees *trees, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    const train_rows *rows = all->rows;
    size_t columns = shape_size(rows->in), count = 0;
    float *values, *scores;
    for (size_t i = 0; i < rows->rows; i++) count += all->fold[i] == fold;
    TRY(arena_new(&scratch, &values, count * columns, sizeof *values));
    TRY(arena_new(&scratch, &scores, count, sizeof *scores));
    count = 0;
    for (size_t i = 0; i < rows->rows; i++)
        if (all->fold[i] == fold)
            memcpy(values + count++ * columns, rows->values + i * columns, columns * sizeof *values);
    random_trees_score(scores, trees, values, count, workers);
    count = 0;
    for (size_t i = 0; i < rows->rows; i++)
        if (all->fold[i] == fold) all->odds[i] = (float)ensemble_odds(scores[count++]);
    return PUAD_OK;
}

static puad_status cross_fit(bool *out, series_windows *all, uint32_t *numbers, const recipe *config,
                             team *workers)
{
    *out = false;
    for (size_t fold = 0; fold < all->folds; fold++) {
        AUTO_TREES random_trees trees = {0};
        pu_rows known = without_fold(all, fold, numbers);
        if (!known.unlabeled_count || !known.anomaly_count) return PUAD_OK;
        TRY(pu_forest_fit(&trees, NULL, &known, recipe_alpha(config), config->seed, workers));
        TRY(score_fold(all, fold, &trees, workers));
    }
    *out = true;
    return PUAD_OK;
}

/* Scores windows by recurrence; a training window finds itself in its block, so the distances of training
 * windows use one rank more. */
static puad_status measure(float *scores, ensemble *parts, const train_rows *rows, bool trained,
                           team *workers)
{
    recurrence *model = &parts->recurring;
    size_t known = model->known, rank = model->rank;
    model->known = 0; /* the forest uses the labels */
    model->rank += trained;
    puad_status status = recurrence_score(scores, model, rows->values, rows->rows, workers);
    model->known = known;
    model->rank = rank;
    TRY(status);
    return series_evidence_score(scores, &parts->series, rows->values, rows->rows, workers);
}

static puad_status learn_tail(series_windows *all, puad_detector *model, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    ensemble *parts = &model->parts;
    const train_rows *rows = all->rows;
    size_t count = 0;
    float *trained, *outside, *unlabeled;
    TRY(arena_new(&scratch, &trained, rows->rows, sizeof *trained));
    TRY(arena_new(&scratch, &outside, rows->rows, sizeof *outside));
    TRY(arena_new(&scratch, &unlabeled, rows->rows, sizeof *unlabeled));
    TRY(measure(trained, parts, rows, true, workers));
    /* Labeled windows are in no block, unless recurrence does not use the labels. */
    TRY(measure(outside, parts, rows, !parts->recurring.known, workers));
    for (size_t i = 0; i < rows->rows; i++)
        if (rows->labels[i] == PUAD_LABEL_UNLABELED) unlabeled[count++] = trained[i];
    TRY(tail_scale_make(&parts->outlier_scale, &parts->memory, unlabeled, count));
    for (size_t i = 0; i < rows->rows; i++)
        all->tail[i] =
            tail_probability(&parts->outlier_scale, (double)(is_anomaly(all, i) ? outside[i] : trained[i]));
    return PUAD_OK;
}

static log_evidence evidence_of(const series_windows *all, const ensemble *parts, size_t i)
{
    log_evidence row = ensemble_log_evidence(parts, all->tail[i], 0.5F);
    row.forest = log((double)all->odds[i]);
    return row;
}

/* Cross-fitted evidence of the unlabeled and of the labeled windows. */
typedef struct fold_evidence {
    log_evidence *unlabeled, *labeled;
    uint32_t *run; /* of each labeled window */
    size_t count, labels;
    log_evidence *means; /* of each run, as often as it has windows that share no row */
    uint32_t *mean_run;
    size_t mean_count;
    log_evidence *others; /* the means without those of one run */
} fold_evidence;

/* Windows of a run share rows, so they count as the fewer windows that do not. */
static void add_means(fold_evidence *out, uint32_t run, size_t first, size_t distinct)
{
    log_evidence mean = {0};
    double count = (double)(out->labels - first);
    for (size_t i = first; i < out->labels; i++) {
        mean.forest += out->labeled[i].forest / count;
        mean.unusual += out->labeled[i].unusual / count;
    }
    for (size_t i = 0; i < distinct; i++) {
        out->mean_run[out->mean_count] = run;
        out->means[out->mean_count++] = mean;
    }
}

static puad_status gather_evidence(fold_evidence *out, arena *memory, const series_windows *all,
                                   const ensemble *parts)
{
    const train_rows *rows = all->rows;
    size_t last = SIZE_MAX, first = 0, distinct = 0;
    *out = (fold_evidence){0};
    TRY(arena_new(memory, &out->unlabeled, rows->rows, sizeof *out->unlabeled));
    TRY(arena_new(memory, &out->labeled, rows->rows, sizeof *out->labeled));
    TRY(arena_new(memory, &out->run, rows->rows, sizeof *out->run));
    TRY(arena_new(memory, &out->means, rows->rows, sizeof *out->means));
    TRY(arena_new(memory, &out->mean_run, rows->rows, sizeof *out->mean_run));
    TRY(arena_new(memory, &out->others, rows->rows, sizeof *out->others));
    for (size_t i = 0; i < rows->rows; i++) {
        if (rows->labels[i] == PUAD_LABEL_UNLABELED && all->fold[i] != NO_FOLD)
            out->unlabeled[out->count++] = evidence_of(all, parts, i);
        if (!is_anomaly(all, i)) continue;
        if (out->labels && all->run[i] != out->run[out->labels - 1]) {
            add_means(out, out->run[out->labels - 1], first, distinct);
            first = out->labels;
            distinct = 0;
        }
        if (last == SIZE_MAX || !overlap(all, last, i)) {
            distinct++;
            last = i;
        }
        out->run[out->labels] = all->run[i];
        out->labeled[out->labels++] = evidence_of(all, parts, i);
    }
    if (out->labels) add_means(out, out->run[out->labels - 1], first, distinct);
    return PUAD_OK;
}

/* Fits the weights to the labeled windows, without those of one run (or SIZE_MAX). */
static void fit_weights(evidence_weights *out, const fold_evidence *evidence, size_t without)
{
    size_t count = 0;
    for (size_t i = 0; i < evidence->mean_count; i++)
        if (evidence->mean_run[i] != without) evidence->others[count++] = evidence->means[i];
    evidence_weights_fit(out, evidence->unlabeled, evidence->count, evidence->others, count);
}

/* Whether the mixture predicts the runs better than recurrence alone; see the header. */
static bool predicts(const fold_evidence *evidence, size_t runs, double novelty)
{
    double sum = 0;
    for (size_t r = 0; r < runs; r++) {
        evidence_weights weights = {0};
        double gain = 0, size = 0;
        fit_weights(&weights, evidence, r);
        for (size_t i = 0; i < evidence->labels; i++) {
            if (evidence->run[i] != r) continue;
            double alike = exp(evidence_alike(&weights, evidence->labeled[i])),
                   unusual = evidence->labeled[i].unusual;
            gain += log((1 - novelty) * alike + novelty * exp(unusual)) - unusual;
            size++;
        }
        sum += gain / size;
    }
    return sum > 0;
}

static puad_status make_windows(series_windows *all, arena *memory, const train_rows *rows, size_t length)
{
    *all = (series_windows){.rows = rows, .length = length};
    TRY(arena_new(memory, &all->fold, rows->rows, sizeof *all->fold));
    TRY(arena_new(memory, &all->run, rows->rows, sizeof *all->run));
    TRY(arena_new(memory, &all->odds, rows->rows, sizeof *all->odds));
    TRY(arena_new(memory, &all->tail, rows->rows, sizeof *all->tail));
    memset(all->fold, 0, rows->rows);
    number_runs(all);
    return PUAD_OK;
}

/* Learns the weights and decides by them whether to keep a forest. */
static puad_status decide(bool *out, puad_detector *model, series_windows *all, uint32_t *numbers,
                          team *workers)
{
    AUTO_ARENA arena scratch = {0};
    ensemble *parts = &model->parts;
    fold_evidence evidence;
    TRY(cross_fit(out, all, numbers, &model->config, workers));
    if (!*out) return PUAD_OK;
    TRY(learn_tail(all, model, workers));
    TRY(gather_evidence(&evidence, &scratch, all, parts));
    fit_weights(&parts->weights, &evidence, SIZE_MAX);
    parts->weights.novelty = evidence_novelty(model->config.novelty, all->runs);
    *out = parts->weights.forest > 0 && predicts(&evidence, all->runs, (double)parts->weights.novelty);
    return PUAD_OK;
}

puad_status recurrence_forest_fit(puad_detector *model, const train_rows *rows, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    ensemble *parts = &model->parts;
    series_windows all;
    uint32_t *numbers;
    bool kept = rows->weights && rows->weights->forest > 0;
    if (!model->config.window || !rows->first || (rows->weights && !kept)) return PUAD_OK;
    TRY(make_windows(&all, &scratch, rows, model->config.window));
    if (all.runs < (kept ? 1 : RECURRENCE_FOREST_RUNS)) return PUAD_OK;
    assign_folds(&all);
    if (all.unlabeled < all.folds) return PUAD_OK;
    TRY(arena_new(&scratch, &numbers, 3 * rows->rows, sizeof *numbers));
    parts->shape = 0.5F;
    if (kept) {
        parts->weights = *rows->weights;
        TRY(learn_tail(&all, model, workers));
    } else
        TRY(decide(&kept, model, &all, numbers, workers));
    if (!kept) {
        parts->outlier_scale = (tail_scale){0};
        parts->weights = (evidence_weights){0};
        parts->shape = 0;
        return PUAD_OK;
    }
    pu_rows known = without_fold(&all, RECURRENCE_FOREST_FOLDS, numbers); /* all of them */
    parts->recurring.known = 0;
    parts->series.rows.count = 0; /* log evidence has another unit than the sum of distances */
    return pu_forest_fit(&parts->trees, NULL, &known, recipe_alpha(&model->config), model->config.seed,
                         workers);
}
