/* Small files for the tests of readers, and the rows of a source. */
#ifndef TESTS_WRITTEN_H
#define TESTS_WRITTEN_H

#include "base/file.h"
#include "input/input.h"
#include "test.h"

static inline const char *write_text(const char *name, const char *text)
{
    const char *path = test_path(name);
    if (file_write(path, text, strlen(text)) != PUAD_OK) abort();
    return path;
}

/* An NPY file: `type` is NumPy's ("<f4"), `shape` as in Python ("2, 3"). */
static inline const char *write_npy(const char *name, const char *type, const char *shape, const void *bytes,
                                    size_t size)
{
    enum { HEAD = 128 };
    const char *path = test_path(name);
    char *all = calloc(HEAD + size, 1);
    if (!all) abort();
    memcpy(all, "\x93NUMPY\x01\x00\x76\x00", 10);
    int used = snprintf(all + 10, HEAD - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type,
                        shape);
    memset(all + 10 + used, ' ', (size_t)(HEAD - 11 - used));
    all[HEAD - 1] = '\n';
    memcpy(all + HEAD, bytes, size);
    if (file_write(path, all, HEAD + size) != PUAD_OK) abort();
    free(all);
    return path;
}

static inline bool has_note(const notes *messages, const char *text)
{
    for (size_t i = 0; i < messages->count; i++)
        if (strstr(messages->texts[i], text)) return true;
    return false;
}

/* All rows of a source at once, up to `rows_most`; false if they cannot be read. */
static inline bool score_rows(float *out, size_t rows_most, const char *path, const transform *encoding,
                              notes *messages)
{
    row_source *source = NULL;
    row_block block = {0};
    if (row_source_open(&source, path, encoding, &(data_options){0}) != PUAD_OK) return false;
    bool good = row_source_next(&block, source, rows_most) == PUAD_OK && block.rows > 0;
    if (good) memcpy(out, block.values, block.rows * encoding->encoded * sizeof *out);
    if (good && messages) good = row_source_notes(messages, source) == PUAD_OK;
    row_source_free(source);
    return good;
}

#endif
