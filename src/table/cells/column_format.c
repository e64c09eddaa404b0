/* Counts the formats of cells, and chooses among those that match. */
#include "table/cells/column_format.h"

#include "base/number.h"
#include "table/cells/cell_range.h"
#include "table/cells/column_names.h"
#include "table/encoding/table_columns.h"

#include <ctype.h>
#include <math.h>
#include <strings.h>

static const struct {
    char decimal, group;
} number_forms[FORM_NUMBERS] = {{'.', 0},    {',', 0},   {'.', ','}, {',', '.'},
                                {'.', '\''}, {'.', ' '}, {',', ' '}};
enum { POINT, COMMA, POINT_GROUPED, COMMA_GROUPED };

static void count_unit(form_count *sum, text_view unit, size_t count)
{
    if (unit.length == 0 || unit.length >= FORM_UNIT) return;
    bool same = sum->unit[0] && form_same_unit(unit, (text_view){sum->unit, strlen(sum->unit)});
    if (!sum->unit[0]) memcpy(sum->unit, unit.text, unit.length);
    if (sum->unit[0] && !same && sum->units) {
        if (!sum->other_unit[0]) memcpy(sum->other_unit, unit.text, unit.length);
        sum->other_units += count;
    } else {
        sum->units += count;
    }
}

static void count_digits(form_count *sum, text_view text)
{
    sum->short_whole += text.length <= 3;
    sum->long_whole += text.length > 3;
    sum->zero_led += text.length > 1 && text.text[0] == '0';
    if (sum->shortest == 0 || text.length < sum->shortest) sum->shortest = text.length;
    if (text.length > sum->longest) sum->longest = text.length;
}

static void add_range_kind(form_count *sum, uint32_t hash)
{
    for (size_t i = 0; i < sum->range_kinds; i++)
        if (sum->range_hashes[i] == hash) return;
    if (sum->range_kinds <= RANGES_MAX) sum->range_hashes[sum->range_kinds++] = hash;
}

/* Returns whether the cell is a range. */
static bool count_range(form_count *sum, text_view text)
{
    cell_range range;
    double value;
    bool any = false;
    uint32_t hash = 2166136261U; /* FNV-1a */
    if (!range_split(&range, text)) return false;
    for (int i = 0; i < FORM_NUMBERS; i++) {
        bool fits = range_middle(&value, &range, number_forms[i].decimal, number_forms[i].group);
        sum->ranges[i] += fits;
        any |= fits;
    }
    if (!any) return false;
    count_unit(sum, range.unit, 1);
    for (size_t i = 0; i < text.length; i++) hash = (hash ^ (unsigned char)text.text[i]) * 16777619U;
    add_range_kind(sum, hash);
    return true;
}

static void count_dates(form_count *sum, text_view text)
{
    double value;
    bool fits[FORM_DATES];
    for (int i = 0; i < FORM_DATES; i++) {
        fits[i] = date_read(&value, text, (date_order)i);
        sum->dates[i] += fits[i];
    }
    if (!fits[DATE_DMY] || !fits[DATE_MDY]) {
        sum->day_leads += fits[DATE_DMY];
        sum->month_leads += fits[DATE_MDY];
        return;
    }
    bool digit = isdigit((unsigned char)text.text[0]), named = false;
    for (size_t i = 0; i < text.length && i < 8; i++) named |= isalpha((unsigned char)text.text[i]) != 0;
    if (named) /* 31 Jan 2024; Wed, 31 Jan 2024; Jan 31, 2024 */
        digit |= memchr(text.text, ',', 4) != NULL;
    else /* 03.04.2024 has the day first */
        digit = memchr(text.text, '.', 3) != NULL;
    sum->day_leads += digit;
    sum->month_leads += named && !digit;
}

