/* Preloaded into the program to make one allocation fail. FAULT_AT=N is its number, from 1, counted from
 * the start of main to its end; with FAULT_ON=1 all later ones fail too. FAULT_COUNT=FILE receives their
 * total number. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dlfcn.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool armed;
static atomic_ulong calls;
static unsigned long at;
static bool on;

/* fontconfig, used by cairo, crashes without memory: its allocations succeed and are not counted. */
static _Thread_local int spared;

void cairo_text_extents(void *context, const char *text, void *extents);

void cairo_text_extents(void *context, const char *text, void *extents)
{
    void (*measure)(void *, const char *, void *), *found = dlsym(RTLD_NEXT, "cairo_text_extents");
    memcpy(&measure, &found, sizeof measure);
    spared++;
    measure(context, text, extents);
    spared--;
}

static bool fails(void)
{
    if (!atomic_load(&armed) || spared) return false;
    unsigned long number = atomic_fetch_add(&calls, 1) + 1;
    if (!at || !(number == at || (on && number > at))) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return fails() ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails()) return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

static void disarm(void)
{
    char text[32];
    const char *path = getenv("FAULT_COUNT");
    atomic_store(&armed, false);
    int handle = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (handle < 0) return;
    int length = snprintf(text, sizeof text, "%lu", atomic_load(&calls));
    if (write(handle, text, (size_t)length) != length) _exit(99);
    close(handle);
}

static int (*true_main)(int, char **, char **);

static int counted_main(int count, char **arguments, char **environment)
{
    const char *number = getenv("FAULT_AT"), *all = getenv("FAULT_ON");
    at = number ? strtoul(number, NULL, 10) : 0;
    on = all && *all == '1';
    atomic_store(&armed, true);
    int code = true_main(count, arguments, environment);
    disarm();
    return code;
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end);

int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                 void *);
    void *found = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&start, &found, sizeof start);
    true_main = main;
    return start(counted_main, count, arguments, init, fini, loader_fini, stack_end);
}
