/* One typed table of options serves parsing, checking, --help, the man pages and the metadata of models. */
#ifndef OPTIONS_OPTION_ROW_H
#define OPTIONS_OPTION_ROW_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum option_type {
    OPTION_FLAG,    /* given or not; takes no value */
    OPTION_INTEGER, /* within [min, max] */
    OPTION_NUMBER,  /* finite, within [min, max] */
    OPTION_TEXT,
    OPTION_LIST,   /* text that may be given more than once */
    OPTION_CHOICE, /* one of `choices`, written "a|b|c" */
} option_type;

typedef struct option {
    const char *name; /* without dashes */
    option_type type;
    const char *standard; /* the default as text; NULL for none */
    double min, max;
    const char *value;   /* how help names the value: "FILE", "N" */
    const char *choices; /* for OPTION_CHOICE */
    const char *help;
    char letter; /* one-letter form, or 0 */
    /* of OPTION_NUMBER: the value where the option is given without one; NULL: it needs one */
    const char *bare;
    bool shared; /* of a command: all but the name, letter and help stand in the library's table */
} option;

enum { OPTION_LIST_MOST = 64 };

typedef struct option_value {
    bool given; /* by the user, not the default */
    long long integer;
    double number;
    const char *text; /* as it was given; borrowed. NULL when there is none, and of flags */
    const char *list[OPTION_LIST_MOST];
    size_t list_count;
} option_value;

/* Sets the value of one option from text, checked against its row. The message speaks of
 * "option 'name'", which the program turns into --name where it has one. */
puad_status option_set(option_value *value, const option *row, const char *text);

/* Reads "0.05" or "5%"; false if the string is neither. Options of numbers whose value is named FRACTION
 * take both. */
bool option_read_fraction(double *out, const char *text);

/* Sets every value of the table to its default. */
puad_status options_reset(option_value *values, const option *table, size_t count);

/* Whether a word is one of those in "a b c"; NULL has none. */
bool options_has_word(const char *words, const char *word);

/* The index of a name, or count when there is none. */
size_t options_find(const option *table, size_t count, const char *name);

#endif
