/* Dates and times as people and programs write them, and what a model takes of them. */
#ifndef TABLE_CELLS_CELL_DATE_H
#define TABLE_CELLS_CELL_DATE_H

#include "base/text_view.h"

#include <stdbool.h>

/* Times of the day may follow the date in the first four; fractions, AM and PM, and an offset from UTC, which
 * is read and left aside: the hour on the clock is what a row has in common with others. */
typedef enum date_order {
    DATE_YMD,     /* 2024-01-31, 2024/01/31, 2024-01-31T10:00:00.5+01:00, 2024-01 */
    DATE_DMY,     /* 31.01.2024, 31/01/24, 31 January 2024, Wed, 31 Jan 2024 */
    DATE_MDY,     /* 01/31/2024, Jan 31, 2024 */
    DATE_COMPACT, /* 20240131, 20240131100000 */
    DATE_TIME,    /* 10:00, 10:00:30 PM */
    DATE_SECONDS, /* since 1970 */
    DATE_MILLISECONDS,
    DATE_MICROSECONDS,
    DATE_NANOSECONDS,
    DATE_ORDERS
} date_order;

#define DATE_MOST 1e13 /* seconds, either way: far beyond year 9999 */

/* Seconds since 1970, or since midnight of DATE_TIME; false where the text is no such date. */
bool date_read(double *out, text_view text, date_order order);

/* The same with the offset from UTC taken off, where the text has one: when, not what the clock showed. */
bool date_read_utc(double *out, text_view text, date_order order);

/* How a model file and messages call it. */
const char *date_order_name(date_order order);
const char *date_order_words(date_order order);

/* What becomes of a date. PART_VALUE is the number itself, of columns that are no dates. */
typedef enum date_part {
    PART_VALUE,
    PART_HOUR,
    PART_WEEKDAY,
    PART_YEARDAY,
    PART_SINCE,
    PART_STAMP, /* the date itself */
    DATE_PARTS
} date_part;
const char *date_part_name(date_part part);  /* in a model file */
const char *date_part_words(date_part part); /* "hour of the day" */

/* The part of a date (NaN: missing): hours from 0 to 24, Monday 0 to Sunday 6, day of the year from 1 on, or
 * the seconds since `before`, the date of the row before. */
double date_part_of(date_part part, double date, double before);

/* 2024-01-31 10:00:00, for messages. */
enum { DATE_TEXT = 40 };
void date_text(char out[DATE_TEXT], double date, date_order order);

#endif
