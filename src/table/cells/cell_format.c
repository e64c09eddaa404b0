/* Reads cells in other formats than plain numbers. */
#include "table/cells/cell_format.h"

#include "base/number.h"
#include "table/cells/cell_range.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

enum { DIGITS_CAPACITY = 64 };

/* Blanks that programs put between digits: plain, no-break, thin, narrow no-break. Returns the number of
 * bytes. */
static size_t blank_at(const char *p, const char *end)
{
    static const char *const blanks[] = {" ",           "\t", "\xc2\xa0", "\xe2\x80\x89", "\xe2\x80\xaf",
                                         "\xe2\x80\x87"};
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++) {
        size_t length = strlen(blanks[i]);
        if ((size_t)(end - p) >= length && memcmp(p, blanks[i], length) == 0) return length;
    }
    return 0;
}

static size_t mark_at(const char *p, const char *end, char mark)
{
    if (mark == ' ') return blank_at(p, end);
    if (p < end && *p == mark) return 1;
    if (mark == '\'' && end - p >= 3 && memcmp(p, "\xe2\x80\x99", 3) == 0) return 3;
    return 0;
}

static const char *skip_blanks(const char *p, const char *end)
{
    for (size_t length; p < end && (length = blank_at(p, end)) > 0;) p += length;
    return p;
}

static const char *drop_blanks(const char *begin, const char *end)
{
    for (bool more = true; more && end > begin;) {
        more = false;
        for (size_t length = 1; length <= 3 && length <= (size_t)(end - begin); length++)
            if (blank_at(end - length, end) == length) {
                end -= length;
                more = true;
                break;
            }
    }
    return end;
}

/* A sign, or the Unicode minus; returns its number of bytes, 0 if there is none. */
static size_t sign_at(const char *p, const char *end, bool *negative)
{
    if (p < end && (*p == '-' || *p == '+')) {
        *negative ^= *p == '-';
        return 1;
    }
    if (end - p >= 3 && memcmp(p, "\xe2\x88\x92", 3) == 0) {
        *negative ^= true;
        return 3;
    }
    return 0;
}

/* Currency signs and codes before a number. Returns the number of bytes. */
static size_t currency_at(const char *p, const char *end)
{
    static const char *const signs[] = {"US$",          "R$",           "C$",           "A$",
                                        "HK$",          "NZ$",          "S$",           "$",
                                        "\xe2\x82\xac", "\xc2\xa3",     "\xc2\xa5",     "\xe2\x82\xb9",
                                        "\xe2\x82\xbd", "\xe2\x82\xa9", "\xe2\x82\xba", "\xe2\x82\xb4",
                                        "\xe2\x82\xaa", "\xe2\x82\xab", "\xe0\xb8\xbf", "\xc2\x80",
                                        "EUR",          "USD",          "GBP",          "JPY",
                                        "CHF",          "CAD",          "AUD",          "NZD",
                                        "CNY",          "RMB",          "INR",          "BRL",
                                        "SEK",          "NOK",          "DKK",          "PLN",
                                        "CZK",          "HUF",          "RON",          "BGN",
                                        "RUB",          "TRY",          "UAH",          "ZAR",
                                        "KRW",          "MXN",          "SGD",          "HKD",
                                        "ILS",          "THB",          "IDR",          "PHP",
                                        "MYR",          "AED",          "SAR",          "Fr.",
                                        "kr.",          "kr",           "Rs.",          "Rs"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t length = strlen(signs[i]);
        if ((size_t)(end - p) >= length && memcmp(p, signs[i], length) == 0) return length;
    }
    return 0;
}

/* Letters, signs and a trailing power: "kg", "km/h", "m2", "%". */
static bool is_unit(const char *begin, const char *end)
{
    if (end - begin >= FORM_UNIT) return false;
    unsigned char first = (unsigned char)*begin;
    if (!(isalpha(first) || first >= 0x80 || first == '%' || first == '$')) return false;
    for (const char *p = begin; p < end; p++) {
        unsigned char c = (unsigned char)*p;
        bool power = (c == '2' || c == '3') && p > begin && p + 1 == end && isalpha((unsigned char)p[-1]);
        bool joins = p > begin && p + 1 < end && (c == '/' || c == ' ');
        bool point = p > begin && p + 1 == end && c == '.';
        if (!(isalpha(c) || c >= 0x80 || c == '%' || c == '$' || power || joins || point)) return false;
    }
    return true;
}

bool form_strip(bare_number *out, text_view text)
{
    *out = (bare_number){0};
    const char *p = skip_blanks(text.text, text.text + text.length);
    const char *end = drop_blanks(p, text.text + text.length);
    if (end - p > DIGITS_CAPACITY) return false;
    bool brackets = end - p > 2 && *p == '(' && end[-1] == ')', negative = false;
    if (brackets) {
        p = skip_blanks(p + 1, end);
        end = drop_blanks(p, end - 1);
    }
    size_t sign = sign_at(p, end, &negative);
    p = skip_blanks(p + sign, end);
    size_t currency = currency_at(p, end);
    if (currency) {
        out->unit = (text_view){p, currency};
        p = skip_blanks(p + currency, end);
        if (!sign) p += sign = sign_at(p, end, &negative);
    }
    out->digits.text = p;
    const char *last = p;
    for (size_t length; p < end; p += length) { /* to the last digit; between digits only marks are allowed */
        length = 1;
        if (isdigit((unsigned char)*p))
            last = p + 1;
        else if (*p != '.' && *p != ',' && !(length = mark_at(p, end, '\'')) && !(length = blank_at(p, end)))
            break;
    }
    out->digits.length = (size_t)(last - out->digits.text);
    if (out->digits.length == 0) return false;
    p = last;
    if (p < end && (*p == '.' || *p == ',') && (p + 1 == end || blank_at(p + 1, end))) p++; /* "12." */
    p = skip_blanks(p, end);
    /* a trailing minus, as in some ledgers */
    if (p < end && *p == '-' && p + 1 == end && !sign && !brackets) {
        negative = true;
        p++;
    }
    if (p < end) {
        if (!is_unit(p, end)) return false;
        out->percent = end - p == 1 && *p == '%';
        if (!currency) out->unit = (text_view){p, (size_t)(end - p)};
    }
    if (brackets && sign) return false;
    out->negative = negative || brackets;
    return true;
}

