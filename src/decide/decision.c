/* Implements <puad/decision.h>: p-values and flags against held-out rows.
 *
 * Benjamini-Hochberg needs all rows before it can flag one. A row's p-value is determined by its level
 * (conformal.h), so one counter per level suffices: memory does not grow with the rows. */
#include "decide/decision.h"

#include "base/c_locale.h"
#include "checks/guards.h"
#include "detector/model_series.h"
#include "prior/prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static puad_status need_calibration(const puad_decider *decider, const char *name)
{
    if (decider->held) return PUAD_OK;
    FAIL(PUAD_INVALID,
         "option '%s' needs held-out rows; train with option 'calibrate', or use option "
         "'threshold'",
         name);
}

static puad_status read_fraction(double *out, const char *name, const char *text)
{
    if (option_read_fraction(out, text) && *out >= 0 && *out < 1) return PUAD_OK;
    FAIL(PUAD_INVALID, "option '%s': '%s' is not a fraction of at least 0 and below 1", name, text);
}

static puad_status read_flag_rate(double *out, const char *text, double alpha)
{
    *out = alpha;
    if (strcmp(text, "alpha") == 0) {
        if (*out > 0 && *out < 1) return PUAD_OK;
        FAIL(PUAD_INVALID, "option 'flag_rate=alpha': alpha is %g, which is not a fraction to flag; give one",
             *out);
    }
    if (!option_read_fraction(out, text) || !(*out > 0 && *out < 1))
        FAIL(PUAD_INVALID, "option 'flag_rate': '%s' is neither a fraction above 0 and below 1 nor 'alpha'",
             text);
    return PUAD_OK;
}

static puad_status choose_how(puad_decider *out, const puad_options *options)
{
    bool fdr = OPTION_GIVEN(options, fdr), rate = OPTION_GIVEN(options, flag_rate);
    bool threshold = OPTION_GIVEN(options, threshold);
    if (fdr + rate + threshold > 1)
        FAIL(PUAD_INVALID,
             "option 'fdr', option 'flag_rate' and option 'threshold' are alternatives: give one of them");
    static const enum option_at needing[] = {OPTION_AT_p_values, OPTION_AT_fdr, OPTION_AT_flag_rate,
                                             OPTION_AT_kind, OPTION_AT_alpha};
    for (size_t i = 0; i < sizeof needing / sizeof *needing; i++)
        if (options_given(options, needing[i])) TRY(need_calibration(out, option_table[needing[i]].name));
    out->kinds = OPTION_GIVEN(options, kind);
    if (out->kinds && !(fdr || rate || threshold))
        FAIL(PUAD_INVALID, "option 'kind' marks flagged rows: "
                           "give option 'fdr', option 'flag_rate' or option 'threshold' too");
    if (out->kinds && out->held->known_count == 0)
        FAIL(PUAD_INVALID, "option 'kind': the model was trained without labeled anomalies");
    if (fdr) out->kind = PUAD_DECIDES_FDR;
    if (rate || threshold) out->kind = PUAD_DECIDES_THRESHOLD;
    out->rate = OPTION_NUMBER_OF(options, fdr);
    /* Scores are floats: nine digits of one, parsed as a double, may be slightly larger. */
    out->threshold = (double)(float)OPTION_NUMBER_OF(options, threshold);
    return rate ? read_flag_rate(&out->flag_rate, OPTION_TEXT_OF(options, flag_rate), out->alpha) : PUAD_OK;
}

conformal_reason decision_declines(const conformal *conformal_scores, const calibration *held)
{
    conformal_reason reason = conformal_declines(conformal_scores);
    bool wide = conformal_scores->modeled && held->alpha_high - held->alpha_low > PRIOR_WIDTH_MAX;
    return !reason && wide ? CONFORMAL_ALPHA_WIDE : reason;
}

