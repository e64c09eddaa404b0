/* Detects and removes control characters. */
#include "base/plain_text.h"

#include "base/utf8.h"

#include <string.h>

/* The length of the character at `text`, 1 if it is invalid; *control is set if a terminal would interpret
 * it. */
static size_t next(bool *control, bool *valid, const char *text)
{
    uint32_t number = 0;
    size_t length = utf8_next(&number, text);
    *valid = length > 0;
    if (!length) number = (unsigned char)*text; /* assume an encoding with one byte per character */
    *control = number < ' ' || (number >= 0x7f && number < 0xa0);
    return length ? length : 1;
}

bool text_is_plain(const char *text)
{
    bool control = false, valid;
    while (*text && !control) text += next(&control, &valid, text);
    return !control;
}

void text_plain(char *out, size_t room, const char *text, bool lines)
{
    size_t used = 0;
    while (*text) {
        bool control, valid;
        size_t length = next(&control, &valid, text);
        bool plain = valid && (!control || (lines && (*text == '\n' || *text == '\t')));
        size_t bytes = plain ? length : 1;
        if (used + bytes >= room) break;
        memcpy(out + used, plain ? text : "?", bytes);
        used += bytes;
        text += length;
    }
    out[used] = 0;
}
