/* Writes fields of rows as CSV or JSON. */
#include "cli/score/score_sink.h"

#include "base/decimal.h"
#include "base/plain_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

puad_status score_sink_open(score_sink *out, const char *path, const char *format)
{
    *out = (score_sink){.json = *format == 'j',
                        .whole = strcmp(format, "json") == 0,
                        .delimiter = strcmp(format, "tsv") == 0 ? '\t' : ',',
                        .to = stdout};
    if (path) {
        TRY(file_create(&out->file, path));
        out->to = out->file.stream;
    } else {
        out->terminal = isatty(STDOUT_FILENO);
    }
    return PUAD_OK;
}

/* Prefix of CSV strings that a spreadsheet would run. */
#define GUARD '\''

static bool is_control(char byte)
{
    return ((unsigned char)byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f;
}

/* Escapes a byte of a string in quotes, or bare in CSV; control characters are replaced on a terminal.
 * Returns the number of bytes written. */
static size_t quoted_byte(char out[8], char byte, bool json, bool terminal)
{
    if (!json && byte == '"') return out[0] = out[1] = '"', 2;
    if (json && (byte == '"' || byte == '\\')) return out[0] = '\\', out[1] = byte, 2;
    if (json && (unsigned char)byte < ' ') return (size_t)snprintf(out, 8, "\\u%04x", (unsigned char)byte);
    out[0] = terminal && is_control(byte) ? '?' : byte;
    return 1;
}

static bool needs_quotes(const char *text, size_t length, const score_sink *to)
{
    for (size_t i = 0; i < length && !to->json; i++)
        if (text[i] == to->delimiter || (text[i] && strchr("\"\n\r", text[i]))) return true;
    return to->json;
}

static puad_status grow(field_text *out, size_t more)
{
    if (out->used + more + 1 <= out->capacity) return PUAD_OK;
    size_t capacity = 2 * (out->used + more) + 64;
    TRY(memory_grow(&out->text, capacity, 1, "a row's cells"));
    out->capacity = capacity;
    return PUAD_OK;
}

static puad_status add_quoted(field_text *out, const char *text, size_t length, const score_sink *to)
{
    bool quoted = needs_quotes(text, length, to), json = to->json;
    TRY(grow(out, 6 * length + 3));
    if (quoted) out->text[out->used++] = '"';
    if (!json && text_is_formula(text, length)) out->text[out->used++] = GUARD;
    for (size_t i = 0; i < length; i++)
        out->used += quoted_byte(out->text + out->used, text[i], json, to->terminal);
    if (quoted) out->text[out->used++] = '"';
    out->text[out->used] = 0;
    return PUAD_OK;
}

puad_status score_sink_field(field_text *out, const score_sink *to, const char *name, const char *text,
                             size_t length)
{
    TRY(grow(out, 2));
    out->text[out->used++] = to->delimiter;
    if (to->json) {
        TRY(add_quoted(out, name, strlen(name), to));
        TRY(grow(out, 1));
        out->text[out->used++] = ':';
    }
    return add_quoted(out, text, length, to);
}

static void write_quoted(const score_sink *to, const char *text)
{
    char made[8];
    if (!to->json) {
        csv_put(to->to, text, to->delimiter, CSV_GUARDED | (to->terminal ? CSV_SHOWN : 0));
        return;
    }
    putc_unlocked('"', to->to);
    for (; *text; text++) fwrite_unlocked(made, quoted_byte(made, *text, true, to->terminal), 1, to->to);
    putc_unlocked('"', to->to);
}

/* Writes the text before a value; false if the value is not to be written. */
static bool begin(score_sink *to, const char *name)
{
    if (!to->begun && to->whole) fputs(to->any ? ",\n" : "{\"schema\":1,\"rows\":[\n", to->to);
    if (to->begun)
        putc_unlocked(to->delimiter, to->to);
    else if (to->json)
        putc_unlocked('{', to->to);
    to->any = true;
    to->begun = true;
    if (!to->json && !to->header) return true;
    write_quoted(to, name);
    if (to->json) putc_unlocked(':', to->to);
    return !to->header;
}

void score_sink_number(score_sink *to, const char *name, int digits, double value)
{
    char text[DECIMAL_TEXT];
    if (begin(to, name)) fwrite_unlocked(text, 1, decimal_text(text, value, digits), to->to);
}

void score_sink_whole(score_sink *to, const char *name, size_t value)
{
    char text[DECIMAL_TEXT];
    if (begin(to, name)) fwrite_unlocked(text, 1, decimal_whole(text, value), to->to);
}

void score_sink_text(score_sink *to, const char *name, const char *text)
{
    if (!begin(to, name)) return;
    if (text)
        write_quoted(to, text);
    else if (to->json)
        fputs("null", to->to);
}

void score_sink_raw(score_sink *to, const char *fields)
{
    if (fields) fputs(fields, to->to);
}

void score_sink_end(score_sink *to)
{
    if (to->json) putc_unlocked('}', to->to);
    if (!to->whole) putc_unlocked('\n', to->to);
    to->begun = false;
    if (ferror(to->to) && !to->reason) to->reason = errno;
}

puad_status score_sink_flush(score_sink *to)
{
    if (fflush(to->to) != 0 && !to->reason) to->reason = errno;
    if (!ferror(to->to)) return PUAD_OK;
    if (!to->file.stream) FAIL(PUAD_IO, "cannot write to standard output: %s", strerror(to->reason));
    FAIL(PUAD_IO, "%s: cannot write: %s", to->file.path, strerror(to->reason));
}

puad_status score_sink_finish(score_sink *to)
{
    if (to->whole) fputs(to->any ? "\n]}\n" : "{\"schema\":1,\"rows\":[]}\n", to->to);
    TRY(score_sink_flush(to));
    return to->file.stream ? file_commit(&to->file) : PUAD_OK;
}

void score_sink_close(score_sink *owner)
{
    file_abandon(&owner->file);
    *owner = (score_sink){0};
}
