/* Shows that a silent job is running: after two seconds a terminal line with title and elapsed time; in
 * plain output a line from time to time. Progress bars and messages replace it. */
#ifndef CLI_COMMON_SPINNER_H
#define CLI_COMMON_SPINNER_H

#include <stdbool.h>
#include <stddef.h>

/* One at a time. `title` is borrowed until the end. Nothing is shown when quiet. */
void activity_begin(const char *title, bool quiet);

/* `passes` for reading a dataset: encoding the rows takes about as long as reading them. */
#define READ_AND_ENCODE 1.8

/* The same while files are read: also shows the fraction done and the time left, unless one of them is a pipe
 * or a folder. A path may be several, separated by line feeds. Reading all of them once is 1 / `passes` of the
 * work. */
void activity_begin_reading(const char *title, bool quiet, const char *const *paths, size_t count,
                            double passes);
void activity_end(void);

/* This fraction of the work is done; the time left follows from it. */
void activity_report(double fraction);

/* Call before writing to standard error: the line is cleared and hidden for a while. */
void activity_touch(void);

#endif
