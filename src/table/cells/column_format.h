/* How a column is written, decided by all of its cells: each is held against every form, and the forms that
 * fit are counted. */
#ifndef TABLE_CELLS_COLUMN_FORMAT_H
#define TABLE_CELLS_COLUMN_FORMAT_H

#include "dataset/dataset.h"
#include "table/cells/cell_format.h"

/* The forms that are tried: numbers by decimal mark and thousands separator, dates by their order. */
enum { FORM_NUMBERS = 7, FORM_DATES = DATE_TIME + 1 };
enum { RANGES_MAX = 32 }; /* different ranges in a column of ranges; more are codes */

typedef struct form_count { /* of one column */
    size_t present;         /* cells with a value */
    size_t plain;           /* numbers as the file has them */
    size_t numbers[FORM_NUMBERS];
    size_t ranges[FORM_NUMBERS]; /* cells that are ranges of numbers and no numbers */
    size_t range_kinds;          /* different ones among them, at most RANGES_MAX + 1 */
    uint32_t range_hashes[RANGES_MAX + 1];
    size_t dates[FORM_DATES];
    size_t booleans;
    size_t day_leads, month_leads;  /* dates that are such in one order alone */
    size_t units, other_units;      /* cells with the unit below; with another one */
    size_t marked;                  /* cells with a point or comma */
    size_t short_whole, long_whole; /* cells of digits alone: up to three of them, more */
    size_t whole;                   /* plain numbers without a fraction */
    size_t zero_led;                /* digits alone with a zero in front: a code rather than a number */
    size_t shortest, longest;       /* of the cells that are digits alone */
    double least, most;             /* of plain numbers */
    char unit[FORM_UNIT], other_unit[FORM_UNIT];
} form_count;

void form_count_cell(form_count *sum, text_view text, char decimal);
void form_count_add(form_count *sum, const form_count *more);

/* What was decided, and what the user should know of it. */
typedef struct form_choice {
    cell_form form;
    bool code;      /* digits that are no number: a category */
    bool doubtful;  /* thousands or decimals, or day and month: nothing in the column tells */
    bool thousands; /* a lone mark was taken for a thousands separator */
    bool mixed;     /* numbers of several units, which are left as texts */
} form_choice;

typedef struct form_hints {
    const char *name; /* of the column */
    char decimal;     /* of the file */
    bool given;       /* the user says so: no column has another */
    bool numeric;     /* the user says it is a number */
    bool day_first, month_first;
} form_hints;

form_choice form_choose(const form_count *sum, const form_hints *hints);

/* Whether cells further down could change the choice by `form_choose`: then all of them are looked at. */
bool form_needs_all(const form_count *sum, const form_hints *hints);

/* Thousands or decimals: whether the column could be either; and how the columns that are not in doubt write
 * decimals, for the file as a whole: +1 with a comma, -1 with a point, 0 for no evidence. */
bool form_is_doubtful(const form_count *sum, const form_hints *hints);
int form_evidence(const form_count *sum, const form_hints *hints);
void form_take_thousands(form_choice *choice, char decimal);

/* What the user should know of a choice. */
puad_status form_tell(notes *told, const char *name, const form_choice *choice);

#endif
