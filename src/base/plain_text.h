/* Makes strings from input files (column names, cells, archive members) safe to print. Control characters
 * could move the cursor, rename the window or hide earlier output; a spreadsheet could run a cell. */
#ifndef BASE_PLAIN_TEXT_H
#define BASE_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether a string has no control characters (those of ASCII, DEL, and U+0080 to U+009F in UTF-8). */
bool text_is_plain(const char *text);

/* Copies a string into `out` of `capacity` bytes, at least 1, for a terminal: control characters and bytes
 * that are not UTF-8 become '?'; line feeds and tabs are kept if `lines`. The result is truncated between
 * characters. */
void text_plain(char *out, size_t capacity, const char *text, bool lines);

/* The same for printf: writes into the caller's buffer, truncates, and returns it. */
enum { SHOWN_CAPACITY = 256 };
static inline const char *text_shown(char buffer[SHOWN_CAPACITY], const char *text)
{
    text_plain(buffer, SHOWN_CAPACITY, text ? text : "", false);
    return buffer;
}

/* Pads strings to columns on a terminal by characters, not by bytes. */
static inline size_t text_characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

/* The number of blanks that pad a string to `width` characters: printf("%s%*s", text, text_padding(text,
 * 20), ""). */
static inline int text_padding(const char *text, size_t width)
{
    size_t used = text_characters(text);
    return used < width ? (int)(width - used) : 0;
}

/* Writes a string as a CSV cell, quoted only if necessary; NULL is an empty cell. */
enum {
    CSV_GUARDED = 1, /* a string that a spreadsheet would run gets an apostrophe, which answers may have */
    CSV_SHOWN = 2,   /* for a terminal: control characters become '?' */
};
void csv_put(FILE *to, const char *text, char delimiter, unsigned style);

/* Whether a spreadsheet would run the string as a formula: it begins like one and is not a number. */
bool text_is_formula(const char *text, size_t length);

#endif
