/* Describes decisions and their assumptions in sentences. */
#include "decide/decision.h"

#include "checks/guards.h"

#include <math.h>

enum { LINES_MOST = 12 };

typedef struct report {
    const char *lines[LINES_MOST];
    size_t count;
    arena *memory;
} report;

#define SAY(to, ...) arena_print((to)->memory, &(to)->lines[(to)->count++], __VA_ARGS__)

static puad_status report_p(report *to, const puad_decider *by)
{
    const calibration *held = by->held;
    bool corrected = by->p == CONFORMAL_CORRECTED && held->anomaly_count;
    TRY(SAY(to, "p-values are %s, from %zu held-out unlabeled rows",
            !corrected    ? "plain conformal (conservative)"
            : by->modeled ? "corrected for hidden anomalies"
                          : "corrected for hidden anomalies (asymptotic)",
            held->unlabeled_count));
    TRY(SAY(to, "the smallest possible p-value is %.3g", conformal_smallest(&by->by, by->p)));
    if (corrected && by->modeled)
        TRY(SAY(to, "alpha_U is %.4f (95%% interval %.4f to %.4f), from %zu labeled anomalies", held->alpha,
                held->alpha_low, held->alpha_high, held->anomaly_count));
    else if (corrected)
        TRY(SAY(to, "alpha_U is %.4f (%s), with %zu labeled anomalies", by->by.alpha,
                held->alpha_estimated && by->by.alpha == held->alpha ? "estimated" : "as given",
                held->anomaly_count));
    static const guard_name names[] = {[CONFORMAL_FEW_LABELS_SPREAD] = GUARD_labels_spread,
                                       [CONFORMAL_OVERLAPS] = GUARD_scores_overlap,
                                       [CONFORMAL_ALPHA_WIDE] = GUARD_alpha_wide};
    if (by->declined)
        return SAY(to, "labels support neither corrected p-values nor probabilities (%s)",
                   guard_label(names[by->declined]));
    if (!by->alpha_unknown) return PUAD_OK;
    return SAY(to, "no correction and no probabilities: alpha could not be estimated; give option 'alpha'");
}

/* How many labels would be needed. */
static puad_status report_labels_needed(report *to, const puad_decider *by)
{
    const calibration *held = by->held;
    size_t needed;
    if (!by->modeled || (by->p != CONFORMAL_CORRECTED && !by->declined)) return PUAD_OK;
    pu_sample sample = calibration_sample(held);
    TRY(conformal_labels_needed(&needed, &sample, by->counts, by->rate));
    if (!needed) return SAY(to, "more labels alone would not be enough");
    return SAY(to, "about %zu labeled anomalies would be enough (there are %zu)", needed,
               held->anomaly_count);
}

/* Why Benjamini-Hochberg flagged nothing, and the alternatives. */
static puad_status report_none(report *to, const puad_decider *by)
{
    double smallest = conformal_smallest(&by->by, by->p);
    double normals = conformal_normals(&by->by, by->p, by->counts);
    double needed = ceil(smallest * normals * (double)by->rows / by->rate);
    const char *why, *rate = "option 'flag_rate'";
    if (needed > (double)by->rows)
        why = "the smallest possible p is above it";
    else if (by->p == CONFORMAL_CORRECTED && by->modeled)
        TRY(arena_print(to->memory, &why, "with %zu labels, more of the top rows may be normal",
                        by->held->anomaly_count));
    else
        TRY(arena_print(to->memory, &why, "%.0f of %zu rows would need the smallest possible p", needed,
                        by->rows));
    if (by->alpha > 0 && !by->declined)
        TRY(arena_print(to->memory, &rate, "option 'flag_rate=alpha' (the top %.3g)", by->alpha));
    TRY(SAY(to, "no row could be flagged at option 'fdr=%g': %s", by->rate, why));
    TRY(report_labels_needed(to, by));
    TRY(SAY(to, "try a larger rate, or hold more rows out (option 'calibrate')"));
    TRY(SAY(to, "%s flags rows without a promise", rate));
    return SAY(to, "%.0f checked rows bound the false alarms: 'puad query MODEL INPUT --audit %.0f'",
               ceil(1 / by->rate), fmax(30, ceil(1 / by->rate)));
}

/* The guarantee and its assumptions. */
static puad_status report_promise(report *to, const puad_decider *by)
{
    size_t plain = conformal_flag_levels(&by->by, CONFORMAL_PLAIN, by->counts, by->rate);
    TRY(SAY(to, "%zu of %zu rows are flagged; the expected fraction of false alarms is at most %g",
            by->flagged, by->rows, by->rate));
    if (by->p == CONFORMAL_PLAIN || plain >= by->flagged_levels)
        return SAY(to, "assumed: hidden anomalies score no lower than normal rows; labels do not matter");
    if (!by->modeled)
        return SAY(to, "assumed: alpha_U is %g and the labels are a random sample (asymptotic)",
                   by->by.alpha);
    TRY(SAY(to, "assumed: the %zu labels are a random sample of the anomalies", by->held->anomaly_count));
    return SAY(to, "assumed: at least 90%% of the highest-scoring rows are anomalies");
}

static puad_status report_flags(report *to, const puad_decider *by)
{
    if (by->how == PUAD_DECIDES_FDR && by->flagged == 0) return report_none(to, by);
    if (by->how == PUAD_DECIDES_FDR) return report_promise(to, by);
    if (!(by->flag_rate > 0)) return PUAD_OK;
    if (isinf(by->threshold))
        return SAY(to, "no row is flagged: %.3g of %zu held-out rows is less than one; give at least %.3g",
                   by->flag_rate, by->held->unlabeled_count, 1.0 / (double)by->held->unlabeled_count);
    TRY(SAY(to, "%zu of %zu rows are flagged, with scores of at least %.9g (top %.3g of held-out rows)",
            by->flagged, by->rows, by->threshold, by->flag_rate));
    return SAY(to, "nothing is promised about how many of them are anomalies");
}

static puad_status make_report(report *to, const puad_decider *by)
{
    if (!by->held) return PUAD_OK;
    TRY(report_p(to, by));
    TRY(report_flags(to, by));
    if (by->kinds)
        TRY(SAY(to, "'known': at least as close to a labeled anomaly as 95%% of them are to another"));
    TRY(SAY(to, "assumed: new rows are drawn like the training rows%s",
            by->held->anomaly_count ? ", labels at random from anomalies" : ""));
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
