/* How far a long job is, on standard error: a bar on a terminal, plain lines now and then otherwise, nothing
 * when quiet.
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
    double share; /* of the work that is done, from 0 to 1, where steps differ; 0: as the steps are */
    bool quiet, terminal;
    bool shown;   /* something stands on the terminal's line */
    double begin; /* seconds of a clock that only goes forward */
    double drawn; /* when it was last shown; 0 for never */
    size_t tenth; /* tenths of the total that plain lines have told */
    char note[96];
} progress;

/* A job of `total` steps; 0 for a number nobody knows. */
progress progress_begin(const char *title, size_t total, bool quiet);

/* `done` steps are behind us; the note says what they brought. May be called as often as one likes. */
void progress_update(progress *bar, size_t done, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Leaves the last state standing and the cursor on a new line. Messages and results may follow. */
void progress_end(progress *bar);

/* Clears the bar so that a message can be printed; the next update draws it again. */
void progress_clear(progress *bar);

#endif
