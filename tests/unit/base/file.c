/* Safe reads, and outputs that appear completely or not at all. */
#include "base/file.h"
#include "test.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

TEST(what_is_written_is_read_back)
{
    const char *path = test_path("a");
    CHECK_OK(file_write(path, "hello", 5));
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_OK(file_read(&bytes, &size, path, 100));
    CHECK_INT(size, 5);
    CHECK_TEXT((char *)bytes, "hello");
    free(bytes);
}

TEST(a_file_is_itself_by_any_name)
{
    char file[300], other[300], link_to[300], hard[300];
    snprintf(file, sizeof file, "%s", test_path("itself"));
    snprintf(other, sizeof other, "%s", test_path("other"));
    snprintf(link_to, sizeof link_to, "%s", test_path("soft_link"));
    snprintf(hard, sizeof hard, "%s", test_path("hard_link"));
    CHECK_OK(file_write(file, "same", 4));
    CHECK_OK(file_write(other, "same", 4));
    REQUIRE(symlink(file, link_to) == 0 && link(file, hard) == 0);
    CHECK(file_is_same(file, file) && file_is_same(file, link_to) && file_is_same(hard, link_to));
    CHECK(!file_is_same(file, other) && !file_is_same(file, test_path("nothing")));
    CHECK(!file_is_same(".", ".") && !file_is_same("/dev/null", "/dev/null"));
}

TEST(a_file_over_the_limit_is_refused)
{
    const char *path = test_path("b");
    CHECK_OK(file_write(path, "hello", 5));
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_FAILS(file_read(&bytes, &size, path, 4), PUAD_FORMAT, path, "5 bytes");
}

TEST(a_pipe_over_the_limit_is_refused)
{
    const char *path = test_path("pipe");
    REQUIRE(mkfifo(path, 0600) == 0);
    pid_t writer = fork();
    if (writer == 0)
        _exit(execlp("sh", "sh", "-c", "head -c 100000 /dev/zero > \"$0\" 2>&1", path, (char *)NULL));
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_FAILS(file_read(&bytes, &size, path, 70000), PUAD_FORMAT, "/pipe", "70000");
    waitpid(writer, NULL, 0);
}

TEST(a_link_stays_a_link_and_a_device_a_device)
{
    char link[300], target[300];
    snprintf(target, sizeof target, "%s", test_path("target"));
    snprintf(link, sizeof link, "%s", test_path("link"));
    REQUIRE(symlink(target, link) == 0);
    CHECK_OK(file_write(target, "old", 3));
    CHECK_OK(file_write(link, "newer", 5));
    struct stat info;
    REQUIRE(lstat(link, &info) == 0);
    CHECK(S_ISLNK(info.st_mode));
    uint64_t size = 0;
    CHECK_OK(file_size(&size, target));
    CHECK(size == 5);
    CHECK_OK(file_write("/dev/null", "gone", 4));
    REQUIRE(stat("/dev/null", &info) == 0);
    CHECK(S_ISCHR(info.st_mode));
}

TEST(a_missing_file_and_a_folder_are_errors_that_name_them)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_FAILS(file_read(&bytes, &size, "/nowhere/x", 4), PUAD_IO, "/nowhere/x");
    CHECK_FAILS(file_read(&bytes, &size, test_folder(), 4), PUAD_IO, test_folder());
}

TEST(an_abandoned_output_leaves_nothing)
{
    file_output out;
    const char *path = test_path("c");
    CHECK_OK(file_create(&out, path));
    fputs("half", out.stream);
    char temporary[300];
    snprintf(temporary, sizeof temporary, "%s", out.temporary);
    CHECK(file_exists(temporary));
    file_abandon(&out);
    CHECK(!file_exists(path));
    CHECK(!file_exists(temporary));
}

enum { SAVES = 200, SAVED_BYTES = 5000 };

static void *save_often(void *path)
{
    char bytes[SAVED_BYTES];
    intptr_t failures = 0;
    for (int i = 0; i < SAVES; i++) {
        file_output out = {0};
        memset(bytes, i % 2 ? 'b' : 'a', sizeof bytes);
        bool good = file_create(&out, path) == PUAD_OK;
        if (good) {
            out.hasty = true; /* a sync per file would be slow without testing more */
            fwrite(bytes, 1, 1 + sizeof bytes / 2, out.stream);
            fflush(out.stream);
            fwrite(bytes, 1, sizeof bytes - 1 - sizeof bytes / 2, out.stream);
            good = file_commit(&out) == PUAD_OK;
        }
        failures += !good;
    }
    return (void *)failures;
}

