/* Text as UTF-8: what is not is told apart, so that nothing
 * else leaves the program where UTF-8 is promised. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of the character at `text` (1 to 4) and its number in *out; 0 where no valid UTF-8 begins. A NUL
 * ends the text. */
size_t utf8_next(uint32_t *out, const char *text);

/* Writes the character with this number and returns its bytes, 1 to 4; U+FFFD for a number that is none. */
size_t utf8_put(char *out, uint32_t number);

/* A copy on the heap in which every byte that is no UTF-8 has become U+FFFD; NULL when memory ran out. */
char *utf8_valid(const char *text);

#endif
