/* The row type of the option table. Parsing, validation, --help, the man pages and the metadata of models
 * all use the table. */
#ifndef OPTIONS_OPTION_ROW_H
#define OPTIONS_OPTION_ROW_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum option_type {
    OPTION_FLAG,    /* takes no value */
    OPTION_INTEGER, /* within [min, max] */
    OPTION_NUMBER,  /* finite, within [min, max] */
    OPTION_TEXT,
    OPTION_LIST,   /* string that may be given more than once */
    OPTION_CHOICE, /* one of `choices`, written "a|b|c" */
} option_type;

typedef struct option {
    const char *name; /* without dashes */
    option_type type;
    const char *standard; /* the default as a string; NULL for none */
    double min, max;
    const char *value;   /* how help names the value: "FILE", "N" */
    const char *choices; /* for OPTION_CHOICE */
    const char *help;
    char letter; /* one-letter form, or 0 */
    /* for OPTION_NUMBER: the value if the option is given without one; NULL: a value is required */
    const char *bare;
    bool shared; /* an option of the library: this command's row gives only name, letter and help */
} option;

enum { OPTION_LIST_MAX = 64 };

typedef struct option_value {
    bool given; /* by the user, not the default */
    long long integer;
    double number;
    const char *text; /* as given; borrowed. NULL if there is none, and for flags */
    const char *list[OPTION_LIST_MAX];
    size_t list_count;
} option_value;

/* Sets an option from a string, checked against its row. The message names "option 'name'"; the program
 * rewrites that to --name. */
puad_status option_set(option_value *value, const option *row, const char *text);

/* Reads "0.05" or "5%"; false if the string is neither. Number options whose value is named FRACTION
 * accept both. */
bool option_read_fraction(double *out, const char *text);

/* Sets every value of the table to its default. */
puad_status options_reset(option_value *values, const option *table, size_t count);

/* Whether `word` is one of the words in "a b c"; NULL contains none. */
bool options_has_word(const char *words, const char *word);

/* The index of a name, or count when there is none. */
size_t options_find(const option *table, size_t count, const char *name);

#endif
