/* Cells and notes. */
#include "cli/print.h"

#include <stdio.h>
#include <string.h>

void print_cell(const char *text)
{
    bool quoted = text && strpbrk(text, ",\"\n\r");
    if (quoted) putchar('"');
    for (; text && *text; text++) {
        if (*text == '"') putchar('"');
        putchar(*text);
    }
    if (quoted) putchar('"');
}

static void print_note(const invocation *call, const char *note)
{
    char said[SPOKEN_ROOM];
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
