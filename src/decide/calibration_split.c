/* Chooses training rows and held-out rows. */
#include "base/rng.h"
#include "decide/calibrate.h"

#include <stdlib.h>

void calibration_parts_free(calibration_parts *owner)
{
    arena_free(&owner->memory);
    *owner = (calibration_parts){0};
}

bool calibration_folds(const detector_kind *kind)
{
    return !detector_kind_has_network(kind) && detector_kind_objective(kind)->labels & PUAD_USES_ANOMALIES;
}

/* The number of labeled anomalies to hold out: a fraction, but at least a useful minimum; all of them if
 * the method cannot learn from them. */
static puad_status anomalies_to_hold(size_t *out, size_t anomalies, double share, bool used)
{
    *out = anomalies;
    if (anomalies == 0) return PUAD_OK;
    size_t min = CALIBRATION_ANOMALIES_MIN, needed = used ? 2 * min : min;
    if (anomalies < needed)
        FAIL(PUAD_INVALID,
             "option 'calibrate': %zu labeled anomalies, but %zu are needed (%zu to hold "
             "out); label more",
             anomalies, needed, min);
    if (!used) return PUAD_OK;
    *out = (size_t)(share * (double)anomalies + 0.5);
    if (*out < min) *out = min;
    if (*out > anomalies - min) *out = anomalies - min;
    return PUAD_OK;
}

static puad_status check_folded(size_t anomalies)
{
    if (anomalies == 0 || anomalies >= CALIBRATION_FOLDED_MIN) return PUAD_OK;
    FAIL(PUAD_INVALID,
         "option 'calibrate': %zu labeled anomalies, but %d are needed; label more, or "
         "train without it",
         anomalies, CALIBRATION_FOLDED_MIN);
}

/* The number of unlabeled rows to hold out. */
static puad_status unlabeled_to_hold(size_t *out, size_t unlabeled, double asked_share, bool folded)
{
    double share = asked_share > 0 ? asked_share : folded ? CALIBRATION_SHARE_FOLDED : CALIBRATION_SHARE;
    *out = (size_t)(share * (double)unlabeled + 0.5);
    if (!(asked_share > 0) && *out > CALIBRATION_UNLABELED_MAX) *out = CALIBRATION_UNLABELED_MAX;
    if (*out >= CALIBRATION_UNLABELED_MIN) return PUAD_OK;
    FAIL(PUAD_INVALID,
         "option 'calibrate': %g of %zu unlabeled rows is %zu, but %d are needed; give "
         "more rows, or up to 0.5",
         share, unlabeled, *out, CALIBRATION_UNLABELED_MIN);
}

static puad_status part_rows(calibration_parts *out, const labeled_rows *rows, const detector_kind *kind,
                             const calibration_plan *plan, uint64_t seed)
{
    AUTO_ARENA arena scratch = {0};
    uint32_t *order;
    size_t anomalies = 0, unlabeled = 0, hold_a = 0, hold_u, taken_u = 0, taken_a = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        bool asked = plan->asked && plan->asked[i];
        unlabeled += asked; /* counting rows that were unlabeled before review */
        if (asked) continue;
        anomalies += rows->labels && rows->labels[i] == PUAD_LABEL_ANOMALY;
        unlabeled += !rows->labels || rows->labels[i] == PUAD_LABEL_UNLABELED;
    }
    bool used = detector_kind_objective(kind)->labels & PUAD_USES_ANOMALIES;
    bool folded = calibration_folds(kind);
    double share = plan->share > 0 ? plan->share : CALIBRATION_SHARE;
    TRY(folded ? check_folded(anomalies) : anomalies_to_hold(&hold_a, anomalies, share, used));
    TRY(unlabeled_to_hold(&hold_u, unlabeled, plan->share, folded));
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
        FAIL(PUAD_INVALID, "option 'calibrate': too few rows are left without an answer from a person");
    out->unlabeled = hold_u;
    out->anomalies = hold_a;
    return PUAD_OK;
}

puad_status calibration_part(calibration_parts *out, const labeled_rows *rows, const fit_options *options,
                             const calibration_plan *plan)
{
    const char *method =
        options->method ? options->method
                        : recipe_default_method(rows->height > 1 || rows->width > 1, options->window > 0);
    const detector_kind *kind = detector_kind_find(method);
    if (!kind) FAIL(PUAD_INVALID, "there is no method '%s'; there are %s", method, detector_kind_names());
    if (!(plan->share >= 0 && plan->share <= 0.5))
        FAIL(PUAD_INVALID, "option 'calibrate': a fraction of %g; expected at least 0 and at most 0.5",
             plan->share);
    return part_rows(out, rows, kind, plan, options->seed);
}
