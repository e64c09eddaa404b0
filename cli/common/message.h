/* Messages on standard error: "puad fit: warning: ...", with a colored prefix on a terminal. */
#ifndef CLI_COMMON_MESSAGE_H
#define CLI_COMMON_MESSAGE_H

#include <stdio.h>

typedef enum message_kind { MESSAGE_ERROR, MESSAGE_WARNING, MESSAGE_NOTE } message_kind;

/* `name` is the command's name, or NULL. Clears a spinner's line first. */
void message_print(message_kind kind, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "always", "never", or "auto": on a terminal, unless NO_COLOR is set or TERM is "dumb". */
void message_set_color(const char *when);

#endif
