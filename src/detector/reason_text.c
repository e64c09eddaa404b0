/* Formats reasons and columns as text. */
#include "base/c_locale.h"
#include "base/plain_text.h"
#include "detector/reasons.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PART_CAPACITY = 256, CATEGORY_CAPACITY = 49 };

static void categories_text(char *text, size_t capacity, const puad_typical *typical)
{
    size_t used = 0;
    for (size_t i = 0; i < typical->count && i < PUAD_TYPICAL_CATEGORIES; i++) {
        char name[CATEGORY_CAPACITY];
        text_plain(name, sizeof name, typical->categories[i].name, false);
        int wrote = c_print(text + used, capacity - used, "%s%s %.0f%%", i ? ", " : "", name,
                            100 * typical->categories[i].fraction);
        if (wrote < 0 || used + (size_t)wrote >= capacity) {
            text[used] = 0;
            return;
        }
        used += (size_t)wrote;
    }
}

void typical_text(char *text, size_t capacity, const puad_typical *typical, bool with_median)
{
    text[0] = 0;
    if (typical->count)
        categories_text(text, capacity, typical);
    else if (isnan(typical->low))
        return;
    else if (!(typical->low < typical->high))
        c_print(text, capacity, "%.6g", with_median ? typical->median : typical->low);
    else if (with_median)
        c_print(text, capacity, "%.6g (%.6g to %.6g)", typical->median, typical->low, typical->high);
    else
        c_print(text, capacity, "%.6g to %.6g", typical->low, typical->high);
}

