/* Prints CSV cells and notes. */
#include "cli/common/csv_print.h"
#include "cli/library_values.h"

#include "base/memory.h"
#include "cli/common/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A terminal must not interpret a cell; files keep it unchanged. */
int shown_byte(char byte)
{
    static int terminal = -1;
    if (terminal < 0) terminal = isatty(STDOUT_FILENO);
    bool control = ((unsigned char)byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f;
    return terminal && control ? '?' : byte;
}

void print_cell(const char *text)
{
    bool quoted = text && strpbrk(text, ",\"\n\r");
    if (quoted) putchar('"');
    for (; text && *text; text++) {
        if (*text == '"') putchar('"');
        putchar(shown_byte(*text));
    }
    if (quoted) putchar('"');
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

bool is_formula(const char *text, size_t length)
{
    return length && *text && strchr("=+-@\t\r", *text) && !is_number(text, length);
}

void print_spreadsheet_cell(const char *text)
{
    AUTO_FREE char *guarded = NULL;
    bool formula = text && is_formula(text, strlen(text));
    print_cell(formula && asprintf(&guarded, "'%s", text) >= 0 ? guarded : text);
}

static void print_note(const invocation *call, const char *note)
{
    char said[SPOKEN_ROOM];
    message_print(MESSAGE_NOTE, call->command->name, "%s", speak(said, call->command, note));
}

void print_notes(const invocation *call, const puad_dataset *data)
{
    for (size_t i = 0; !is_given(call, "quiet") && i < dataset_of(data).note_count; i++)
        print_note(call, puad_dataset_note(data, i));
}

void print_stream_notes(const invocation *call, puad_stream *stream)
{
    if (is_given(call, "quiet")) return;
    const char *note;
    for (size_t i = 0; (note = puad_stream_note(stream, i)); i++) print_note(call, note);
}
