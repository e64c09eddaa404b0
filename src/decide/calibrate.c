/* Setting rows aside, and what the finished model says about them. */
#include "decide/calibrate.h"

#include "base/rng.h"
#include "decide/row_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void calibration_parts_free(calibration_parts *owner)
{
    arena_free(&owner->memory);
    *owner = (calibration_parts){0};
}

/* How many of the labeled anomalies are held out: a share, but not fewer than say something; all of them
 * where the method cannot learn from them. */
static puad_status anomalies_to_hold(size_t *out, size_t anomalies, double share, bool used)
{
    *out = anomalies;
    if (anomalies == 0) return PUAD_OK;
    size_t least = CALIBRATION_ANOMALIES_LEAST, needed = used ? 2 * least : least;
    if (anomalies < needed)
        FAIL(PUAD_INVALID,
             "option 'calibrate': %zu labeled anomalies are too few: at least %zu are needed, %zu of them to "
             "hold "
             "out; label more, or train without it",
             anomalies, needed, least);
    if (!used) return PUAD_OK;
    *out = (size_t)(share * (double)anomalies + 0.5);
    if (*out < least) *out = least;
    if (*out > anomalies - least) *out = anomalies - least;
    return PUAD_OK;
}

static puad_status part_rows(calibration_parts *out, const puad_rows *rows, const detector_kind *kind,
                             const calibration_plan *plan, uint64_t seed)
{
    AUTO_ARENA arena scratch = {0};
    uint32_t *order;
    double share = plan->share;
    size_t anomalies = 0, unlabeled = 0, hold_a, taken_u = 0, taken_a = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        bool asked = plan->asked && plan->asked[i];
        unlabeled += asked; /* as it was before */
        if (asked) continue;
        anomalies += rows->labels && rows->labels[i] == PUAD_LABEL_ANOMALY;
        unlabeled += !rows->labels || rows->labels[i] == PUAD_LABEL_UNLABELED;
    }
    bool used = detector_kind_objective(kind)->labels & PUAD_USES_ANOMALIES;
    TRY(anomalies_to_hold(&hold_a, anomalies, share, used));
    size_t hold_u = (size_t)(share * (double)unlabeled + 0.5);
    if (hold_u < CALIBRATION_UNLABELED_LEAST)
        FAIL(PUAD_INVALID,
             "option 'calibrate': a share of %g of %zu unlabeled rows is %zu rows: at least %d are needed; "
             "give "
             "more rows or a larger share (at most 0.5)",
             share, unlabeled, hold_u, CALIBRATION_UNLABELED_LEAST);
    TRY(arena_new(&scratch, &order, rows->rows, sizeof *order));
    TRY(arena_new(&out->memory, &out->kept, rows->rows, sizeof *out->kept));
    TRY(arena_new(&out->memory, &out->held, hold_u + hold_a, sizeof *out->held));
    uint8_t *aside;
    TRY(arena_new(&scratch, &aside, rows->rows, 1));
    rng draws = rng_make(seed, rng_stream("calibration", 0));
    rng_permutation(&draws, order, rows->rows);
    static const uint8_t turns[] = {CALIBRATION_HELD_BEFORE, CALIBRATION_NEW, CALIBRATION_ANY};
    for (size_t turn = plan->before ? 0 : 2; turn < sizeof turns; turn++)
        for (size_t i = 0; i < rows->rows; i++) {
            int8_t label = rows->labels ? rows->labels[order[i]] : PUAD_LABEL_UNLABELED;
            if (plan->asked && plan->asked[order[i]]) continue;
            if (plan->before && plan->before[order[i]] != turns[turn]) continue;
            if (label == PUAD_LABEL_UNLABELED && taken_u < hold_u)
                out->held[taken_u++] = order[i];
            else if (label == PUAD_LABEL_ANOMALY && taken_a < hold_a)
                out->held[hold_u + taken_a++] = order[i];
            else
                continue;
            aside[order[i]] = 1;
        }
    for (size_t i = 0; i < rows->rows; i++)
        if (!aside[i]) out->kept[out->kept_count++] = (uint32_t)i;
    if (taken_u < hold_u)
        FAIL(PUAD_INVALID, "option 'calibrate': too few rows are left that nobody was asked about");
    out->unlabeled = hold_u;
    out->anomalies = hold_a;
    return PUAD_OK;
}

