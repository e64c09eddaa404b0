/* The options of objectives: one table, and conversion between strings and puad_objective_options. */
#include "objective/objective.h"

#include "base/c_locale.h"

#include <stdio.h>
#include <string.h>

const option objective_options[] = {
#define OBJECTIVE_OPTION(field, kind, preset, lowest, highest, words, kinds, line)                           \
    {.name = #field,                                                                                         \
     .type = kind,                                                                                           \
     .standard = preset,                                                                                     \
     .min = lowest,                                                                                          \
     .max = highest,                                                                                         \
     .value = kind == OPTION_NUMBER ? "X" : words,                                                           \
     .choices = words,                                                                                       \
     .help = line},
#include "options/objective_options.def"
#undef OBJECTIVE_OPTION
};
const size_t objective_option_count = sizeof objective_options / sizeof *objective_options;

/* The field of each row: a double for a number, an int-sized enumeration for a choice. */
static const struct place {
    size_t offset, size;
    unsigned kinds;
} places[] = {
#define OBJECTIVE_OPTION(field, kind, preset, lowest, highest, words, kinds, line)                           \
    {offsetof(puad_objective_options, field), sizeof((puad_objective_options *)0)->field, kinds},
#include "options/objective_options.def"
#undef OBJECTIVE_OPTION
};
_Static_assert(sizeof(puad_weight) == sizeof(int) && sizeof(puad_balance) == sizeof(int),
               "choices are kept as int");

bool objective_takes(const puad_objective *objective, const char *name)
{
    return options_has_word(objective->options, name);
}

/* The index of a word in "a|b|c"; option_set has checked that it is there. */
static unsigned choice_position(const char *choices, const char *text)
{
    size_t length = strlen(text);
    for (unsigned position = 0;; position++) {
        size_t size = strcspn(choices, "|");
        if ((size == length && memcmp(choices, text, size) == 0) || !choices[size]) return position;
        choices += size + 1;
    }
}

static puad_status set_field(puad_objective_options *options, size_t index, const char *text)
{
    const option *row = &objective_options[index];
    option_value value = {0};
    TRY(option_set(&value, row, text));
    char *field = (char *)options + places[index].offset;
    if (row->type == OPTION_CHOICE) {
        unsigned kind = choice_position(row->choices, text) % places[index].kinds;
        memcpy(field, &kind, sizeof kind);
    } else {
        memcpy(field, &value.number, sizeof value.number);
    }
    return PUAD_OK;
}

puad_objective_options puad_objective_options_standard(void)
{
    puad_objective_options options = {.alpha = 0.1, .eta = PUAD_ETA_FROM_VARIANCES};
    for (size_t i = 0; i < objective_option_count; i++)
        if (objective_options[i].standard) set_field(&options, i, objective_options[i].standard);
    return options;
}

puad_status objective_option_set(puad_objective_options *options, const puad_objective *objective,
                                 const char *name, const char *text)
{
    NEED(options);
    NEED(objective);
    NEED(name);
    NEED(text);
    size_t index = options_find(objective_options, objective_option_count, name);
    if (index == objective_option_count || !objective_takes(objective, name))
        FAIL(PUAD_INVALID, "objective %s has no option '%s'; it takes %s", objective->name, name,
             objective->options && *objective->options ? objective->options : "none");
    return set_field(options, index, text);
}

puad_status objective_option_text(char *text, size_t capacity, const puad_objective_options *options,
                                  const char *name)
{
    size_t index = options_find(objective_options, objective_option_count, name);
    if (index == objective_option_count) FAIL(PUAD_INVALID, "there is no option '%s'", name);
    const option *row = &objective_options[index];
    const char *field = (const char *)options + places[index].offset;
    if (row->type == OPTION_CHOICE) {
        unsigned kind;
        memcpy(&kind, field, sizeof kind);
        const char *word = row->choices;
        for (; kind > 0; kind--) word += strcspn(word, "|") + 1;
        snprintf(text, capacity, "%.*s", (int)strcspn(word, "|"), word);
    } else {
        double number;
        memcpy(&number, field, sizeof number);
        if (number < row->min)
            snprintf(text, capacity, "%s", "");
        else
            c_print(text, capacity, "%.17g", number);
    }
    return PUAD_OK;
}

puad_status objective_options_check(const puad_objective_options *options)
{
    if (!(options->alpha >= 0 && options->alpha < 1))
        FAIL(PUAD_INVALID, "alpha: %g is not at least 0 and below 1", options->alpha);
    if (!(options->eta <= 1)) FAIL(PUAD_INVALID, "eta: %g is not within 0 to 1", options->eta);
    for (size_t i = 0; i < objective_option_count; i++) {
        unsigned kind = 0;
        if (places[i].size == sizeof kind)
            memcpy(&kind, (const char *)options + places[i].offset, sizeof kind);
        if (places[i].kinds && kind >= places[i].kinds)
            FAIL(PUAD_INVALID, "%s: %u is not one of its %u values", objective_options[i].name, kind,
                 places[i].kinds);
    }
    return PUAD_OK;
}
