/* alpha for training. Decisions use an alpha estimated from the held-out scores (calibrate.c).
 *
 * Rows labeled by a reviewer are not a fair sample, because they were chosen by score. alpha is therefore
 * estimated with these rows unlabeled, and the anomalies found among them are then subtracted. */
#include "base/c_locale.h"
#include "detector/model/rank_consistency.h"
#include "image/image.h"
#include "train/fit_job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA_MAX 0.999

/* Converts the fraction among the rows unlabeled in INPUT to that among those still unlabeled. */
static double without_asked(const fit_job *job, double alpha)
{
    double before = 0, found = 0, left = 0;
    for (size_t i = 0; i < job->rows->rows; i++) {
        bool was = job->given[i] == PUAD_LABEL_UNLABELED, is = job->labels[i] == PUAD_LABEL_UNLABELED;
        before += was;
        left += is;
        found += was && job->labels[i] == PUAD_LABEL_ANOMALY;
    }
    return left > 0 ? fmin(ALPHA_MAX, fmax(0, (alpha * before - found) / left)) : 0;
}

static puad_status parse_alpha(double *out, const char *text)
{
    if (!option_read_fraction(out, text) || !(*out >= 0 && *out < 1))
        FAIL(PUAD_INVALID, "option 'alpha': '%s' is neither a fraction of at least 0 and below 1 nor 'auto'",
             text);
    return PUAD_OK;
}

/* Whether the method uses alpha. */
static bool takes_alpha(const fit_job *job)
{
    const detector_kind *kind = detector_kind_find(job->options.method);
    bool labeled = fit_count(job, PUAD_LABEL_ANOMALY) > 0;
    unsigned needs = PUAD_USES_ALPHA | PUAD_USES_ANOMALIES, uses = detector_kind_objective(kind)->labels;
    if (!detector_kind_has_network(kind)) {
        unsigned parts = detector_kind_parts(kind);
        return labeled && parts & PART_TREES && !(parts & PART_RECURRENCE); /* which may have no trees */
    }
    return labeled && (uses & needs) == needs && !(uses & PUAD_USES_NORMALS && !(uses & PUAD_ESTIMATES_RISK));
}

/* Writes the estimate to *out; `refused` stays set if alpha is not identifiable, which is an error if an
 * estimate was requested. */
static puad_status estimate(prior_estimate *out, fit_job *job, bool needed, rank_group *all)
{
    prior_rows rows;
    TRY(fit_fair_rows(&rows, job));
    TRY(prior_from_rows(out, NULL, &rows, job->options.seed, job->workers, all));
    ranks_broadcast(all, out, sizeof *out); /* identical bits on all ranks, whatever their math library */
    TRY(all->status);
    if (out->refused && needed) FAIL(PUAD_FORMAT, "option 'alpha=auto': %s", out->reason);
    if (!out->refused)
        options_tell(job->request, PUAD_NOTE, "alpha_U is estimated as %.4f (95%% interval %.4f to %.4f)",
                     out->alpha, out->low, out->high);
    return PUAD_OK;
}

/* Warns if the data contradict a given alpha: it is below half of the interval's lower end, or above twice
 * its upper end. A rough check on a part of the rows, skipped for more columns than a gray image has, for
 * which it would take tens of seconds. */
static puad_status doubt_given(fit_job *job, double alpha, rank_group *all)
{
    enum { COLUMNS_MAX = IMAGE_SIDE * IMAGE_SIDE, UNLABELED_MAX = 4000, ANOMALIES_MAX = 100 };
    if (job->rows->columns > COLUMNS_MAX) return PUAD_OK;
    prior_estimate found;
    prior_rows rows;
    TRY(fit_fair_rows(&rows, job));
    rows.unlabeled_most = UNLABELED_MAX;
    rows.anomalies_most = ANOMALIES_MAX;
    TRY(prior_from_rows(&found, NULL, &rows, job->options.seed, job->workers, all));
    if (found.refused) return PUAD_OK;
    if (alpha < found.low / 2 || alpha > 2 * found.high)
        return guard_warn(job->request, job->warnings, NULL, GUARD_alpha_doubtful, alpha, found.alpha,
                          found.low, found.high);
    return PUAD_OK;
}

/* Before ranks estimate alpha jointly, checks that they have the same rows and options. */
static puad_status agree(rank_group *all, const fit_job *job, const char *alpha)
{
    char options[256];
    const recipe *source = job->source ? &job->source->config : NULL;
    train_rows rows = {.values = job->rows->values,
                       .labels = job->given,
                       .rows = job->rows->rows,
                       .in = {1, 1, job->rows->columns}};
    snprintf(options, sizeof options, "%s %llu %s, %zu anomalies, %s %a", job->options.method,
             (unsigned long long)job->options.seed, alpha ? alpha : "not given",
             fit_count(job, PUAD_LABEL_ANOMALY), source ? source->alpha_kind : "",
             source ? source->objective.alpha : 0);
    return agreement_check_rows(all, options, &rows);
}

puad_status fit_choose_alpha(fit_job *job)
{
    rank_group all = ranks_of(job->options.ranks);
    const recipe *source = job->source ? &job->source->config : NULL;
    bool own = OPTION_GIVEN(job->request, alpha) || !source;
    const char *text = OPTION_TEXT_OF(job->request, alpha);
    TRY(agree(&all, job, text));
    bool automatic = own ? text && strcmp(text, "auto") == 0 : strcmp(source->alpha_kind, "alpha_U") == 0;
    if (own && text && !automatic) TRY(parse_alpha(&job->options.alpha, text));
    if (!own && recipe_alpha_known(source)) job->options.alpha = source->objective.alpha;
    bool open = isnan(job->options.alpha) && !automatic && takes_alpha(job);
    bool reported = OPTION_GIVEN(job->request, alpha), labeled = fit_count(job, PUAD_LABEL_ANOMALY) > 0;
    bool has_network = detector_kind_has_network(detector_kind_find(job->options.method));
    prior_estimate found = {.refused = true};
    job->plan.alpha_given = reported && !automatic;
    job->plan.alpha = job->plan.alpha_given ? job->options.alpha : 0;
    if (automatic || (labeled && open && has_network)) TRY(estimate(&found, job, own && automatic, &all));
    if (open && has_network && !found.refused) automatic = true;
    if (reported && !automatic && takes_alpha(job)) TRY(doubt_given(job, job->options.alpha, &all));
    if (open && !automatic)
        options_tell(job->request, PUAD_NOTE, "%s",
                     has_network ? "alpha is not given and could not be estimated; 0.1 is used"
                                 : "alpha is not given; trees for 0, 0.05, 0.1 and 0.2 are averaged");
    if (automatic && !own && found.refused) { /* not identifiable from the new rows: keep the earlier one */
        job->options.alpha_kind = source->alpha_kind;
    } else if (automatic) {
        job->options.alpha = without_asked(job, found.alpha);
        job->options.alpha_kind = "alpha_U";
    }
    return PUAD_OK;
}
