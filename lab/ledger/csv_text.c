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

static puad_status read_quoted(char **out, sheet_reader *from)
{
    char *write = from->at, *read = from->at + 1;
    *out = write;
    for (;; read++) {
        if (read >= from->end) FAIL(PUAD_FORMAT, "%s:%zu: a quote is not closed", from->name, from->line);
        if (*read == '"') {
            if (read + 1 >= from->end || read[1] != '"') break;
            read++;
        }
        if (*read == 0) FAIL(PUAD_FORMAT, "%s:%zu: a zero byte", from->name, from->next_line);
        from->next_line += *read == '\n';
        *write++ = *read;
    }
    from->at = read + 1;
    if (from->at < from->end && !ends_value(*from->at))
        FAIL(PUAD_FORMAT, "%s:%zu: text after a closing quote", from->name, from->next_line);
    *write = 0; /* the closing quote or an earlier byte */
    return PUAD_OK;
}

static puad_status read_plain(char **out, sheet_reader *from)
{
    *out = from->at;
    while (from->at < from->end && !ends_value(*from->at)) {
        if (*from->at == '"') FAIL(PUAD_FORMAT, "%s:%zu: a quote inside a value", from->name, from->line);
        if (*from->at == 0) FAIL(PUAD_FORMAT, "%s:%zu: a zero byte", from->name, from->line);
        from->at++;
    }
    return PUAD_OK;
}

puad_status sheet_next(char **values, size_t room, size_t *out_count, sheet_reader *from)
{
    *out_count = 0;
    while (from->at < from->end && (*from->at == '\n' || *from->at == '\r'))
        from->next_line += *from->at++ == '\n';
    if (from->at >= from->end) return PUAD_OK;
    from->line = from->next_line;
    for (;;) {
        if (*out_count == room)
            FAIL(PUAD_FORMAT, "%s:%zu: more than %zu values", from->name, from->line, room);
        char **value = &values[(*out_count)++];
        bool quoted = from->at < from->end && *from->at == '"';
        TRY(quoted ? read_quoted(value, from) : read_plain(value, from));
        char ending = from->at < from->end ? *from->at : '\n';
        if (from->at < from->end)
            *from->at++ = 0; /* terminates the value; the text has a zero byte at its end */
        if (ending == ',') continue;
        if (ending == '\r' && from->at < from->end && *from->at == '\n') from->at++;
        from->next_line++;
        return PUAD_OK;
    }
}
