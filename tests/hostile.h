/* Hostile files for every reader: missing, empty, folders, truncated at every byte, or changed in one
 * byte. A reader may accept a changed file, but must neither crash nor allocate much memory; for a
 * truncated one it must fail and name the file. */
#ifndef TESTS_UNIT_DATA_HOSTILE_H
#define TESTS_UNIT_DATA_HOSTILE_H

#include "base/file.h"
#include "test.h"

#include <sys/mman.h>
#include <sys/stat.h>

typedef puad_status hostile_read(const char *path);

static inline void run_python(const char *script)
{
    char command[600];
    snprintf(command, sizeof command, "/usr/bin/python3 %s %s", script, test_folder());
    if (system(command) != 0) TEST_FAIL("%s failed", command);
}

/* The path of a file with these bytes in memory (thousands of disk files would be slow), always the same
 * one. */
static inline const char *memory_file(const unsigned char *bytes, size_t size)
{
    static int handle = -1;
    static char path[64];
    if (handle < 0) handle = memfd_create("hostile", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", handle);
    if (handle < 0 || ftruncate(handle, 0) != 0 || pwrite(handle, bytes, size, 0) != (ssize_t)size)
        TEST_FAIL("cannot make a file in memory");
    return path;
}

static inline void expect_refused(hostile_read *read, const char *path)
{
    puad_status status = read(path);
    if (status == PUAD_OK) TEST_FAIL("%s is read without complaint", path);
    if (status == PUAD_MEMORY) TEST_FAIL("%s: asked for memory: %s", path, puad_last_error());
    if (!strstr(puad_last_error(), path))
        TEST_FAIL("the message does not name %s: %s", path, puad_last_error());
}

static inline void expect_missing_empty_and_folder_refused(hostile_read *read, const char *name)
{
    expect_refused(read, "/nowhere/file");
    const char *path = test_path(name);
    REQUIRE(file_write(path, "", 0) == PUAD_OK);
    expect_refused(read, path);
    remove(path);
    REQUIRE(mkdir(path, 0700) == 0);
    expect_refused(read, path);
    rmdir(path);
}

/* Every truncation within the first and last `span` bytes, and some between. */
static inline void expect_cuts_refused(hostile_read *read, const char *path, size_t span)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    REQUIRE(file_read(&bytes, &size, path, 1 << 28) == PUAD_OK);
    for (size_t length = 0; length < size; length++) {
        if (length > span && size - length > span && length % (size / 16 + 1) != 0) continue;
        expect_refused(read, memory_file(bytes, length));
    }
    free(bytes);
}

/* Each of the first `span` bytes set to several other values: no crash (sanitizers check), no huge
 * allocation. */
static inline void expect_changes_survived(hostile_read *read, const char *path, size_t span)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    REQUIRE(file_read(&bytes, &size, path, 1 << 28) == PUAD_OK);
    for (size_t place = 0; place < size && place < span; place++) {
        unsigned char kept = bytes[place];
        const unsigned char others[] = {
            0, 1, 255, 127, 128, (unsigned char)(kept + 1), (unsigned char)(kept ^ 32)};
        for (size_t i = 0; i < sizeof others; i++) {
            bytes[place] = others[i];
            if (read(memory_file(bytes, size)) == PUAD_MEMORY)
                TEST_FAIL("byte %zu as %d: %s", place, others[i], puad_last_error());
        }
        bytes[place] = kept;
    }
    free(bytes);
}

#endif
