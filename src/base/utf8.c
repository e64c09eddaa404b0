/* Decodes and encodes UTF-8 as defined by RFC 3629. */
#include "base/utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd";

static bool is_character(uint32_t number)
{
    return number <= 0x10ffff && !(number >= 0xd800 && number < 0xe000);
}

size_t utf8_next(uint32_t *out, const char *text)
{
    static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = bytes[0] < 0x80   ? 1
                    : bytes[0] < 0xc0 ? 0
                    : bytes[0] < 0xe0 ? 2
                    : bytes[0] < 0xf0 ? 3
                    : bytes[0] < 0xf8 ? 4
                                      : 0;
    if (length == 0) return 0;
    uint32_t number = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 0;
        number = number << 6 | (bytes[i] & 0x3fu);
    }
    if (number < min[length] || !is_character(number)) return 0;
    *out = number;
    return length;
}

size_t utf8_put(char *out, uint32_t number)
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (!is_character(number)) number = 0xfffd;
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
