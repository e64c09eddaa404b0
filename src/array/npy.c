/* NumPy's NPY format, versions 1 to 3: a magic, a header that looks like a Python dict, the elements. */
#include "array/array_fill.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_MAX = 1 << 20 };

static const struct {
    const char *code;
    array_type type;
} codes[] = {
    {"b1", ARRAY_BOOL}, {"u1", ARRAY_U8},  {"i1", ARRAY_I8},  {"u2", ARRAY_U16},
    {"i2", ARRAY_I16},  {"u4", ARRAY_U32}, {"i4", ARRAY_I32}, {"u8", ARRAY_U64},
    {"i8", ARRAY_I64},  {"f2", ARRAY_F16}, {"f4", ARRAY_F32}, {"f8", ARRAY_F64},
};

/* The header while it is parsed. `start` is the file offset of text[0], for messages. */
typedef struct header {
    const char *name, *text, *at;
    size_t start;
    bool has_type, has_order, has_shape, swapped, texts;
} header;

static puad_status bad(const header *where, const char *expected)
{
    FAIL(PUAD_FORMAT, "%s: at offset %zu: expected %s in the header", where->name,
         where->start + (size_t)(where->at - where->text), expected);
}

static void skip_blanks(header *where)
{
    while (isspace((unsigned char)*where->at)) where->at++;
}

static bool accept(header *where, char letter)
{
    skip_blanks(where);
    if (*where->at != letter) return false;
    where->at++;
    return true;
}

static puad_status parse_text(char *out, size_t capacity, header *where)
{
    skip_blanks(where);
    char quote = *where->at;
    if (quote != '\'' && quote != '"') return bad(where, "a quoted string");
    const char *end = strchr(where->at + 1, quote);
    if (!end || (size_t)(end - where->at) > capacity) return bad(where, "a short quoted string");
    size_t length = (size_t)(end - where->at) - 1;
    memcpy(out, where->at + 1, length);
    out[length] = 0;
    where->at = end + 1;
    return PUAD_OK;
}

/* "U7" or "S7": the number of characters. */
static bool parse_letters(array *out, const char *code)
{
    size_t letters = 0;
    if (code[0] != 'U' && code[0] != 'S') return false;
    for (const char *at = code + 1; *at; at++) {
        if (!isdigit((unsigned char)*at) || letters > ARRAY_LETTERS_MAX) return false;
        letters = 10 * letters + (size_t)(*at - '0');
    }
    out->type = code[0] == 'U' ? ARRAY_UCS4 : ARRAY_BYTES;
    out->letters = letters;
    return letters >= 1 && letters <= ARRAY_LETTERS_MAX;
}

static puad_status refuse_type(const header *where, const char *text)
{
    char texts[80] = "";
    if (where->texts) snprintf(texts, sizeof texts, " or strings of 1 to %d characters", ARRAY_LETTERS_MAX);
    FAIL(PUAD_FORMAT, "%s: elements of NumPy type '%s', expected bool, integers or float16 to float64%s%s",
         where->name, text, texts, strcmp(text, "|O") == 0 ? "; convert these objects with astype()" : "");
}

static puad_status parse_type(array *out, header *where)
{
    char text[32];
    skip_blanks(where);
    if (*where->at == '[')
        FAIL(PUAD_FORMAT, "%s: an array of records, expected an array of plain numbers", where->name);
    TRY(parse_text(text, sizeof text, where));
    const char *code = strchr("<>|=", text[0]) && text[0] ? text + 1 : text;
    size_t i = 0;
    while (i < sizeof codes / sizeof *codes && strcmp(code, codes[i].code) != 0) i++;
    out->letters = 0;
    if (i < sizeof codes / sizeof *codes)
        out->type = codes[i].type;
    else if (!where->texts || !parse_letters(out, code))
        return refuse_type(where, text);
    where->swapped = text[0] == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '>' : '<');
    where->has_type = true;
    return PUAD_OK;
}

