/* Reading a safetensors container from untrusted bytes. The header is scanned for depth and size before it
 * is parsed. The tensors must cover the data exactly: in order, without gaps or overlap, to the last byte. */
#include "io/safetensors.h"

#include "base/file.h"
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 3, VALUES_MAX = 100000, NAME_MAX = 255, LENGTH_BYTES = 8 };
static const double EXACT_MAX = 9007199254740992.0; /* 2^53: beyond it a JSON number is not exact */

/* Limits nesting and the number of values, and so the parser's time and memory. */
static puad_status scan_header(const char *path, const unsigned char *text, size_t length)
{
    size_t depth = 0, values = 0;
    bool quoted = false;
    if (length == 0 || text[0] != '{') FAIL(PUAD_FORMAT, "%s: offset %d: expected '{'", path, LENGTH_BYTES);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = text[i];
        if (c == 0) FAIL(PUAD_FORMAT, "%s: offset %zu: a zero byte in the header", path, LENGTH_BYTES + i);
        if (quoted) {
            if (c == '\\')
                i++;
            else if (c == '"')
                quoted = false;
            continue;
        }
        quoted = c == '"';
        values += c == ',' || c == ':';
        if (c == '{' || c == '[') depth++;
        if ((c == '}' || c == ']') && depth > 0) depth--;
        if (depth > DEPTH_MAX || values > VALUES_MAX)
            FAIL(PUAD_FORMAT, "%s: offset %zu: the header %s", path, LENGTH_BYTES + i,
                 depth > DEPTH_MAX ? "nests too deeply" : "has too many values");
    }
    return PUAD_OK;
}

/* An integer from 0 to 2^53. */
static bool read_size(size_t *out, const cJSON *item)
{
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble > EXACT_MAX) return false;
    *out = (size_t)item->valuedouble;
    return (double)*out == item->valuedouble;
}

static bool read_type(tensor_type *out, const cJSON *item)
{
    for (int type = 0; cJSON_IsString(item) && type < TENSOR_TYPE_COUNT; type++)
        if (strcmp(item->valuestring, tensor_type_name((tensor_type)type)) == 0) {
            *out = (tensor_type)type;
            return true;
        }
    return false;
}

static puad_status read_shape(stored_tensor *tensor, const cJSON *shape, const char *path)
{
    if (!cJSON_IsArray(shape)) FAIL(PUAD_FORMAT, "%s: tensor '%s': no shape", path, tensor->name);
    tensor->count = 1;
    const cJSON *item;
    cJSON_ArrayForEach(item, shape)
    {
        if (tensor->dimensions == TENSOR_DIMENSIONS_MAX)
            FAIL(PUAD_FORMAT, "%s: tensor '%s': more than %d dimensions", path, tensor->name,
                 TENSOR_DIMENSIONS_MAX);
        size_t *length = &tensor->shape[tensor->dimensions++];
        if (!read_size(length, item) || !size_multiply(&tensor->count, tensor->count, *length))
            FAIL(PUAD_FORMAT, "%s: tensor '%s': invalid shape", path, tensor->name);
    }
    if (!size_multiply(&tensor->bytes, tensor->count, tensor_type_size(tensor->type)))
        FAIL(PUAD_FORMAT, "%s: tensor '%s': too large", path, tensor->name);
    return PUAD_OK;
}

/* Names appear in messages, so they must be short and printable. */
static puad_status check_name(const char *name, const char *path)
{
    size_t length = strlen(name);
    bool fine = length <= NAME_MAX;
    for (size_t i = 0; fine && i < length; i++) fine = (unsigned char)name[i] >= ' ' && name[i] != 0x7f;
    if (!fine)
        FAIL(PUAD_FORMAT, "%s: offset %d: a name in the header is too long or not printable", path,
             LENGTH_BYTES);
    return PUAD_OK;
}

