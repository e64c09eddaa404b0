/* Decodes and encodes UTF-8 as defined by RFC 3629. */
#include "base/utf8.h"

#include <stdlib.h>

static const char replacement[] = "\xef\xbf\xbd";

/* The length of the sequence that begins at `text`, 0 if it is malformed. */
static size_t sequence_length(const unsigned char *text, size_t left)
{
    unsigned char lead = text[0];
    size_t length = lead < 0x80                   ? 1
                    : lead >= 0xc2 && lead < 0xe0 ? 2
                    : (lead & 0xf0) == 0xe0       ? 3
                    : lead >= 0xf0 && lead < 0xf5 ? 4
                                                  : 0;
    if (length == 0 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    bool wrong = (lead == 0xe0 && text[1] < 0xa0) || (lead == 0xed && text[1] > 0x9f) ||
                 (lead == 0xf0 && text[1] < 0x90) || (lead == 0xf4 && text[1] > 0x8f);
    return wrong ? 0 : length;
}

size_t utf8_next(uint32_t *out, const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = sequence_length(bytes, 4); /* stops at NUL, which continues no sequence */
    uint32_t number = length < 2 ? bytes[0] : bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) number = number << 6 | (bytes[i] & 0x3fu);
    if (length) *out = number;
    return length;
}

size_t utf8_put(char *out, uint32_t number)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (number > 0x10ffff || (number >= 0xd800 && number < 0xe000)) number = 0xfffd;
    size_t length = number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; number >>= 6) out[i] = (char)(0x80 | (number & 63));
    out[0] = (char)(lead[length] | number);
    return length;
}

char *utf8_valid(const char *text)
{
    char *copy = malloc(strlen(text) * (sizeof replacement - 1) + 1), *to = copy;
    uint32_t number;
    while (copy && *text) {
        size_t length = utf8_next(&number, text);
        const char *source = length ? text : replacement;
        size_t bytes = length ? length : sizeof replacement - 1;
        memcpy(to, source, bytes);
        to += bytes;
        text += length ? length : 1;
    }
    if (copy) *to = 0;
    return copy;
}

bool text_is_utf8(text_view view)
{
    const unsigned char *text = (const unsigned char *)view.text;
    for (size_t i = 0; i < view.length;) {
        size_t length = sequence_length(text + i, view.length - i);
        if (length == 0) return false;
        i += length;
    }
    return true;
}

size_t text_from_latin1(char *out, text_view view)
{
    size_t used = 0;
    for (size_t i = 0; i < view.length; i++) {
        unsigned char byte = (unsigned char)view.text[i];
        if (byte >= 0x80) out[used++] = (char)(0xc0 | byte >> 6);
        out[used++] = (char)(byte >= 0x80 ? 0x80 | (byte & 0x3f) : byte);
    }
    return used;
}

puad_status arena_view(arena *owner, const char **out, text_view view)
{
    char *copy;
    TRY(arena_new(owner, &copy, view.length + 1, 1));
    if (view.length) memcpy(copy, view.text, view.length);
    *out = copy;
    return PUAD_OK;
}