void form_count_cell(form_count *sum, text_view text, char decimal)
{
    bare_number bare;
    double value;
    bool whole = true, marked = false, grouped;
    text = view_trimmed(text);
    sum->nones += cell_is_none(text.text, text.length);
    if (cell_is_missing(text.text, text.length)) return;
    sum->present++;
    for (size_t i = 0; i < text.length; i++) {
        whole &= isdigit((unsigned char)text.text[i]) != 0;
        marked |= text.text[i] == '.' || text.text[i] == ',';
    }
    sum->marked += marked;
    if (whole) count_digits(sum, text);
    if (number_parse(&value, text.text, text.length, decimal)) {
        if (sum->plain++ == 0) sum->min = sum->max = value;
        sum->min = fmin(sum->min, value);
        sum->max = fmax(sum->max, value);
        sum->whole += fabs(value) < 9e15 && value == floor(value);
    }
    sum->booleans += boolean_word(text) >= 0;
    bool range = !whole && count_range(sum, text);
    if (!range && form_strip(&bare, text)) {
        for (int i = 0; i < FORM_NUMBERS; i++)
            sum->numbers[i] +=
                form_digits(&value, &grouped, bare.digits, number_forms[i].decimal, number_forms[i].group);
        count_unit(sum, bare.unit, 1);
    }
    if (whole) {
        sum->dates[DATE_COMPACT] += text.length >= 8 && date_read(&value, text, DATE_COMPACT);
        return;
    }
    if (text.length >= 4 && text.length <= 60) count_dates(sum, text);
}

void form_count_add(form_count *sum, const form_count *more)
{
    if (more->plain) {
        sum->min = sum->plain ? fmin(sum->min, more->min) : more->min;
        sum->max = sum->plain ? fmax(sum->max, more->max) : more->max;
    }
    if (more->shortest && (!sum->shortest || more->shortest < sum->shortest)) sum->shortest = more->shortest;
    if (more->longest > sum->longest) sum->longest = more->longest;
    sum->present += more->present;
    sum->nones += more->nones;
    sum->plain += more->plain;
    for (int i = 0; i < FORM_NUMBERS; i++) sum->numbers[i] += more->numbers[i];
    for (int i = 0; i < FORM_NUMBERS; i++) sum->ranges[i] += more->ranges[i];
    for (size_t i = 0; i < more->range_kinds; i++) add_range_kind(sum, more->range_hashes[i]);
    for (int i = 0; i < FORM_DATES; i++) sum->dates[i] += more->dates[i];
    sum->whole += more->whole;
    sum->booleans += more->booleans;
    sum->day_leads += more->day_leads;
    sum->month_leads += more->month_leads;
    sum->marked += more->marked;
    sum->short_whole += more->short_whole;
    sum->long_whole += more->long_whole;
    sum->zero_led += more->zero_led;
    count_unit(sum, (text_view){more->unit, strlen(more->unit)}, more->units);
    count_unit(sum, (text_view){more->other_unit, strlen(more->other_unit)}, more->other_units);
}

static bool mostly(size_t fits, const form_count *sum)
{
    return column_is_number(fits, sum->present - fits);
}

/* Plain numbers that are dates: yyyymmdd, or time since 1970 between 1990 and 2100 in a column with such a
 * name. */
static bool choose_stamp(cell_form *out, const form_count *sum, const char *name)
{
    static const struct {
        date_order order;
        double scale;
    } stamps[] = {
        {DATE_SECONDS, 1}, {DATE_MILLISECONDS, 1e3}, {DATE_MICROSECONDS, 1e6}, {DATE_NANOSECONDS, 1e9}};
    enum { COMPACT_MIN = 20 };
    *out = (cell_form){.kind = FORM_DATE, .order = DATE_COMPACT};
    bool all = sum->dates[DATE_COMPACT] == sum->present && sum->longest == sum->shortest;
    if (all && (sum->present >= COMPACT_MIN || name_is_date(name))) return true;
    if (!name_is_date(name) || sum->plain != sum->present || !(sum->min < sum->max)) return false;
    for (size_t i = 0; i < sizeof stamps / sizeof *stamps; i++) {
        out->order = stamps[i].order;
        if (sum->min >= 6.3e8 * stamps[i].scale && sum->max <= 4.1e9 * stamps[i].scale) return true;
    }
    return false;
}

