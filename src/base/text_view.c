/* UTF-8 checks and copies of text views. */
#include "base/text_view.h"

/* The length of the sequence that begins at `text`, 0 when it is malformed. */
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
