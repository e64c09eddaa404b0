/* Any bytes as an NPZ archive: its list of members, and each of the first of them. */
#include "array/array.h"
#include "fuzz_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *path = fuzz_file(bytes, size);
    char **names = NULL;
    size_t count = 0;
    if (!path || npz_members(&names, &count, path) != PUAD_OK) return 0;
    for (size_t i = 0; i < count && i < 4; i++) {
        AUTO_ARRAY array rows = {0};
        char buffer[ARRAY_TEXT_CAPACITY];
        if (npz_read_labels(&rows, path, names[i], 1 << 20) == PUAD_OK && rows.count)
            array_text(buffer, &rows, rows.count - 1);
    }
    free(names);
    return 0;
}
