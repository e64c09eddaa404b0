/* What a fit trains with: the command line first, then the model of --from, then the defaults. */
#include "cli/fit.h"
#include "objective/objective.h"

#include <stdio.h>
#include <string.h>

/* The detector of the same head that can use labeled normals; the same one where there is none. */
static const char *method_with_normals(const detector_kind *kind)
{
    if (detector_kind_has_network(kind) && detector_kind_objective(kind)->labels & PUAD_USES_NORMALS)
        return kind->name;
    for (size_t i = 0; detector_kind_at(i); i++) {
        const detector_kind *other = detector_kind_at(i);
        if (strcmp(other->objective, "pnu") == 0 && strcmp(other->head, kind->head) == 0) return other->name;
    }
    return kind->name;
}

static puad_status add_setting(fit_job *job, const char **list, size_t *count, const char *name,
                               const char *value)
{
    char text[128];
    snprintf(text, sizeof text, "%s=%s", name, value);
    list[*count] = arena_text(&job->memory, text);
    if (!list[(*count)++]) FAIL(PUAD_MEMORY, "no memory for a setting");
    return PUAD_OK;
}

/* The model's own choices as NAME=VALUE, as far as the new method takes them; those of the command line come
 * behind them, so that the last word is theirs. */
static puad_status settings_of_model(fit_job *job, const option_value *given)
{
    const recipe *how = &job->from->how;
    const detector_kind *kind = detector_kind_find(job->options.method);
    const puad_objective *objective = kind ? detector_kind_objective(kind) : NULL;
    const char **list;
    size_t count = 0;
    char text[64];
    TRY(arena_new(&job->memory, &list, objective_option_count + 6 + given->list_count, sizeof *list));
    for (size_t i = 0; objective && i < objective_option_count; i++) {
        const char *name = objective_options[i].name;
        if (!objective_takes(objective, name) || !objective_takes(detector_kind_objective(how->kind), name))
            continue;
        TRY(objective_option_text(text, sizeof text, &how->objective, name));
        if (text[0]) TRY(add_setting(job, list, &count, name, text));
    }
    const char *net = FIT_GIVEN(job, "network") ? job->options.network : how->network;
    if (kind && strcmp(kind->head, "distance") == 0 && how->head == HEAD_DISTANCE &&
        architecture_takes(net, "embedding"))
        TRY(add_setting(job, list, &count, "embedding", how->linear_code ? "linear" : "bn"));
    snprintf(text, sizeof text, "%.17g", how->noise);
    if (how->noise != how->kind->noise) /* somebody's choice, not the old method's own */
        TRY(add_setting(job, list, &count, "noise", text));
    snprintf(text, sizeof text, "%zu", how->depth ? how->depth : 3); /* older models have three */
    if (architecture_takes(net, "depth")) TRY(add_setting(job, list, &count, "depth", text));
    snprintf(text, sizeof text, "%.17g", how->decay);
    if (kind && detector_kind_has_network(kind) && detector_kind_has_network(how->kind))
        TRY(add_setting(job, list, &count, "decay", text));
    snprintf(text, sizeof text, "%zu", how->width);
    if (how->width && architecture_takes(net, "width")) TRY(add_setting(job, list, &count, "width", text));
    snprintf(text, sizeof text, "%zu", how->latent);
    if (how->latent && architecture_takes(net, "latent")) TRY(add_setting(job, list, &count, "latent", text));
    for (size_t i = 0; i < given->list_count; i++) list[count++] = given->list[i];
    job->options.settings = list;
    job->options.setting_count = count;
    return PUAD_OK;
}

static puad_status take_from_model(fit_job *job)
{
    const recipe *how = &job->from->how;
    puad_fit_options *fit = &job->options;
    if (how->own_head[0] || how->own_objective[0])
        FAIL(PUAD_INVALID, "--from: that model was trained by a program with a head or objective of its own");
    if (!FIT_GIVEN(job, "method"))
        fit->method =
            dataset_count(&job->rows, LABEL_NORMAL) ? method_with_normals(how->kind) : how->kind->name;
    if (!FIT_GIVEN(job, "epochs")) fit->epochs = how->epochs;
    if (!FIT_GIVEN(job, "pretrain-epochs") && !FIT_GIVEN(job, "epochs"))
        fit->pretrain_epochs = how->pretrain_epochs;
    if (!FIT_GIVEN(job, "steps") && !FIT_GIVEN(job, "epochs")) fit->steps = how->steps;
    if (!FIT_GIVEN(job, "patience")) fit->patience = how->patience;
    if (!FIT_GIVEN(job, "batch")) fit->batch = how->batch;
    if (!FIT_GIVEN(job, "seed")) fit->seed = how->seed;
    if (!FIT_GIVEN(job, "lr")) fit->learning_rate = how->learning_rate;
    if (!FIT_GIVEN(job, "network")) fit->network = how->network;
    if (!FIT_GIVEN(job, "sampler") && how->sampler_given)
        fit->sampler = how->sampler == SAMPLER_STRATIFIED ? "stratified" : "shuffle";
    return settings_of_model(job, value_of(job->call, "set"));
}

puad_status fit_settle(fit_job *job)
{
    const invocation *call = job->call;
    const option_value *pretrain = value_of(call, "pretrain-epochs"), *settings = value_of(call, "set");
    puad_fit_options *fit = &job->options;
    *fit = puad_fit_options_standard();
    fit->method = value_of(call, "method")->text;
    fit->epochs = (size_t)value_of(call, "epochs")->integer;
    fit->pretrain_epochs = pretrain->given ? (size_t)pretrain->integer : SIZE_MAX;
    if (is_given(call, "steps"))
        fit->steps = (size_t)value_of(call, "steps")->integer;
    else if (is_given(call, "epochs"))
        fit->steps = 0;
    fit->patience = (size_t)value_of(call, "patience")->integer;
    fit->batch = (size_t)value_of(call, "batch")->integer;
    fit->seed = (uint64_t)value_of(call, "seed")->integer;
    fit->threads = (int)value_of(call, "threads")->integer;
    fit->learning_rate = value_of(call, "lr")->number;
    fit->network = value_of(call, "network")->text;
    fit->sampler = value_of(call, "sampler")->text;
    fit->settings = settings->list;
    fit->setting_count = settings->list_count;
    fit->resume = is_given(call, "resume");
    job->calibrates = is_given(call, "calibrate");
    job->plan = (calibration_plan){
        .share = value_of(call, "calibrate")->number, .asked = job->asked, .before = job->before};
    if (job->from) {
        TRY(take_from_model(job));
        if (!job->calibrates && job->from->held_out.unlabeled_count) {
            job->calibrates = true;
            job->plan.share = job->from->held_out.share;
        }
        /* Of another share, new rows would be too many or too few of those drawn. */
        bool other = job->plan.share != job->from->held_out.share;
        for (size_t i = 0; job->before && other && i < job->rows.rows; i++)
            if (job->before[i] == CALIBRATION_NEW) job->before[i] = CALIBRATION_ANY;
    }
    if (!fit->method) fit->method = recipe_default_method(job->rows.image);
    if (!detector_kind_find(fit->method))
        FAIL(PUAD_INVALID, "--method: there is no '%s'; there are %s", fit->method, detector_kind_names());
    return PUAD_OK;
}