bool form_digits(double *out, bool *out_grouped, text_view digits, char decimal, char group)
{
    char plain[DIGITS_CAPACITY + 1];
    size_t used = 0, run = 0, runs = 0;
    const char *p = digits.text, *end = p + digits.length;
    *out_grouped = false;
    if (digits.length > DIGITS_CAPACITY) return false;
    while (p < end) {
        if (isdigit((unsigned char)*p)) {
            plain[used++] = *p++;
            run++;
            continue;
        }
        size_t length = group ? mark_at(p, end, group) : 0;
        if (!length) break;
        /* the first group has one to three digits and no leading zero, middle groups have two or three (as
         * in India), the last one three */
        if (runs == 0 ? run < 1 || run > 3 || plain[0] == '0' : run < 2 || run > 3) return false;
        runs++;
        run = 0;
        p += length;
    }
    if (runs && run != 3) return false;
    *out_grouped = runs > 0;
    if (p < end) {
        if (*p != decimal) return false;
        plain[used++] = '.';
        for (p++; p < end && isdigit((unsigned char)*p); p++) plain[used++] = *p;
    }
    return p == end && number_parse(out, plain, used, '.');
}

bool form_same_unit(text_view a, text_view b)
{
    if (a.length == b.length + 1 && a.text[b.length] == 's') a.length--;
    if (b.length == a.length + 1 && b.text[a.length] == 's') b.length--;
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static bool read_decorated(double *out, const cell_form *form, text_view text)
{
    bare_number bare;
    bool grouped;
    if (number_parse(out, text.text, text.length, form->decimal)) return true; /* an exponent, for instance */
    if (!form_strip(&bare, text)) return false;
    if (bare.unit.length && !form_same_unit(bare.unit, (text_view){form->unit, strlen(form->unit)}))
        return false;
    if (!form_digits(out, &grouped, bare.digits, form->decimal, form->group)) return false;
    if (bare.percent) *out /= 100;
    if (bare.negative) *out = -*out;
    return true;
}

bool form_is_missing(const cell_form *form, text_view text)
{
    return cell_is_missing(text.text, text.length) &&
           !(form->none_is_zero && cell_is_none(text.text, text.length));
}

static bool read_range(double *out, const cell_form *form, text_view text)
{
    cell_range range;
    if (form->none_is_zero && cell_is_none(text.text, text.length)) {
        *out = 0;
        return true;
    }
    if (!range_split(&range, text)) return read_decorated(out, form, text);
    return (!range.unit.length || form_same_unit(range.unit, (text_view){form->unit, strlen(form->unit)})) &&
           range_middle(out, &range, form->decimal, form->group);
}

int boolean_word(text_view text)
{
    static const char *const yes[] = {"true", "yes", "y",    "t",  "on",       "ja",
                                      "wahr", "oui", "vrai", "si", "s\xc3\xad"};
    static const char *const no[] = {"false", "no", "n", "f", "off", "nein", "falsch", "non", "faux"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (strlen(yes[i]) == text.length && strncasecmp(yes[i], text.text, text.length) == 0) return 1;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (strlen(no[i]) == text.length && strncasecmp(no[i], text.text, text.length) == 0) return 0;
    return -1;
}

bool form_read(double *out, const cell_form *form, text_view text)
{
    if (form->kind == FORM_PLAIN) return number_parse(out, text.text, text.length, form->decimal);
    text = view_trimmed(text);
    if (form->kind == FORM_NUMBER) return read_decorated(out, form, text);
    if (form->kind == FORM_RANGE) return read_range(out, form, text);
    if (form->kind == FORM_DATE) return date_read(out, text, form->order);
    int word = boolean_word(text);
    double value;
    if (word < 0 && number_parse(&value, text.text, text.length, '.') && (value == 0 || value == 1))
        word = value == 1;
    *out = word;
    return word >= 0;
}

const char *form_noun(const cell_form *form)
{
    return form->kind == FORM_DATE ? "dates" : form->kind == FORM_BOOLEAN ? "yes or no" : "numbers";
}

void form_describe(char out[FORM_WORDS], const cell_form *form)
{
    char group[40] = "", unit[40] = "";
    if (form->group)
        snprintf(group, sizeof group, "%s between thousands",
                 form->group == ' '    ? "blanks"
                 : form->group == '\'' ? "apostrophes"
                 : form->group == ','  ? "commas"
                                       : "points");
    if (form->unit[0]) snprintf(unit, sizeof unit, "unit '%s'", form->unit);
    switch (form->kind) {
    case FORM_PLAIN: snprintf(out, FORM_WORDS, "numbers"); break;
    case FORM_BOOLEAN: snprintf(out, FORM_WORDS, "yes and no"); break;
    case FORM_DATE: snprintf(out, FORM_WORDS, "%s", date_order_words(form->order)); break;
    case FORM_RANGE:
    case FORM_NUMBER:
        snprintf(out, FORM_WORDS, "%s with a decimal %s%s%s%s%s",
                 form->kind == FORM_RANGE ? "ranges" : "numbers", form->decimal == ',' ? "comma" : "point",
                 group[0] ? ", " : "", group, unit[0] ? ", " : "", unit);
    }
}
