/* Converts the options of a fit to a config in which every choice is made. */
#include "detector/model/model.h"
#include "objective/objective.h"
#include "options/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For tables: few steps of a small network, chosen on ten tables of ADBench
 * (docs/research/table-networks.md). */
enum { STANDARD_EPOCHS = 200, TABLE_STEPS = 250, TABLE_DEPTH = 1, TABLE_WIDTH = 128, VIEWS_WIDTH = 64 };
enum { LOGISTIC_EPOCHS = 16, LOGISTIC_STEPS = 800 };
#define LOGISTIC_RATE 1e-3
#define LOGISTIC_TURNED (1.0 / 3)
#define TABLE_DECAY 1e-6

#define ALPHA_DEFAULT 0.1
#define NOVELTY_DEFAULT 0.2

const char *recipe_default_method(bool image, bool series)
{
    return image ? "pusvdd" : series ? "recurrence" : "committee";
}

bool recipe_alpha_known(const recipe *config)
{
    return strcmp(config->alpha_kind, ALPHA_ASSUMED) != 0;
}

double recipe_alpha(const recipe *config)
{
    return detector_kind_has_network(config->kind) || recipe_alpha_known(config) ? config->objective.alpha
                                                                                 : NAN;
}

fit_options fit_options_standard(void)
{
    return (fit_options){.alpha = NAN,
                         .epochs = STANDARD_EPOCHS,
                         .pretrain_epochs = SIZE_MAX,
                         .steps = SIZE_MAX,
                         .batch = 128};
}

static bool is_own(size_t which)
{
    return which < OPTION_AT_COUNT && option_group(which) == PUAD_GROUP_METHOD &&
           options_find(objective_options, objective_option_count, option_table[which].name) ==
               objective_option_count;
}

static puad_status set_own(recipe *out, size_t which, const char *text)
{
    option_value value = {0};
    TRY(option_set(&value, &option_table[which], text));
    switch (which) {
    case OPTION_AT_embedding: out->linear_code = strcmp(text, "linear") == 0; break;
    case OPTION_AT_noise: out->noise = value.number; break;
    case OPTION_AT_depth: out->depth = (size_t)value.integer; break;
    case OPTION_AT_decay: out->decay = value.number; break;
    case OPTION_AT_width: out->width = (size_t)value.integer; break;
    case OPTION_AT_augment: augment_find(&out->augment, text); break;
    case OPTION_AT_turned: out->turned = value.number; break;
    case OPTION_AT_suspects: out->drops_suspects = strcmp(text, "drop") == 0; break;
    case OPTION_AT_novelty: out->novelty = value.number; break;
    case OPTION_AT_latent: out->latent = (size_t)value.integer; break;
    }
    return PUAD_OK;
}

/* Whether the method can train again without suspects: its objective must account for hidden anomalies
 * like the labeled ones. */
static bool takes_suspects(const recipe *config)
{
    unsigned needs = PUAD_USES_UNLABELED | PUAD_USES_ANOMALIES | PUAD_ESTIMATES_RISK;
    return detector_kind_has_network(config->kind) && config->trains &&
           (config->trains->labels & needs) == needs;
}

/* Whether this method and its network use an option that is not one of its objective. */
static bool takes_own(const recipe *out, size_t which)
{
    unsigned parts = detector_kind_parts(out->kind);
    bool committee = parts & PART_TREES && parts != PART_TREES;
    if (which == OPTION_AT_novelty || !detector_kind_has_network(out->kind))
        return which == OPTION_AT_novelty && committee;
    if (which == OPTION_AT_suspects) return takes_suspects(out);
    if (which == OPTION_AT_noise || which == OPTION_AT_decay) return true;
    if (which == OPTION_AT_turned) return out->head == HEAD_LOGISTIC && strcmp(out->network, "conv32") == 0;
    if (which == OPTION_AT_augment) return head_is_logit(out->head) && strcmp(out->network, "conv32") == 0;
    return (which != OPTION_AT_embedding || out->head == HEAD_DISTANCE) &&
           architecture_takes(out->network, option_table[which].name);
}

bool recipe_takes(const recipe *out, const char *name)
{
    size_t which = puad_option_find(name);
    if (is_own(which)) return takes_own(out, which);
    return detector_kind_has_network(out->kind) && objective_takes(out->trains, name);
}

