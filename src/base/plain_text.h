/* Texts of others on a terminal: names of columns, cells of files, members of archives. A control character
 * in them could move the cursor, rename the window or hide what was printed before. */
#ifndef BASE_PLAIN_TEXT_H
#define BASE_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a text has no control characters (those of ASCII, DEL, and U+0080 to U+009F in UTF-8). */
bool text_is_plain(const char *text);

/* Copies a text into `out` of `room` bytes, at least 1, as a terminal can show it: control characters and
 * bytes that are no UTF-8 become '?', but line feeds and tabs stay where `lines`. What does not fit is cut
 * between characters. */
void text_plain(char *out, size_t room, const char *text, bool lines);

#endif
