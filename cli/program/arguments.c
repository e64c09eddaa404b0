/* Options may be anywhere; a value is the next word or follows '='; "--" ends the options. */
#include "cli/program/arguments.h"

#include "base/file.h"
#include "options/similar_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static puad_status unknown_option(const command *which, const char *word, const char *name, size_t length)
{
    char typed[64], hint[SIMILAR_CAPACITY], advice[96];
    snprintf(typed, sizeof typed, "%.*s", (int)length, name);
    similar_name search = {.word = typed};
    for (size_t i = 0; i < which->option_count; i++)
        similar_offer(&search, which->options[i].name, strlen(which->options[i].name));
    snprintf(advice, sizeof advice, "; see 'puad help %s'", which->name);
    FAIL(PUAD_INVALID, "unknown option %s%s", word, search.best ? similar_hint(hint, &search, "--") : advice);
}

/* An optional value must follow '='. A number after a blank is an error unless a file has that name. */
static puad_status refuse_blank_value(const option *row, const char *next)
{
    double number;
    if (next && option_read_fraction(&number, next) && !file_exists(next))
        FAIL(PUAD_INVALID, "the value of --%s follows '=': --%s=%s", row->name, row->name, next);
    return PUAD_OK;
}

/* Sets the option that words[*position] names. */
static puad_status parse_option(invocation *call, char **words, int count, int *position)
{
    const command *which = call->command;
    const char *word = words[*position], *text = NULL;
    const char *next = *position + 1 < count ? words[*position + 1] : NULL;
    size_t index = 0, length = 1;
    bool is_long = word[1] == '-';
    const char *name = word + 1 + is_long;
    if (is_long) {
        char known[64];
        length = strcspn(name, "=");
        snprintf(known, sizeof known, "%.*s", (int)length, name);
        index = options_find(which->options, which->option_count, known);
        if (name[length] == '=') text = name + length + 1;
    } else {
        while (index < which->option_count && which->options[index].letter != *name) index++;
        if (name[1]) text = name + 1;
    }
    if (index == which->option_count)
        return unknown_option(which, word, name, is_long ? length : strlen(name));
    const option *row = &which->options[index];
    option_value *value = &call->values[index];
    if (row->type == OPTION_FLAG && text) FAIL(PUAD_INVALID, "--%s takes no value", row->name);
    if (row->bare && !text) {
        TRY(refuse_blank_value(row, next));
        text = row->bare;
    }
    if (row->type != OPTION_FLAG && !text) {
        if (!next)
            FAIL(PUAD_INVALID, "--%s needs a value (%s)", row->name, row->value ? row->value : row->choices);
        text = next;
        ++*position;
    }
    if (row->type == OPTION_LIST && !value->given) value->list_count = 0; /* replaces the default */
    TRY(option_set(value, row, text));
    value->given = true;
    return PUAD_OK;
}

puad_status arguments_parse(invocation *call, const char **arguments, char **words, int count)
{
    const command *which = call->command;
    bool only_arguments = false;
    TRY(options_reset(call->values, which->options, which->option_count));
    for (int i = 0; i < count; i++) {
        if (!only_arguments && strcmp(words[i], "--") == 0) {
            only_arguments = true;
        } else if (!only_arguments && words[i][0] == '-' && words[i][1]) {
            TRY(parse_option(call, words, count, &i));
        } else {
            if (call->argument_count == COMMAND_ARGUMENTS_MAX)
                FAIL(PUAD_INVALID, "more than %d arguments", COMMAND_ARGUMENTS_MAX);
            arguments[call->argument_count++] = words[i];
        }
    }
    if (call->argument_count < which->arguments_least || call->argument_count > which->arguments_most)
        FAIL(PUAD_INVALID, "usage: puad %s %s; see 'puad help %s'", which->name, which->usage, which->name);
    return PUAD_OK;
}

puad_status arguments_join(char **out, invocation *call, const char **arguments)
{
    size_t first = call->command->arguments_least - 1, capacity = 1;
    if (!call->command->joins || call->argument_count <= first) return PUAD_OK;
    if (call->argument_count == first + 1 && arguments[first][0] != '\n') return PUAD_OK;
    for (size_t i = first; i < call->argument_count; i++) capacity += 2 * strlen(arguments[i]) + 3;
    *out = calloc(capacity, 1);
    if (!*out) FAIL(PUAD_MEMORY, "no memory for arguments");
    char *end = *out;
    for (size_t i = first; i < call->argument_count; i++) {
        *end++ = '\n';
        if (arguments[i][0] == '\n') end = stpcpy(end, "./");
        for (const char *source = arguments[i]; *source; source++) {
            *end++ = *source;
            if (*source == '\n') *end++ = '\n';
        }
    }
    arguments[first] = *out;
    call->argument_count = first + 1;
    return PUAD_OK;
}
