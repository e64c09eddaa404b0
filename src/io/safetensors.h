/* The container of model files and checkpoints: named arrays and named strings in the safetensors layout,
 * which any safetensors reader opens (docs/reference/model-format.md).
 *
 * To write: add tensors and strings, then call safetensors_write. To read: safetensors_open, then look up
 * names. The reader checks every size, offset and name before using it. */
#ifndef DETECTOR_MODEL_SAFETENSORS_H
#define DETECTOR_MODEL_SAFETENSORS_H

#include "base/json.h"
#include "base/memory.h"

enum {
    TENSOR_DIMENSIONS_MAX = 8,
    TENSORS_MAX = 4096,            /* tensors in a file, and strings in a file */
    TENSOR_HEADER_MAX = 100000000, /* bytes of the JSON header: the limit of the format */
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
    size_t shape[TENSOR_DIMENSIONS_MAX];
    size_t count; /* elements */
    size_t bytes; /* count x element size */
    /* borrowed: from the caller when writing, from the file's memory when reading; aligned for type */
    const void *data;
} stored_tensor;

typedef struct stored_text {
    const char *key, *text;
} stored_text;

typedef struct safetensors {
    arena memory;            /* owns names, strings and tensors that are not aligned in the file */
    unsigned char *contents; /* the whole file after safetensors_open; owned */
    const char *path;        /* for messages */
    stored_tensor *tensors;  /* in the order of adding, or of the data in the file */
    stored_text *texts;
    size_t tensor_count, text_count;
} safetensors;

const char *tensor_type_name(tensor_type type);
size_t tensor_type_size(tensor_type type);

/* Adds a tensor in C order; start with {0}. `data` must live until the file is written. */
puad_status safetensors_add(safetensors *file, const char *name, tensor_type type, const void *data,
                            int dimensions, const size_t *shape);

/* Adds a string to the metadata; name and value are copied. */
puad_status safetensors_add_text(safetensors *file, const char *key, const char *text);

/* Adds an object as a string and deletes it. NULL means that memory for it ran out. */
puad_status safetensors_add_json(safetensors *file, const char *key, cJSON *object);

/* Adds the checksum of everything added so far as the string "checksum"; the last call before the file is
 * written. */
puad_status safetensors_add_checksum(safetensors *file);

/* Whether the contents have the checksum that the file holds. */
puad_status safetensors_check(const safetensors *file);

/* Writes the file completely or not at all; with `sync`, it also survives a failure of the machine. Equal
 * content gives equal bytes. */
puad_status safetensors_write(const safetensors *file, const char *path, bool sync);

/* The same bytes into memory; the caller frees *out_bytes. */
puad_status safetensors_write_memory(const safetensors *file, unsigned char **out_bytes, size_t *out_size);

/* Reads a file of at most `limit` bytes. */
puad_status safetensors_open(safetensors *out, const char *path, size_t limit);

/* The same from memory that outlives `out`; `path` only names it in messages. */
puad_status safetensors_parse(safetensors *out, const unsigned char *bytes, size_t size, const char *path);

/* The tensor with this name, or NULL. */
const stored_tensor *safetensors_find(const safetensors *file, const char *name);
const char *safetensors_text(const safetensors *file, const char *key);

/* A tensor that must have this name, type and shape; a dimension of SIZE_MAX matches any size. The message
 * states what was expected and what was found. */
puad_status safetensors_require(const stored_tensor **out, const safetensors *file, const char *name,
                                tensor_type type, int dimensions, const size_t *shape);
puad_status safetensors_require_text(const char **out, const safetensors *file, const char *key);

void safetensors_free(safetensors *owner); /* {0} is fine */
#define AUTO_SAFETENSORS __attribute__((cleanup(safetensors_free)))

#endif
