/* A small parser of dates: numbers, month names, and separators. */
#include "table/cells/cell_date.h"

#include "base/number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#define DAY 86400.0

static const struct {
    const char *name, *words;
    double seconds; /* of the offset, if the zone is a number */
} orders[] = {
    [DATE_YMD] = {"ymd", "dates as year-month-day", 0},
    [DATE_DMY] = {"dmy", "dates as day.month.year", 0},
    [DATE_MDY] = {"mdy", "dates as month/day/year", 0},
    [DATE_COMPACT] = {"compact", "dates as yyyymmdd", 0},
    [DATE_TIME] = {"time", "times of the day", 0},
    [DATE_SECONDS] = {"seconds", "time stamps in seconds since 1970", 1},
    [DATE_MILLISECONDS] = {"milliseconds", "time stamps in milliseconds since 1970", 1e-3},
    [DATE_MICROSECONDS] = {"microseconds", "time stamps in microseconds since 1970", 1e-6},
    [DATE_NANOSECONDS] = {"nanoseconds", "time stamps in nanoseconds since 1970", 1e-9},
};

static const struct {
    const char *name, *words;
} parts[] = {
    [PART_VALUE] = {"value", "value"},
    [PART_HOUR] = {"hour", "hour of the day"},
    [PART_WEEKDAY] = {"weekday", "weekday"},
    [PART_YEARDAY] = {"yearday", "day of the year"},
    [PART_SINCE] = {"since", "seconds since the previous row"},
    [PART_STAMP] = {"date", "date"},
};

const char *date_order_name(date_order order)
{
    return orders[order].name;
}
const char *date_order_words(date_order order)
{
    return orders[order].words;
}
const char *date_part_name(date_part part)
{
    return parts[part].name;
}
const char *date_part_words(date_part part)
{
    return parts[part].words;
}

typedef struct reader {
    const char *p, *end;
    double offset; /* from UTC, in seconds, if the text has one */
} reader;

static char look(const reader *in)
{
    return in->p < in->end ? *in->p : 0;
}

static bool skip(reader *in, char c)
{
    if (look(in) != c) return false;
    in->p++;
    return true;
}

static void skip_blanks(reader *in)
{
    while (look(in) == ' ') in->p++;
}

/* Reads between `min` and `max` digits; returns their count, or 0 if there are fewer or more. */
static int digits(reader *in, int min, int max, long *out)
{
    int count = 0;
    *out = 0;
    for (; isdigit((unsigned char)look(in)) && count < 9; count++) *out = *out * 10 + (*in->p++ - '0');
    return count >= min && count <= max && !isdigit((unsigned char)look(in)) ? count : 0;
}

/* Reads exactly `count` digits, whatever follows. */
static bool exactly(reader *in, int count, long *out)
{
    *out = 0;
    for (; count > 0; count--) {
        if (!isdigit((unsigned char)look(in))) return false;
        *out = *out * 10 + (*in->p++ - '0');
    }
    return true;
}

static int word(reader *in, const char *const *words, int count, int shortest)
{
    const char *begin = in->p;
    while (isalpha((unsigned char)look(in)) || (unsigned char)look(in) >= 0x80) in->p++;
    size_t length = (size_t)(in->p - begin);
    for (int i = 0; length >= (size_t)shortest && i < count; i++)
        if (length <= strlen(words[i]) && strncasecmp(words[i], begin, length) == 0) return i;
    in->p = begin;
    return -1;
}

/* Month names in English and a few other languages, recognized by three or more letters. */
static long month_name(reader *in)
{
    static const char *const names[] = {"january",
                                        "february",
                                        "march",
                                        "april",
                                        "may",
                                        "june",
                                        "july",
                                        "august",
                                        "september",
                                        "october",
                                        "november",
                                        "december",
                                        "januar",
                                        "februar",
                                        "m\xc3\xa4rz",
                                        "mai",
                                        "juni",
                                        "juli",
                                        "oktober",
                                        "dezember",
                                        "janvier",
                                        "f\xc3\xa9vrier",
                                        "mars",
                                        "avril",
                                        "juin",
                                        "juillet",
                                        "ao\xc3\xbbt",
                                        "septembre",
                                        "octobre",
                                        "novembre",
                                        "d\303\251cembre",
                                        "sept"};
    static const unsigned char months[] = {1, 2, 3,  4,  5, 6, 7, 8, 9, 10, 11, 12, 1,  2,  3,  5,
                                           6, 7, 10, 12, 1, 2, 3, 4, 6, 7,  8,  9,  10, 11, 12, 9};
    int found = word(in, names, (int)(sizeof names / sizeof *names), 3);
    if (found >= 0) skip(in, '.');
    return found < 0 ? 0 : months[found];
}

