/* alpha for the formulas of training, and alpha_U for decisions.
 *
 * Rows that somebody was asked about (--labels) are no fair sample: they were chosen for their scores. So
 * alpha is estimated with them as unlabeled as they were. Decisions rest on rows held out before anybody was
 * asked, for which that is the share; for training what was found is taken out. */
#include "cli/fit.h"
#include "decide/prior.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA_MOST 0.999

/* From the share among the rows unlabeled in INPUT to that among those which still are. */
static double without_asked(const fit_job *job, double alpha)
{
    double before = 0, found = 0, left = 0;
    for (size_t i = 0; i < job->rows.rows; i++) {
        bool was = job->given[i] == LABEL_UNLABELED, is = job->rows.labels[i] == LABEL_UNLABELED;
        before += was;
        left += is;
        found += was && job->rows.labels[i] == LABEL_ANOMALY;
    }
    return left > 0 ? fmin(ALPHA_MOST, fmax(0, (alpha * before - found) / left)) : 0;
}

static puad_status parse_alpha(double *out, const char *text)
{
    char *end;
    *out = strtod(text, &end);
    if (end == text || *end || !(*out >= 0 && *out < 1))
        FAIL(PUAD_INVALID, "--alpha: '%s' is neither a share of at least 0 and below 1 nor 'auto'", text);
    return PUAD_OK;
}

/* Whether the method has any use for alpha. */
static bool takes_alpha(const fit_job *job)
{
    const detector_kind *kind = detector_kind_find(job->options.method);
    bool labeled = dataset_count(&job->rows, LABEL_ANOMALY) > 0;
    if (!detector_kind_has_network(kind)) return labeled && detector_kind_parts(kind) & PART_TREES;
    return labeled && strncmp(kind->objective, "p", 1) == 0;
}

static puad_status estimate(fit_job *job, bool needed)
{
    const dataset *rows = &job->rows;
    prior_estimate found;
    TRY(prior_from_rows(&found, NULL, rows->values, job->given, rows->rows, rows->columns, job->options.seed,
                        job->workers));
    if (found.refused && needed)
        FAIL(PUAD_FORMAT, "--alpha auto: %s; or give a share (--alpha SHARE)", found.reason);
    bool talks = !FIT_GIVEN(job, "quiet");
    if (found.refused && job->plan.alpha_unknown) {
        if (talks)
            fprintf(stderr,
                    "puad fit: note: decisions will do without alpha, and be conservative, unless it is "
                    "given (--alpha): %s\n",
                    found.reason);
        return PUAD_OK;
    }
    if (found.refused) {
        if (talks)
            fprintf(stderr, "puad fit: note: decisions will rest on alpha_U %g %s: %s\n", job->plan.alpha,
                    FIT_GIVEN(job, "alpha") ? "as given" : "of the model of --from", found.reason);
        return PUAD_OK;
    }
    job->plan.alpha = found.alpha;
    job->plan.alpha_low = found.low;
    job->plan.alpha_high = fmin(ALPHA_MOST, found.high);
    job->plan.alpha_estimated = true;
    job->plan.alpha_unknown = false;
    if (talks)
        fprintf(stderr, "alpha_U is estimated as %.4f (95%% interval %.4f to %.4f)\n", job->plan.alpha,
                job->plan.alpha_low, job->plan.alpha_high);
    return PUAD_OK;
}

puad_status fit_choose_alpha(fit_job *job)
{
    const recipe *from = job->from ? &job->from->how : NULL;
    bool own = FIT_GIVEN(job, "alpha") || !from;
    const char *text = value_of(job->call, "alpha")->text;
    bool automatic = own ? text && strcmp(text, "auto") == 0 : strcmp(from->alpha_kind, "alpha_U") == 0;
    if (own && text && !automatic) TRY(parse_alpha(&job->options.alpha, text));
    if (!own && recipe_alpha_known(from)) job->options.alpha = from->objective.alpha;
    bool open = isnan(job->options.alpha) && !automatic && takes_alpha(job);
    /* Nobody has said what the default is: it is good enough to train with, not to promise anything by. */
    const calibration *old = job->from ? &job->from->held_out : NULL;
    bool told = FIT_GIVEN(job, "alpha"), known = !told && old && old->unlabeled_count && !old->alpha_unknown;
    job->plan.alpha = told ? job->options.alpha : known ? old->alpha : 0;
    job->plan.alpha_low = known ? old->alpha_low : job->plan.alpha;
    job->plan.alpha_high = known ? old->alpha_high : job->plan.alpha;
    job->plan.alpha_estimated = known && old->alpha_estimated;
    job->plan.alpha_unknown = !told && !known;
    bool labeled = dataset_count(&job->rows, LABEL_ANOMALY) > 0;
    bool has_network = detector_kind_has_network(detector_kind_find(job->options.method));
    if (automatic || (labeled && (job->calibrates || (open && has_network)))) TRY(estimate(job, automatic));
    if (open && has_network && job->plan.alpha_estimated) automatic = true;
    if (open && !automatic && !FIT_GIVEN(job, "quiet"))
        fprintf(stderr,
                has_network
                    ? "puad fit: note: alpha is not given and could not be estimated; 0.1 is used\n"
                    : "puad fit: note: alpha is not given; forests for 0, 0.05, 0.1 and 0.2 vote together\n");
    if (automatic) {
        job->options.alpha = without_asked(job, job->plan.alpha);
        job->options.alpha_kind = "alpha_U";
    }
    return PUAD_OK;
}