/* The message about an unknown name lists the options of the objective and of the method. */
static puad_status refuse_name(const recipe *out, const char *name)
{
    char takes[256] = "";
    size_t used = 0;
    for (int own = 0; own < 2; own++)
        for (size_t i = 0; i < OPTION_AT_COUNT; i++)
            if (option_group(i) == PUAD_GROUP_METHOD && is_own(i) == own &&
                recipe_takes(out, option_table[i].name))
                used += (size_t)snprintf(takes + used, sizeof takes - used, "%s%s", used ? ", " : "",
                                         option_table[i].name);
    if (!used) FAIL(PUAD_INVALID, "method %s takes no option '%s'", out->kind->name, name);
    if (!detector_kind_has_network(out->kind))
        FAIL(PUAD_INVALID, "method %s has no option '%s'; it takes %s", out->kind->name, name, takes);
    FAIL(PUAD_INVALID, "method %s with network %s has no option '%s'; it takes %s", out->kind->name,
         out->network, name, takes);
}

puad_status recipe_set(recipe *out, const char *setting)
{
    char name[32];
    size_t length = strcspn(setting, "=");
    if (setting[length] != '=' || length == 0 || length >= sizeof name)
        FAIL(PUAD_INVALID, "'%s' is not NAME=VALUE", setting);
    memcpy(name, setting, length);
    name[length] = 0;
    size_t which = puad_option_find(name);
    if (!recipe_takes(out, name)) return refuse_name(out, name);
    if (is_own(which)) return set_own(out, which, setting + length + 1);
    return objective_option_set(&out->objective, out->trains, name, setting + length + 1);
}

static head_kind head_of(const detector_kind *kind)
{
    for (head_kind which = HEAD_RECONSTRUCTION; which < HEAD_OWN_CODE; which++)
        if (strcmp(head_name(which), kind->head) == 0) return which;
    return HEAD_RECONSTRUCTION; /* a forest; it has no head */
}

static puad_status set_sampler(recipe *out, const char *name)
{
    if (!name) return PUAD_OK;
    out->sampler_given = true;
    if (!sampler_find(&out->sampler, name)) FAIL(PUAD_INVALID, "there is no sampler '%s'", name);
    return PUAD_OK;
}

/* mlp has few weights and, on most tables, few steps per epoch: it learns best at ten times the rate of
 * conv32 (docs/research/table-networks.md). */
static double standard_rate(const char *name)
{
    return strcmp(name, "mlp") == 0 || strcmp(name, "conv1d") == 0 ? 10 * adam_standard.rate
                                                                   : adam_standard.rate;
}

/* Sets the defaults of tables, unless epochs are given. */
static void set_table(recipe *out, const fit_options *options)
{
    if (strcmp(out->network, "mlp") == 0 && out->trains &&
        out->trains->labels & PUAD_USES_ANOMALIES) { /* measured only with labels */
        out->depth = TABLE_DEPTH;
        out->width = TABLE_WIDTH;
    }
    if (out->head == HEAD_ICL ||
        out->head == HEAD_NEUTRAL) { /* each of a row's views passes through the network */
        out->depth = TABLE_DEPTH;
        out->width = VIEWS_WIDTH;
    }
    out->decay = TABLE_DECAY;
    if (options->steps == SIZE_MAX && options->epochs == STANDARD_EPOCHS && !options->patience)
        out->steps = TABLE_STEPS;
    out->drops_suspects = out->steps > 0 && !options->objective && takes_suspects(out);
}

/* The logistic head is trained with batches of many labels, at a rate that rises and falls, without
 * validation. For images the default is a number of epochs that was sufficient on CIFAR-10
 * (docs/explanation/networks.md). */
static void set_logistic(recipe *out, const fit_options *options, bool image)
{
    out->sampler = SAMPLER_BALANCED;
    out->sampler_given = true;
    if (!image) return;
    out->augment = AUGMENT_AUTO;
    bool conv32 = strcmp(out->network, "conv32") == 0;
    if (conv32) out->turned = LOGISTIC_TURNED;
    if (options->learning_rate <= 0) {
        out->learning_rate = LOGISTIC_RATE;
        out->rate_chosen = conv32;
    }
    if (options->epochs == STANDARD_EPOCHS && options->steps == SIZE_MAX) {
        out->epochs = LOGISTIC_EPOCHS;
        out->steps_least = LOGISTIC_STEPS; /* few images need more epochs */
    }
}

static puad_status check_count(const char *name, size_t count)
{
    if (count > RECIPE_COUNT_MAX)
        FAIL(PUAD_INVALID, "%s is %zu, expected at most %d", name, count, RECIPE_COUNT_MAX);
    return PUAD_OK;
}

