/* Shows that a silent job is running: after two seconds a terminal line with title and elapsed time; in
 * plain output a line from time to time. Progress bars and messages replace it. */
#ifndef CLI_COMMON_SPINNER_H
#define CLI_COMMON_SPINNER_H

#include <stdbool.h>

/* One at a time. `title` is borrowed until the end. Nothing is shown when quiet. */
void activity_begin(const char *title, bool quiet);
void activity_end(void);

/* Call before writing to standard error: the line is cleared and hidden for a while. */
void activity_touch(void);

#endif