static void skip_weekday(reader *in)
{
    static const char *const names[] = {"monday", "tuesday",  "wednesday", "thursday",
                                        "friday", "saturday", "sunday"};
    if (word(in, names, 7, 3) < 0) return;
    skip(in, '.');
    skip(in, ',');
    skip_blanks(in);
}

/* Days since 1970 of a date of the Gregorian calendar, by eras of 400 years. */
static double days_of(long year, long month, long day)
{
    year -= month <= 2;
    long era = (year >= 0 ? year : year - 399) / 400, in_era = year - era * 400;
    long in_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return (double)(era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468);
}

static bool leap(long year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static bool date_of(double *out, long year, long month, long day)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return false;
    if (day > lengths[month - 1] + (month == 2 && leap(year))) return false;
    *out = days_of(year, month, day) * DAY;
    return true;
}

static bool is_separator(char c)
{
    return c == '-' || c == '/' || c == '.';
}

static bool year_first(double *out, reader *in)
{
    long year, month, day = 1;
    if (!digits(in, 4, 4, &year) || !is_separator(look(in))) return false;
    char separator = *in->p++;
    if (!digits(in, 1, 2, &month)) return false;
    if (skip(in, separator)) {
        if (!digits(in, 1, 2, &day)) return false;
    } else if (separator == '.' || in->p < in->end) {
        return false; /* a bare year and month is the whole cell, and 2024.01 is a number */
    }
    return date_of(out, year, month, day);
}

/* Day, month and year with one separator, or with a month name anywhere before the year. */
static bool year_last(double *out, reader *in, bool month_first)
{
    long first, second = 0, year;
    skip_weekday(in);
    long named = month_name(in);
    bool month_leads = named > 0;
    if (month_leads) {
        skip(in, '-');
        skip_blanks(in);
    }
    int first_digits = digits(in, 1, 2, &first);
    if (!first_digits) return false;
    char separator = look(in);
    if (named) {
        skip(in, ',');
        skip(in, '-');
        skip_blanks(in);
        int count = digits(in, 2, 4, &year);
        if (count != 4 && count != 2) return false;
        if (count == 2) year += year < 69 ? 2000 : 1900;
        return date_of(out, year, named, first);
    }
    if (!is_separator(separator) && separator != ' ') return false;
    in->p++;
    if (separator == '.') skip_blanks(in);
    int second_digits = 0;
    if ((named = month_name(in)) == 0 && (separator == ' ' || !(second_digits = digits(in, 1, 2, &second))))
        return false;
    if (!skip(in, separator) && !named) return false;
    if (named || separator == '.') {
        skip(in, ',');
        skip_blanks(in);
    }
    int count = digits(in, 2, 4, &year);
    if (count != 4 && count != 2) return false;
    /* 1.2.03 may be a software version */
    if (count == 2 && !named && separator == '.' && (first_digits != 2 || second_digits != 2)) return false;
    if (count == 2) year += year < 69 ? 2000 : 1900;
    if (named) return date_of(out, year, named, first);
    return month_first ? date_of(out, year, first, second) : date_of(out, year, second, first);
}

/* An offset from UTC or the name of a time zone. */
static bool zone(reader *in)
{
    static const char *const names[] = {"utc", "gmt", "cet", "cest", "est", "edt",
                                        "cst", "cdt", "mst", "mdt",  "pst", "pdt"};
    static const signed char hours_of[] = {0, 0, 1, 2, -5, -4, -6, -5, -7, -6, -8, -7};
    long hours, minutes = 0;
    skip_blanks(in);
    if (in->p == in->end || skip(in, 'Z') || skip(in, 'z')) return true;
    int named = word(in, names, 12, 3);
    if (named >= 0) {
        in->offset = hours_of[named] * 3600.0;
        return true;
    }
    bool west = skip(in, '-');
    if (!west && !skip(in, '+')) return false;
    if (!exactly(in, 2, &hours)) return false;
    skip(in, ':');
    if (in->p < in->end && !exactly(in, 2, &minutes)) return false;
    in->offset = (double)(hours * 3600 + minutes * 60) * (west ? -1 : 1);
    return hours <= 14;
}

