/* An n-dimensional array as stored in a file: NPY, a member of an NPZ, or IDX. */
#ifndef ARRAY_ARRAY_H
#define ARRAY_ARRAY_H

#include "base/memory.h"
#include "base/status.h"

enum {
    ARRAY_DIMENSIONS_MAX = 8,
    ARRAY_LETTERS_MAX = 255, /* of a string element */
    ARRAY_TEXT_CAPACITY = 4 * ARRAY_LETTERS_MAX + 1
};

/* One entry per element type. The reader converts the byte order. */
typedef enum array_type {
    ARRAY_BOOL,
    ARRAY_U8,
    ARRAY_I8,
    ARRAY_U16,
    ARRAY_I16,
    ARRAY_U32,
    ARRAY_I32,
    ARRAY_U64,
    ARRAY_I64,
    ARRAY_F16,
    ARRAY_F32,
    ARRAY_F64,
    ARRAY_BYTES, /* strings with one byte per character, */
    ARRAY_UCS4,  /* or with a code point per character; only labels and classes may be strings */
} array_type;

typedef struct array {
    array_type type;
    int dimensions;
    size_t shape[ARRAY_DIMENSIONS_MAX];
    size_t letters;    /* characters of a string element; 0 for numbers */
    bool fortran;      /* first index varies fastest */
    size_t count;      /* elements: the product of shape */
    const void *bytes; /* count elements in this machine's byte order */
    void *owned;       /* the memory of bytes, freed by array_free; NULL if the caller owns it */
} array;

const char *array_type_name(array_type type); /* "float64" */

/* Element `index` in C order of its shape, as a double; NaN for a string. */
double array_get(const array *source, size_t index);

/* The element as a NUL-terminated UTF-8 string: a number with nine digits, a string without trailing
 * zeros. */
const char *array_text(char buffer[ARRAY_TEXT_CAPACITY], const array *source, size_t index);

void array_free(array *owner); /* {0} is fine */
#define AUTO_ARRAY __attribute__((cleanup(array_free)))

/* Readers. `limit` bounds the bytes of the elements. Sizes in headers are checked against the file before
 * memory is allocated. Errors name the file and the offset. */
puad_status npy_read(array *out, const char *path, size_t limit);
puad_status npz_read(array *out, const char *path, const char *member,
                     size_t limit);                                      /* member without ".npy" */
puad_status npy_read_labels(array *out, const char *path, size_t limit); /* may hold strings */
puad_status npz_read_labels(array *out, const char *path, const char *member, size_t limit);
puad_status npz_members(char ***out_names, size_t *out_count,
                        const char *path);                        /* one block, freed with free() */
puad_status idx_read(array *out, const char *path, size_t limit); /* plain or gzip */

#endif
