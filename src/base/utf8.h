/* UTF-8, and views of text that somebody else owns, such as a part of a file. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/memory.h"

#include <string.h>

typedef struct text_view {
    const char *text; /* not ended by NUL */
    size_t length;
} text_view;

static inline bool view_is(text_view view, const char *text)
{
    return strlen(text) == view.length && memcmp(view.text, text, view.length) == 0;
}

/* Without surrounding blanks and tabs. */
static inline text_view view_trimmed(text_view view)
{
    while (view.length && (*view.text == ' ' || *view.text == '\t')) view.text++, view.length--;
    while (view.length && (view.text[view.length - 1] == ' ' || view.text[view.length - 1] == '\t'))
        view.length--;
    return view;
}

/* True when every byte is below 0x80 or part of a well-formed UTF-8 sequence. */
bool text_is_utf8(text_view view);

/* Converts Latin-1 to UTF-8; `out` has capacity for 2 * length bytes. Returns the number of bytes written. */
size_t text_from_latin1(char *out, text_view view);

/* A NUL-terminated copy. */
puad_status arena_view(arena *owner, const char **out, text_view view);

/* Decodes the character at `text` into *out and returns its length, 1 to 4; 0 if the bytes are not valid
 * UTF-8. NUL ends the string. */
size_t utf8_next(uint32_t *out, const char *text);

/* Encodes a character and returns its length, 1 to 4; invalid numbers become U+FFFD. */
size_t utf8_put(char *out, uint32_t number);

/* A copy on the heap in which bytes that are not UTF-8 become U+FFFD; NULL when memory ran out. */
char *utf8_valid(const char *text);

#endif
