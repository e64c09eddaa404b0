/* The three standard streams of the program. */
#ifndef CLI_COMMON_STANDARD_STREAMS_H
#define CLI_COMMON_STANDARD_STREAMS_H

#include <stdbool.h>

/* Opens /dev/null for standard input, output or error if it is closed, so that no later file gets its
 * number. It is opened for the wrong direction, so that reads and writes fail as on a closed stream. False
 * on failure. */
bool streams_fill(void);

/* Whether standard error is a terminal whose lines can be rewritten: false if TERM is dumb. */
bool streams_can_redraw(void);

#endif
