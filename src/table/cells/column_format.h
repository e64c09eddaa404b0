/* Chooses the format of a column from all of its cells: each cell is tested against every format, and
 * matches are counted. */
#ifndef TABLE_CELLS_COLUMN_FORMAT_H
#define TABLE_CELLS_COLUMN_FORMAT_H

#include "dataset/dataset.h"
#include "table/cells/cell_format.h"

/* The formats that are tested: numbers by decimal mark and thousands separator, dates by their order. */
enum { FORM_NUMBERS = 7, FORM_DATES = DATE_TIME + 1 };
enum { RANGES_MAX = 32 }; /* distinct ranges in a column of ranges; with more they are codes */

typedef struct form_count { /* of one column */
    size_t present;         /* non-missing cells */
    size_t nones;           /* cells with "none", which are not present */
    size_t plain;           /* plain numbers with the file's decimal mark */
    size_t numbers[FORM_NUMBERS];
    size_t ranges[FORM_NUMBERS]; /* cells that are ranges of numbers, not numbers */
    size_t range_kinds;          /* distinct ones among them, at most RANGES_MAX + 1 */
    uint32_t range_hashes[RANGES_MAX + 1];
    size_t dates[FORM_DATES];
    size_t booleans;
    size_t day_leads, month_leads;  /* dates that are valid in only one order */
    size_t units, other_units;      /* cells with the unit below; with another one */
    size_t marked;                  /* cells with a point or comma */
    size_t short_whole, long_whole; /* cells of digits only: up to three of them, more */
    size_t whole;                   /* plain numbers without a fraction */
    size_t zero_led;                /* digits with a leading zero: a code rather than a number */
    size_t shortest, longest;       /* of the cells that are digits only */
    double min, max;                /* of the plain numbers */
    char unit[FORM_UNIT], other_unit[FORM_UNIT];
} form_count;

void form_count_cell(form_count *sum, text_view text, char decimal);
void form_count_add(form_count *sum, const form_count *more);

/* The choice, and facts for notes to the user. */
typedef struct form_choice {
    cell_form form;
    bool code;      /* digits that are not a number: a category */
    bool doubtful;  /* ambiguous: thousands or decimals, or day and month */
    bool thousands; /* a single mark was read as a thousands separator */
    bool mixed;     /* numbers with several units; the column becomes a category */
} form_choice;

typedef struct form_hints {
    const char *name; /* of the column */
    char decimal;     /* of the file */
    bool given;       /* set by the user: it applies to all columns */
    bool numeric;     /* declared a number by the user */
    bool day_first, month_first;
} form_hints;

form_choice form_choose(const form_count *sum, const form_hints *hints);

/* Whether later cells could change the choice of form_choose; then all of them are read. */
bool form_needs_all(const form_count *sum, const form_hints *hints);

/* form_is_doubtful: whether the marks of a column could be thousands or decimals. The other returns how
 * the unambiguous columns write decimals: +1 with a comma, -1 with a point, 0 without evidence. */
bool form_is_doubtful(const form_count *sum, const form_hints *hints);
int form_evidence(const form_count *sum, const form_hints *hints);
void form_take_thousands(form_choice *choice, char decimal);

/* Adds the notes about a choice. */
puad_status form_tell(notes *messages, const char *name, const form_choice *choice);

#endif