static puad_status parse_order(array *out, header *where)
{
    skip_blanks(where);
    out->fortran = strncmp(where->at, "True", 4) == 0;
    if (!out->fortran && strncmp(where->at, "False", 5) != 0) return bad(where, "True or False");
    where->at += out->fortran ? 4 : 5;
    where->has_order = true;
    return PUAD_OK;
}

static puad_status parse_shape(array *out, header *where)
{
    if (!accept(where, '(')) return bad(where, "a shape in parentheses");
    out->dimensions = 0;
    while (!accept(where, ')')) {
        if (out->dimensions == ARRAY_DIMENSIONS_MAX)
            FAIL(PUAD_FORMAT, "%s: an array of more than %d dimensions", where->name, ARRAY_DIMENSIONS_MAX);
        if (!isdigit((unsigned char)*where->at)) return bad(where, "a size or ')'");
        size_t size = 0;
        for (; isdigit((unsigned char)*where->at); where->at++)
            if (!size_multiply(&size, size, 10) || !size_add(&size, size, (size_t)(*where->at - '0')))
                return bad(where, "a size that this machine can count");
        if (*where->at == 'L') where->at++; /* written by Python 2 */
        out->shape[out->dimensions++] = size;
        if (!accept(where, ',') && *where->at != ')') return bad(where, "',' or ')'");
    }
    where->has_shape = true;
    return PUAD_OK;
}

static puad_status parse_header(array *out, header *where)
{
    if (!accept(where, '{')) return bad(where, "'{'");
    while (!accept(where, '}')) {
        char key[32];
        TRY(parse_text(key, sizeof key, where));
        if (!accept(where, ':')) return bad(where, "':'");
        if (strcmp(key, "descr") == 0)
            TRY(parse_type(out, where));
        else if (strcmp(key, "fortran_order") == 0)
            TRY(parse_order(out, where));
        else if (strcmp(key, "shape") == 0)
            TRY(parse_shape(out, where));
        else
            return bad(where, "descr, fortran_order or shape");
        if (!accept(where, ',') && *where->at != '}') return bad(where, "',' or '}'");
    }
    if (!where->has_type || !where->has_order || !where->has_shape)
        FAIL(PUAD_FORMAT, "%s: the header lacks descr, fortran_order or shape", where->name);
    return PUAD_OK;
}

puad_status npy_parse(array *out, stream *source, size_t limit, bool texts)
{
    unsigned char start[12];
    AUTO_FREE char *text = NULL;
    array result = {0};
    TRY(stream_read(source, start, 8));
    if (memcmp(start, "\x93NUMPY", 6) != 0)
        FAIL(PUAD_FORMAT, "%s: at offset 0: not a NumPy array", source->name);
    if (start[6] < 1 || start[6] > 3)
        FAIL(PUAD_FORMAT, "%s: at offset 6: NPY version %d, expected 1 to 3", source->name, start[6]);
    size_t bytes = start[6] == 1 ? 2 : 4, length = 0;
    TRY(stream_read(source, start + 8, bytes));
    for (size_t i = bytes; i-- > 0;) length = length << 8 | start[8 + i];
    if (length > HEADER_MAX)
        FAIL(PUAD_FORMAT, "%s: at offset 8: a header of %zu bytes", source->name, length);
    TRY(memory_new(&text, length + 1, 1, source->name));
    TRY(stream_read(source, text, length));
    header where = {.name = source->name, .text = text, .at = text, .start = 8 + bytes, .texts = texts};
    TRY(parse_header(&result, &where));
    TRY(array_fill(&result, source, limit, where.swapped));
    *out = result;
    return PUAD_OK;
}

puad_status npy_read(array *out, const char *path, size_t limit)
{
    AUTO_STREAM stream source = {0};
    TRY(stream_open(&source, path));
    return npy_parse(out, &source, limit, false);
}

puad_status npy_read_labels(array *out, const char *path, size_t limit)
{
    AUTO_STREAM stream source = {0};
    TRY(stream_open(&source, path));
    return npy_parse(out, &source, limit, true);
}