static bool clock_time(double *out, reader *in)
{
    long hour, minute, second = 0;
    double fraction = 0, unit = 1;
    if (!digits(in, 1, 2, &hour) || !skip(in, ':') || !exactly(in, 2, &minute)) return false;
    if (skip(in, ':') && !exactly(in, 2, &second)) return false;
    if (look(in) == '.' || look(in) == ',')
        for (in->p++; isdigit((unsigned char)look(in)); in->p++) fraction += (*in->p - '0') * (unit /= 10);
    skip_blanks(in);
    char half = (char)tolower((unsigned char)look(in));
    bool named =
        (half == 'a' || half == 'p') && in->end - in->p >= 2 && tolower((unsigned char)in->p[1]) == 'm';
    if (named) {
        in->p += 2;
        if (hour < 1 || hour > 12) return false;
        hour = hour % 12 + (half == 'p' ? 12 : 0);
    }
    if (hour > 23 || minute > 59 || second > 60) return false;
    *out = (double)(hour * 3600 + minute * 60 + second) + fraction;
    return true;
}

static bool compact(double *out, reader *in)
{
    long year, month, day, hour, minute, second;
    if (!exactly(in, 4, &year) || !exactly(in, 2, &month) || !exactly(in, 2, &day)) return false;
    if (!date_of(out, year, month, day)) return false;
    skip(in, 'T');
    if (in->p == in->end) return true;
    if (!exactly(in, 2, &hour) || !exactly(in, 2, &minute) || !exactly(in, 2, &second)) return false;
    *out += (double)(hour * 3600 + minute * 60 + second);
    return hour < 24 && minute < 60 && second <= 60 && zone(in);
}

static bool whole_date(double *out, reader *in, date_order order)
{
    double time = 0;
    if (order == DATE_YMD ? !year_first(out, in) : !year_last(out, in, order == DATE_MDY)) return false;
    if (skip(in, ',') || skip(in, 'T') || look(in) == ' ') {
        skip_blanks(in);
        if (in->p < in->end && !clock_time(&time, in)) return false;
    }
    *out += time;
    return zone(in);
}

static bool read_date(double *out, double *out_offset, text_view text, date_order order)
{
    text = view_trimmed(text);
    reader in = {text.text, text.text + text.length, 0};
    *out_offset = 0;
    if (text.length < 4 || text.length > 60) return false;
    if (orders[order].seconds > 0) {
        if (!number_parse(out, text.text, text.length, '.')) return false;
        *out *= orders[order].seconds;
        return fabs(*out) < DATE_MAX;
    }
    bool good = order == DATE_TIME      ? clock_time(out, &in) && zone(&in)
                : order == DATE_COMPACT ? compact(out, &in)
                                        : whole_date(out, &in, order);
    *out_offset = in.offset;
    return good && in.p == in.end;
}

bool date_read(double *out, text_view text, date_order order)
{
    double offset;
    return read_date(out, &offset, text, order);
}

bool date_read_utc(double *out, text_view text, date_order order)
{
    double offset;
    if (!read_date(out, &offset, text, order)) return false;
    *out -= offset;
    return true;
}

/* Year and day of the year (from 0) of a day since 1970. */
static long year_of(double day, long *out_day)
{
    long year = 1970 + (long)floor(day / 365.2425);
    while (days_of(year + 1, 1, 1) <= day) year++;
    while (days_of(year, 1, 1) > day) year--;
    *out_day = (long)(day - days_of(year, 1, 1));
    return year;
}

double date_part_of(date_part part, double date, double before)
{
    if (part == PART_VALUE) return date;
    if (!(fabs(date) < DATE_MAX)) return NAN;
    double day = floor(date / DAY);
    long of_year;
    switch (part) {
    case PART_HOUR: return (date - day * DAY) / 3600;
    case PART_WEEKDAY: return day + 3 - 7 * floor((day + 3) / 7); /* 1970 began on a Thursday */
    case PART_YEARDAY: year_of(day, &of_year); return (double)(of_year + 1);
    case PART_STAMP: return date;
    case PART_SINCE: return fabs(before) < DATE_MAX ? date - before : NAN;
    default: return date;
    }
}

void date_text(char out[DATE_TEXT], double date, date_order order)
{
    double day = floor(date / DAY);
    long seconds = (long)(date - day * DAY), of_year, month = 12;
    if (!(fabs(date) < DATE_MAX)) {
        snprintf(out, DATE_TEXT, "not a date");
        return;
    }
    if (order == DATE_TIME) {
        snprintf(out, DATE_TEXT, "%02ld:%02ld:%02ld", seconds / 3600, seconds / 60 % 60, seconds % 60);
        return;
    }
    long year = year_of(day, &of_year);
    while (month > 1 && days_of(year, month, 1) > day) month--;
    int length =
        snprintf(out, DATE_TEXT, "%04ld-%02ld-%02ld", year, month, (long)(day - days_of(year, month, 1)) + 1);
    if (seconds)
        snprintf(out + length, (size_t)(DATE_TEXT - length), " %02ld:%02ld:%02ld", seconds / 3600,
                 seconds / 60 % 60, seconds % 60);
}