puad_status decision_warn_declined(conformal_reason reason, const conformal *conformal_scores,
                                   const calibration *held, const puad_options *options)
{
    if (reason == CONFORMAL_FEW_LABELS_SPREAD)
        return guard_warn(options, NULL, NULL, GUARD_labels_spread, (double)held->anomaly_count);
    if (reason == CONFORMAL_ALPHA_WIDE)
        return guard_warn(options, NULL, NULL, GUARD_alpha_wide, held->alpha_low, held->alpha_high);
    if (reason == CONFORMAL_OVERLAPS)
        return guard_warn(options, NULL, NULL, GUARD_scores_overlap, 100 * conformal_scores->overlap);
    return PUAD_OK;
}

static puad_status prepare(puad_decider *out, const puad_detector *model, const puad_options *options)
{
    const calibration *held = &model->held_out;
    bool given = OPTION_GIVEN(options, alpha);
    if (OPTION_GIVEN(options, kind))
        TRY(model_refuse_series(model, "option 'kind'",
                                "windows of a labeled run overlap; explain rows instead"));
    out->held = held->unlabeled_count ? held : NULL;
    out->alpha = held->alpha;
    out->alpha_unknown = held->alpha_unknown && !given;
    if (given) TRY(read_fraction(&out->alpha, "alpha", OPTION_TEXT_OF(options, alpha)));
    TRY(choose_how(out, options));
    if (!out->held) return PUAD_OK;
    bool plain = strcmp(OPTION_TEXT_OF(options, p_values), "plain") == 0 || out->alpha_unknown;
    out->p = plain ? CONFORMAL_PLAIN : CONFORMAL_CORRECTED;
    out->modeled = held->modeled && held->alpha_estimated && !given;
    pu_sample sample = calibration_sample(held);
    TRY(conformal_new(&out->calibration, &sample, out->modeled ? NAN : out->alpha));
    out->declined = decision_declines(&out->calibration, held);
    if (out->declined) out->p = CONFORMAL_PLAIN;
    bool by_alpha = out->flag_rate > 0 && strcmp(OPTION_TEXT_OF(options, flag_rate), "alpha") == 0;
    if (by_alpha || (out->kind == PUAD_DECIDES_FDR && !plain))
        TRY(decision_warn_declined(out->declined, &out->calibration, held, options));
    TRY(memory_new(&out->counts, out->calibration.levels, sizeof *out->counts, "levels"));
    if (out->flag_rate > 0) out->threshold = (double)conformal_flag_rate(&out->calibration, out->flag_rate);
    return PUAD_OK;
}

puad_status puad_decider_new(puad_decider **out, const puad_detector *model, const puad_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(model);
    puad_decider *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a decider"));
    puad_status status = prepare(made, model, options);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_decider_free(made);
    return status;
}

void puad_decider_free(puad_decider *decider)
{
    if (!decider) return;
    conformal_free(&decider->calibration);
    free(decider->counts);
    arena_free(&decider->memory);
    free(decider);
}

bool decider_has_probability(const puad_decider *decider)
{
    return decider->held && decider->held->anomaly_count && !decider->alpha_unknown && !decider->declined;
}

puad_status puad_decider_state(const puad_decider *decider, puad_decider_summary *out)
{
    NEED(decider);
    NEED(out);
    puad_decider_summary made = {.kind = decider->kind,
                                 .has_p = decider->held != NULL,
                                 .has_probability = decider_has_probability(decider),
                                 .has_kind = decider->kinds,
                                 .rows = decider->rows,
                                 .flagged = decider->flagged,
                                 .threshold = decider->kind == PUAD_DECIDES_THRESHOLD ? decider->threshold
                                                                                      : (double)NAN};
    return struct_write(out, &made, sizeof made, "puad_decider_summary");
}