/* Rejects numbers that make no fit, or a model that could not be read again. */
static puad_status check_numbers(const fit_options *options)
{
    static const char *const kinds[] = {"given", "alpha_U", "alpha_all", ALPHA_ASSUMED};
    size_t kind = 0;
    if (!isnan(options->alpha) && !(options->alpha >= 0 && options->alpha < 1))
        FAIL(PUAD_INVALID, "alpha is %g, expected 0 <= alpha < 1", options->alpha);
    if (!(options->learning_rate >= 0 && isfinite(options->learning_rate)))
        FAIL(PUAD_INVALID, "learning_rate is %g, expected a number above 0, or 0 for the default",
             options->learning_rate);
    while (options->alpha_kind && kind < 4 && strcmp(options->alpha_kind, kinds[kind]) != 0) kind++;
    if (kind == 4)
        FAIL(PUAD_INVALID, "alpha_kind is '%s', expected given, alpha_U, alpha_all or assumed",
             options->alpha_kind);
    TRY(check_count("epochs", options->epochs));
    if (options->pretrain_epochs != SIZE_MAX) TRY(check_count("pretrain_epochs", options->pretrain_epochs));
    if (options->steps != SIZE_MAX) TRY(check_count("steps", options->steps));
    TRY(check_count("patience", options->patience));
    return check_count("batch", options->batch);
}

puad_status recipe_make(recipe *out, const fit_options *options, shape in, bool image)
{
    *out =
        (recipe){.kind = detector_kind_find(
                     options->method ? options->method : recipe_default_method(image, options->window > 0))};
    if (!out->kind)
        FAIL(PUAD_INVALID, "there is no method '%s'; there are %s", options->method, detector_kind_names());
    TRY(check_numbers(options));
    out->head = head_of(out->kind);
    out->linear_code = out->head == HEAD_DISTANCE;
    out->noise = out->kind->noise;
    out->objective = puad_objective_options_standard();
    out->objective.alpha = isnan(options->alpha) ? ALPHA_DEFAULT : options->alpha;
    out->novelty = NOVELTY_DEFAULT;
    out->epochs = options->epochs;
    out->pretrain_given = options->pretrain_epochs != SIZE_MAX;
    out->pretrain_epochs = out->pretrain_given ? options->pretrain_epochs : options->epochs;
    out->window = options->window;
    out->stride = options->stride;
    out->patches = options->patches;
    out->patience = options->patience;
    out->batch = options->batch;
    out->seed = options->seed;
    snprintf(out->alpha_kind, sizeof out->alpha_kind, "%s",
             isnan(options->alpha) ? ALPHA_ASSUMED
             : options->alpha_kind ? options->alpha_kind
                                   : "given");
    snprintf(out->network, sizeof out->network, "%s",
             options->network ? options->network : architecture_default(in, image, out->head));
    out->learning_rate = options->learning_rate > 0 ? options->learning_rate : standard_rate(out->network);
    out->decay = adam_standard.decay;
    out->steps = options->steps == SIZE_MAX ? 0 : options->steps;
    out->trains = detector_kind_objective(out->kind);
    if (!image && strcmp(out->network, "conv32") != 0) set_table(out, options);
    if (out->head == HEAD_LOGISTIC) set_logistic(out, options, image);
    if (options->head) {
        const puad_own_head *own = options->head;
        if (!own->name || !*own->name) FAIL(PUAD_INVALID, "a custom head needs a name");
        if (strlen(own->name) >= sizeof out->own_head)
            FAIL(PUAD_INVALID, "the name of the head '%s' is longer than %zu bytes", own->name,
                 sizeof out->own_head - 1);
        if (!detector_kind_has_network(out->kind))
            FAIL(PUAD_INVALID,
                 "method %s has no network that a head could read; choose another for a "
                 "custom head",
                 out->kind->name);
        if (!own->evaluate || !own->losses || !own->losses->evaluate)
            FAIL(PUAD_INVALID, "the custom head '%s' needs evaluate, and losses with a pair of functions",
                 own->name);
        out->head = options->head->reads_code ? HEAD_OWN_CODE : HEAD_OWN_OUTPUT;
        snprintf(out->own_head, sizeof out->own_head, "%s", options->head->name);
    }
    if (options->objective) {
        if (!detector_kind_has_network(out->kind))
            FAIL(PUAD_INVALID, "method %s has no objective; choose another for a custom objective",
                 out->kind->name);
        if (!options->objective->name || !options->objective->evaluate)
            FAIL(PUAD_INVALID, "a custom objective needs a name and evaluate");
        out->trains = options->objective;
        snprintf(out->own_objective, sizeof out->own_objective, "%s", options->objective->name);
    }
    TRY(set_sampler(out, options->sampler));
    for (size_t i = 0; i < options->setting_count; i++) {
        if (!options->settings || !options->settings[i])
            FAIL(PUAD_INVALID, "setting_count is %zu, and setting %zu is NULL", options->setting_count, i);
        TRY(recipe_set(out, options->settings[i]));
    }
    return PUAD_OK;
}
