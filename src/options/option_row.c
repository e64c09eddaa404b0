/* Checks option values against their table. */
#include "options/option_row.h"

#include "base/c_locale.h"
#include "options/similar_name.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static puad_status set_integer(option_value *value, const option *row, const char *text)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno)
        FAIL(PUAD_INVALID, "option '%s': '%s' is not an integer", row->name, text);
    if ((double)number < row->min || (double)number > row->max)
        FAIL(PUAD_INVALID, "option '%s': %lld is not within %.0f to %.0f", row->name, number, row->min,
             row->max);
    value->integer = number;
    value->number = (double)number;
    value->text = text;
    return PUAD_OK;
}

/* Reads a number; *end is the character after it. */
static bool read_number(double *out, const char **end, const char *text)
{
    char *after;
    *out = c_strtod(text, &after);
    *end = after;
    return after != text && isfinite(*out);
}

bool option_read_fraction(double *out, const char *text)
{
    const char *end;
    if (!read_number(out, &end, text)) return false;
    if (strcmp(end, "%") == 0) {
        *out /= 100;
        end++;
    }
    return !*end;
}

static puad_status set_number(option_value *value, const option *row, const char *text)
{
    const char *end = "";
    double number;
    bool fraction = row->value && strcmp(row->value, "FRACTION") == 0;
    if (!(fraction ? option_read_fraction(&number, text) : read_number(&number, &end, text)) || *end)
        FAIL(PUAD_INVALID, "option '%s': '%s' is not a number", row->name, text);
    if (number < row->min || number > row->max)
        FAIL(PUAD_INVALID, "option '%s': %g is not within %g to %g", row->name, number, row->min, row->max);
    value->number = number;
    value->text = text;
    return PUAD_OK;
}

static puad_status set_choice(option_value *value, const option *row, const char *text)
{
    size_t length = strlen(text);
    for (const char *entry = row->choices; *entry;) {
        size_t size = strcspn(entry, "|");
        if (size == length && memcmp(entry, text, size) == 0) {
            value->text = text;
            return PUAD_OK;
        }
        entry += size + (entry[size] == '|');
    }
    char hint[SIMILAR_CAPACITY];
    enum { LIST_MAX = 60 }; /* a longer list is not printed, or only its beginning */
    const char *likely = similar_choice(hint, text, row->choices);
    bool whole = strlen(row->choices) <= LIST_MAX;
    if (*likely && !whole) FAIL(PUAD_INVALID, "option '%s': unknown value '%s'%s", row->name, text, likely);
    FAIL(PUAD_INVALID, "option '%s': '%s' is not one of %.*s%s%s", row->name, text, LIST_MAX, row->choices,
         whole ? "" : "...", likely);
}

puad_status option_set(option_value *value, const option *row, const char *text)
{
    switch (row->type) {
    case OPTION_FLAG: value->integer = 1; return PUAD_OK;
    case OPTION_INTEGER: return set_integer(value, row, text);
    case OPTION_NUMBER: return set_number(value, row, text);
    case OPTION_TEXT: value->text = text; return PUAD_OK;
    case OPTION_CHOICE: return set_choice(value, row, text);
    case OPTION_LIST:
        if (value->list_count == OPTION_LIST_MAX)
            FAIL(PUAD_INVALID, "option '%s': given more than %d times", row->name, OPTION_LIST_MAX);
        value->list[value->list_count++] = text;
        value->text = text;
        return PUAD_OK;
    }
    FAIL(PUAD_INVALID, "option '%s': unknown type of option", row->name);
}

puad_status options_reset(option_value *values, const option *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = (option_value){0};
        if (table[i].standard) TRY(option_set(&values[i], &table[i], table[i].standard));
    }
    return PUAD_OK;
}

size_t options_find(const option *table, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(table[i].name, name) != 0) i++;
    return i;
}

bool options_has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && *at;) {
        size_t size = strcspn(at, " ");
        if (size == length && memcmp(at, word, size) == 0) return true;
        at += size + (at[size] == ' ');
    }
    return false;
}
