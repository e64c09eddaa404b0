/* The number of processors that this process may use. */
#include "base/file.h"
#include "base/threads.h"
#include "test.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>

enum { PROCESSORS = 1500 };

/* Replaces the C library's function: a kernel with more processors than fit in a cpu_set_t. */
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    (void)process;
    if (size * 8 < PROCESSORS) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO_S(size, set);
    for (size_t i = 0; i < PROCESSORS; i++) CPU_SET_S(i, size, set);
    return 0;
}

TEST(more_than_1024_processors_are_counted)
{
    int available = threads_available();
    CHECK(available == PROCESSORS || (available > 1 && available < 1024)); /* a quota of this machine's */
}

static void group(const char *name, const char *limit)
{
    char path[400];
    snprintf(path, sizeof path, "%s%s", test_path("groups"), name);
    if (mkdir(path, 0700) != 0) TEST_FAIL("%s: %s", path, strerror(errno));
    snprintf(path, sizeof path, "%s%s/cpu.max", test_path("groups"), name);
    if (file_write(path, limit, strlen(limit)) != PUAD_OK) TEST_FAIL("%s", puad_last_error());
}

TEST(the_smallest_quota_of_a_group_and_its_parents_holds)
{
    const char *root = test_path("groups");
    group("", "max 100000\n");
    group("/limited", "250000 100000\n");
    group("/limited/free", "max 100000\n");
    group("/limited/tight", "50000 100000\n");
    group("/odd", "what is this");
    CHECK_INT(threads_quota(root, "/"), 0);
    CHECK_INT(threads_quota(root, "/limited"), 3);
    CHECK_INT(threads_quota(root, "/limited/free"), 3);
    CHECK_INT(threads_quota(root, "/limited/tight"), 1);
    CHECK_INT(threads_quota(root, "/odd"), 0);
    CHECK_INT(threads_quota(root, "/nothing/here"), 0);
}
