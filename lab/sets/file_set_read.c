/* Reads rows and classes of a user's file. */
#include "lab/sets/file_set.h"

#include "input/array_input.h"
#include "input/input.h"
#include "input/original_cells.h"
#include "lab/sets/set_readers.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The class of each row as a string, in file order. */
typedef struct class_texts {
    arena memory;
    const char **texts;
    size_t count, capacity;
} class_texts;

static void class_texts_free(class_texts *owner)
{
    free(owner->texts);
    arena_free(&owner->memory);
}
#define AUTO_CLASSES __attribute__((cleanup(class_texts_free)))

static puad_status add_text(class_texts *to, text_view text, const char *path)
{
    text = view_trimmed(text);
    if (text.length == 0) FAIL(PUAD_FORMAT, "%s: row %zu has no class", path, to->count);
    if (text.length > CLASS_NAME_MAX)
        FAIL(PUAD_FORMAT, "%s: row %zu: '%.*s...' is not a class: expected at most %d bytes", path, to->count,
             20, text.text, CLASS_NAME_MAX);
    for (size_t i = 0; i < text.length; i++)
        if (iscntrl((unsigned char)text.text[i]) || strchr(",;|/", text.text[i]))
            FAIL(PUAD_FORMAT, "%s: row %zu: the class '%.*s' must not contain , ; | / or control characters",
                 path, to->count, (int)text.length, text.text);
    if (to->count == to->capacity) {
        to->capacity = to->capacity ? 2 * to->capacity : 1024;
        TRY(memory_grow(&to->texts, to->capacity, sizeof *to->texts, "classes"));
    }
    return arena_view(&to->memory, &to->texts[to->count++], text);
}

/* Checks that a table has the column; the message lists its columns. */
static puad_status check_column(const char *path, const char *name)
{
    AUTO_RAW_CELLS raw_cells first = {0};
    char list[300] = "";
    size_t used = 0;
    TRY(raw_cells_find(&first, path, &(data_options){0}, &(size_t){0}, 1));
    if (first.columns == 0)
        FAIL(PUAD_FORMAT, "%s: expected a table with a column of classes, or an NPZ file with X and y", path);
    for (size_t i = 0; i < first.columns; i++) {
        if (strcmp(first.names[i], name) == 0) return PUAD_OK;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", first.names[i]);
    }
    FAIL(PUAD_INVALID, "%s: there is no column '%s' with the classes; --label-column names another of %s%s",
         path, name, list, used >= sizeof list ? "..." : "");
}

static puad_status read_column(class_texts *out, const char *path, const char *name,
                               const transform *encoding, const data_options *options)
{
    row_source *source = NULL;
    row_block block;
    size_t count, at = 0;
    TRY(row_source_open(&source, path, encoding, options));
    const char *const *names = row_source_cells(source, &count);
    while (at < count && strcmp(names[at], name) != 0) at++;
    puad_status status = at < count ? PUAD_OK : status_fail(PUAD_INVALID, "%s: no column '%s'", path, name);
    while (status == PUAD_OK) {
        status = row_source_next(&block, source, 4096);
        if (status != PUAD_OK || block.rows == 0) break;
        for (size_t i = 0; i < block.rows && status == PUAD_OK; i++)
            status = add_text(out, block.cells[i * count + at], path);
    }
    row_source_free(source);
    return status;
}

static puad_status read_table(file_set *out, class_texts *classes, const file_choice *what)
{
    const char *column = what->label_column ? what->label_column : "label";
    data_options options = {.ignore = &column, .ignore_count = 1, .keep_cells = true};
    TRY(check_column(what->path, column));
    TRY(data_open(&out->rows, what->path, &options));
    return read_column(classes, what->path, column, out->rows.transform, &options);
}

static puad_status read_arrays(file_set *out, class_texts *classes, const file_choice *what)
{
    AUTO_ARRAY array x = {0}, y = {0};
    const char *rows = what->x ? what->x : "X", *labels = what->y ? what->y : "y";
    char buffer[ARRAY_TEXT_CAPACITY];
    TRY(npz_read(&x, what->path, rows, SET_BYTES_MAX));
    puad_status status = npz_read_labels(&y, what->path, labels, SET_BYTES_MAX);
    if (status != PUAD_OK) status_prefix("the classes of %s (--labels-array names their array)", what->path);
    TRY(status);
    TRY(data_from_arrays(&out->rows, &x, NULL, what->path, &(data_options){0}));
    if (y.count != out->rows.rows)
        FAIL(PUAD_FORMAT, "%s: array %s has %zu classes for %zu rows", what->path, labels, y.count,
             out->rows.rows);
    for (size_t i = 0; i < y.count; i++) {
        const char *text = !y.letters && isnan(array_get(&y, i)) ? "" : array_text(buffer, &y, i);
        TRY(add_text(classes, (text_view){text, strlen(text)}, what->path));
    }
    return PUAD_OK;
}

static bool is_number(double *out, const char *text)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

/* Numbers by value, before strings. */
static int compare_classes(const void *a, const void *b)
{
    const char *one = *(const char *const *)a, *other = *(const char *const *)b;
    double left, right;
    bool first = is_number(&left, one), second = is_number(&right, other);
    if (first != second) return first ? -1 : 1;
    if (first && left != right) return left < right ? -1 : 1;
    return strcmp(one, other);
}

static puad_status number_classes(file_set *out, const class_texts *texts, const char *path)
{
    const char **names;
    size_t count = 0;
    TRY(arena_new(&out->memory, &names, FILE_CLASSES_MAX, sizeof *names));
    TRY(arena_new(&out->memory, &out->classes, texts->count, sizeof *out->classes));
    TRY(arena_new(&out->memory, &out->class_rows, FILE_CLASSES_MAX, sizeof *out->class_rows));
    for (size_t i = 0; i < texts->count; i++) {
        size_t at = 0;
        while (at < count && strcmp(names[at], texts->texts[i]) != 0) at++;
        if (at < count) continue;
        if (count == FILE_CLASSES_MAX)
            FAIL(PUAD_FORMAT, "%s: more than %d classes; is '%s' of row %zu one?", path, FILE_CLASSES_MAX,
                 texts->texts[i], i);
        names[count] = arena_text(&out->memory, texts->texts[i]);
        if (!names[count++]) FAIL(PUAD_MEMORY, "no memory for classes");
    }
    if (count < 2)
        FAIL(PUAD_FORMAT, "%s: all rows have the same class; a normal class and others are needed", path);
    qsort(names, count, sizeof *names, compare_classes);
    for (size_t i = 0; i < texts->count; i++) {
        int32_t at = 0;
        while (strcmp(names[at], texts->texts[i]) != 0) at++;
        out->classes[i] = at;
        out->class_rows[at]++;
    }
    out->class_names = names;
    out->about.class_count = (int)count;
    return PUAD_OK;
}

puad_status file_set_read(file_set *out, const file_choice *what)
{
    AUTO_CLASSES class_texts classes = {0};
    size_t length = strlen(what->path);
    bool npz = length > 4 && strcmp(what->path + length - 4, ".npz") == 0;
    TRY(npz ? read_arrays(out, &classes, what) : read_table(out, &classes, what));
    if (classes.count != out->rows.rows)
        FAIL(PUAD_FORMAT, "%s: %zu classes for %zu rows", what->path, classes.count, out->rows.rows);
    return number_classes(out, &classes, what->path);
}
