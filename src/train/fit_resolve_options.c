/* Resolves the options of a fit: the caller's, then those of the earlier model, then the defaults. */
#include "detector/model/fit_config_options.h"
#include "detector/model/rank_consistency.h"
#include "objective/objective.h"
#include "train/fit_job.h"

#include <stdio.h>
#include <string.h>

/* The detector with the same head that can use labeled normals; the same detector if there is none. */
static const char *method_with_normals(const detector_kind *kind)
{
    if (detector_kind_has_network(kind) && detector_kind_objective(kind)->labels & PUAD_USES_NORMALS)
        return kind->name;
    for (size_t i = 0; detector_kind_at(i); i++) {
        const detector_kind *other = detector_kind_at(i);
        unsigned uses = PUAD_USES_NORMALS | PUAD_ESTIMATES_RISK;
        if ((detector_kind_objective(other)->labels & uses) == uses && strcmp(other->head, kind->head) == 0)
            return other->name;
    }
    return kind->name;
}

/* Whether the new method has an option of the earlier one. */
static bool passes_on(const recipe *config, const detector_kind *kind, const char *net, enum option_at which)
{
    const char *name = option_table[which].name;
    if (option_group(which) != PUAD_GROUP_METHOD) return true;
    if (which == OPTION_AT_noise) return config->noise != config->kind->noise; /* set explicitly */
    if (which == OPTION_AT_novelty) return config->kind == kind;
    if (!detector_kind_has_network(kind)) return false;
    if (which == OPTION_AT_decay) return true;
    if (which == OPTION_AT_suspects)
        return recipe_takes(&(recipe){.kind = kind, .trains = detector_kind_objective(kind)}, name);
    if (which == OPTION_AT_augment || which == OPTION_AT_turned) return config->kind == kind;
    if (which == OPTION_AT_embedding && strcmp(kind->head, "distance") != 0) return false;
    if (which == OPTION_AT_embedding || which == OPTION_AT_width || which == OPTION_AT_latent ||
        which == OPTION_AT_depth)
        return architecture_takes(net, name);
    return objective_takes(detector_kind_objective(kind), name);
}

/* Uses the earlier model's options for those the caller has not set; pretraining follows the epochs. */
static puad_status take_from_model(puad_options *options, const fit_job *job)
{
    const recipe *config = &job->source->config;
    char text[128];
    if (config->own_head[0] || config->own_objective[0])
        FAIL(PUAD_INVALID, "the earlier model was trained by a program with a custom head or objective");
    if (!OPTION_GIVEN(options, method))
        TRY(puad_options_set(options, "method",
                             fit_count(job, PUAD_LABEL_NORMAL) ? method_with_normals(config->kind)
                                                               : config->kind->name));
    const detector_kind *kind = detector_kind_find(OPTION_TEXT_OF(options, method));
    if (!kind) return PUAD_OK; /* reported by a later check */
    bool epochs = OPTION_GIVEN(options, epochs);
    const char *net = OPTION_GIVEN(options, network) ? OPTION_TEXT_OF(options, network) : config->network;
    for (size_t i = 0; i < OPTION_AT_COUNT; i++) {
        puad_option_group group = option_group(i);
        bool of_fit = group == PUAD_GROUP_FIT || group == PUAD_GROUP_METHOD || i == OPTION_AT_seed;
        if (!of_fit || options->values[i].given || i == OPTION_AT_alpha) continue;
        bool of_schedule = i == OPTION_AT_pretrain_epochs || i == OPTION_AT_steps || i == OPTION_AT_suspects;
        if (of_schedule && epochs) continue;
        TRY(recipe_option_text(text, sizeof text, config, (enum option_at)i));
        if (!text[0] || !passes_on(config, kind, net, (enum option_at)i)) continue;
        TRY(puad_options_set(options, option_table[i].name, text));
    }
    return PUAD_OK;
}

puad_status fit_settle(fit_job *job)
{
    puad_options *settled = NULL;
    TRY(puad_options_copy(&settled, job->request));
    puad_status status = job->source ? take_from_model(settled, job) : PUAD_OK;
    job->settled = settled; /* owns the strings of job->options */
    TRY(status);
    TRY(fit_options_of(&job->options, settled, &job->memory));
    job->options.window = job->window.length;
    job->options.stride = job->window.stride;
    job->options.scale = job->scales;
    job->options.first = job->windows.first;
    const transform *made_by = job->rows->transform;
    bool features = made_by && made_by->backbone;
    job->options.patches = features ? backbone_patch_count(made_by->backbone) : 0;
    if (!job->options.method)
        job->options.method = job->rows->image && fit_count(job, PUAD_LABEL_ANOMALY)
                                  ? "pulogistic" /* it needs labeled anomalies */
                              : features ? "pulinear"
                                         : recipe_default_method(job->rows->image, job->series != NULL);
    job->calibrates = OPTION_GIVEN(job->request, calibrate);
    job->plan = (calibration_plan){
        .share = OPTION_NUMBER_OF(job->request, calibrate), .asked = job->asked, .before = job->before};
    if (job->source) {
        if (!job->calibrates && job->source->held_out.unlabeled_count) {
            job->calibrates = true;
            job->plan.share = job->source->held_out.share;
        }
        /* With another fraction, the number of new rows held out would be biased. */
        bool other = job->plan.share != job->source->held_out.share;
        for (size_t i = 0; job->before && other && i < job->rows->rows; i++)
            if (job->before[i] == CALIBRATION_NEW) job->before[i] = CALIBRATION_ANY;
    }
    if (!detector_kind_find(job->options.method))
        FAIL(PUAD_INVALID, "option 'method': there is no '%s'; there are %s", job->options.method,
             detector_kind_names());
    return agreement_check_method(detector_kind_find(job->options.method), job->options.ranks);
}
