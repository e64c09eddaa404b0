/* What every reader is put through: files that are missing, empty, folders, cut off at every byte, or changed
 * in one byte. A reader may accept a changed file, but must neither crash nor ask for much memory; a cut one
 * must fail and name the file. */
#ifndef TESTS_UNIT_DATA_HOSTILE_H
#define TESTS_UNIT_DATA_HOSTILE_H

#include "base/file.h"
#include "test.h"

#include <sys/stat.h>

typedef puad_status hostile_read(const char *path);

static inline void run_python(const char *script)
{
    char command[600];
    snprintf(command, sizeof command, "/usr/bin/python3 %s %s", script, test_folder());
    if (system(command) != 0) TEST_FAIL("%s failed", command);
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

/* Every cut of the first and last `span` bytes, and some between. */
static inline void expect_cuts_refused(hostile_read *read, const char *path, size_t span)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    REQUIRE(file_read(&bytes, &size, path, 1 << 28) == PUAD_OK);
    char cut[300];
    snprintf(cut, sizeof cut, "%s.cut%s", path, strrchr(path, '.'));
    for (size_t length = 0; length < size; length++) {
        if (length > span && size - length > span && length % (size / 16 + 1) != 0) continue;
        FILE *out = fopen(cut, "wb"); /* no need to sync thousands of files */
        REQUIRE(out && fwrite(bytes, 1, length, out) == length && fclose(out) == 0);
        expect_refused(read, cut);
    }
    remove(cut);
    free(bytes);
}

/* Each of the first `span` bytes set to several other values: no crash (the sanitizers look on), no huge
 * memory. */
static inline void expect_changes_survived(hostile_read *read, const char *path, size_t span)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    REQUIRE(file_read(&bytes, &size, path, 1 << 28) == PUAD_OK);
    char changed[300];
    snprintf(changed, sizeof changed, "%s.changed%s", path, strrchr(path, '.'));
    for (size_t place = 0; place < size && place < span; place++) {
        unsigned char kept = bytes[place];
        const unsigned char others[] = {
            0, 1, 255, 127, 128, (unsigned char)(kept + 1), (unsigned char)(kept ^ 32)};
        for (size_t i = 0; i < sizeof others; i++) {
            bytes[place] = others[i];
            FILE *out = fopen(changed, "wb");
            REQUIRE(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
            if (read(changed) == PUAD_MEMORY)
                TEST_FAIL("byte %zu as %d: %s", place, others[i], puad_last_error());
        }
        bytes[place] = kept;
    }
    remove(changed);
    free(bytes);
}

#endif
