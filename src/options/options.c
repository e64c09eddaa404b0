/* A set of option values. */
#include "options/options.h"

#include "base/c_locale.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

puad_status puad_options_new(puad_options **out)
{
    NEED(out);
    *out = NULL;
    puad_options *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "options"));
    puad_status status = options_reset(made->values, option_table, OPTION_AT_COUNT);
    if (status == PUAD_OK) status = team_pool_new(&made->teams);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_options_free(made);
    return status;
}

void puad_options_free(puad_options *options)
{
    if (!options) return;
    team_pool_free(options->teams);
    arena_free(&options->memory);
    free(options);
}

void options_cleanup(puad_options **owner)
{
    puad_options_free(*owner);
}

static puad_status find(size_t *out, const char *name)
{
    *out = puad_option_find(name);
    if (*out == OPTION_AT_COUNT) FAIL(PUAD_INVALID, "there is no option '%s'", name);
    return PUAD_OK;
}

static puad_status set_flag(option_value *value, const char *name, const char *text)
{
    static const char *const words[] = {"no", "yes", "0", "1", "false", "true"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], text) == 0) {
            value->integer = i % 2;
            value->text = words[i % 2];
            value->given = i % 2;
            return PUAD_OK;
        }
    FAIL(PUAD_INVALID, "option '%s': '%s' is neither yes nor no", name, text);
}

static puad_status check_alpha(const char *text)
{
    double alpha;
    if (strcmp(text, "auto") != 0 && (!option_read_fraction(&alpha, text) || !(alpha >= 0 && alpha < 1)))
        FAIL(PUAD_INVALID, "option 'alpha': '%s' is neither a fraction of at least 0 and below 1 nor 'auto'",
             text);
    return PUAD_OK;
}

/* Copies `text`; on failure the value is unchanged. */
static puad_status set_value(puad_options *options, size_t index, const char *text, bool more)
{
    const option *row = &option_table[index];
    option_value trial = options->values[index];
    if (!more || !trial.given) trial.list_count = 0;
    const char *copy = arena_text(&options->memory, text);
    if (!copy) FAIL(PUAD_MEMORY, "no memory for option '%s'", row->name);
    if (row->type == OPTION_FLAG) {
        TRY(set_flag(&trial, row->name, copy));
    } else {
        TRY(option_set(&trial, row, copy));
        if (index == OPTION_AT_alpha) TRY(check_alpha(copy));
        trial.text = copy;
        trial.given = true;
    }
    options->values[index] = trial;
    return PUAD_OK;
}

puad_status puad_options_set(puad_options *options, const char *name, const char *text)
{
    size_t index;
    NEED(options);
    NEED(name);
    TRY(find(&index, name));
    if (text) return set_value(options, index, text, false);
    return options_reset(&options->values[index], &option_table[index], 1);
}

puad_status puad_options_add(puad_options *options, const char *name, const char *text)
{
    size_t index;
    NEED(options);
    NEED(name);
    NEED(text);
    TRY(find(&index, name));
    if (option_table[index].type != OPTION_LIST)
        FAIL(PUAD_INVALID, "option '%s' has a single value and is not a list", option_table[index].name);
    return set_value(options, index, text, true);
}

puad_status puad_options_set_number(puad_options *options, const char *name, double value)
{
    char text[40];
    c_print(text, sizeof text, "%.17g", value);
    return puad_options_set(options, name, text);
}

puad_status puad_options_copy(puad_options **out, const puad_options *source)
{
    TRY(puad_options_new(out));
    if (!source) return PUAD_OK;
    puad_status status = PUAD_OK;
    for (size_t i = 0; i < OPTION_AT_COUNT && status == PUAD_OK; i++) {
        const option_value *value = &source->values[i];
        if (!value->given) continue;
        if (option_table[i].type != OPTION_LIST) status = set_value(*out, i, value->text, false);
        for (size_t k = 0; k < value->list_count && status == PUAD_OK; k++)
            status = set_value(*out, i, value->list[k], true);
    }
    puad_options *made = *out;
    made->progress = source->progress;
    made->stop = source->stop;
    made->progress_context = source->progress_context;
    made->note = source->note;
    made->note_context = source->note_context;
    made->warning = source->warning;
    made->warning_context = source->warning_context;
    made->objective = source->objective;
    made->head = source->head;
    made->ranks = source->ranks;
    if (status == PUAD_OK) return PUAD_OK;
    puad_options_free(made);
    *out = NULL;
    return status;
}

const char *puad_options_get(const puad_options *options, const char *name)
{
    size_t index = puad_option_find(name);
    return index < OPTION_AT_COUNT ? options_text(options, (enum option_at)index) : NULL;
}

const char *puad_options_entry(const puad_options *options, const char *name, size_t index)
{
    size_t which = puad_option_find(name);
    if (!options || which >= OPTION_AT_COUNT) return NULL;
    const option_value *value = &options->values[which];
    if (option_table[which].type == OPTION_LIST) return index < value->list_count ? value->list[index] : NULL;
    return value->given && index == 0 ? options_text(options, (enum option_at)which) : NULL;
}

void puad_options_set_progress(puad_options *options, puad_progress_call *call, void *context)
{
    if (!options) return;
    options->progress = call;
    options->progress_context = context;
}

void puad_options_set_stop(puad_options *options, const puad_stop *stop)
{
    if (options) options->stop = stop;
}

void puad_options_set_note(puad_options *options, puad_note_call *call, void *context)
{
    if (!options) return;
    options->note = call;
    options->note_context = context;
}

void puad_options_set_warning(puad_options *options, puad_warning_call *call, void *context)
{
    if (!options) return;
    options->warning = call;
    options->warning_context = context;
}

void puad_options_set_ranks(puad_options *options, const puad_ranks *ranks)
{
    if (options) options->ranks = ranks;
}

void puad_options_set_objective(puad_options *options, const struct puad_objective *objective)
{
    if (options) options->objective = objective;
}

void puad_options_set_head(puad_options *options, const struct puad_own_head *head)
{
    if (options) options->head = head;
}

static option_value defaults[OPTION_AT_COUNT];

static void make_defaults(void)
{
    /* cannot fail: the defaults are within their bounds */
    options_reset(defaults, option_table, OPTION_AT_COUNT);
}

const option_value *options_value(const puad_options *options, enum option_at which)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (options) return &options->values[which];
    pthread_once(&once, make_defaults);
    return &defaults[which];
}

bool options_given(const puad_options *options, enum option_at which)
{
    return options && options->values[which].given;
}

const char *options_text(const puad_options *options, enum option_at which)
{
    if (options && options->values[which].given) return options->values[which].text;
    return option_table[which].type == OPTION_FLAG ? "no" : option_table[which].standard;
}

puad_status options_team(team **out, const puad_options *options)
{
    TRY(team_borrow(out, options ? options->teams : NULL, (int)OPTION_INTEGER_OF(options, threads)));
    team_set_stop(*out, options ? options->stop : NULL);
    return PUAD_OK;
}

void options_tell(const puad_options *options, puad_note_kind kind, const char *format, ...)
{
    if (!options || !options->note) return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    c_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    options->note(options->note_context, kind, text);
}

void options_warn(const puad_options *options, const puad_warning *warning)
{
    if (!options) return;
    if (options->warning)
        options->warning(options->warning_context, warning);
    else if (options->note)
        options->note(options->note_context, PUAD_WARNING, warning->text);
}
