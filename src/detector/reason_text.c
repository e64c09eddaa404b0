/* Formats reasons and columns as text. */
#include "base/c_locale.h"
#include "base/plain_text.h"
#include "detector/reasons.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PART_CAPACITY = 256, CATEGORY_CAPACITY = 49 };

static void categories_text(char *text, size_t capacity, const puad_typical *of)
{
    size_t used = 0;
    for (size_t i = 0; i < of->count && i < PUAD_TYPICAL_CATEGORIES; i++) {
        char name[CATEGORY_CAPACITY];
        text_plain(name, sizeof name, of->categories[i].name, false);
        int wrote = c_print(text + used, capacity - used, "%s%s %.0f%%", i ? ", " : "", name,
                            100 * of->categories[i].fraction);
        if (wrote < 0 || used + (size_t)wrote >= capacity) {
            text[used] = 0;
            return;
        }
        used += (size_t)wrote;
    }
}

void typical_text(char *text, size_t capacity, const puad_typical *of, bool with_median)
{
    text[0] = 0;
    if (of->count)
        categories_text(text, capacity, of);
    else if (isnan(of->low))
        return;
    else if (!(of->low < of->high))
        c_print(text, capacity, "%.6g", with_median ? of->median : of->low);
    else if (with_median)
        c_print(text, capacity, "%.6g (%.6g to %.6g)", of->median, of->low, of->high);
    else
        c_print(text, capacity, "%.6g to %.6g", of->low, of->high);
}

/* For the part "when (weekday)" of a date: numbers count days from Monday = 0. */
static const char *weekday_name(const puad_reason *of, double value)
{
    static const char *const names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    static const char part[] = " (weekday)";
    size_t length = of->column ? strlen(of->column) : 0;
    bool weekday = length >= sizeof part && strcmp(of->column + length - sizeof part + 1, part) == 0;
    return weekday && value >= 0 && value < 6.5 ? names[(int)(value + 0.5)] : NULL;
}

static void typical_of_reason(char *text, size_t capacity, const puad_reason *of, bool with_median)
{
    const char *low = weekday_name(of, of->typical.low), *high = weekday_name(of, of->typical.high);
    if (low && high && of->aspect == PUAD_ASPECT_VALUE)
        snprintf(text, capacity, "%s to %s", low, high);
    else
        typical_text(text, capacity, &of->typical, with_median);
}

static void value_text(char *text, size_t capacity, const puad_reason *of)
{
    const char *day = of->aspect == PUAD_ASPECT_VALUE ? weekday_name(of, of->value) : NULL;
    text[0] = 0;
    if (day && !of->missing) {
        snprintf(text, capacity, "%s", day);
        return;
    }
    if (of->missing)
        snprintf(text, capacity, "(missing)");
    else if (of->category)
        text_plain(text, capacity, of->category, false);
    else if (!isnan(of->value))
        c_print(text, capacity, of->aspect == PUAD_ASPECT_AMPLITUDE ? "%.4g%s" : "%.6g%s", of->value,
                of->beyond > 0   ? " or more"
                : of->beyond < 0 ? " or less"
                                 : "");
}

/* "amount", "heat level", "x3 y4". */
static void subject_text(char *text, size_t capacity, const puad_reason *of)
{
    if (!of->column && of->x == SIZE_MAX)
        snprintf(text, capacity, "value %zu", of->index);
    else if (!of->column)
        snprintf(text, capacity, "x%zu y%zu", of->x, of->y);
    else
        snprintf(text, capacity, "%s%s", of->column,
                 of->aspect == PUAD_ASPECT_LEVEL       ? " level"
                 : of->aspect == PUAD_ASPECT_AMPLITUDE ? " amplitude"
                                                       : "");
}

/* Seconds in the largest unit with a value of at least two. */
static void time_text(char *text, size_t capacity, double seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"years", 31556952}, {"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
    size_t i = 0;
    while (i < 4 && fabs(seconds) < 2 * units[i].seconds) i++;
    c_print(text, capacity, "%.3g %s", fabs(seconds) / units[i].seconds, units[i].name);
}

/* "price is 4.1 times the median of its product", without the contribution. */
static void derived_text(char *text, size_t capacity, const puad_reason *of)
{
    char time[40], value[PART_CAPACITY];
    value_text(value, sizeof value, of);
    switch (of->derivation) {
    case PUAD_DERIVED_COUNT:
        c_print(text, capacity, "%s occurs in %.6g training rows", of->second, round(of->value));
        break;
    case PUAD_DERIVED_GROUP_RATIO:
        c_print(text, capacity, "%s is %.3g times the median of its %s", of->first, of->value, of->second);
        break;
    case PUAD_DERIVED_GROUP_DIFFERENCE:
        c_print(text, capacity, "%s is %.4g %s the median of its %s", of->first, fabs(of->value),
                of->value < 0 ? "below" : "above", of->second);
        break;
    case PUAD_DERIVED_TIME:
        time_text(time, sizeof time, of->value);
        c_print(text, capacity, "%s is %s %s %s", of->first, time, of->value < 0 ? "before" : "after",
                of->second);
        break;
    default: c_print(text, capacity, "%s=%s", of->column, value);
    }
}

