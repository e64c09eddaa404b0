/* Any bytes as a packed file, a workbook or UTF-16 text: refused, or unpacked to its end, at most 16 MB of
 * it. */
#include "data/stream.h"
#include "fuzz_file.h"

enum { PIECE = 3000, MOST = 16 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char out[PIECE];
    const char *path = fuzz_file(bytes, size);
    stream source = {0};
    if (!path || stream_open(&source, path) != PUAD_OK) return 0;
    size_t count = 1;
    for (size_t all = 0; count && all < MOST; all += count)
        if (stream_read_some(&source, out, PIECE, &count) != PUAD_OK) break;
    stream_close(&source);
    return 0;
}