static size_t columns_of(const puad_rows *rows)
{
    return rows->height * rows->width * rows->channels;
}

static void gather(float *out, const puad_rows *rows, const uint32_t *list, size_t count)
{
    size_t columns = columns_of(rows);
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * columns, rows->values + list[i] * columns, columns * sizeof *out);
}

static double nearest_distance(const float *codes, size_t count, size_t columns, const float *code)
{
    double nearest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t c = 0; c < columns && sum < nearest; c++) {
            double difference = (double)codes[i * columns + c] - (double)code[c];
            sum += difference * difference;
        }
        if (sum < nearest) nearest = sum;
    }
    return sqrt(nearest);
}

bool calibration_is_known(const calibration *by, const float *code)
{
    return nearest_distance(by->known, by->known_count, by->known_columns, code) <= by->known_distance;
}

static int rising(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The conformal 95% quantile of the distances of `asked` anomalies to the nearest known one; the largest
 * where there are too few to leave one out. */
static puad_status find_distance(calibration *out, const float *asked, size_t count)
{
    AUTO_FREE double *distances = NULL;
    TRY(memory_new(&distances, count, sizeof *distances, "distances"));
    for (size_t i = 0; i < count; i++)
        distances[i] = nearest_distance(out->known, out->known_count, out->known_columns,
                                        asked + i * out->known_columns);
    qsort(distances, count, sizeof *distances, rising);
    size_t rank = (size_t)ceil(0.95 * (double)(count + 1));
    out->known_distance = distances[(rank > count ? count : rank) - 1];
    return PUAD_OK;
}

/* So many of the listed rows, from all over the list: a sorted file is not judged by its beginning. */
static size_t thin(uint32_t *list, size_t count, size_t most)
{
    if (count <= most) return count;
    for (size_t i = 0; i < most; i++) list[i] = list[i * count / most];
    return most;
}

/* The known anomalies are those trained on; where none were, half of those held out stand for them. */
static puad_status keep_known(calibration *out, puad_scorer *scorer, const puad_rows *rows,
                              const calibration_parts *parts)
{
    AUTO_ARENA arena scratch = {0};
    uint32_t *known;
    size_t columns = columns_of(rows), count = 0, asked = parts->anomalies;
    const float *held = rows->values + (parts->kept_count + parts->unlabeled) * columns;
    TRY(arena_new(&scratch, &known, rows->rows, sizeof *known));
    for (size_t i = 0; i < parts->kept_count; i++)
        if (rows->labels[i] == PUAD_LABEL_ANOMALY) known[count++] = (uint32_t)i;
    if (count == 0) {
        count = asked / 2;
        for (size_t i = 0; i < count; i++) known[i] = (uint32_t)(parts->kept_count + parts->unlabeled + i);
        held += count * columns;
        asked -= count;
    }
    count = thin(known, count, CALIBRATION_KNOWN_MOST);
    float *values, *codes;
    out->known_columns = scorer_code_columns(scorer);
    TRY(arena_new(&scratch, &values, count * columns, sizeof *values));
    TRY(arena_new(&scratch, &codes, asked * out->known_columns, sizeof *codes));
    TRY(arena_new(&out->memory, &out->known, count * out->known_columns, sizeof *out->known));
    gather(values, rows, known, count);
    TRY(scorer_codes(scorer, out->known, values, count));
    out->known_count = count;
    TRY(scorer_codes(scorer, codes, held, asked));
    return find_distance(out, codes, asked);
}

/* `rows` are arranged: those held out come last. */
static puad_status score_held(calibration *out, puad_scorer *scorer, const puad_rows *rows,
                              const calibration_parts *parts)
{
    size_t count = parts->unlabeled + parts->anomalies, columns = columns_of(rows);
    const float *values = rows->values + parts->kept_count * columns;
    TRY(arena_new(&out->memory, &out->unlabeled, count, sizeof *out->unlabeled));
    TRY(arena_new(&out->memory, &out->rows, count, sizeof *out->rows));
    memcpy(out->rows, parts->held, count * sizeof *out->rows);
    TRY(arena_new(&out->memory, &out->keys, count, sizeof *out->keys));
    for (size_t i = 0; i < count; i++) out->keys[i] = row_key(values + i * columns, columns);
    TRY(scorer_run(scorer, out->unlabeled, values, count));
    out->anomalies = out->unlabeled + parts->unlabeled;
    out->unlabeled_count = parts->unlabeled;
    out->anomaly_count = parts->anomalies;
    return out->anomaly_count ? keep_known(out, scorer, rows, parts) : PUAD_OK;
}

/* All rows again, those that train first and then those held out, encoded by the means and deviations of the
 * former. */
static puad_status arrange(puad_rows *out, arena *memory, const puad_rows *rows,
                           const calibration_parts *parts, transform *how)
{
    float *values;
    int8_t *labels;
    size_t held = parts->unlabeled + parts->anomalies, kept = parts->kept_count, columns = columns_of(rows);
    AUTO_FREE uint32_t *places = NULL;
    *out = *rows;
    out->rows = kept + held;
    TRY(arena_new(memory, &values, out->rows * columns, sizeof *values));
    TRY(arena_new(memory, &labels, out->rows, 1));
    gather(values, rows, parts->kept, kept);
    gather(values + kept * columns, rows, parts->held, held);
    for (size_t i = 0; rows->labels && i < out->rows; i++)
        labels[i] = rows->labels[i < kept ? parts->kept[i] : parts->held[i - kept]];
    out->values = values;
    out->labels = labels;
    if (!how) return PUAD_OK;
    TRY(memory_new(&places, kept, sizeof *places, "rows"));
    for (size_t i = 0; i < kept; i++) places[i] = (uint32_t)i;
    transform_refit(how, values, out->rows, places, kept);
    return PUAD_OK;
}

static puad_status calibrate(puad_detector *model, const puad_rows *rows, const calibration_parts *parts,
                             const calibration_plan *plan, const puad_fit_options *options)
{
    calibration *out = &model->held_out;
    out->share = plan->share;
    out->alpha = plan->alpha;
    out->alpha_low = plan->alpha_low;
    out->alpha_high = plan->alpha_high;
    out->alpha_estimated = plan->alpha_estimated;
    out->alpha_unknown = plan->alpha_unknown;
    puad_scorer *scorer = NULL;
    TRY(scorer_new(&scorer, model, options->threads, options->head));
    puad_status status = score_held(out, scorer, rows, parts);
    puad_scorer_free(scorer);
    return status;
}

puad_status calibration_part(calibration_parts *out, const puad_rows *rows, const puad_fit_options *options,
                             const calibration_plan *plan)
{
    const char *method =
        options->method ? options->method : recipe_default_method(rows->height > 1 || rows->width > 1);
    const detector_kind *kind = detector_kind_find(method);
    if (!kind) FAIL(PUAD_INVALID, "there is no method '%s'; there are %s", method, detector_kind_names());
    if (!(plan->share > 0 && plan->share <= 0.5))
        FAIL(PUAD_INVALID, "option 'calibrate': a share of %g; expected above 0 and at most 0.5",
             plan->share);
    return part_rows(out, rows, kind, plan, options->seed);
}

puad_status calibrated_fit(puad_detector **out, const puad_rows *rows, const calibration_parts *parts,
                           const puad_fit_options *options, const calibration_plan *plan, transform *how)
{
    AUTO_ARENA arena memory = {0};
    puad_rows all, kept;
    TRY(arrange(&all, &memory, rows, parts, how));
    kept = all;
    kept.rows = parts->kept_count;
    puad_detector *model = NULL;
    TRY(detector_fit(&model, &kept, options));
    puad_status status = calibrate(model, &all, parts, plan, options);
    if (status != PUAD_OK) {
        puad_detector_free(model);
        return status;
    }
    *out = model;
    return PUAD_OK;
}
