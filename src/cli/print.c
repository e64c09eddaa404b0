/* Cells and notes. */
#include "cli/print.h"

#include "base/memory.h"
#include "cli/activity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* On a terminal a cell must not act; in a file it stays as it is. */
static int shown_byte(char byte)
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

/* Whether the text is a number, with either decimal mark. */
static bool is_number(const char *text)
{
    char copy[64], *end;
    if (strlen(text) >= sizeof copy) return false;
    strcpy(copy, text);
    char *comma = strchr(copy, ',');
    if (comma) *comma = '.';
    strtod(copy, &end);
    return end != copy && *end == 0;
}

void print_spreadsheet_cell(const char *text)
{
    bool formula = text && *text && strchr("=+-@\t\r", *text) && !is_number(text);
    AUTO_FREE char *guarded = NULL;
    print_cell(formula && asprintf(&guarded, "'%s", text) >= 0 ? guarded : text);
}

static void print_note(const invocation *call, const char *note)
{
    char said[SPOKEN_ROOM];
    activity_touch();
    fprintf(stderr, "puad %s: note: %s\n", call->command->name, speak(said, call->command, note));
}

void print_notes(const invocation *call, const puad_dataset *data)
{
    for (size_t i = 0; !is_given(call, "quiet") && i < puad_dataset_note_count(data); i++)
        print_note(call, puad_dataset_note(data, i));
}

void print_stream_notes(const invocation *call, puad_stream *stream)
{
    if (is_given(call, "quiet")) return;
    size_t count = puad_stream_note_count(stream);
    for (size_t i = 0; i < count; i++) print_note(call, puad_stream_note(stream, i));
}
