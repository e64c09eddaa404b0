/* Building, querying and writing a safetensors container; safetensors_read.c has the reader. */
#include "io/safetensors.h"

#include "base/file.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "tensors are written in memory order, little-endian");

enum { HEADER_ALIGNMENT = 64 }; /* the data begin at a multiple of this */

static const struct {
    const char *name;
    size_t size;
} types[] = {
#define TENSOR_TYPE(name, size) {#name, size},
#include "io/tensor_types.def"
#undef TENSOR_TYPE
};

const char *tensor_type_name(tensor_type type)
{
    return types[type].name;
}

size_t tensor_type_size(tensor_type type)
{
    return types[type].size;
}

const stored_tensor *safetensors_find(const safetensors *file, const char *name)
{
    for (size_t i = 0; i < file->tensor_count; i++)
        if (strcmp(file->tensors[i].name, name) == 0) return &file->tensors[i];
    return NULL;
}

const char *safetensors_text(const safetensors *file, const char *key)
{
    for (size_t i = 0; i < file->text_count; i++)
        if (strcmp(file->texts[i].key, key) == 0) return file->texts[i].text;
    return NULL;
}

puad_status safetensors_add(safetensors *file, const char *name, tensor_type type, const void *data,
                            int dimensions, const size_t *shape)
{
    if (dimensions < 0 || dimensions > TENSOR_DIMENSIONS_MAX)
        FAIL(PUAD_INVALID, "tensor '%s': %d dimensions, at most %d", name, dimensions, TENSOR_DIMENSIONS_MAX);
    if (strcmp(name, "__metadata__") == 0 || safetensors_find(file, name))
        FAIL(PUAD_INVALID, "tensor '%s': the name is in use", name);
    if (file->tensor_count == TENSORS_MAX)
        FAIL(PUAD_INVALID, "tensor '%s': more than %d tensors", name, TENSORS_MAX);
    stored_tensor tensor = {.type = type, .dimensions = dimensions, .count = 1, .data = data};
    bool fits = true;
    for (int d = 0; d < dimensions; d++) {
        tensor.shape[d] = shape[d];
        fits = fits && size_multiply(&tensor.count, tensor.count, shape[d]);
    }
    if (!fits || !size_multiply(&tensor.bytes, tensor.count, tensor_type_size(type)))
        FAIL(PUAD_INVALID, "tensor '%s': too large", name);
    if (!file->tensors) TRY(arena_new(&file->memory, &file->tensors, TENSORS_MAX, sizeof *file->tensors));
    tensor.name = arena_text(&file->memory, name);
    if (!tensor.name) FAIL(PUAD_MEMORY, "no memory for the name of a tensor");
    file->tensors[file->tensor_count++] = tensor;
    return PUAD_OK;
}

puad_status safetensors_add_text(safetensors *file, const char *key, const char *text)
{
    if (safetensors_text(file, key)) FAIL(PUAD_INVALID, "text '%s': the name is in use", key);
    if (file->text_count == TENSORS_MAX)
        FAIL(PUAD_INVALID, "text '%s': more than %d texts", key, TENSORS_MAX);
    if (!file->texts) TRY(arena_new(&file->memory, &file->texts, TENSORS_MAX, sizeof *file->texts));
    stored_text entry = {arena_text(&file->memory, key), arena_text(&file->memory, text)};
    if (!entry.key || !entry.text) FAIL(PUAD_MEMORY, "no memory for the text '%s'", key);
    file->texts[file->text_count++] = entry;
    return PUAD_OK;
}

puad_status safetensors_add_json(safetensors *file, const char *key, cJSON *object)
{
    AUTO_JSON cJSON *owner = object;
    AUTO_FREE char *text = owner ? cJSON_PrintUnformatted(owner) : NULL;
    if (!text) FAIL(PUAD_MEMORY, "no memory for '%s'", key);
    return safetensors_add_text(file, key, text);
}

/* Adds {"dtype", "shape", "data_offsets"} of one tensor; false when memory ran out. */
static bool add_tensor_json(cJSON *header, const stored_tensor *tensor, size_t begin)
{
    cJSON *entry = cJSON_AddObjectToObject(header, tensor->name);
    if (!entry || !cJSON_AddStringToObject(entry, "dtype", tensor_type_name(tensor->type))) return false;
    cJSON *shape = cJSON_AddArrayToObject(entry, "shape");
    for (int d = 0; d < tensor->dimensions; d++)
        if (!cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)tensor->shape[d]))) return false;
    cJSON *offsets = cJSON_AddArrayToObject(entry, "data_offsets");
    return shape && offsets && cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)begin)) &&
           cJSON_AddItemToArray(offsets, cJSON_CreateNumber((double)(begin + tensor->bytes)));
}

/* Orders tensors for the file: wide elements first, so that each tensor is aligned to its element size. */
static size_t order_tensors(uint16_t *order, const safetensors *file)
{
    size_t placed = 0;
    for (size_t size = 8; size > 0; size /= 2)
        for (size_t i = 0; i < file->tensor_count; i++)
            if (tensor_type_size(file->tensors[i].type) == size) order[placed++] = (uint16_t)i;
    return placed;
}

