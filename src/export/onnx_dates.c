/* The parts of a date (table/cells/cell_date.h) in ONNX, computed from seconds since 1970 as doubles. */
#include "export/onnx_parts.h"

#include <math.h>

#define DAY 86400.0

static const char *number(graph *g, double value)
{
    return graph_double(g, value);
}

/* floor(x / by) */
static const char *whole(graph *g, const char *x, double factor)
{
    return GRAPH_NODE(g, "Floor", GRAPH_NODE(g, "Div", x, number(g, factor)));
}

static const char *times(graph *g, const char *x, double factor)
{
    return GRAPH_NODE(g, "Mul", x, number(g, factor));
}

static const char *plus(graph *g, const char *x, double more)
{
    return GRAPH_NODE(g, "Add", x, number(g, more));
}

/* x - by * floor(x / by) */
static const char *rest(graph *g, const char *x, double factor)
{
    return GRAPH_NODE(g, "Sub", x, times(g, whole(g, x, factor), factor));
}

/* Whether a year of a 400-year cycle has a February 29: 1 or 0. */
static const char *leap(graph *g, const char *year)
{
    const char *zero = number(g, 0);
    const char *fourth = GRAPH_NODE(g, "Equal", rest(g, year, 4), zero);
    const char *hundredth = GRAPH_NODE(g, "Equal", rest(g, year, 100), zero);
    const char *first = GRAPH_NODE(g, "Equal", year, zero);
    const char *plain = GRAPH_NODE(g, "And", fourth, GRAPH_NODE(g, "Not", hundredth));
    return graph_cast(g, GRAPH_NODE(g, "Or", plain, first), ONNX_DOUBLE);
}

/* Days since 1970 -> the day of the year from 1. Years are counted from March, so that the leap day is
 * their last day. */
static const char *year_day(graph *g, const char *day)
{
    /* days in 400 years; days from March 1 of the year 0 to 1970 */
    const double cycle = 146097, march = 719468;
    const char *in_cycle = rest(g, plus(g, day, march), cycle);
    const char *years = GRAPH_NODE(g, "Sub", in_cycle, whole(g, in_cycle, 1460));
    years = GRAPH_NODE(g, "Add", years, whole(g, in_cycle, 36524));
    years = whole(g, GRAPH_NODE(g, "Sub", years, whole(g, in_cycle, cycle - 1)), 365);
    const char *before = GRAPH_NODE(g, "Add", times(g, years, 365), whole(g, years, 4));
    before = GRAPH_NODE(g, "Sub", before, whole(g, years, 100));
    const char *from_march = GRAPH_NODE(g, "Sub", in_cycle, before);
    const char *late = GRAPH_NODE(g, "GreaterOrEqual", from_march, number(g, 306)); /* January and February */
    const char *later = GRAPH_NODE(g, "Add", plus(g, from_march, 60), leap(g, years));
    return GRAPH_NODE(g, "Where", late, plus(g, from_march, -305), later);
}

/* The seconds since the previous row of the input; NaN for the first row and for negative differences. */
static const char *since(graph *g, const char *date)
{
    const double nothing = NAN;
    const char *first = graph_doubles(g, &nothing, (const int64_t[]){1, 1}, 2);
    const char *longer = graph_along(g, "Concat", 0, (const char *const[]){first, date, NULL});
    const char *before = GRAPH_NODE(g, "Slice", longer, GRAPH_VECTOR(g, 0), GRAPH_VECTOR(g, -1));
    const char *passed = GRAPH_NODE(g, "Sub", date, before);
    return GRAPH_NODE(g, "Where", GRAPH_NODE(g, "Less", passed, number(g, 0)), number(g, NAN), passed);
}

const char *export_date_part(graph *g, date_part part, const char *date)
{
    if (part == PART_VALUE) return date;
    const char *known = GRAPH_NODE(g, "Less", GRAPH_NODE(g, "Abs", date), number(g, DATE_MAX));
    date = GRAPH_NODE(g, "Where", known, date, number(g, NAN));
    const char *day = whole(g, date, DAY);
    switch (part) {
    case PART_HOUR:
        return GRAPH_NODE(g, "Div", GRAPH_NODE(g, "Sub", date, times(g, day, DAY)), number(g, 3600));
    case PART_WEEKDAY: return rest(g, plus(g, day, 3), 7); /* 1970 began on a Thursday */
    case PART_YEARDAY: return year_day(g, day);
    case PART_SINCE: return since(g, date);
    default: return date;
    }
}
