/* Describes decisions and their assumptions in sentences. */
#include "decide/decision.h"

#include "checks/guards.h"

#include <math.h>

enum { LINES_MOST = 8 };

typedef struct report {
    const char *lines[LINES_MOST];
    size_t count;
    arena *memory;
} report;

#define SAY(to, ...) arena_print((to)->memory, &(to)->lines[(to)->count++], __VA_ARGS__)

static puad_status report_p(report *to, const puad_decider *by)
{
    const calibration *held = by->held;
    const char *base = "", *kind = "plain conformal (conservative)";
    bool corrected = by->p == CONFORMAL_CORRECTED && held->anomaly_count;
    if (corrected && by->modeled) {
        kind = "corrected for hidden anomalies, as estimated from the labels";
        TRY(arena_print(to->memory, &base, " and %zu labeled anomalies; alpha_U is %.4f (%.4f to %.4f)",
                        held->anomaly_count, held->alpha, held->alpha_low, held->alpha_high));
    } else if (corrected) {
        kind = "corrected for hidden anomalies (asymptotic)";
        TRY(arena_print(to->memory, &base, " and %zu labeled anomalies with alpha_U %.4f (%s)",
                        held->anomaly_count, by->by.alpha,
                        held->alpha_estimated && by->by.alpha == held->alpha ? "estimated" : "as given"));
    }
    TRY(SAY(to, "p-values are %s, against %zu held-out unlabeled rows%s; the smallest possible is %.3g", kind,
            held->unlabeled_count, base, conformal_smallest(&by->by, by->p)));
    static const guard_name names[] = {[CONFORMAL_FEW_LABELS_SPREAD] = GUARD_labels_spread,
                                       [CONFORMAL_OVERLAPS] = GUARD_scores_overlap,
                                       [CONFORMAL_ALPHA_WIDE] = GUARD_alpha_wide};
    if (by->declined)
        return SAY(to, "labels do not support corrected p-values or probabilities, so there are none (%s)",
                   guard_label(names[by->declined]));
    if (!by->alpha_unknown) return PUAD_OK;
    return SAY(to, "alpha could not be estimated from the training data, so there is no correction for "
                   "hidden anomalies and there are no probabilities; give option 'alpha' if you know it");
}

/* How many labels would be needed. */
static puad_status labels_needed(const char **out, report *to, const puad_decider *by)
{
    const calibration *held = by->held;
    size_t needed;
    *out = "";
    if (!by->modeled || (by->p != CONFORMAL_CORRECTED && !by->declined)) return PUAD_OK;
    pu_sample sample = calibration_sample(held);
    TRY(conformal_labels_needed(&needed, &sample, by->counts, by->rate));
    if (needed)
        return arena_print(to->memory, out, "about %zu labeled anomalies would be enough (there are %zu); ",
                           needed, held->anomaly_count);
    *out = "more labels alone would not be enough; ";
    return PUAD_OK;
}

/* Why Benjamini-Hochberg flagged nothing, and the alternatives. */
static puad_status report_none(report *to, const puad_decider *by)
{
    double smallest = conformal_smallest(&by->by, by->p);
    double normals = conformal_normals(&by->by, by->p, by->counts);
    double needed = ceil(smallest * normals * (double)by->rows / by->rate);
    const char *why, *labels, *rate = "option 'flag_rate'";
    if (needed > (double)by->rows)
        TRY(arena_print(to->memory, &why, "the smallest possible p is above it"));
    else if (by->p == CONFORMAL_CORRECTED && by->modeled)
        TRY(arena_print(
            to->memory, &why,
            "with %zu labels, more of the highest-scoring rows may be normal (the smallest possible p is "
            "%.3g)",
            by->held->anomaly_count, smallest));
    else
        TRY(arena_print(to->memory, &why,
                        "of %zu rows at least %.0f would need the smallest possible p, %.3g", by->rows,
                        needed, smallest));
    if (by->alpha > 0 && !by->declined)
        TRY(arena_print(to->memory, &rate, "option 'flag_rate=alpha': the top %.3g", by->alpha));
    TRY(labels_needed(&labels, to, by));
    TRY(SAY(to,
            "no row could be flagged at option 'fdr=%g': %s; %sor hold "
            "more rows out (option 'calibrate'), allow a larger rate, or use %s, without a promise",
            by->rate, why, labels, rate));
    return SAY(to,
               "a person who checks %.0f or more rows can bound the false alarms without these assumptions: "
               "'puad query MODEL INPUT --audit %.0f'",
               ceil(1 / by->rate), fmax(30, ceil(1 / by->rate)));
}

/* The guarantee and its assumptions. */
static puad_status report_promise(report *to, const puad_decider *by)
{
    const char *under;
    size_t plain = conformal_flag_levels(&by->by, CONFORMAL_PLAIN, by->counts, by->rate);
    if (by->p == CONFORMAL_PLAIN || plain >= by->flagged_levels)
        under = "assuming that hidden anomalies score no lower than normal rows; independent of the labels";
    else if (by->modeled)
        TRY(arena_print(
            to->memory, &under,
            "assuming that the %zu labels are a random sample of the anomalies and that at least 90%% of "
            "the highest-scoring rows are anomalies",
            by->held->anomaly_count));
    else
        TRY(arena_print(to->memory, &under,
                        "assuming that alpha_U is %g and the labels a random sample of the anomalies "
                        "(asymptotic)",
                        by->by.alpha));
    return SAY(
        to, "%zu of %zu rows are flagged; the expected fraction of false alarms among them is at most %g, %s",
        by->flagged, by->rows, by->rate, under);
}

static puad_status report_flags(report *to, const puad_decider *by)
{
    if (by->how == PUAD_DECIDES_FDR && by->flagged == 0) return report_none(to, by);
    if (by->how == PUAD_DECIDES_FDR) return report_promise(to, by);
    if (!(by->flag_rate > 0)) return PUAD_OK;
    if (isinf(by->threshold))
        return SAY(
            to,
            "no row is flagged: a fraction of %.3g of %zu held-out rows is less than one; give at least %.3g",
            by->flag_rate, by->held->unlabeled_count, 1.0 / (double)by->held->unlabeled_count);
    return SAY(to,
               "%zu of %zu rows are flagged: they score at least %.9g, as the top %.3g of the held-out rows; "
               "nothing is promised about how many of them are anomalies",
               by->flagged, by->rows, by->threshold, by->flag_rate);
}

static puad_status make_report(report *to, const puad_decider *by)
{
    if (!by->held) return PUAD_OK;
    TRY(report_p(to, by));
    TRY(report_flags(to, by));
    if (by->kinds)
        TRY(SAY(to,
                "'known' means: at least as close to a labeled anomaly as 95 of 100 labeled anomalies are to "
                "another"));
    return SAY(
        to,
        "this assumes new rows drawn like the training rows%s; it says nothing about new kinds of anomaly",
        by->held->anomaly_count ? ", and labeled anomalies that are a random sample of the hidden ones" : "");
}

const char *puad_decider_report(puad_decider *decider, size_t line)
{
    if (!decider) return "";
    report made = {.memory = &decider->memory};
    if (line == 0) arena_free(&decider->memory); /* the earlier report may be out of date */
    if (make_report(&made, decider) != PUAD_OK) return "";
    return line < made.count ? made.lines[line] : "";
}
