/* Parses dates and times in common notations. */
#ifndef TABLE_CELLS_CELL_DATE_H
#define TABLE_CELLS_CELL_DATE_H

#include "base/utf8.h"

#include <stdbool.h>

/* The first four may be followed by a time of day with fractions, AM or PM, and an offset from UTC. The
 * offset is ignored by date_read: rows are compared by the time on the clock. */
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

#define DATE_MAX 1e13 /* seconds, either sign: far beyond year 9999 */

/* Seconds since 1970, or since midnight for DATE_TIME; false if the text is not such a date. */
bool date_read(double *out, text_view text, date_order order);

/* The same in UTC: subtracts the offset if the text has one. */
bool date_read_utc(double *out, text_view text, date_order order);

/* The name in model files and messages. */
const char *date_order_name(date_order order);
const char *date_order_words(date_order order);

/* What a table column takes from a date. PART_VALUE is the number itself, for columns without dates. */
typedef enum date_part {
    PART_VALUE,
    PART_HOUR,
    PART_WEEKDAY,
    PART_YEARDAY,
    PART_SINCE,
    PART_STAMP, /* the date itself */
    DATE_PARTS
} date_part;
const char *date_part_name(date_part part);  /* the name in a model file */
const char *date_part_words(date_part part); /* "hour of the day" */

/* The part of a date (NaN: missing): hours from 0 to 24, Monday 0 to Sunday 6, day of the year from 1, or
 * the seconds since `before`, the date of the previous row. */
double date_part_of(date_part part, double date, double before);

/* Formats as 2024-01-31 10:00:00, for messages. */
enum { DATE_TEXT = 40 };
void date_text(char out[DATE_TEXT], double date, date_order order);

#endif
