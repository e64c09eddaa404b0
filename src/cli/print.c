/* Cells and notes. */
#include "cli/print.h"

#include "base/memory.h"
#include "decide/label_file.h"

#include <stdio.h>
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

void print_cell(const char *text, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length; i++) quoted |= strchr(",\"\n\r", text[i]) != NULL;
    if (quoted) putchar('"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') putchar('"');
        putchar(shown_byte(text[i]));
    }
    if (quoted) putchar('"');
}

void print_spreadsheet_cell(const char *text, size_t length)
{
    AUTO_FREE char *guarded = NULL;
    if (!label_cell_is_formula((text_view){text, length}) || asprintf(&guarded, "'%.*s", (int)length, text) < 0) {
        print_cell(text, length);
        return;
    }
    print_cell(guarded, length + 1);
}

void print_notes(const char *who, const notes *list)
{
    for (size_t i = 0; i < list->count; i++) fprintf(stderr, "puad %s: note: %s\n", who, list->texts[i]);
}