static char *make_header(const safetensors *file, const uint16_t *order)
{
    AUTO_JSON cJSON *header = cJSON_CreateObject();
    if (!header) return NULL;
    if (file->text_count) {
        cJSON *metadata = cJSON_AddObjectToObject(header, "__metadata__");
        for (size_t i = 0; i < file->text_count; i++)
            if (!cJSON_AddStringToObject(metadata, file->texts[i].key, file->texts[i].text)) return NULL;
    }
    size_t begin = 0;
    for (size_t i = 0; i < file->tensor_count; i++) {
        if (!add_tensor_json(header, &file->tensors[order[i]], begin)) return NULL;
        begin += file->tensors[order[i]].bytes;
    }
    return cJSON_PrintUnformatted(header);
}

/* The caller checks ferror, so short writes are noticed. */
static puad_status write_to(const safetensors *file, const char *path, FILE *out)
{
    uint16_t order[TENSORS_MAX];
    order_tensors(order, file);
    AUTO_FREE char *header = make_header(file, order);
    if (!header) FAIL(PUAD_MEMORY, "%s: no memory for the header", path);
    size_t length = strlen(header),
           padded = (8 + length + HEADER_ALIGNMENT - 1) / HEADER_ALIGNMENT * HEADER_ALIGNMENT - 8;
    if (padded > TENSOR_HEADER_MAX)
        FAIL(PUAD_INVALID, "%s: the names (mostly of columns) take %zu bytes; a model file holds at most %d",
             path, padded, TENSOR_HEADER_MAX);
    uint64_t announced = padded;
    fwrite(&announced, sizeof announced, 1, out);
    fwrite(header, 1, length, out);
    for (size_t i = length; i < padded; i++) fputc(' ', out);
    for (size_t i = 0; i < file->tensor_count; i++)
        if (file->tensors[order[i]].bytes)
            fwrite(file->tensors[order[i]].data, 1, file->tensors[order[i]].bytes, out);
    return PUAD_OK;
}

puad_status safetensors_write(const safetensors *file, const char *path, bool sync)
{
    AUTO_OUTPUT file_output out = {0};
    TRY(file_create(&out, path));
    out.hasty = !sync;
    TRY(write_to(file, path, out.stream));
    return file_commit(&out);
}

puad_status safetensors_write_memory(const safetensors *file, unsigned char **out_bytes, size_t *out_size)
{
    char *bytes = NULL;
    FILE *out = text_stream_open(&bytes, out_size);
    if (!out) FAIL(PUAD_MEMORY, "no memory for a model");
    puad_status status = write_to(file, "a model in memory", out);
    if (!text_stream_close(out, &bytes) && status == PUAD_OK)
        status = status_fail(PUAD_MEMORY, "no memory for a model");
    if (status == PUAD_OK)
        *out_bytes = (unsigned char *)bytes;
    else
        free(bytes);
    return status;
}

/* "F32 [128, 2048]" for messages. */
static void describe(char *text, size_t capacity, tensor_type type, int dimensions, const size_t *shape)
{
    int used = snprintf(text, capacity, "%s [", tensor_type_name(type));
    for (int d = 0; d < dimensions && used > 0 && (size_t)used < capacity; d++) {
        const char *comma = d ? ", " : "";
        used += shape[d] == SIZE_MAX
                    ? snprintf(text + used, capacity - (size_t)used, "%sany", comma)
                    : snprintf(text + used, capacity - (size_t)used, "%s%zu", comma, shape[d]);
    }
    if (used > 0 && (size_t)used < capacity) snprintf(text + used, capacity - (size_t)used, "]");
}

puad_status safetensors_require(const stored_tensor **out, const safetensors *file, const char *name,
                                tensor_type type, int dimensions, const size_t *shape)
{
    char expected[160], found[160];
    describe(expected, sizeof expected, type, dimensions, shape);
    const stored_tensor *tensor = safetensors_find(file, name);
    if (!tensor) FAIL(PUAD_FORMAT, "%s: no tensor '%s', expected %s", file->path, name, expected);
    bool same = tensor->type == type && tensor->dimensions == dimensions;
    for (int d = 0; d < dimensions && same; d++) same = shape[d] == SIZE_MAX || tensor->shape[d] == shape[d];
    describe(found, sizeof found, tensor->type, tensor->dimensions, tensor->shape);
    if (!same) FAIL(PUAD_FORMAT, "%s: tensor '%s' is %s, expected %s", file->path, name, found, expected);
    *out = tensor;
    return PUAD_OK;
}

puad_status safetensors_require_text(const char **out, const safetensors *file, const char *key)
{
    *out = safetensors_text(file, key);
    if (!*out) FAIL(PUAD_FORMAT, "%s: no text '%s' in its metadata", file->path, key);
    return PUAD_OK;
}

void safetensors_free(safetensors *owner)
{
    arena_free(&owner->memory);
    free(owner->contents);
    *owner = (safetensors){0};
}
