/* Describes decisions and their assumptions in sentences. */
#include "decide/decision.h"

#include "checks/guards.h"

#include <math.h>

enum { LINES_MAX = 12 };

typedef struct report {
    const char *lines[LINES_MAX];
    size_t count;
    arena *memory;
} report;

#define SAY(to, ...) arena_print((to)->memory, &(to)->lines[(to)->count++], __VA_ARGS__)

static puad_status report_p(report *to, const puad_decider *decider)
{
    const calibration *held = decider->held;
    bool corrected = decider->p == CONFORMAL_CORRECTED && held->anomaly_count;
    TRY(SAY(to, "p-values are %s, from %zu held-out unlabeled rows",
            !corrected         ? "plain conformal (conservative)"
            : decider->modeled ? "corrected for hidden anomalies"
                               : "corrected for hidden anomalies (asymptotic)",
            held->unlabeled_count));
    TRY(SAY(to, "the smallest possible p-value is %.3g",
            conformal_smallest(&decider->calibration, decider->p)));
    if (corrected && decider->modeled)
        TRY(SAY(to, "alpha_U is %.4f (95%% interval %.4f to %.4f), from %zu labeled anomalies", held->alpha,
                held->alpha_low, held->alpha_high, held->anomaly_count));
    else if (corrected)
        TRY(SAY(to, "alpha_U is %.4f (%s), with %zu labeled anomalies", decider->calibration.alpha,
                held->alpha_estimated && decider->calibration.alpha == held->alpha ? "estimated" : "as given",
                held->anomaly_count));
    static const guard_name names[] = {[CONFORMAL_FEW_LABELS_SPREAD] = GUARD_labels_spread,
                                       [CONFORMAL_OVERLAPS] = GUARD_scores_overlap,
                                       [CONFORMAL_ALPHA_WIDE] = GUARD_alpha_wide};
    if (decider->declined)
        return SAY(to, "labels support neither corrected p-values nor probabilities (%s)",
                   guard_label(names[decider->declined]));
    if (!decider->alpha_unknown) return PUAD_OK;
    return SAY(to, "no correction and no probabilities: alpha could not be estimated; give option 'alpha'");
}

/* How many labels would be needed. */
static puad_status report_labels_needed(report *to, const puad_decider *decider)
{
    const calibration *held = decider->held;
    size_t needed;
    if (!decider->modeled || (decider->p != CONFORMAL_CORRECTED && !decider->declined)) return PUAD_OK;
    pu_sample sample = calibration_sample(held);
    TRY(conformal_labels_needed(&needed, &sample, decider->counts, decider->rate));
    if (!needed) return SAY(to, "more labels alone would not be enough");
    return SAY(to, "about %zu labeled anomalies would be enough (there are %zu)", needed,
               held->anomaly_count);
}

/* Why Benjamini-Hochberg flagged nothing, and the alternatives. */
static puad_status report_none(report *to, const puad_decider *decider)
{
    double smallest = conformal_smallest(&decider->calibration, decider->p);
    double normals = conformal_normals(&decider->calibration, decider->p, decider->counts);
    double needed = ceil(smallest * normals * (double)decider->rows / decider->rate);
    const char *why, *rate = "option 'flag_rate'";
    if (needed > (double)decider->rows)
        why = "the smallest possible p is above it";
    else if (decider->p == CONFORMAL_CORRECTED && decider->modeled)
        TRY(arena_print(to->memory, &why, "with %zu labels, more of the top rows may be normal",
                        decider->held->anomaly_count));
    else
        TRY(arena_print(to->memory, &why, "%.0f of %zu rows would need the smallest possible p", needed,
                        decider->rows));
    if (decider->alpha > 0 && !decider->declined)
        TRY(arena_print(to->memory, &rate, "option 'flag_rate=alpha' (the top %.3g)", decider->alpha));
    TRY(SAY(to, "no row could be flagged at option 'fdr=%g': %s", decider->rate, why));
    TRY(report_labels_needed(to, decider));
    TRY(SAY(to, "try a larger rate, or hold more rows out (option 'calibrate')"));
    TRY(SAY(to, "%s flags rows without a promise", rate));
    return SAY(to, "%.0f checked rows bound the false alarms: 'puad query MODEL INPUT --audit %.0f'",
               ceil(1 / decider->rate), fmax(30, ceil(1 / decider->rate)));
}

/* The guarantee and its assumptions. */
static puad_status report_promise(report *to, const puad_decider *decider)
{
    size_t plain =
        conformal_flag_levels(&decider->calibration, CONFORMAL_PLAIN, decider->counts, decider->rate);
    TRY(SAY(to, "%zu of %zu rows are flagged; the expected fraction of false alarms is at most %g",
            decider->flagged, decider->rows, decider->rate));
    if (decider->p == CONFORMAL_PLAIN || plain >= decider->flagged_levels)
        return SAY(to, "assumed: hidden anomalies score no lower than normal rows; labels do not matter");
    if (!decider->modeled)
        return SAY(to, "assumed: alpha_U is %g and the labels are a random sample (asymptotic)",
                   decider->calibration.alpha);
    TRY(SAY(to, "assumed: the %zu labels are a random sample of the anomalies",
            decider->held->anomaly_count));
    return SAY(to, "assumed: at least 90%% of the highest-scoring rows are anomalies");
}

static puad_status report_flags(report *to, const puad_decider *decider)
{
    if (decider->kind == PUAD_DECIDES_FDR && decider->flagged == 0) return report_none(to, decider);
    if (decider->kind == PUAD_DECIDES_FDR) return report_promise(to, decider);
    if (!(decider->flag_rate > 0)) return PUAD_OK;
    if (isinf(decider->threshold))
        return SAY(to, "no row is flagged: %.3g of %zu held-out rows is less than one; give at least %.3g",
                   decider->flag_rate, decider->held->unlabeled_count,
                   1.0 / (double)decider->held->unlabeled_count);
    TRY(SAY(to, "%zu of %zu rows are flagged, with scores of at least %.9g (top %.3g of held-out rows)",
            decider->flagged, decider->rows, decider->threshold, decider->flag_rate));
    return SAY(to, "nothing is promised about how many of them are anomalies");
}

static puad_status make_report(report *to, const puad_decider *decider)
{
    if (!decider->held) return PUAD_OK;
    TRY(report_p(to, decider));
    TRY(report_flags(to, decider));
    if (decider->kinds)
        TRY(SAY(to, "'known': at least as close to a labeled anomaly as 95%% of them are to another"));
    TRY(SAY(to, "assumed: new rows are drawn like the training rows%s",
            decider->held->anomaly_count ? ", labels at random from anomalies" : ""));
    return SAY(to, "new kinds of anomaly are not covered");
}

const char *puad_decider_report(puad_decider *decider, size_t line)
{
    if (!decider) return "";
    report made = {.memory = &decider->memory};
    if (line == 0) arena_free(&decider->memory); /* the earlier report may be out of date */
    if (make_report(&made, decider) != PUAD_OK) return "";
    return line < made.count ? made.lines[line] : "";
}