/* The number format that most cells have, ranges included; ties go to the file's decimal mark. */
static int best_number(const form_count *sum, const form_hints *hints)
{
    char decimal = hints->decimal;
    int best = decimal == ',' ? COMMA : POINT;
    for (int pass = 0; pass < 2 - hints->given; pass++)
        for (int i = 0; i < FORM_NUMBERS; i++)
            if ((number_forms[i].decimal == decimal) == (pass == 0) &&
                sum->numbers[i] + sum->ranges[i] > sum->numbers[best] + sum->ranges[best])
                best = i;
    return best;
}

bool form_is_doubtful(const form_count *sum, const form_hints *hints)
{
    int best = best_number(sum, hints);
    if (best != POINT && best != COMMA) return false;
    int other = best == POINT ? COMMA_GROUPED : POINT_GROUPED;
    return sum->marked > 0 && mostly(sum->numbers[best], sum) && sum->numbers[other] == sum->numbers[best];
}

int form_evidence(const form_count *sum, const form_hints *hints)
{
    int best = best_number(sum, hints);
    if (!sum->marked || !mostly(sum->numbers[best], sum) || form_is_doubtful(sum, hints)) return 0;
    if (number_forms[best].group == ' ' || number_forms[best].group == '\'')
        return number_forms[best].decimal == ',' ? 1 : -1;
    size_t point = sum->numbers[POINT_GROUPED], comma = sum->numbers[COMMA_GROUPED];
    if (point == comma) return 0;
    return comma > point ? 1 : -1;
}

void form_take_thousands(form_choice *choice, char decimal)
{
    choice->form.kind = FORM_NUMBER;
    choice->form.decimal = decimal == '.' ? ',' : '.';
    choice->form.group = decimal;
    choice->doubtful = false;
    choice->thousands = true;
}

static form_choice choose_number(const form_count *sum, const form_hints *hints)
{
    form_choice choice = {.form = {.kind = FORM_NUMBER}};
    int best = best_number(sum, hints);
    choice.form.decimal = number_forms[best].decimal;
    choice.form.group = number_forms[best].group;
    memcpy(choice.form.unit, sum->unit, FORM_UNIT);
    size_t extra = sum->numbers[best] > sum->plain ? sum->numbers[best] - sum->plain : 0;
    /* a single cell with a unit does not make a column of units */
    if (mostly(sum->plain, sum) && extra <= (sum->units == 1)) choice.form = (cell_form){.kind = FORM_PLAIN};
    if (!form_is_doubtful(sum, hints)) return choice;
    choice.doubtful = true;
    /* 1.250 and 980 but never 1250: thousands; programs write decimals in every cell, or drop trailing
     * zeros and then cells do not always have three */
    if (sum->short_whole > 0 && sum->long_whole == 0 && sum->marked >= 3) {
        char mark = number_forms[best].decimal;
        form_take_thousands(&choice, mark);
        memcpy(choice.form.unit, sum->unit, FORM_UNIT);
    }
    return choice;
}

static form_choice choose_date(const form_count *sum, const form_hints *hints, date_order order)
{
    form_choice choice = {.form = {.kind = FORM_DATE, .order = order}};
    if (order != DATE_DMY && order != DATE_MDY) return choice;
    bool day = sum->day_leads > sum->month_leads, month = sum->month_leads > sum->day_leads;
    bool same = sum->dates[DATE_DMY] == sum->dates[DATE_MDY];
    if (!day && !month) { /* use the user's choice, or the order in the rest of the file */
        choice.doubtful = same && !hints->day_first && !hints->month_first;
        day = hints->day_first || (!hints->month_first && hints->decimal == ',');
    }
    choice.form.order = day ? DATE_DMY : DATE_MDY;
    return choice;
}

/* Integers in a column named like an identifier, some of which repeat in the rows seen. */
static bool names_things(const form_count *sum, const form_hints *hints)
{
    return name_is_id(hints->name) && sum->whole == sum->present &&
           sum->max - sum->min + 1 != (double)sum->present;
}

/* Digits with leading zeros, all of one length or many of them. */
static bool is_code(const form_count *sum)
{
    enum { LENGTH_MIN = 3, ZEROS_FREQUENT = 10 };
    bool even = sum->shortest == sum->longest, many = ZEROS_FREQUENT * sum->zero_led >= sum->present;
    return sum->zero_led > 0 && sum->longest >= LENGTH_MIN && (even || many) &&
           sum->plain == sum->short_whole + sum->long_whole;
}

