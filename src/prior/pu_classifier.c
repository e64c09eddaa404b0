/* Assigns rows to folds, trains a forest for each, and calibrates its votes to probabilities.
 *
 * Labeled anomalies and unlabeled rows are divided in the same way, so that all rows of a fold are scored
 * by one forest, and all forests have the same number of labels. */
#include "prior/pu_classifier.h"

#include "base/rng.h"
#include "detector/forest/pu_forest.h"

#include <math.h>
#include <string.h>

enum { FOLDS_FEW = 10, FOLDS_MANY = 5, MANY_LABELS = 50, FOLD_MIN = 2 };
#define VOTE_MIN 1e-6

/* The rows of one kind, those of the current fold last. */
typedef struct part {
    uint32_t *order, *train;
    size_t count, trained;
} part;

static void begin_fold(part *source, size_t fold, size_t folds)
{
    source->trained = 0;
    for (size_t i = 0; i < source->count; i++)
        if (i % folds != fold) source->train[source->trained++] = source->order[i];
}

typedef struct folding {
    const prior_rows *rows;
    part anomalies, unlabeled;
    size_t folds;
    uint64_t seed;
    team *workers;
} folding;

/* Votes on the rows of a fold by a forest grown on all others. */
static puad_status score_fold(float *votes, folding *job, size_t fold)
{
    part *anomalies = &job->anomalies, *unlabeled = &job->unlabeled;
    const float *values = job->rows->values;
    size_t columns = job->rows->columns, folds = job->folds;
    begin_fold(anomalies, fold, folds);
    begin_fold(unlabeled, fold, folds);
    AUTO_ARENA arena memory = {0};
    AUTO_TREES random_trees forest = {0};
    pu_rows rows = {.values = values,
                    .columns = columns,
                    .unlabeled = unlabeled->train,
                    .unlabeled_count = unlabeled->trained,
                    .anomalies = anomalies->train,
                    .anomaly_count = anomalies->trained,
                    .one_setting = true};
    TRY(pu_forest_fit(&forest, NULL, &rows, NAN, job->seed, job->workers));
    size_t max = anomalies->count + unlabeled->count - anomalies->trained - unlabeled->trained, count = 0;
    uint32_t *numbers;
    float *copy, *scores;
    TRY(arena_new(&memory, &numbers, max, sizeof *numbers));
    TRY(arena_new(&memory, &copy, max * columns, sizeof *copy));
    TRY(arena_new(&memory, &scores, max, sizeof *scores));
    for (size_t i = fold; i < anomalies->count; i += folds) numbers[count++] = anomalies->order[i];
    for (size_t i = fold; i < unlabeled->count; i += folds) numbers[count++] = unlabeled->order[i];
    for (size_t i = 0; i < count; i++)
        memcpy(copy + i * columns, values + numbers[i] * columns, columns * sizeof *copy);
    random_trees_score(scores, &forest, copy, count, job->workers);
    for (size_t i = 0; i < count; i++)
        votes[numbers[i]] = (float)fmin(1 - VOTE_MIN, fmax(VOTE_MIN, (double)scores[i]));
    return PUAD_OK;
}

/* Logistic regression of the label on the logit of the vote (Platt): two parameters, by Newton's method;
 * the order of the rows is unchanged. */
static void calibrate(float *probabilities, const uint8_t *labeled, size_t rows)
{
    double slope = 1, offset = 0;
    for (int round = 0; round < 50; round++) {
        double g0 = 0, g1 = 1e-3 * (slope - 1), h00 = 1e-9, h01 = 0, h11 = 1e-3;
        for (size_t i = 0; i < rows; i++) {
            double x = log((double)probabilities[i] / (1 - (double)probabilities[i]));
            double p = 1 / (1 + exp(-(slope * x + offset))), error = p - labeled[i], w = p * (1 - p);
            g0 += error;
            g1 += error * x;
            h00 += w;
            h01 += w * x;
            h11 += w * x * x;
        }
        double scale = h00 * h11 - h01 * h01;
        if (!(scale > 1e-300)) break;
        double step0 = (g0 * h11 - g1 * h01) / scale, step1 = (g1 * h00 - g0 * h01) / scale;
        double damp = fmin(1, 2 / (1e-12 + fabs(step0) + fabs(step1)));
        offset -= damp * step0;
        slope -= damp * step1;
        if (fabs(step0) + fabs(step1) < 1e-9) break;
    }
    if (!(slope > 0) || !isfinite(slope) || !isfinite(offset)) return; /* no relation: keep the votes */
    for (size_t i = 0; i < rows; i++) {
        double x = log((double)probabilities[i] / (1 - (double)probabilities[i]));
        probabilities[i] = (float)(1 / (1 + exp(-(slope * x + offset))));
    }
}

