/* Pads strings to columns on a terminal by characters, not by bytes. */
#ifndef BASE_PADDING_H
#define BASE_PADDING_H

#include <stddef.h>

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

#endif