TEST(two_threads_save_under_one_path_and_the_file_is_always_whole)
{
    char path[300];
    snprintf(path, sizeof path, "%s", test_path("shared"));
    CHECK_OK(file_write(path, "", 0));
    pthread_t savers[2];
    for (int i = 0; i < 2; i++) REQUIRE(pthread_create(&savers[i], NULL, save_often, path) == 0);
    int odd = 0;
    for (int i = 0; i < SAVES; i++) {
        unsigned char *bytes = NULL;
        size_t size = 0, same = 0;
        CHECK_OK(file_read(&bytes, &size, path, 2 * SAVED_BYTES));
        while (same < size && bytes[same] == bytes[0]) same++;
        odd += (size != 0 && size != SAVED_BYTES) || same != size;
        free(bytes);
    }
    for (int i = 0; i < 2; i++) {
        void *failures = NULL;
        pthread_join(savers[i], &failures);
        CHECK_INT((intptr_t)failures, 0);
    }
    CHECK_INT(odd, 0);
}

TEST(files_of_a_dead_process_do_not_block)
{
    file_output out;
    char left[8][300];
    const char *path = test_path("after");
    CHECK_OK(file_create(&out, path));
    unsigned number = 0;
    const char *end = strstr(out.temporary, "after.");
    REQUIRE(end && sscanf(end, "after.%*d.%u.part", &number) == 1);
    file_abandon(&out);
    for (unsigned i = 0; i < 8; i++) {
        snprintf(left[i], sizeof left[i], "%s.%ld.%u.part", path, (long)getpid(), number + 1 + i);
        FILE *file = fopen(left[i], "w");
        REQUIRE(file);
        fclose(file);
    }
    CHECK_OK(file_write(path, "new", 3));
    /* perhaps somebody else's: must not be removed */
    for (int i = 0; i < 8; i++) CHECK(file_exists(left[i]));
    uint64_t size = 0;
    CHECK_OK(file_size(&size, path));
    CHECK_INT(size, 3);
}

TEST(a_full_disk_is_an_error_and_the_old_file_stays)
{
    file_output out;
    CHECK_FAILS(file_create(&out, "/nowhere/deep/x"), PUAD_IO, "/nowhere/deep/x");
    if (access("/dev/full", W_OK) != 0) SKIP("no /dev/full");
    FILE *full = fopen("/dev/full", "wb");
    REQUIRE(full);
    const char *path = test_path("d");
    CHECK_OK(file_write(path, "old", 3));
    CHECK_OK(file_create(&out, path));
    fclose(out.stream);
    out.stream = full;
    fputs("new", out.stream);
    CHECK_FAILS(file_commit(&out), PUAD_IO, path, "No space left on device");
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_OK(file_read(&bytes, &size, path, 100));
    CHECK_TEXT((char *)bytes, "old");
    free(bytes);
}

TEST(a_file_keeps_its_permissions_when_it_is_replaced)
{
    const char *path = test_path("private");
    struct stat info;
    CHECK_OK(file_write(path, "old", 3));
    REQUIRE(chmod(path, 0600) == 0);
    CHECK_OK(file_write(path, "new", 3));
    REQUIRE(stat(path, &info) == 0);
    CHECK_INT(info.st_mode & 0777, 0600);
}

TEST(a_link_to_nothing_stays_and_its_file_is_made)
{
    char link_to[300];
    struct stat info;
    snprintf(link_to, sizeof link_to, "%s", test_path("promise"));
    REQUIRE(symlink("promised", link_to) == 0);
    CHECK_OK(file_write(link_to, "kept", 4));
    REQUIRE(lstat(link_to, &info) == 0);
    CHECK(S_ISLNK(info.st_mode));
    CHECK(lstat(test_path("promised"), &info) == 0 && S_ISREG(info.st_mode));
}

TEST(a_temporary_file_lies_in_the_folder_for_them)
{
    FILE *file = NULL;
    char before[300] = "";
    if (getenv("TMPDIR")) snprintf(before, sizeof before, "%s", getenv("TMPDIR"));
    setenv("TMPDIR", "/nowhere/at/all", 1);
    CHECK_FAILS(file_temporary(&file), PUAD_IO, "/nowhere/at/all");
    setenv("TMPDIR", test_folder(), 1);
    CHECK_OK(file_temporary(&file));
    CHECK(fputs("text", file) >= 0 && fclose(file) == 0);
    *before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR");
}

TEST(a_message_about_a_long_path_ends_with_the_reason)
{
    static char path[5000];
    uint64_t size;
    memset(path, 'x', sizeof path - 1);
    CHECK_FAILS(file_size(&size, path), PUAD_IO, "File name too long");
    CHECK(strncmp(puad_last_error(), "xxx", 3) == 0);
}

TEST(a_message_has_no_control_characters)
{
    uint64_t size;
    CHECK_FAILS(file_size(&size, "/nowhere/\x1b]0;title\x07"), PUAD_IO, "/nowhere/?]0;title?: ");
}
