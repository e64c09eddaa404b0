/* What the name of a column implies about its values. */
#ifndef TABLE_CELLS_COLUMN_NAMES_H
#define TABLE_CELLS_COLUMN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

bool name_is_id(const char *name); /* "id", "account_id", "AccountID", "policy_number"; not "paid" */
/* a date from which an age is counted: "date_of_birth", "member_since" */
bool name_is_birth(const char *name);
bool name_is_date(const char *name); /* "created_at", "Datum" */

/* The words of a name in lower case, without digits and with singular endings: "UnitPrices[EUR]" has unit, price and
 * [eur]. */
enum { NAME_WORDS_MAX = 8, NAME_WORD_MAX = 24 };
typedef struct name_words {
    size_t count;
    char list[NAME_WORDS_MAX][NAME_WORD_MAX];
} name_words;
void name_split(name_words *out, const char *name);

bool words_are_amount(const name_words *words); /* names an amount or another total: "total_price" */
/* names a count that multiplies a price: "quantity", "hours" */
bool words_are_quantity(const name_words *words);

#endif
