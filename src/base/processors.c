/* The number of processors available to this process. */
#include "base/memory.h"
#include "base/threads.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSORS_MAX = 1 << 20 }; /* larger than any kernel's mask */

#ifdef __linux__
/* Doubles the size of the mask until the kernel accepts it. */
static int processors_allowed(void)
{
    int allowed = 0;
    for (size_t capacity = CPU_SETSIZE; !allowed && capacity <= PROCESSORS_MAX; capacity *= 2) {
        cpu_set_t *set = CPU_ALLOC(capacity);
        size_t size = CPU_ALLOC_SIZE(capacity);
        if (!set) break;
        if (sched_getaffinity(0, size, set) == 0)
            allowed = CPU_COUNT_S(size, set);
        else if (errno != EINVAL)
            capacity = PROCESSORS_MAX;
        CPU_FREE(set);
    }
    return allowed > 0 ? allowed : 1;
}
#else
static int processors_allowed(void)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online <= PROCESSORS_MAX ? (int)online : 1;
}
#endif

/* cpu.max holds "QUOTA PERIOD" in microseconds, or "max PERIOD". */
static int quota_of(const char *folder)
{
    char name[PATH_MAX];
    long long quota = 0, period = 0;
    if (snprintf(name, sizeof name, "%s/cpu.max", folder) >= (int)sizeof name) return 0;
    FILE *file = fopen(name, "re");
    if (!file) return 0;
    /* NOLINTNEXTLINE(cert-err34-c): the kernel writes numbers that fit */
    bool limited = fscanf(file, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0;
    fclose(file);
    if (!limited) return 0;
    long long processors = quota / period + (quota % period != 0);
    return processors < INT_MAX ? (int)processors : 0;
}

int threads_quota(const char *root, const char *path)
{
    char folder[PATH_MAX];
    int min = 0;
    if (snprintf(folder, sizeof folder, "%s%s", root, path) >= (int)sizeof folder) return 0;
    for (;;) {
        int quota = quota_of(folder);
        if (quota && (!min || quota < min)) min = quota;
        char *slash = strrchr(folder, '/');
        if (!slash || slash < folder + strlen(root)) return min;
        *slash = 0;
    }
}

/* /proc/self/cgroup has the process's group as "0::PATH". */
static int quota_here(void)
{
    char line[PATH_MAX + 8];
    int quota = 0;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = 0;
            quota = threads_quota("/sys/fs/cgroup", line + 3);
        }
    if (file) fclose(file);
    return quota;
}

int threads_available(void)
{
    int allowed = processors_allowed(), quota = quota_here();
    return quota && quota < allowed ? quota : allowed;
}
