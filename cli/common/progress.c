/* Draws the progress bar. */
#include "cli/common/progress.h"

#include "base/clock.h"
#include "cli/common/spinner.h"
#include "cli/common/standard_streams.h"

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
                      .terminal = streams_can_redraw(),
                      .begin = seconds_now()};
}

/* "1:05", "2:03:09" */
static void write_duration(char *out, size_t capacity, double seconds)
{
    unsigned long all = (unsigned long)(seconds + 0.5), hours = all / 3600;
    if (hours)
        snprintf(out, capacity, "%lu:%02lu:%02lu", hours, all / 60 % 60, all % 60);
    else
        snprintf(out, capacity, "%lu:%02lu", all / 60, all % 60);
}

/* Elapsed time and, if it can be estimated, remaining time. */
static void write_times(char *out, size_t capacity, const progress *bar, double now)
{
    char past[32], rest[32];
    double elapsed = now - bar->begin;
    write_duration(past, sizeof past, elapsed);
    double share = bar->share > 0 ? bar->share : bar->total ? (double)bar->done / (double)bar->total : 0;
    if (share > 0 && share < 1 && elapsed > 0.5) {
        write_duration(rest, sizeof rest, elapsed * (1 - share) / share);
        snprintf(out, capacity, "%s, %s left", past, rest);
    } else {
        snprintf(out, capacity, "%s", past);
    }
}

static int terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

/* Fits the terminal's width: a shorter bar, no bar, no note, before text is truncated. */
static void write_line(char *text, size_t capacity, const progress *bar, const char *times, int columns)
{
    static const size_t lengths[] = {24, 10, 0, 0};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        char cells[32] = "", count[48];
        double share = bar->share > 0 ? bar->share : bar->total ? (double)bar->done / (double)bar->total : 0;
        size_t filled = (size_t)(share * (double)lengths[k]), used = 0;
        if (bar->total && lengths[k]) {
            cells[used++] = '[';
            for (size_t i = 0; i < lengths[k]; i++) cells[used++] = i < filled ? '#' : '.';
            snprintf(cells + used, sizeof cells - used, "] ");
        }
        if (bar->total)
            snprintf(count, sizeof count, "%zu/%zu", bar->done, bar->total);
        else
            snprintf(count, sizeof count, "%zu", bar->done);
        const char *note = k + 1 < sizeof lengths / sizeof *lengths ? bar->note : "";
        int wrote = snprintf(text, capacity, "%s %s%s  %s  %s", bar->title, cells, count, times, note);
        if (wrote <= columns) return;
    }
}

static void draw(progress *bar, double now)
{
    char times[80], text[400];
    int columns = terminal_columns() - 1; /* a line that wraps could not be overwritten */
    activity_touch();
    write_times(times, sizeof times, bar, now);
    write_line(text, sizeof text, bar, times, columns);
    fprintf(stderr, "\r%.*s\033[K", columns, text);
    fflush(stderr);
    bar->shown = true;
    bar->drawn = now;
}

static void print_line(progress *bar, double now)
{
    char times[80];
    activity_touch();
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
    /* Plain lines: at every tenth, and from time to time if nothing else is printed. */
    size_t tenth = bar->total ? done * 10 / bar->total : 0;
    double printed = bar->drawn > 0 ? bar->drawn : bar->begin;
    if (tenth == bar->tenth && now - printed < seconds_a_line) return;
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
