/* Splits the names of columns into words. */
#include "table/cells/column_names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static bool is_one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0) return true;
    return false;
}

static bool contains_any(const char *name, const char *const *list, size_t count)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < count; i++)
        for (size_t at = 0; at + strlen(list[i]) <= length; at++)
            if (strncasecmp(name + at, list[i], strlen(list[i])) == 0) return true;
    return false;
}

/* Whether a character begins a word: after another kind of character, or a capital after a small letter. */
static bool begins_word(const char *name, size_t at)
{
    if (at == 0) return true;
    unsigned char before = (unsigned char)name[at - 1], here = (unsigned char)name[at];
    return !isalpha(before) || (islower(before) && isupper(here));
}

static void add_word(name_words *out, const char *begin, size_t length, bool unit)
{
    char *word = out->list[out->count];
    size_t used = 0;
    if (out->count == NAME_WORDS_MAX || length + 3 > NAME_WORD_MAX || length == 0) return;
    if (unit) word[used++] = '[';
    for (size_t i = 0; i < length; i++) word[used++] = (char)tolower((unsigned char)begin[i]);
    if (unit) word[used++] = ']';
    word[used] = 0;
    if (!unit && used > 3 && word[used - 1] == 's' && word[used - 2] != 's') word[used - 1] = 0;
    out->count++;
}

void name_split(name_words *out, const char *name)
{
    *out = (name_words){0};
    for (size_t at = 0; name[at];) {
        const char *end = name[at] == '[' || name[at] == '(' ? strpbrk(name + at, "])") : NULL;
        size_t begin = at;
        if (end) {
            add_word(out, name + at + 1, (size_t)(end - name) - at - 1, true);
            at = (size_t)(end - name) + 1;
            continue;
        }
        while (isalpha((unsigned char)name[at]) || (unsigned char)name[at] >= 0x80) {
            at++;
            if (begins_word(name, at)) break;
        }
        if (at > begin)
            add_word(out, name + begin, at - begin, false);
        else
            at++;
    }
}

bool name_is_id(const char *name)
{
    static const char *const whole[] = {"id", "index", "idx", "uuid",   "guid",
                                        "pk", "rowid", "row", "rownum", "unnamed: 0"};
    static const char *const named[] = {"policy", "account", "card",   "phone",    "invoice", "order",
                                        "ticket", "serial",  "device", "customer", "member",  "claim"};
    static const char *const number[] = {"number", "no", "nr", "num"};
    size_t length = strlen(name);
    for (size_t i = 0; i < COUNT_OF(whole); i++)
        if (strcasecmp(name, whole[i]) == 0) return true;
    if (length >= 3 && strcasecmp(name + length - 2, "id") == 0) {
        unsigned char before = (unsigned char)name[length - 3];
        return !isalnum(before) || (islower(before) && name[length - 2] == 'I');
    }
    name_words words;
    name_split(&words, name);
    return words.count == 2 && is_one_of(words.list[0], named, COUNT_OF(named)) &&
           is_one_of(words.list[1], number, COUNT_OF(number));
}

bool name_is_birth(const char *name)
{
    static const char *const parts[] = {"birth", "born", "geburt", "naissance", "nacimiento"};
    static const char *const words_of_start[] = {"dob",  "since", "hire",  "hired",     "joined",  "founded",
                                                 "bind", "start", "began", "inception", "opening", "built"};
    name_words words;
    if (contains_any(name, parts, COUNT_OF(parts))) return true;
    name_split(&words, name);
    for (size_t i = 0; i < words.count; i++)
        if (is_one_of(words.list[i], words_of_start, COUNT_OF(words_of_start))) return true;
    return false;
}

bool name_is_date(const char *name)
{
    static const char *const parts[] = {"time", "date",  "stamp", "epoch", "when", "created", "updated",
                                        "zeit", "datum", "day",   "tag",   "_at",  "heure",   "fecha"};
    size_t length = strlen(name);
    if (length == 2 && strncasecmp(name, "ts", 2) == 0) return true;
    if (length > 3 && strcasecmp(name + length - 3, "_ts") == 0) return true;
    return contains_any(name, parts, COUNT_OF(parts));
}

bool words_are_amount(const name_words *words)
{
    static const char *const amounts[] = {
        "total",  "value",   "val",      "amount",  "amt",      "sum",    "price",   "cost",   "revenue",
        "sale",   "charge",  "fare",     "payment", "paid",     "income", "premium", "fee",    "turnover",
        "profit", "expense", "duration", "bill",    "claim",    "loan",   "betrag",  "umsatz", "preis",
        "spend",  "spent",   "salary",   "wage",    "distance", "volume", "byte"};
    for (size_t i = 0; i < words->count; i++)
        if (is_one_of(words->list[i], amounts, COUNT_OF(amounts))) return true;
    return false;
}

bool words_are_quantity(const name_words *words)
{
    static const char *const quantities[] = {
        "quantity", "qty",    "quant",       "count",   "number",    "num",    "unit",   "piece",
        "item",     "pcs",    "night",       "km",      "mile",      "weight", "kg",     "area",
        "size",     "people", "person",      "guest",   "passenger", "menge",  "anzahl", "visit",
        "packet",   "trip",   "transaction", "install", "term"};
    for (size_t i = 0; i < words->count; i++)
        if (is_one_of(words->list[i], quantities, COUNT_OF(quantities))) return true;
    return false;
}
