/* Any bytes as an IDX file. */
#include "array/array.h"
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO_ARRAY array rows = {0};
    const char *path = fuzz_file(bytes, size);
    if (!path || idx_read(&rows, path, 1 << 22) != PUAD_OK) return 0;
    for (size_t i = 0; i < rows.count; i += 97) array_get(&rows, i);
    return 0;
}
