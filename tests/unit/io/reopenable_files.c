/* Files that are read more than once and opened once. */
#include "io/reopenable_files.h"

#include "base/file.h"
#include "io/stream.h"
#include "test.h"

enum { SIZE = 400000, FIRST = 150000 };

TEST(readers_of_a_kept_file_do_not_move_each_other)
{
    static unsigned char written[SIZE], one[SIZE], two[SIZE];
    kept_files *kept = NULL;
    stream first, second;
    for (size_t i = 0; i < SIZE; i++) written[i] = (unsigned char)(i * i / 7 % 251);
    const char *path = test_path("kept");
    CHECK_OK(file_write(path, written, SIZE));
    CHECK_OK(kept_files_new(&kept, false));
    CHECK_OK(stream_open_kept(&first, path, kept));
    CHECK_OK(stream_read(&first, one, FIRST));
    REQUIRE(unlink(path) == 0); /* the open file remains readable */
    CHECK_OK(stream_open_kept(&second, path, kept));
    CHECK_OK(stream_read(&second, two, SIZE));
    CHECK_OK(stream_read(&first, one + FIRST, SIZE - FIRST));
    CHECK(memcmp(one, written, SIZE) == 0 && memcmp(two, written, SIZE) == 0);
    stream_close(&first);
    stream_close(&second);
    kept_files_free(kept);
}
