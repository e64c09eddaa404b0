/* The grammar of one CSV cell, shared by the parser and the guess of the dialect.
 *
 * A cell that begins with '"' goes to the next '"' that is not doubled; what follows up to the delimiter is
 * appended as it is. In any other cell '"' is a plain character, and blanks around the text do not belong to
 * it. A record ends at a line feed outside quotes, with or without a carriage return before it. */
#ifndef IO_CSV_CELL_H
#define IO_CSV_CELL_H

#include "base/text_view.h"

typedef struct raw_cell {
    text_view view; /* without the outer quotes */
    bool quoted;
    bool dirty; /* holds doubled quotes, or text behind the closing quote: cell_clean makes it right */
} raw_cell;

/* Reads the cell at *position, which is left at the delimiter or line feed behind it (or at `end`). */
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

/* The text of a dirty cell, into `out` with room for view.length bytes. Returns the bytes written. */
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
