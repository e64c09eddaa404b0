/* Any bytes as an archive of CIFAR, gzipped or not; and the archive's members with any names. */
#include "fuzz_file.h"
#include "lab/sets/set_readers.h"
#include "lab/sets/tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    AUTO_RAW_SET raw_set set = {0};
    AUTO_TAR tar archive = {0};
    const char *path = fuzz_file(bytes, size);
    if (!path || set_find(&set.about, "cifar100") != PUAD_OK) return 0;
    cifar100_read(&set, path);
    if (tar_open(&archive, path) != PUAD_OK) return 0;
    for (bool found = true; found;)
        if (tar_next(&archive, &found) != PUAD_OK) break;
    return 0;
}
