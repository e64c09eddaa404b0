/* Any bytes as a model container: rejected or read, and then readable to the last byte. */
#include "io/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO_SAFETENSORS safetensors file = {0};
    if (safetensors_parse(&file, bytes, size, "input") != PUAD_OK) return 0;
    volatile unsigned sum = 0;
    for (size_t i = 0; i < file.tensor_count; i++)
        for (size_t b = 0; b < file.tensors[i].bytes; b++)
            sum += ((const unsigned char *)file.tensors[i].data)[b];
    for (size_t i = 0; i < file.text_count; i++) sum += safetensors_text(&file, file.texts[i].key) == NULL;
    (void)sum;
    return 0;
}
