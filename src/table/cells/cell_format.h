/* The formats of numeric cells other than plain numbers: thousands separators, a currency sign, a unit, a
 * percent sign or accounting brackets; yes and no; dates and times. A format converts a cell to one
 * number. It is chosen for a whole column (column_format.h) and stored in the model. */
#ifndef TABLE_CELLS_CELL_FORMAT_H
#define TABLE_CELLS_CELL_FORMAT_H

#include "base/utf8.h"
#include "table/cells/cell_date.h"

/* FORM_RANGE: FORM_NUMBER, or a range of such numbers (cell_range.h) */
typedef enum form_kind { FORM_PLAIN, FORM_NUMBER, FORM_BOOLEAN, FORM_DATE, FORM_RANGE } form_kind;

enum { FORM_UNIT = 16 };

typedef struct cell_form {
    form_kind kind;
    char decimal,
        /* of FORM_NUMBER and FORM_RANGE; group: 0 for none, ' ' for any blank, '\'' for any apostrophe */
        group;
    char unit[FORM_UNIT]; /* of these: the unit before or after the digits; "" for none */
    date_order order;     /* of FORM_DATE */
    bool none_is_zero;    /* of FORM_RANGE: "none" is frequent, and the lowest value */
} cell_form;

/* "none" counts as a value if at least one of this many cells that are not missing otherwise is "none". */
enum { NONE_FREQUENT = 20 };

/* Whether a cell has no value. */
bool form_is_missing(const cell_form *form, text_view text);

/* The number in a cell; false if the cell does not have this format. FORM_PLAIN reads with form->decimal.
 * A percent sign divides by 100; a boolean is 1 or 0; a date is seconds since 1970. */
bool form_read(double *out, const cell_form *form, text_view text);

/* A number separated from its unit. */
typedef struct bare_number {
    text_view digits; /* digits and the marks between them */
    text_view unit;   /* "" for none */
    bool negative, percent;
} bare_number;
bool form_strip(bare_number *out, text_view text);

/* Whether digits with marks between them are a number; *out_grouped: with thousands separators. */
bool form_digits(double *out, bool *out_grouped, text_view digits, char decimal, char group);

/* Whether two units are equal: "day" and "days" are. */
bool form_same_unit(text_view a, text_view b);

/* 1 for yes, 0 for no, -1 for neither; in several languages. */
int boolean_word(text_view text);

const char *form_noun(const cell_form *form); /* a plural noun for its cells: "numbers", "dates" */

/* A short description: "numbers with ',' between thousands and the unit '$'". */
enum { FORM_WORDS = 120 };
void form_describe(char out[FORM_WORDS], const cell_form *form);

#endif