static puad_status deal(part *out, arena *memory, const uint8_t *labeled, size_t rows, bool of_labeled,
                        rng *draws)
{
    uint32_t *numbers, *places;
    TRY(arena_new(memory, &numbers, rows, sizeof *numbers));
    TRY(arena_new(memory, &places, rows, sizeof *places));
    TRY(arena_new(memory, &out->order, rows, sizeof *out->order));
    TRY(arena_new(memory, &out->train, rows, sizeof *out->train));
    for (size_t row = 0; row < rows; row++)
        if (labeled[row] == of_labeled) numbers[out->count++] = (uint32_t)row;
    rng_permutation(draws, places, out->count);
    for (size_t i = 0; i < out->count; i++) out->order[i] = numbers[places[i]];
    return PUAD_OK;
}

/* Each row's fold belongs to one rank: a sum with zeros changes no bit. No rank waits for one that has
 * failed. */
static puad_status share(rank_group *all, puad_status own, float *votes, size_t rows)
{
    double failed = own != PUAD_OK;
    if (!ranks_several(all)) return own;
    ranks_sum_doubles(all, &failed, 1);
    TRY(own);
    TRY(all->status);
    if (failed > 0)
        FAIL(PUAD_CANCELLED, "%.0f of %d processes failed or were stopped while alpha was estimated", failed,
             all->ranks->size);
    ranks_sum(all, votes, rows);
    return all->status;
}

puad_status pu_classify(float *probabilities, const prior_rows *source, uint64_t seed, team *workers,
                        rank_group *all)
{
    AUTO_ARENA arena memory = {0};
    folding job = {.rows = source, .seed = seed, .workers = workers};
    part *anomalies = &job.anomalies, *unlabeled = &job.unlabeled;
    size_t rows = source->rows;
    uint8_t *labeled;
    if (rows > INT32_MAX || source->columns < 1 || source->columns > INT32_MAX)
        FAIL(PUAD_INVALID, "%zu rows x %zu columns are too many for the classifier of anomalies", rows,
             source->columns);
    TRY(arena_new(&memory, &labeled, rows, sizeof *labeled));
    for (size_t row = 0; row < rows; row++) labeled[row] = source->labels[row] == 1;
    rng draws = rng_make(seed, rng_stream("pu classifier", 0));
    TRY(deal(anomalies, &memory, labeled, rows, true, &draws));
    TRY(deal(unlabeled, &memory, labeled, rows, false, &draws));
    if (anomalies->count < FOLD_MIN || unlabeled->count < FOLD_MIN)
        FAIL(PUAD_INVALID, "%zu labeled anomalies and %zu unlabeled rows: at least 2 of each are needed",
             anomalies->count, unlabeled->count);
    job.folds = anomalies->count < MANY_LABELS ? FOLDS_FEW : FOLDS_MANY;
    if (job.folds > anomalies->count) job.folds = anomalies->count;
    if (job.folds > unlabeled->count) job.folds = unlabeled->count;
    size_t first, own = ranks_part(all, &first, job.folds);
    puad_status status = PUAD_OK;
    memset(probabilities, 0, rows * sizeof *probabilities);
    for (size_t fold = first; status == PUAD_OK && fold < first + own; fold++)
        status = score_fold(probabilities, &job, fold);
    TRY(share(all, status, probabilities, rows));
    calibrate(probabilities, labeled, rows);
    return PUAD_OK;
}
