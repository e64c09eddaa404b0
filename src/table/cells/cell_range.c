/* Splitting a range into its bounds. */
#include "table/cells/cell_range.h"

#include <ctype.h>
#include <strings.h>

static bool skip_word(text_view *text, const char *word)
{
    size_t length = strlen(word);
    if (text->length <= length || strncasecmp(text->text, word, length) != 0) return false;
    if (isalpha((unsigned char)word[length - 1]) && text->text[length] != ' ') return false;
    *text = view_trimmed((text_view){text->text + length, text->length - length});
    return true;
}

static bool drop_word(text_view *text, const char *word)
{
    size_t length = strlen(word);
    if (text->length <= length) return false;
    const char *begin = text->text + text->length - length;
    if (strncasecmp(begin, word, length) != 0) return false;
    if (isalpha((unsigned char)word[0]) && begin[-1] != ' ') return false;
    *text = view_trimmed((text_view){text->text, text->length - length});
    return true;
}

/* Removes the words that make a range open. */
static bool strip_open(text_view *text)
{
    static const char *const before[] = {
        "more than", "less than",    "greater than", "fewer than", "at least", "at most",
        "up to",     "over",         "under",        "above",      "below",    ">=",
        "<=",        "\xe2\x89\xa5", "\xe2\x89\xa4", ">",          "<"};
    static const char *const after[] = {"or more",   "or less",  "or over",  "or under",  "and over",
                                        "and under", "and more", "or older", "and older", "+"};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (skip_word(text, before[i])) return true;
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        if (drop_word(text, after[i])) return true;
    return false;
}

/* The bytes of a separator of two bounds. */
static size_t separator_at(const char *p, const char *end)
{
    static const char *const separators[] = {" to ", "\xe2\x80\x93", "\xe2\x80\x94", "-"};
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
        size_t length = strlen(separators[i]);
        if ((size_t)(end - p) > length && memcmp(p, separators[i], length) == 0) return length;
    }
    return 0;
}

/* One bound. A leading zero means a code, such as a part of a telephone number or of a date. */
static bool strip_bound(bare_number *out, text_view text)
{
    return form_strip(out, view_trimmed(text)) && !out->negative &&
           isdigit((unsigned char)out->digits.text[0]) &&
           !(out->digits.length > 1 && out->digits.text[0] == '0' &&
             isdigit((unsigned char)out->digits.text[1]));
}

static bool set_unit(cell_range *range)
{
    text_view low = range->low.unit, high = range->high.unit;
    range->unit = high.length ? high : low;
    return !low.length || !high.length || form_same_unit(low, high);
}

/* "1 to 5", "20%-30%", "$10-20": split at the first separator after a digit. */
static bool split_bounds(cell_range *out, text_view text)
{
    const char *p = text.text, *end = p + text.length;
    size_t length = 0;
    while (p < end && !isdigit((unsigned char)*p)) p++;
    for (; p < end && (length = separator_at(p, end)) == 0; p++)
        ;
    if (!length) return false;
    text_view low = {text.text, (size_t)(p - text.text)}, high = {p + length, (size_t)(end - p) - length};
    bool bounds = strip_bound(&out->low, low) && strip_bound(&out->high, high);
    return bounds && !view_is(out->low.unit, "e") && !view_is(out->low.unit, "E"); /* 1e-5 */
}

bool range_split(cell_range *out, text_view text)
{
    text = view_trimmed(text);
    if (strip_open(&text)) {
        if (!strip_bound(&out->low, text)) return false;
        out->high = out->low;
    } else if (!split_bounds(out, text)) {
        return false;
    }
    return set_unit(out);
}

bool range_middle(double *out, const cell_range *range, char decimal, char group)
{
    double low, high;
    bool grouped;
    if (!form_digits(&low, &grouped, range->low.digits, decimal, group) ||
        !form_digits(&high, &grouped, range->high.digits, decimal, group) || low > high)
        return false;
    bool percent = range->low.percent || range->high.percent;
    *out = (low + high) / (percent ? 200 : 2);
    return true;
}
