/* Any bytes as an NPY file. */
#include "array/array.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO_ARRAY array rows = {0};
    const char *path = fuzz_file(bytes, size);
    if (!path || npy_read_labels(&rows, path, 1 << 22) != PUAD_OK) return 0;
    char buffer[ARRAY_TEXT_CAPACITY];
    for (size_t i = 0; i < rows.count; i += 97) {
        array_get(&rows, i);
        array_text(buffer, &rows, i);
    }
    return 0;
}