static void typical_times(char *text, size_t capacity, const puad_typical *of)
{
    char low[40], high[40];
    text[0] = 0;
    if (isnan(of->low)) return;
    time_text(low, sizeof low, of->low);
    time_text(high, sizeof high, of->high);
    c_print(text, capacity, "%s%s to %s%s", of->low < 0 ? "-" : "", low, of->high < 0 ? "-" : "", high);
}

static void whole_text(char *text, size_t capacity, const puad_reason *of)
{
    char subject[PART_CAPACITY], value[PART_CAPACITY], typical[PART_CAPACITY] = "";
    subject_text(subject, sizeof subject, of);
    if (of->aspect == PUAD_ASPECT_SHAPE) {
        c_print(text, capacity, "%s shape, most at step %zu of %zu %.3f", subject, of->step + 1, of->steps,
                of->contribution);
        return;
    }
    value_text(value, sizeof value, of);
    if (of->aspect == PUAD_ASPECT_VALUE)
        typical_of_reason(typical, sizeof typical, of, false);
    else if (!isnan(of->typical.low))
        c_print(typical, sizeof typical, "%.4g to %.4g", of->typical.low, of->typical.high);
    if (of->derivation != PUAD_DERIVED_NOT && of->aspect == PUAD_ASPECT_VALUE && !of->missing) {
        char words[3 * PART_CAPACITY];
        if (of->derivation == PUAD_DERIVED_TIME) typical_times(typical, sizeof typical, &of->typical);
        derived_text(words, sizeof words, of);
        c_print(text, capacity, "%s%s%s%s %.3f", words, *typical ? " (usual " : "", typical,
                *typical ? ")" : "", of->contribution);
        return;
    }
    c_print(text, capacity, "%s%s%s%s%s%s %.3f", subject, *value ? "=" : "", value,
            *typical ? " (usual " : "", typical, *typical ? ")" : "", of->contribution);
}

puad_status puad_reason_text(const puad_reason *given, char *text, size_t capacity, puad_reason_part part)
{
    puad_reason of;
    NEED(given);
    NEED(text);
    if (!capacity) return PUAD_OK;
    TRY(struct_read(&of, sizeof of, given, "puad_reason"));
    if (part == PUAD_REASON_ALL)
        whole_text(text, capacity, &of);
    else if (part == PUAD_REASON_VALUE)
        value_text(text, capacity, &of);
    else if (part == PUAD_REASON_TYPICAL)
        typical_of_reason(text, capacity, &of, true);
    else
        FAIL(PUAD_INVALID, "part %d of a reason; expected a puad_reason_part", (int)part);
    return PUAD_OK;
}

puad_status puad_reasons_text(const puad_reason *given, size_t count, char *text, size_t capacity)
{
    size_t used = 0;
    NEED(text);
    if (!capacity) return PUAD_OK;
    text[0] = 0;
    if (count) NEED(given);
    for (size_t i = 0; i < count; i++) {
        char one[4 * PART_CAPACITY];
        const char *at = (const char *)given + i * given->struct_size;
        TRY(puad_reason_text((const puad_reason *)(const void *)at, one, sizeof one, PUAD_REASON_ALL));
        int wrote = snprintf(text + used, capacity - used, "%s%s", i ? "; " : "", one);
        if (wrote < 0 || used + (size_t)wrote >= capacity) {
            text[used] = 0;
            break;
        }
        used += (size_t)wrote;
    }
    return PUAD_OK;
}

static void column_text(char *text, size_t capacity, const puad_column *of)
{
    const char *missing = of->optional ? ", may be missing" : "";
    if (of->kind == PUAD_COLUMN_NUMBER && isnan(of->sd))
        c_print(text, capacity, "%s, usually near %.4g%s", of->format, of->mean, missing);
    else if (of->kind == PUAD_COLUMN_NUMBER)
        c_print(text, capacity, "%s%snumber, mean %.6g, sd %.6g%s", of->format, *of->format ? ", " : "",
                of->mean, of->sd, missing);
    else if (of->kind == PUAD_COLUMN_CATEGORY)
        snprintf(text, capacity, "category, %zu columns%s", of->values, missing);
    else
        snprintf(text, capacity, "dropped: %s", of->reason ? of->reason : "");
}

puad_status puad_column_text(const puad_column *given, char *text, size_t capacity, puad_column_part part)
{
    puad_column of;
    NEED(given);
    NEED(text);
    if (!capacity) return PUAD_OK;
    TRY(struct_read(&of, sizeof of, given, "puad_column"));
    if (part == PUAD_COLUMN_ALL)
        column_text(text, capacity, &of);
    else if (part == PUAD_COLUMN_TYPICAL)
        typical_text(text, capacity, &of.typical, true);
    else
        FAIL(PUAD_INVALID, "part %d of a column; expected a puad_column_part", (int)part);
    return PUAD_OK;
}
