/* The error message of each thread. */
#include "base/status.h"

#include <puad/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];

const char *puad_last_error(void)
{
    return message;
}

const char *puad_status_name(puad_status status)
{
    static const char *const names[] = {[PUAD_OK] = "PUAD_OK",
                                        [PUAD_INVALID] = "PUAD_INVALID",
                                        [PUAD_IO] = "PUAD_IO",
                                        [PUAD_FORMAT] = "PUAD_FORMAT",
                                        [PUAD_MEMORY] = "PUAD_MEMORY",
                                        [PUAD_NUMERIC] = "PUAD_NUMERIC",
                                        [PUAD_CANCELLED] = "PUAD_CANCELLED"};
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "unknown status";
}

int puad_version_number(void)
{
    return PUAD_VERSION_NUMBER;
}

const char *puad_version(void)
{
    return PUAD_VERSION_TEXT;
}

puad_status status_fail(puad_status code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return code;
}

void status_prefix(const char *format, ...)
{
    char prefixed[sizeof message];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(prefixed, sizeof prefixed, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof prefixed) return;
    snprintf(prefixed + length, sizeof prefixed - (size_t)length, ": %s", message);
    memcpy(message, prefixed, sizeof message);
}
