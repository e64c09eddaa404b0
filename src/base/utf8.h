/* UTF-8 decoding and validation for text we output. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Decodes the character at `text` into *out and returns its length, 1 to 4; 0 if the bytes are not valid
 * UTF-8. NUL ends the string. */
size_t utf8_next(uint32_t *out, const char *text);

/* Encodes a character and returns its length, 1 to 4; invalid numbers become U+FFFD. */
size_t utf8_put(char *out, uint32_t number);

/* A copy on the heap in which bytes that are not UTF-8 become U+FFFD; NULL when memory ran out. */
char *utf8_valid(const char *text);

#endif
