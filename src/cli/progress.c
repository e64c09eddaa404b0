/* The progress bar. */
#include "cli/progress.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const double seconds_a_frame = 0.1, seconds_a_line = 20;

progress progress_begin(const char *title, size_t total, bool quiet)
{
    return (progress){.title = title,
                      .total = total,
                      .quiet = quiet,
                      .terminal = isatty(STDERR_FILENO) == 1,
                      .begin = seconds_now()};
}

/* "1:05", "2:03:09" */
static void write_duration(char *out, size_t room, double seconds)
{
    unsigned long all = (unsigned long)(seconds + 0.5), hours = all / 3600;
    if (hours)
        snprintf(out, room, "%lu:%02lu:%02lu", hours, all / 60 % 60, all % 60);
    else
        snprintf(out, room, "%lu:%02lu", all / 60, all % 60);
}

/* Time so far and, where it can be told, time to go. */
static void write_times(char *out, size_t room, const progress *bar, double now)
{
    char past[32], rest[32];
    double elapsed = now - bar->begin;
    write_duration(past, sizeof past, elapsed);
    double share = bar->share > 0 ? bar->share : bar->total ? (double)bar->done / (double)bar->total : 0;
    if (share > 0 && share < 1 && elapsed > 0.5) {
        write_duration(rest, sizeof rest, elapsed * (1 - share) / share);
        snprintf(out, room, "%s, %s left", past, rest);
    } else {
        snprintf(out, room, "%s", past);
    }
}

static int terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

static void draw(progress *bar, double now)
{
    enum { CELLS = 24 };
    char times[80], cells[CELLS + 1], text[400];
    write_times(times, sizeof times, bar, now);
    size_t filled = bar->total ? bar->done * CELLS / bar->total : 0;
    for (size_t i = 0; i < CELLS; i++) cells[i] = i < filled ? '#' : '.';
    cells[CELLS] = 0;
    if (bar->total)
        snprintf(text, sizeof text, "%s [%s] %zu/%zu  %s  %s", bar->title, cells, bar->done, bar->total,
                 times, bar->note);
    else
        snprintf(text, sizeof text, "%s %zu  %s  %s", bar->title, bar->done, times, bar->note);
    fprintf(stderr, "\r%.*s\033[K", terminal_columns() - 1,
            text); /* a line that wraps could not be drawn over */
    fflush(stderr);
    bar->shown = true;
    bar->drawn = now;
}

static void print_line(progress *bar, double now)
{
    char times[80];
    write_times(times, sizeof times, bar, now);
    if (bar->total)
        fprintf(stderr, "%s %zu/%zu, %s%s%s\n", bar->title, bar->done, bar->total, times,
                bar->note[0] ? ", " : "", bar->note);
    else
        fprintf(stderr, "%s %zu, %s%s%s\n", bar->title, bar->done, times, bar->note[0] ? ", " : "",
                bar->note);
    bar->drawn = now;
}

void progress_update(progress *bar, size_t done, const char *format, ...)
{
    if (bar->quiet) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bar->note, sizeof bar->note, format, arguments);
    va_end(arguments);
    bar->done = done;
    double now = seconds_now();
    if (bar->terminal) {
        if (now - bar->drawn >= seconds_a_frame || done == bar->total) draw(bar, now);
        return;
    }
    /* Plain lines: every tenth of the way, and now and then while nothing else is said. */
    size_t tenth = bar->total ? done * 10 / bar->total : 0;
    double said = bar->drawn > 0 ? bar->drawn : bar->begin;
    if (tenth == bar->tenth && now - said < seconds_a_line) return;
    bar->tenth = tenth;
    print_line(bar, now);
}

void progress_end(progress *bar)
{
    if (bar->quiet || !bar->terminal || !bar->shown) return;
    draw(bar, seconds_now());
    fputc('\n', stderr);
    bar->shown = false;
}

void progress_clear(progress *bar)
{
    if (!bar->shown) return;
    fputs("\r\033[K", stderr);
    bar->shown = false;
}
