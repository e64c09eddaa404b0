/* A thread draws the line; if it cannot be started, no line is drawn. */
#include "cli/common/spinner.h"

#include "base/clock.h"
#include "cli/common/standard_streams.h"

#include <pthread.h>
#include <stdio.h>
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
} now = {.lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

static void clear_line(void)
{
    if (now.shown) fputs("\r\033[K", stderr);
    now.shown = false;
}

static void show(double at)
{
    unsigned long seconds = (unsigned long)(at - now.begin);
    if (now.terminal)
        fprintf(stderr, "\r%s  %lu:%02lu\033[K", now.title, seconds / 60, seconds % 60);
    else
        fprintf(stderr, "%s, %lu:%02lu\n", now.title, seconds / 60, seconds % 60);
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
}
