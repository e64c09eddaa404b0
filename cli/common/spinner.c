/* A thread draws the line; if it cannot be started, no line is drawn. */
#include "cli/common/spinner.h"

#include "base/clock.h"
#include "base/file.h"
#include "cli/common/standard_streams.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double seconds_before = 2, seconds_a_line = 20;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t over;
    pthread_t thread;
    const char *title;
    bool running, stop, terminal, shown;
    double begin, quiet_since;
    double bytes, passes;  /* size of the files, 0: unknown; reading them is 1 / passes of the work */
    uint64_t bytes_before; /* read before this activity */
    double reported, reported_after; /* fraction of the work, and seconds until it was done; 0: unknown */
} now = {.lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

static void clear_line(void)
{
    if (now.shown) fputs("\r\033[K", stderr);
    now.shown = false;
}

/* The bytes of a file; infinite if it is none, so that there is no estimate. */
static double size_of(const char *path, size_t length)
{
    char name[4096];
    struct stat file;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), path);
    return stat(name, &file) == 0 && S_ISREG(file.st_mode) ? (double)file.st_size : INFINITY;
}

/* The fraction of the work that is done, `passed` seconds after its begin; 0 if it is unknown. */
static double fraction_done(double passed)
{
    double bytes = (double)(file_bytes_read() - now.bytes_before);
    if (now.reported > 0) return fmin(0.99, now.reported * passed / now.reported_after);
    if (!(now.bytes > 0) || (now.passes > 1 && bytes >= 0.99 * now.bytes)) return 0;
    return fmin(0.99, bytes / now.bytes / now.passes);
}

static void show(double at)
{
    double passed = at - now.begin, part = fraction_done(passed);
    unsigned long seconds = (unsigned long)passed;
    char left[64] = "";
    if (part > 0.01) {
        unsigned long rest = (unsigned long)(passed * (1 - part) / part + 0.5);
        snprintf(left, sizeof left, ", %lu:%02lu left (%.0f%%)", rest / 60, rest % 60, 100 * part);
    }
    if (now.terminal)
        fprintf(stderr, "\r%s  %lu:%02lu%s\033[K", now.title, seconds / 60, seconds % 60, left);
    else
        fprintf(stderr, "%s, %lu:%02lu%s\n", now.title, seconds / 60, seconds % 60, left);
    fflush(stderr);
    now.shown = now.terminal;
    if (!now.terminal) now.quiet_since = at;
}

static void *watch(void *nothing)
{
    pthread_mutex_lock(&now.lock);
    while (!now.stop) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 250000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&now.over, &now.lock, &until);
        double at = seconds_now(), waited = now.terminal ? seconds_before : seconds_a_line;
        if (!now.stop && at - now.quiet_since >= waited) show(at);
    }
    pthread_mutex_unlock(&now.lock);
    return nothing;
}

void activity_begin(const char *title, bool quiet)
{
    if (quiet || now.running) return;
    now.title = title;
    now.stop = now.shown = false;
    now.terminal = streams_can_redraw();
    now.begin = now.quiet_since = seconds_now();
    now.running = pthread_create(&now.thread, NULL, watch, NULL) == 0;
}

void activity_begin_reading(const char *title, bool quiet, const char *const *paths, size_t count,
                            double passes)
{
    if (quiet || now.running) return;
    now.passes = passes;
    now.bytes_before = file_bytes_read();
    for (size_t i = 0; i < count; i++)
        for (const char *path = paths[i]; *path;) {
            size_t length = strcspn(path, "\n");
            now.bytes += size_of(path, length);
            path += length + (path[length] != 0);
        }
    if (isinf(now.bytes)) now.bytes = 0;
    activity_begin(title, quiet);
}

void activity_report(double fraction)
{
    if (!now.running) return;
    pthread_mutex_lock(&now.lock);
    now.reported = fraction;
    now.reported_after = seconds_now() - now.begin;
    pthread_mutex_unlock(&now.lock);
}

void activity_touch(void)
{
    if (!now.running) return;
    pthread_mutex_lock(&now.lock);
    clear_line();
    now.quiet_since = seconds_now();
    pthread_mutex_unlock(&now.lock);
}

void activity_end(void)
{
    if (!now.running) return;
    pthread_mutex_lock(&now.lock);
    now.stop = true;
    pthread_cond_signal(&now.over);
    pthread_mutex_unlock(&now.lock);
    pthread_join(now.thread, NULL);
    clear_line();
    now.running = false;
    now.bytes = now.reported = 0;
}
