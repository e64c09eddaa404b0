/* The container of model files and checkpoints: named arrays and named texts in the safetensors layout, which
 * any safetensors reader opens (docs/reference/model-format.md).
 *
 * One type serves both ways. To write: add tensors and texts, then safetensors_write. To read:
 * safetensors_open, then look up. A reader trusts nothing: every size, offset and name is checked before it
 * is used. */
#ifndef DETECTOR_MODEL_SAFETENSORS_H
#define DETECTOR_MODEL_SAFETENSORS_H

#include "base/json.h"
#include "base/memory.h"

enum {
    TENSOR_DIMENSIONS_MOST = 8,
    TENSORS_MOST = 4096,            /* tensors of a file, and texts of a file */
    TENSOR_HEADER_MOST = 100000000, /* bytes of the JSON header: the limit of the format */
};

typedef enum tensor_type {
#define TENSOR_TYPE(name, size) TENSOR_##name,
#include "io/tensor_types.def"
#undef TENSOR_TYPE
    TENSOR_TYPE_COUNT
} tensor_type;

typedef struct stored_tensor {
    const char *name;
    tensor_type type;
    int dimensions; /* 0 is a single element */
    size_t shape[TENSOR_DIMENSIONS_MOST];
    size_t count;     /* elements */
    size_t bytes;     /* count x element size */
    const void *data; /* borrowed: from the caller when writing, from the file's memory when reading; aligned
                         for type */
} stored_tensor;

typedef struct stored_text {
    const char *key, *text;
} stored_text;

typedef struct safetensors {
    arena memory;            /* owns names, texts and tensors that lay askew in the file */
    unsigned char *contents; /* the whole file after safetensors_open; owned */
    const char *path;        /* for messages */
    stored_tensor *tensors;  /* in the order of adding, or of the data in the file */
    stored_text *texts;
    size_t tensor_count, text_count;
} safetensors;

const char *tensor_type_name(tensor_type type);
size_t tensor_type_size(tensor_type type);

/* Adds a tensor of C order to a file to be written; {0} is an empty one. `data` must live until it is
 * written. */
puad_status safetensors_add(safetensors *file, const char *name, tensor_type type, const void *data,
                            int dimensions, const size_t *shape);

/* Adds a text to the metadata; both strings are copied. */
puad_status safetensors_add_text(safetensors *file, const char *key, const char *text);

/* Adds an object as text and deletes it; NULL stands for one that there was no memory for. */
puad_status safetensors_add_json(safetensors *file, const char *key, cJSON *object);

/* Adds the checksum of all that was added so far as the text "checksum"; the last call before the file is
 * written. */
puad_status safetensors_add_checksum(safetensors *file);

/* Whether the contents have the checksum that the file holds. */
puad_status safetensors_check(const safetensors *file);

/* Writes the file whole or not at all; with `sync`, also if the machine fails. The same content gives the
 * same bytes. */
puad_status safetensors_write(const safetensors *file, const char *path, bool sync);

/* The same bytes into memory; the caller frees *out_bytes. */
puad_status safetensors_write_memory(const safetensors *file, unsigned char **out_bytes, size_t *out_size);

/* Reads a file of at most `limit` bytes. */
puad_status safetensors_open(safetensors *out, const char *path, size_t limit);

/* The same from memory that outlives `out`; `path` only names it in messages. */
puad_status safetensors_parse(safetensors *out, const unsigned char *bytes, size_t size, const char *path);

/* By name; NULL when it is not there. */
const stored_tensor *safetensors_find(const safetensors *file, const char *name);
const char *safetensors_text(const safetensors *file, const char *key);

/* The tensor's data, which must be there with this type and shape; a dimension of SIZE_MAX may be anything.
 * The message says what was expected and what was found. */
puad_status safetensors_require(const stored_tensor **out, const safetensors *file, const char *name,
                                tensor_type type, int dimensions, const size_t *shape);
puad_status safetensors_require_text(const char **out, const safetensors *file, const char *key);

void safetensors_free(safetensors *owner); /* {0} is fine */
#define AUTO_SAFETENSORS __attribute__((cleanup(safetensors_free)))

#endif
