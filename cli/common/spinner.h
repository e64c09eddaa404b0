/* A sign of life for work that says nothing itself: after two seconds a
 * line on the terminal with what is being done and since when; in plain
 * output a line now and then. Progress bars and messages take its place. */
#ifndef CLI_COMMON_SPINNER_H
#define CLI_COMMON_SPINNER_H

#include <stdbool.h>

/* One at a time. `title` is borrowed until the end. Nothing is shown when quiet. */
void activity_begin(const char *title, bool quiet);
void activity_end(void);

/* Something else is about to write to standard error: the line is cleared and stays away for a while. */
void activity_touch(void);

#endif
