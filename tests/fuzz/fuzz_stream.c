/* Any bytes as a compressed file, a workbook or UTF-16 text: rejected, or decompressed to its end, at most
 * 16 MB of it. */
#include "fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_read_stream(bytes, size, 3000);
    return 0;
}
