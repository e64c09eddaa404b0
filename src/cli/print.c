/* Cells and notes. */
#include "cli/print.h"

#include <stdio.h>
#include <string.h>

void print_cell(const char *text, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length; i++) quoted |= strchr(",\"\n\r", text[i]) != NULL;
    if (quoted) putchar('"');
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') putchar('"');
        putchar(text[i]);
    }
    if (quoted) putchar('"');
}

void print_notes(const char *who, const notes *list)
{
    for (size_t i = 0; i < list->count; i++) fprintf(stderr, "puad %s: note: %s\n", who, list->texts[i]);
}
