/* Reopens standard streams that were closed when the program started. */
#include "cli/common/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool streams_fill(void)
{
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++) {
        if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) continue;
        int filled = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (filled != number) return false; /* open returns the lowest free number, so this one */
    }
    return true;
}

bool streams_can_redraw(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && !(kind && strcmp(kind, "dumb") == 0);
}