/* At least a tenth of the cells are ranges with few distinct values, and nearly all other cells are
 * numbers. */
static bool choose_ranges(form_choice *out, const form_count *sum, const form_hints *hints)
{
    enum { KINDS_MIN = 3 };
    int best = best_number(sum, hints);
    size_t ranges = sum->ranges[best], fits = ranges + sum->numbers[best] - sum->other_units;
    size_t kinds = sum->range_kinds + (sum->numbers[best] ? KINDS_MIN - 1 : 0);
    if (ranges == 0 || column_is_number(sum->present - ranges, ranges) || kinds < KINDS_MIN ||
        sum->range_kinds > RANGES_MAX || sum->other_units > fits || !mostly(fits, sum))
        return false;
    for (int i = 0; i < FORM_DATES; i++)
        if (mostly(sum->dates[i], sum)) return false;
    *out = (form_choice){
        .form = {.kind = FORM_RANGE,
                 .decimal = number_forms[best].decimal,
                 .group = number_forms[best].group,
                 .none_is_zero = sum->nones && NONE_FREQUENT * sum->nones >= sum->nones + sum->present}};
    memcpy(out->form.unit, sum->unit, FORM_UNIT);
    return true;
}

form_choice form_choose(const form_count *sum, const form_hints *hints)
{
    form_choice none = {.form = {.kind = FORM_PLAIN}}, ranges;
    cell_form stamp;
    if (sum->present == 0) return none;
    if (choose_ranges(&ranges, sum, hints)) return ranges;
    if (mostly(sum->plain, sum)) {
        if (hints->numeric) return none;
        if (choose_stamp(&stamp, sum, hints->name)) return (form_choice){.form = stamp};
        none.code = names_things(sum, hints) || is_code(sum);
        return none.code ? none : choose_number(sum, hints);
    }
    if (sum->booleans == sum->present) return (form_choice){.form = {.kind = FORM_BOOLEAN}};
    date_order date = DATE_YMD;
    for (int i = 1; i < FORM_DATES; i++)
        if (sum->dates[i] > sum->dates[date]) date = (date_order)i;
    int number = best_number(sum, hints);
    if (mostly(sum->dates[date], sum) && sum->dates[date] >= sum->numbers[number])
        return choose_date(sum, hints, date);
    if (!mostly(sum->numbers[number], sum)) return none;
    if (!mostly(sum->numbers[number] - sum->other_units, sum)) {
        none.mixed = true;
        return none;
    }
    return choose_number(sum, hints);
}

puad_status form_tell(notes *messages, const char *name, const form_choice *choice)
{
    char words[FORM_WORDS];
    const cell_form *form = &choice->form;
    form_describe(words, form);
    if (choice->code && !name_is_id(name))
        return notes_add(messages,
                         "column '%s': codes with leading zeros are a category; option 'numeric=%s' makes "
                         "them numbers",
                         name, name);
    if (choice->mixed)
        return notes_add(
            messages,
            "column '%s': numbers with several units are read as categories; convert them to one "
            "unit first",
            name);
    if (choice->thousands)
        return notes_add(messages,
                         "column '%s': a single %s is read as a thousands separator: 1%c250 is 1250", name,
                         form->group == '.' ? "point" : "comma", form->group);
    if (choice->doubtful && form->kind != FORM_DATE)
        return notes_add(messages,
                         "column '%s': could be thousands, read as decimals; option 'decimal' sets the "
                         "decimal mark",
                         name);
    if (form->kind == FORM_PLAIN || form->kind == FORM_DATE) return PUAD_OK; /* dates: see table_learn.c */
    return notes_add(messages, "column '%s': %s", name, words);
}

bool form_needs_all(const form_count *sum, const form_hints *hints)
{
    form_choice choice = form_choose(sum, hints);
    if (choice.code && names_things(sum, hints)) return false;
    return choice.form.kind != FORM_PLAIN || choice.doubtful || choice.mixed || choice.code;
}
