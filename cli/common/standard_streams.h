/* The three standard streams of the program. */
#ifndef CLI_COMMON_STANDARD_STREAMS_H
#define CLI_COMMON_STANDARD_STREAMS_H

#include <stdbool.h>

/* Puts /dev/null where standard input, output or error is closed, so that no file opened later gets its
 * number and with it what is meant for the terminal. It is opened for the wrong direction: who reads or
 * writes there gets an error, as from a closed stream. False when that cannot be done. */
bool streams_fill(void);

/* Whether standard error is a terminal whose lines can be rewritten: not where TERM is dumb. */
bool streams_can_redraw(void);

#endif
