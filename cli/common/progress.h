/* Progress of a long job on standard error: a bar on a terminal, otherwise plain lines from time to time,
 * nothing when quiet.
 *
 *     progress bar = progress_begin("training", epochs, quiet);
 *     progress_update(&bar, epoch, "loss %.3f", loss);
 *     progress_end(&bar); */
#ifndef CLI_COMMON_PROGRESS_H
#define CLI_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct progress {
    const char *title; /* borrowed */
    size_t total;
    size_t done;  /* at the last update */
    double share; /* fraction of the work done, 0 to 1, if steps differ; 0: by steps */
    bool quiet, terminal;
    bool shown;   /* the bar is on the terminal's current line */
    double begin; /* seconds of a monotonic clock */
    double drawn; /* time of the last drawing; 0 for never */
    size_t tenth; /* tenths of the total that plain lines have reported */
    char note[96];
} progress;

/* A job of `total` steps; 0 if unknown. */
progress progress_begin(const char *title, size_t total, bool quiet);

/* `done` steps are complete; the note describes the latest state. May be called any number of times. */
void progress_update(progress *bar, size_t done, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Leaves the last state on the terminal and moves to a new line. Messages and results may follow. */
void progress_end(progress *bar);

/* Clears the bar for a message; the next update draws it again. */
void progress_clear(progress *bar);

#endif
