/* Converts options to a config, and a config back to the options that produced it. */
#include "detector/model/fit_config_options.h"

#include "base/c_locale.h"
#include "objective/objective.h"
#include "series/window.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static puad_status add_setting(fit_options *out, const char **list, arena *memory, const char *name,
                               const char *value)
{
    return arena_print(memory, &list[out->setting_count++], "%s=%s", name, value);
}

puad_status fit_options_of(fit_options *out, const puad_options *source, arena *memory)
{
    const option_value *pretrain = options_value(source, OPTION_AT_pretrain_epochs);
    *out = fit_options_standard();
    out->pretrain_epochs = pretrain->given ? (size_t)pretrain->integer : SIZE_MAX;
    out->method = OPTION_TEXT_OF(source, method);
    out->epochs = (size_t)OPTION_INTEGER_OF(source, epochs);
    if (OPTION_GIVEN(source, steps))
        out->steps = (size_t)OPTION_INTEGER_OF(source, steps);
    else if (OPTION_GIVEN(source, epochs))
        out->steps = 0; /* given epochs replace steps */
    out->patience = (size_t)OPTION_INTEGER_OF(source, patience);
    if (OPTION_GIVEN(source, window)) {
        out->window = (size_t)OPTION_INTEGER_OF(source, window);
        out->stride = OPTION_GIVEN(source, stride) ? (size_t)OPTION_INTEGER_OF(source, stride)
                                                   : window_stride(out->window);
    }
    out->batch = (size_t)OPTION_INTEGER_OF(source, batch);
    out->seed = (uint64_t)OPTION_INTEGER_OF(source, seed);
    out->learning_rate = OPTION_GIVEN(source, lr) ? OPTION_NUMBER_OF(source, lr) : 0;
    out->network = OPTION_TEXT_OF(source, network);
    out->sampler = OPTION_TEXT_OF(source, sampler);
    out->checkpoint = OPTION_TEXT_OF(source, checkpoint);
    out->resume = OPTION_GIVEN(source, resume);
    if (!source) return PUAD_OK;
    out->objective = source->objective;
    out->head = source->head;
    out->ranks = source->ranks;
    out->progress = source->progress;
    out->context = source->progress_context;
    const option_value *more = options_value(source, OPTION_AT_set);
    const char **list;
    TRY(arena_new(memory, &list, OPTION_AT_COUNT + more->list_count, sizeof *list));
    for (size_t i = 0; i < OPTION_AT_COUNT; i++)
        if (option_group(i) == PUAD_GROUP_METHOD && source->values[i].given)
            TRY(add_setting(out, list, memory, option_table[i].name, source->values[i].text));
    for (size_t i = 0; i < more->list_count; i++) list[out->setting_count++] = more->list[i];
    out->settings = list;
    return PUAD_OK;
}

static void print_number(char *text, size_t capacity, double value)
{
    c_print(text, capacity, "%.17g", value);
}

/* Options that only some methods and networks use; sizes derived from the data are empty. */
static puad_status method_text(char *text, size_t capacity, const recipe *config, enum option_at which)
{
    const char *name = option_table[which].name;
    text[0] = 0;
    if (!recipe_takes(config, name)) return PUAD_OK;
    switch ((int)which) {
    case OPTION_AT_augment: snprintf(text, capacity, "%s", augment_name(config->augment)); break;
    case OPTION_AT_turned: print_number(text, capacity, config->turned); break;
    case OPTION_AT_suspects: snprintf(text, capacity, "%s", config->drops_suspects ? "drop" : "keep"); break;
    case OPTION_AT_novelty: print_number(text, capacity, config->novelty); break;
    case OPTION_AT_noise: print_number(text, capacity, config->noise); break;
    case OPTION_AT_decay: print_number(text, capacity, config->decay); break;
    case OPTION_AT_embedding: snprintf(text, capacity, "%s", config->linear_code ? "linear" : "bn"); break;
    case OPTION_AT_depth: snprintf(text, capacity, "%zu", config->depth); break;
    case OPTION_AT_width:
        if (config->width) snprintf(text, capacity, "%zu", config->width);
        break;
    case OPTION_AT_latent:
        if (config->latent) snprintf(text, capacity, "%zu", config->latent);
        break;
    default: return objective_option_text(text, capacity, &config->objective, name);
    }
    return PUAD_OK;
}

puad_status recipe_option_text(char *text, size_t capacity, const recipe *config, enum option_at which)
{
    text[0] = 0;
    switch ((int)which) {
    case OPTION_AT_epochs:
    case OPTION_AT_pretrain_epochs:
    case OPTION_AT_steps:
    case OPTION_AT_patience:
    case OPTION_AT_batch:
    case OPTION_AT_lr:
    case OPTION_AT_network:
    case OPTION_AT_sampler:
        if (!detector_kind_has_network(config->kind)) return PUAD_OK;
    }
    switch ((int)which) {
    case OPTION_AT_method: snprintf(text, capacity, "%s", config->kind->name); break;
    case OPTION_AT_alpha:
        if (!isnan(recipe_alpha(config))) print_number(text, capacity, config->objective.alpha);
        break;
    case OPTION_AT_epochs: snprintf(text, capacity, "%zu", config->epochs); break;
    case OPTION_AT_pretrain_epochs: snprintf(text, capacity, "%zu", config->pretrain_epochs); break;
    case OPTION_AT_steps: snprintf(text, capacity, "%zu", config->steps); break;
    case OPTION_AT_patience: snprintf(text, capacity, "%zu", config->patience); break;
    case OPTION_AT_batch: snprintf(text, capacity, "%zu", config->batch); break;
    case OPTION_AT_seed: snprintf(text, capacity, "%llu", (unsigned long long)config->seed); break;
    case OPTION_AT_window:
        if (config->window) snprintf(text, capacity, "%zu", config->window);
        break;
    case OPTION_AT_stride:
        if (config->window) snprintf(text, capacity, "%zu", config->stride);
        break;
    case OPTION_AT_lr: print_number(text, capacity, config->learning_rate); break;
    case OPTION_AT_network: snprintf(text, capacity, "%s", config->network); break;
    case OPTION_AT_sampler:
        if (config->sampler_given) snprintf(text, capacity, "%s", sampler_name(config->sampler));
        break;
    default:
        if (option_group(which) == PUAD_GROUP_METHOD) return method_text(text, capacity, config, which);
    }
    return PUAD_OK;
}

puad_status puad_detector_option(const puad_detector *model, char *text, size_t capacity, const char *name)
{
    char whole[128];
    NEED(text);
    NEED(model);
    NEED(name);
    size_t which = puad_option_find(name);
    if (which == OPTION_AT_COUNT) FAIL(PUAD_INVALID, "there is no option '%s'", name);
    TRY(recipe_option_text(whole, sizeof whole, &model->config, (enum option_at)which));
    if (strlen(whole) >= capacity)
        FAIL(PUAD_INVALID, "option '%s' needs a buffer of %zu bytes", name, strlen(whole) + 1);
    memcpy(text, whole, strlen(whole) + 1);
    return PUAD_OK;
}