/* For the part "when (weekday)" of a date: numbers count days from Monday = 0. */
static const char *weekday_name(const puad_reason *reason, double value)
{
    static const char *const names[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    static const char part[] = " (weekday)";
    size_t length = reason->column ? strlen(reason->column) : 0;
    bool weekday = length >= sizeof part && strcmp(reason->column + length - sizeof part + 1, part) == 0;
    return weekday && value >= 0 && value < 6.5 ? names[(int)(value + 0.5)] : NULL;
}

static void typical_of_reason(char *text, size_t capacity, const puad_reason *reason, bool with_median)
{
    const char *low = weekday_name(reason, reason->typical.low),
               *high = weekday_name(reason, reason->typical.high);
    if (low && high && reason->aspect == PUAD_ASPECT_VALUE)
        snprintf(text, capacity, "%s to %s", low, high);
    else
        typical_text(text, capacity, &reason->typical, with_median);
}

static void value_text(char *text, size_t capacity, const puad_reason *reason)
{
    const char *day = reason->aspect == PUAD_ASPECT_VALUE ? weekday_name(reason, reason->value) : NULL;
    text[0] = 0;
    if (day && !reason->missing) {
        snprintf(text, capacity, "%s", day);
        return;
    }
    if (reason->missing)
        snprintf(text, capacity, "(missing)");
    else if (reason->category)
        text_plain(text, capacity, reason->category, false);
    else if (!isnan(reason->value))
        c_print(text, capacity, reason->aspect == PUAD_ASPECT_AMPLITUDE ? "%.4g%s" : "%.6g%s", reason->value,
                reason->beyond > 0   ? " or more"
                : reason->beyond < 0 ? " or less"
                                     : "");
}

/* "amount", "heat level", "x3 y4". */
static void subject_text(char *text, size_t capacity, const puad_reason *reason)
{
    if (!reason->column && reason->x == SIZE_MAX)
        snprintf(text, capacity, "value %zu", reason->index);
    else if (!reason->column)
        snprintf(text, capacity, "x%zu y%zu", reason->x, reason->y);
    else
        snprintf(text, capacity, "%s%s", reason->column,
                 reason->aspect == PUAD_ASPECT_LEVEL       ? " level"
                 : reason->aspect == PUAD_ASPECT_AMPLITUDE ? " amplitude"
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
static void derived_text(char *text, size_t capacity, const puad_reason *reason)
{
    char time[40], value[PART_CAPACITY];
    value_text(value, sizeof value, reason);
    switch (reason->derivation) {
    case PUAD_DERIVED_COUNT:
        c_print(text, capacity, "%s occurs in %.6g training rows", reason->second, round(reason->value));
        break;
    case PUAD_DERIVED_GROUP_RATIO:
        c_print(text, capacity, "%s is %.3g times the median of its %s", reason->first, reason->value,
                reason->second);
        break;
    case PUAD_DERIVED_GROUP_DIFFERENCE:
        c_print(text, capacity, "%s is %.4g %s the median of its %s", reason->first, fabs(reason->value),
                reason->value < 0 ? "below" : "above", reason->second);
        break;
    case PUAD_DERIVED_TIME:
        time_text(time, sizeof time, reason->value);
        c_print(text, capacity, "%s is %s %s %s", reason->first, time, reason->value < 0 ? "before" : "after",
                reason->second);
        break;
    default: c_print(text, capacity, "%s=%s", reason->column, value);
    }
}

static void typical_times(char *text, size_t capacity, const puad_typical *typical)
{
    char low[40], high[40];
    text[0] = 0;
    if (isnan(typical->low)) return;
    time_text(low, sizeof low, typical->low);
    time_text(high, sizeof high, typical->high);
    c_print(text, capacity, "%s%s to %s%s", typical->low < 0 ? "-" : "", low, typical->high < 0 ? "-" : "",
            high);
}

static void whole_text(char *text, size_t capacity, const puad_reason *reason)
{
    char subject[PART_CAPACITY], value[PART_CAPACITY], typical[PART_CAPACITY] = "";
    subject_text(subject, sizeof subject, reason);
    if (reason->aspect == PUAD_ASPECT_SHAPE) {
        c_print(text, capacity, "%s shape, most at step %zu of %zu %.3f", subject, reason->step + 1,
                reason->steps, reason->contribution);
        return;
    }
    value_text(value, sizeof value, reason);
    if (reason->aspect == PUAD_ASPECT_VALUE)
        typical_of_reason(typical, sizeof typical, reason, false);
    else if (!isnan(reason->typical.low))
        c_print(typical, sizeof typical, "%.4g to %.4g", reason->typical.low, reason->typical.high);
    if (reason->derivation != PUAD_DERIVED_NOT && reason->aspect == PUAD_ASPECT_VALUE && !reason->missing) {
        char words[3 * PART_CAPACITY];
        if (reason->derivation == PUAD_DERIVED_TIME) typical_times(typical, sizeof typical, &reason->typical);
        derived_text(words, sizeof words, reason);
        c_print(text, capacity, "%s%s%s%s %.3f", words, *typical ? " (usual " : "", typical,
                *typical ? ")" : "", reason->contribution);
        return;
    }
    c_print(text, capacity, "%s%s%s%s%s%s %.3f", subject, *value ? "=" : "", value,
            *typical ? " (usual " : "", typical, *typical ? ")" : "", reason->contribution);
}

puad_status puad_reason_text(const puad_reason *given, char *text, size_t capacity, puad_reason_part part)
{
    puad_reason reason;
    NEED(given);
    NEED(text);
    if (!capacity) return PUAD_OK;
    TRY(struct_read(&reason, sizeof reason, given, "puad_reason"));
    if (part == PUAD_REASON_ALL)
        whole_text(text, capacity, &reason);
    else if (part == PUAD_REASON_VALUE)
        value_text(text, capacity, &reason);
    else if (part == PUAD_REASON_TYPICAL)
        typical_of_reason(text, capacity, &reason, true);
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

static void column_text(char *text, size_t capacity, const puad_column *column)
{
    const char *missing = column->optional ? ", may be missing" : "";
    if (column->kind == PUAD_COLUMN_NUMBER && isnan(column->sd))
        c_print(text, capacity, "%s, usually near %.4g%s", column->format, column->mean, missing);
    else if (column->kind == PUAD_COLUMN_NUMBER)
        c_print(text, capacity, "%s%snumber, mean %.6g, sd %.6g%s", column->format,
                *column->format ? ", " : "", column->mean, column->sd, missing);
    else if (column->kind == PUAD_COLUMN_CATEGORY)
        snprintf(text, capacity, "category, %zu columns%s", column->values, missing);
    else
        snprintf(text, capacity, "dropped: %s", column->reason ? column->reason : "");
}

puad_status puad_column_text(const puad_column *given, char *text, size_t capacity, puad_column_part part)
{
    puad_column column;
    NEED(given);
    NEED(text);
    if (!capacity) return PUAD_OK;
    TRY(struct_read(&column, sizeof column, given, "puad_column"));
    if (part == PUAD_COLUMN_ALL)
        column_text(text, capacity, &column);
    else if (part == PUAD_COLUMN_TYPICAL)
        typical_text(text, capacity, &column.typical, true);
    else
        FAIL(PUAD_INVALID, "part %d of a column; expected a puad_column_part", (int)part);
    return PUAD_OK;
}
