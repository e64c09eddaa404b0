/* Any bytes as a MATLAB file of SVHN. */
#include "fuzz_file.h"
#include "lab/sets/set_readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO_RAW_SET raw_set set = {0};
    const char *path = fuzz_file(bytes, size);
    if (path && set_find(&set.about, "svhn") == PUAD_OK) svhn_read(&set, PART_TRAIN, path);
    return 0;
}