/* Reads one entry of the header and checks its offsets before setting the data pointer. */
static puad_status read_tensor(safetensors *file, const cJSON *entry, const unsigned char *data, size_t size)
{
    const char *path = file->path;
    TRY(check_name(entry->string, path));
    stored_tensor tensor = {.name = arena_text(&file->memory, entry->string)};
    if (!tensor.name) FAIL(PUAD_MEMORY, "%s: no memory for the name of a tensor", path);
    if (!cJSON_IsObject(entry) || cJSON_GetArraySize(entry) != 3)
        FAIL(PUAD_FORMAT, "%s: tensor '%s': expected dtype, shape and data_offsets", path, tensor.name);
    if (!read_type(&tensor.type, cJSON_GetObjectItemCaseSensitive(entry, "dtype")))
        FAIL(PUAD_FORMAT, "%s: tensor '%s': unknown dtype", path, tensor.name);
    TRY(read_shape(&tensor, cJSON_GetObjectItemCaseSensitive(entry, "shape"), path));
    const cJSON *offsets = cJSON_GetObjectItemCaseSensitive(entry, "data_offsets");
    size_t begin, end;
    if (!cJSON_IsArray(offsets) || cJSON_GetArraySize(offsets) != 2 || !read_size(&begin, offsets->child) ||
        !read_size(&end, offsets->child->next))
        FAIL(PUAD_FORMAT, "%s: tensor '%s': data_offsets are not two integers", path, tensor.name);
    if (begin > end || end > size)
        FAIL(PUAD_FORMAT, "%s: tensor '%s': data_offsets %zu to %zu, the file has %zu bytes of data", path,
             tensor.name, begin, end, size);
    if (end - begin != tensor.bytes)
        FAIL(PUAD_FORMAT, "%s: tensor '%s': %zu bytes of data, its shape needs %zu", path, tensor.name,
             end - begin, tensor.bytes);
    if (safetensors_find(file, tensor.name))
        FAIL(PUAD_FORMAT, "%s: tensor '%s' occurs twice", path, tensor.name);
    tensor.data = data + begin;
    file->tensors[file->tensor_count++] = tensor;
    return PUAD_OK;
}

static puad_status read_texts(safetensors *file, const cJSON *metadata)
{
    if (file->texts) FAIL(PUAD_FORMAT, "%s: __metadata__ occurs twice", file->path);
    if (!cJSON_IsObject(metadata)) FAIL(PUAD_FORMAT, "%s: __metadata__ is not an object", file->path);
    int count = cJSON_GetArraySize(metadata);
    if (count > TENSORS_MAX)
        FAIL(PUAD_FORMAT, "%s: more than %d texts in __metadata__", file->path, TENSORS_MAX);
    TRY(arena_new(&file->memory, &file->texts, (size_t)count + 1, sizeof *file->texts));
    const cJSON *item;
    cJSON_ArrayForEach(item, metadata)
    {
        if (!cJSON_IsString(item))
            FAIL(PUAD_FORMAT, "%s: metadata '%s' is not a string", file->path, item->string);
        if (safetensors_text(file, item->string))
            FAIL(PUAD_FORMAT, "%s: metadata '%s' occurs twice", file->path, item->string);
        stored_text entry = {arena_text(&file->memory, item->string),
                             arena_text(&file->memory, item->valuestring)};
        if (!entry.key || !entry.text) FAIL(PUAD_MEMORY, "%s: no memory for its metadata", file->path);
        file->texts[file->text_count++] = entry;
    }
    return PUAD_OK;
}

static int compare_places(const void *a, const void *b)
{
    const stored_tensor *first = a, *second = b;
    if (first->data != second->data) return (const char *)first->data < (const char *)second->data ? -1 : 1;
    return (first->bytes > second->bytes) - (first->bytes < second->bytes); /* empty tensors first */
}

/* Checks that the tensors cover the data without gaps. A misaligned tensor is copied to aligned memory. */
static puad_status check_cover(safetensors *file, const unsigned char *bytes, size_t start, size_t size)
{
    size_t place = start;
    if (file->tensor_count) qsort(file->tensors, file->tensor_count, sizeof *file->tensors, compare_places);
    for (size_t i = 0; i < file->tensor_count; i++) {
        stored_tensor *tensor = &file->tensors[i];
        size_t begin = (size_t)((const unsigned char *)tensor->data - bytes);
        if (begin != place)
            FAIL(PUAD_FORMAT, "%s: offset %zu: tensor '%s' %s", file->path, begin, tensor->name,
                 begin < place ? "overlaps the one before it" : "leaves a gap before it");
        place += tensor->bytes;
        if ((uintptr_t)tensor->data % tensor_type_size(tensor->type) == 0) continue;
        void *copy = NULL;
        TRY(arena_new(&file->memory, &copy, tensor->bytes + 1, 1));
        memcpy(copy, tensor->data, tensor->bytes);
        tensor->data = copy;
    }
    if (place != size)
        FAIL(PUAD_FORMAT, "%s: offset %zu: %zu bytes that belong to no tensor", file->path, place,
             size - place);
    return PUAD_OK;
}

