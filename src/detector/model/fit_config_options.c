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

puad_status fit_options_of(fit_options *out, const puad_options *from, arena *memory)
{
    const option_value *pretrain = options_value(from, OPTION_AT_pretrain_epochs);
    *out = fit_options_standard();
    out->pretrain_epochs = pretrain->given ? (size_t)pretrain->integer : SIZE_MAX;
    out->method = OPTION_TEXT_OF(from, method);
    out->epochs = (size_t)OPTION_INTEGER_OF(from, epochs);
    if (OPTION_GIVEN(from, steps))
        out->steps = (size_t)OPTION_INTEGER_OF(from, steps);
    else if (OPTION_GIVEN(from, epochs))
        out->steps = 0; /* given epochs replace steps */
    out->patience = (size_t)OPTION_INTEGER_OF(from, patience);
    if (OPTION_GIVEN(from, window)) {
        out->window = (size_t)OPTION_INTEGER_OF(from, window);
        out->stride =
            OPTION_GIVEN(from, stride) ? (size_t)OPTION_INTEGER_OF(from, stride) : window_stride(out->window);
    }
    out->batch = (size_t)OPTION_INTEGER_OF(from, batch);
    out->seed = (uint64_t)OPTION_INTEGER_OF(from, seed);
    out->learning_rate = OPTION_GIVEN(from, lr) ? OPTION_NUMBER_OF(from, lr) : 0;
    out->network = OPTION_TEXT_OF(from, network);
    out->sampler = OPTION_TEXT_OF(from, sampler);
    out->checkpoint = OPTION_TEXT_OF(from, checkpoint);
    out->resume = OPTION_GIVEN(from, resume);
    if (!from) return PUAD_OK;
    out->objective = from->objective;
    out->head = from->head;
    out->ranks = from->ranks;
    out->progress = from->progress;
    out->context = from->progress_context;
    const option_value *more = options_value(from, OPTION_AT_set);
    const char **list;
    TRY(arena_new(memory, &list, OPTION_AT_COUNT + more->list_count, sizeof *list));
    for (size_t i = 0; i < OPTION_AT_COUNT; i++)
        if (option_group(i) == PUAD_GROUP_METHOD && from->values[i].given)
            TRY(add_setting(out, list, memory, option_table[i].name, from->values[i].text));
    for (size_t i = 0; i < more->list_count; i++) list[out->setting_count++] = more->list[i];
    out->settings = list;
    return PUAD_OK;
}

static void print_number(char *text, size_t room, double value)
{
    c_print(text, room, "%.17g", value);
}

/* Options that only some methods and networks use; sizes derived from the data are empty. */
static puad_status method_text(char *text, size_t room, const recipe *how, enum option_at which)
{
    const char *name = option_table[which].name;
    text[0] = 0;
    if (!recipe_takes(how, name)) return PUAD_OK;
    switch ((int)which) {
    case OPTION_AT_augment: snprintf(text, room, "%s", augment_name(how->augment)); break;
    case OPTION_AT_turned: print_number(text, room, how->turned); break;
    case OPTION_AT_suspects: snprintf(text, room, "%s", how->drops_suspects ? "drop" : "keep"); break;
    case OPTION_AT_novelty: print_number(text, room, how->novelty); break;
    case OPTION_AT_noise: print_number(text, room, how->noise); break;
    case OPTION_AT_decay: print_number(text, room, how->decay); break;
    case OPTION_AT_embedding: snprintf(text, room, "%s", how->linear_code ? "linear" : "bn"); break;
    case OPTION_AT_depth: snprintf(text, room, "%zu", how->depth); break;
    case OPTION_AT_width:
        if (how->width) snprintf(text, room, "%zu", how->width);
        break;
    case OPTION_AT_latent:
        if (how->latent) snprintf(text, room, "%zu", how->latent);
        break;
    default: return objective_option_text(text, room, &how->objective, name);
    }
    return PUAD_OK;
}

puad_status recipe_option_text(char *text, size_t room, const recipe *how, enum option_at which)
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
        if (!detector_kind_has_network(how->kind)) return PUAD_OK;
    }
    switch ((int)which) {
    case OPTION_AT_method: snprintf(text, room, "%s", how->kind->name); break;
    case OPTION_AT_alpha:
        if (!isnan(recipe_alpha(how))) print_number(text, room, how->objective.alpha);
        break;
    case OPTION_AT_epochs: snprintf(text, room, "%zu", how->epochs); break;
    case OPTION_AT_pretrain_epochs: snprintf(text, room, "%zu", how->pretrain_epochs); break;
    case OPTION_AT_steps: snprintf(text, room, "%zu", how->steps); break;
    case OPTION_AT_patience: snprintf(text, room, "%zu", how->patience); break;
    case OPTION_AT_batch: snprintf(text, room, "%zu", how->batch); break;
    case OPTION_AT_seed: snprintf(text, room, "%llu", (unsigned long long)how->seed); break;
    case OPTION_AT_window:
        if (how->window) snprintf(text, room, "%zu", how->window);
        break;
    case OPTION_AT_stride:
        if (how->window) snprintf(text, room, "%zu", how->stride);
        break;
    case OPTION_AT_lr: print_number(text, room, how->learning_rate); break;
    case OPTION_AT_network: snprintf(text, room, "%s", how->network); break;
    case OPTION_AT_sampler:
        if (how->sampler_given) snprintf(text, room, "%s", sampler_name(how->sampler));
        break;
    default:
        if (option_group(which) == PUAD_GROUP_METHOD) return method_text(text, room, how, which);
    }
    return PUAD_OK;
}

puad_status puad_detector_option(char *text, size_t room, const puad_detector *model, const char *name)
{
    char whole[128];
    NEED(text);
    NEED(model);
    NEED(name);
    size_t which = puad_option_find(name);
    if (which == OPTION_AT_COUNT) FAIL(PUAD_INVALID, "there is no option '%s'", name);
    TRY(recipe_option_text(whole, sizeof whole, &model->how, (enum option_at)which));
    if (strlen(whole) >= room)
        FAIL(PUAD_INVALID, "option '%s' needs a buffer of %zu bytes", name, strlen(whole) + 1);
    memcpy(text, whole, strlen(whole) + 1);
    return PUAD_OK;
}
