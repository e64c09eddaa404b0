/* Strict RFC 4180: a quote inside an unquoted value, or an unclosed quote, is an error. */
#include "lab/ledger/csv_text.h"

#include "base/plain_text.h"

#include <string.h>

void sheet_write(FILE *stream, const char *text, bool first)
{
    if (!first) fputc(',', stream);
    csv_put(stream, text, ',', 0);
}

sheet_reader sheet_begin(char *text, size_t size, const char *name)
{
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* skip a byte order mark */
        text += 3;
        size -= 3;
    }
    return (sheet_reader){.at = text, .end = text + size, .name = name, .next_line = 1};
}

static bool ends_value(char byte)
{
    return byte == ',' || byte == '\r' || byte == '\n';
}

static puad_status read_quoted(char **out, sheet_reader *reader)
{
    char *write = reader->at, *read = reader->at + 1;
    *out = write;
    for (;; read++) {
        if (read >= reader->end)
            FAIL(PUAD_FORMAT, "%s:%zu: a quote is not closed", reader->name, reader->line);
        if (*read == '"') {
            if (read + 1 >= reader->end || read[1] != '"') break;
            read++;
        }
        if (*read == 0) FAIL(PUAD_FORMAT, "%s:%zu: a zero byte", reader->name, reader->next_line);
        reader->next_line += *read == '\n';
        *write++ = *read;
    }
    reader->at = read + 1;
    if (reader->at < reader->end && !ends_value(*reader->at))
        FAIL(PUAD_FORMAT, "%s:%zu: text after a closing quote", reader->name, reader->next_line);
    *write = 0; /* the closing quote or an earlier byte */
    return PUAD_OK;
}

static puad_status read_plain(char **out, sheet_reader *reader)
{
    *out = reader->at;
    while (reader->at < reader->end && !ends_value(*reader->at)) {
        if (*reader->at == '"')
            FAIL(PUAD_FORMAT, "%s:%zu: a quote inside a value", reader->name, reader->line);
        if (*reader->at == 0) FAIL(PUAD_FORMAT, "%s:%zu: a zero byte", reader->name, reader->line);
        reader->at++;
    }
    return PUAD_OK;
}

puad_status sheet_next(char **values, size_t capacity, size_t *out_count, sheet_reader *reader)
{
    *out_count = 0;
    while (reader->at < reader->end && (*reader->at == '\n' || *reader->at == '\r'))
        reader->next_line += *reader->at++ == '\n';
    if (reader->at >= reader->end) return PUAD_OK;
    reader->line = reader->next_line;
    for (;;) {
        if (*out_count == capacity)
            FAIL(PUAD_FORMAT, "%s:%zu: more than %zu values", reader->name, reader->line, capacity);
        char **value = &values[(*out_count)++];
        bool quoted = reader->at < reader->end && *reader->at == '"';
        TRY(quoted ? read_quoted(value, reader) : read_plain(value, reader));
        char ending = reader->at < reader->end ? *reader->at : '\n';
        if (reader->at < reader->end)
            *reader->at++ = 0; /* terminates the value; the text has a zero byte at its end */
        if (ending == ',') continue;
        if (ending == '\r' && reader->at < reader->end && *reader->at == '\n') reader->at++;
        reader->next_line++;
        return PUAD_OK;
    }
}
