/* Control characters, and cells of CSV files. */
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

void text_plain(char *out, size_t capacity, const char *text, bool lines)
{
    size_t used = 0;
    while (*text) {
        bool control, valid;
        size_t length = next(&control, &valid, text);
        bool plain = valid && (!control || (lines && (*text == '\n' || *text == '\t')));
        size_t bytes = plain ? length : 1;
        if (used + bytes >= capacity) break;
        memcpy(out + used, plain ? text : "?", bytes);
        used += bytes;
        text += length;
    }
    out[used] = 0;
}

/* Digits with marks between them, an exponent or a percent sign: a number, however a spreadsheet reads it. */
static bool is_number(const char *text, size_t length)
{
    size_t i = *text == '+' || *text == '-', digits = 0;
    for (; i < length && strchr("0123456789., '", text[i]) && text[i]; i++)
        digits += text[i] >= '0' && text[i] <= '9';
    if (digits && i + 1 < length && (text[i] == 'e' || text[i] == 'E')) {
        i += text[i + 1] == '+' || text[i + 1] == '-' ? 2 : 1;
        for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) digits++;
    }
    if (i < length && text[i] == '%') i++;
    return i == length && (digits || length == 1); /* a single sign is harmless */
}

bool text_is_formula(const char *text, size_t length)
{
    return length && *text && strchr("=+-@\t\r", *text) && !is_number(text, length);
}

/* A terminal must not interpret a cell; files keep it unchanged. */
static char shown_byte(char byte)
{
    bool control = ((unsigned char)byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f;
    return control ? '?' : byte;
}

void csv_put(FILE *to, const char *text, char delimiter, unsigned style)
{
    if (!text) return;
    bool quoted = strchr(text, delimiter) || strpbrk(text, "\"\n\r");
    if (quoted) putc_unlocked('"', to);
    if (style & CSV_GUARDED && text_is_formula(text, strlen(text))) putc_unlocked('\'', to);
    for (; *text; text++) {
        if (*text == '"') putc_unlocked('"', to);
        putc_unlocked(style & CSV_SHOWN ? shown_byte(*text) : *text, to);
    }
    if (quoted) putc_unlocked('"', to);
}