puad_status puad_decider_count(puad_decider *decider, const float *scores, size_t rows)
{
    NEED(decider);
    if (rows) NEED(scores);
    for (size_t i = 0; i < rows; i++)
        if (isnan(scores[i])) FAIL(PUAD_NUMERIC, "score %zu is not a number", decider->rows + i);
    for (size_t i = 0; i < rows; i++) {
        decider->rows++;
        decider->flagged +=
            decider->kind == PUAD_DECIDES_THRESHOLD && (double)scores[i] >= decider->threshold;
        if (decider->held) decider->counts[conformal_level(&decider->calibration, scores[i])]++;
    }
    return PUAD_OK;
}

puad_status puad_decider_settle(puad_decider *decider)
{
    NEED(decider);
    if (decider->kind != PUAD_DECIDES_FDR) return PUAD_OK;
    decider->flagged = 0;
    decider->flagged_levels =
        conformal_flag_levels(&decider->calibration, decider->p, decider->counts, decider->rate);
    for (size_t i = 0; i < decider->flagged_levels; i++) decider->flagged += (size_t)decider->counts[i];
    return PUAD_OK;
}

int puad_decider_flags(const puad_decider *decider, float score)
{
    if (!decider || decider->kind == PUAD_DECIDES_NOT || isnan(score)) return 0;
    if (decider->kind == PUAD_DECIDES_FDR)
        return conformal_level(&decider->calibration, score) < decider->flagged_levels;
    return (double)score >= decider->threshold;
}

double puad_decider_p(const puad_decider *decider, float score)
{
    return decider && decider->held && !isnan(score) ? conformal_p(&decider->calibration, decider->p, score)
                                                     : NAN;
}

double puad_decider_probability(const puad_decider *decider, float score)
{
    return decider && decider_has_probability(decider) && !isnan(score)
               ? conformal_posterior(&decider->calibration, score)
               : NAN;
}

puad_status puad_decider_known(const puad_decider *decider, unsigned char *known, puad_scorer *scorer,
                               const float *values, size_t rows, size_t columns)
{
    AUTO_FREE float *codes = NULL;
    size_t count;
    NEED(decider);
    NEED(scorer);
    if (rows == 0) return PUAD_OK;
    NEED(known);
    NEED(values);
    if (!decider->kinds) FAIL(PUAD_INVALID, "the decider was made without option 'kind'");
    if (columns != shape_size(scorer_model(scorer)->in))
        FAIL(PUAD_INVALID, "rows of %zu values, the model takes %zu", columns,
             shape_size(scorer_model(scorer)->in));
    size_t size = scorer_code_columns(scorer);
    if (size != decider->held->known_columns)
        FAIL(PUAD_FORMAT,
             "the embeddings of the model's labeled anomalies have %zu values, its network's "
             "have %zu",
             decider->held->known_columns, size);
    if (!size_multiply(&count, size, rows)) FAIL(PUAD_MEMORY, "embeddings of %zu values", size);
    TRY(memory_new(&codes, count, sizeof *codes, "codes"));
    TRY(scorer_codes(scorer, codes, values, rows));
    for (size_t i = 0; i < rows; i++) known[i] = calibration_is_known(decider->held, codes + i * size);
    return PUAD_OK;
}

static puad_status decide_all(puad_decision *decisions, const float *scores, size_t rows,
                              puad_decider *decider)
{
    TRY(puad_decider_count(decider, scores, rows));
    TRY(puad_decider_settle(decider));
    for (size_t i = 0; i < rows; i++) {
        puad_decision made = {.p = puad_decider_p(decider, scores[i]),
                              .probability = puad_decider_probability(decider, scores[i]),
                              .flagged = puad_decider_flags(decider, scores[i])};
        TRY(struct_write_at(decisions, i, &made, sizeof made, "puad_decision"));
    }
    return PUAD_OK;
}

puad_status puad_detector_decide(const puad_detector *model, puad_decision *decisions, const float *scores,
                                 size_t rows, const puad_options *options)
{
    puad_decider *decider = NULL;
    NEED(model);
    if (rows) NEED(decisions);
    TRY(puad_decider_new(&decider, model, options));
    puad_status status = decide_all(decisions, scores, rows, decider);
    puad_decider_free(decider);
    return status;
}