/* Whether the file is text: a safetensors header length has zero bytes, text has none, nor bytes that
 * UTF-8 never uses. */
static bool looks_like_text(const unsigned char *bytes, size_t size)
{
    if (size < LENGTH_BYTES) return false;
    for (size_t i = 0; i < LENGTH_BYTES; i++)
        if (bytes[i] == 0 || bytes[i] >= 0xf8) return false;
    return true;
}

static puad_status parse(safetensors *file, const unsigned char *bytes, size_t size)
{
    uint64_t length = 0;
    for (size_t i = 0; i < LENGTH_BYTES && i < size; i++) length |= (uint64_t)bytes[i] << (8 * i);
    if (looks_like_text(bytes, size))
        FAIL(PUAD_FORMAT, "%s: is not a model (a safetensors file), but looks like text, such as CSV",
             file->path);
    if (size < LENGTH_BYTES || length > size - LENGTH_BYTES)
        FAIL(PUAD_FORMAT,
             "%s: offset 0: header of %llu bytes in a file of %zu; is this a model (safetensors)?",
             file->path, (unsigned long long)length, size);
    if (length > TENSOR_HEADER_MAX)
        FAIL(PUAD_FORMAT, "%s: offset 0: a header of %llu bytes, at most %d can be read", file->path,
             (unsigned long long)length, TENSOR_HEADER_MAX);
    const char *text = (const char *)bytes + LENGTH_BYTES;
    size_t start = LENGTH_BYTES + (size_t)length;
    TRY(scan_header(file->path, bytes + LENGTH_BYTES, (size_t)length));
    const char *end = text;
    errno = 0;
    AUTO_JSON cJSON *header = cJSON_ParseWithLengthOpts(text, (size_t)length, &end, false);
    if (!header && json_parse_status() == PUAD_MEMORY)
        FAIL(PUAD_MEMORY, "%s: no memory for the header", file->path);
    if (!cJSON_IsObject(header))
        FAIL(PUAD_FORMAT, "%s: offset %zu: the header is not valid JSON", file->path,
             LENGTH_BYTES + (size_t)(end - text));
    for (; end < text + length; end++)
        if (*end != ' ')
            FAIL(PUAD_FORMAT, "%s: offset %zu: only blanks may follow the header", file->path,
                 LENGTH_BYTES + (size_t)(end - text));
    int entries = cJSON_GetArraySize(header);
    if (entries > TENSORS_MAX + 1)
        FAIL(PUAD_FORMAT, "%s: %d tensors, at most %d", file->path, entries, TENSORS_MAX);
    TRY(arena_new(&file->memory, &file->tensors, (size_t)entries + 1, sizeof *file->tensors));
    const cJSON *entry;
    cJSON_ArrayForEach(entry, header)
    {
        if (strcmp(entry->string, "__metadata__") == 0)
            TRY(read_texts(file, entry));
        else
            TRY(read_tensor(file, entry, bytes + start, size - start));
    }
    return check_cover(file, bytes, start, size);
}

puad_status safetensors_parse(safetensors *out, const unsigned char *bytes, size_t size, const char *path)
{
    *out = (safetensors){0};
    AUTO_SAFETENSORS safetensors file = {0};
    file.path = arena_text(&file.memory, path);
    if (!file.path) FAIL(PUAD_MEMORY, "%s: no memory", path);
    TRY(parse(&file, bytes, size));
    *out = file;
    file = (safetensors){0};
    return PUAD_OK;
}

puad_status safetensors_open(safetensors *out, const char *path, size_t limit)
{
    *out = (safetensors){0};
    AUTO_FREE unsigned char *bytes = NULL;
    size_t size;
    TRY(file_read(&bytes, &size, path, limit));
    TRY(safetensors_parse(out, bytes, size, path));
    out->contents = bytes;
    bytes = NULL;
    return PUAD_OK;
}
