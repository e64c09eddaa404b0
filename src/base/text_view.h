/* A view of text that somebody else owns, such as a part of a file, and its conversion to valid UTF-8. */
#ifndef BASE_TEXT_VIEW_H
#define BASE_TEXT_VIEW_H

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

#endif
