/* The grammar of one CSV cell, shared by the parser and the dialect guess.
 *
 * A cell that begins with '"' extends to the next '"' that is not doubled; bytes after it up to the
 * delimiter are appended unchanged. In other cells '"' is an ordinary character, and surrounding blanks
 * are dropped. A record ends at a line feed outside quotes, with an optional carriage return. */
#ifndef IO_CSV_CELL_H
#define IO_CSV_CELL_H

#include "base/utf8.h"

typedef struct raw_cell {
    text_view view; /* without the outer quotes */
    bool quoted;
    bool dirty; /* holds doubled quotes or text after the closing quote; use cell_clean */
} raw_cell;

/* Reads the cell at *position, which is then moved to the delimiter or line feed after it (or to `end`). */
static inline raw_cell cell_scan(const char **position, const char *end, char delimiter)
{
    const char *p = *position, *begin = p;
    raw_cell cell = {{begin, 0}, false, false};
    if (p < end && *p == '"') {
        const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));
        while (close && close + 1 < end && close[1] == '"') {
            cell.dirty = true;
            close = memchr(close + 2, '"', (size_t)(end - close - 2));
        }
        p = close ? close + 1 : end;
        begin++;
        cell.quoted = true;
        cell.view = (text_view){begin, (size_t)((close ? close : end) - begin)};
        if (p == end || *p == delimiter || *p == '\n' || (*p == '\r' && p + 1 < end && p[1] == '\n')) {
            *position = p + (p < end && *p == '\r' && delimiter != '\r');
            return cell;
        }
        cell.dirty = true;
    }
    while (p < end && *p != delimiter && *p != '\n') p++;
    *position = p;
    if (p > begin && p < end && *p == '\n' && p[-1] == '\r') p--;
    cell.view = (text_view){begin, (size_t)(p - begin)};
    if (!cell.quoted) cell.view = view_trimmed(cell.view);
    return cell;
}

/* The value of a dirty cell, written to `out` with capacity for view.length bytes. Returns the number of
 * bytes written. */
static inline size_t cell_clean(char *out, raw_cell cell)
{
    size_t used = 0;
    bool inside = cell.quoted;
    for (size_t i = 0; i < cell.view.length; i++) {
        char c = cell.view.text[i];
        if (inside && c == '"') {
            if (i + 1 < cell.view.length && cell.view.text[i + 1] == '"')
                i++;
            else {
                inside = false;
                continue;
            }
        }
        out[used++] = c;
    }
    return used;
}

#endif
