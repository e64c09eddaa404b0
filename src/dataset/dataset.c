/* Freeing datasets, and counting their labels and notes. */
#include "dataset/dataset.h"
#include "base/c_locale.h"

#include "base/plain_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void dataset_free(dataset *owner)
{
    free(owner->value_block);
    transform_free(owner->transform);
    notes_free(&owner->notes);
    arena_free(&owner->memory);
    *owner = (dataset){0};
}

size_t dataset_count(const dataset *rows, puad_label label)
{
    if (!rows->labels) return label == PUAD_LABEL_UNLABELED ? rows->rows : 0;
    size_t count = 0;
    for (size_t i = 0; i < rows->rows; i++) count += rows->labels[i] == label;
    return count;
}

size_t dataset_row_number(const dataset *rows, size_t row)
{
    return rows->row_numbers ? rows->row_numbers[row] : row;
}

puad_status notes_add(notes *list, const char *format, ...)
{
    char text[512], message[512];
    va_list arguments;
    va_start(arguments, format);
    c_print_list(message, sizeof message, format, arguments);
    va_end(arguments);
    text_plain(text, sizeof text, message, false); /* notes quote names and cells */
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        const char **texts;
        TRY(arena_new(&list->memory, &texts, capacity, sizeof *texts));
        for (size_t i = 0; i < list->count; i++) texts[i] = list->texts[i];
        list->texts = texts;
        list->capacity = capacity;
    }
    char *copy = arena_text(&list->memory, text);
    if (!copy) FAIL(PUAD_MEMORY, "no memory for a message");
    list->texts[list->count++] = copy;
    return PUAD_OK;
}

void notes_free(notes *list)
{
    arena_free(&list->memory);
    *list = (notes){0};
}
