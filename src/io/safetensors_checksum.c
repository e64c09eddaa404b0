/* The checksum of a container; without it, a flipped bit in the weights would go unnoticed. It is the sum
 * of the CRC-32 of each tensor and string (its name, a zero byte and its bytes), so it does not depend on
 * their order. */
#include "io/safetensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define CHECKSUM_KEY "checksum"
enum { CHECKSUM_CAPACITY = 17 };

static uint64_t sum_of(const char *name, const void *bytes, size_t size)
{
    uLong crc = crc32_z(0, (const Bytef *)name, strlen(name) + 1);
    return size ? crc32_z(crc, bytes, size) : crc; /* zlib treats a NULL pointer as a reset */
}

static void checksum(char out[CHECKSUM_CAPACITY], const safetensors *file)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < file->tensor_count; i++)
        sum += sum_of(file->tensors[i].name, file->tensors[i].data, file->tensors[i].bytes);
    for (size_t i = 0; i < file->text_count; i++)
        if (strcmp(file->texts[i].key, CHECKSUM_KEY) != 0)
            sum += sum_of(file->texts[i].key, file->texts[i].text, strlen(file->texts[i].text));
    snprintf(out, CHECKSUM_CAPACITY, "%016" PRIx64, sum);
}

puad_status safetensors_add_checksum(safetensors *file)
{
    char text[CHECKSUM_CAPACITY];
    checksum(text, file);
    return safetensors_add_text(file, CHECKSUM_KEY, text);
}

puad_status safetensors_check(const safetensors *file)
{
    char found[CHECKSUM_CAPACITY];
    const char *stored = safetensors_text(file, CHECKSUM_KEY);
    if (!stored) return PUAD_OK;
    checksum(found, file);
    if (strcmp(stored, found) != 0)
        FAIL(PUAD_FORMAT,
             "is damaged or was changed: the checksum of its contents is %s, the stored one is %.16s", found,
             stored);
    return PUAD_OK;
}
