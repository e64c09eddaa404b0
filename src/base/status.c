/* The error message of each thread. */
#include "base/status.h"
#include "base/c_locale.h"

#include "base/plain_text.h"

#include <puad/puad.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];
enum { WHOLE_MAX = 6 * 1024 }; /* a message that includes a path of any length */

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

const char *puad_version(void)
{
    return PUAD_VERSION_TEXT;
}

/* Messages quote input files, so control characters are replaced. A message that is too long loses its
 * middle: it begins with the file's name and ends with the reason. */
static void record(const char *text)
{
    char plain[WHOLE_MAX];
    enum { HEAD = 320, TAIL = sizeof message - HEAD - 6 };
    text_plain(plain, sizeof plain, text, true);
    size_t length = strlen(plain);
    if (length < sizeof message)
        memcpy(message, plain, length + 1);
    else
        snprintf(message, sizeof message, "%.*s ... %s", HEAD, plain, plain + length - TAIL + 1);
}

puad_status status_fail(puad_status code, const char *format, ...)
{
    char whole[WHOLE_MAX];
    va_list arguments;
    va_start(arguments, format);
    c_print_list(whole, sizeof whole, format, arguments);
    va_end(arguments);
    record(whole);
    return code;
}

void status_prefix(const char *format, ...)
{
    char prefixed[WHOLE_MAX];
    va_list arguments;
    va_start(arguments, format);
    int length = c_print_list(prefixed, sizeof prefixed, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof prefixed) return;
    snprintf(prefixed + length, sizeof prefixed - (size_t)length, ": %s", message);
    record(prefixed);
}

enum { STRUCT_SIZE_MAX = 1 << 16 }; /* a larger size means that the field is uninitialized */

static puad_status check_size(size_t *out, const void *values, const char *name)
{
    memcpy(out, values, sizeof *out);
    if (*out >= sizeof *out && *out <= STRUCT_SIZE_MAX) return PUAD_OK;
    FAIL(PUAD_INVALID, "struct_size of a %s is %zu; set it to sizeof(%s)", name, *out, name);
}

static void fill(void *out, size_t has, const void *source, size_t size)
{
    size_t common = has < size ? has : size;
    memset((char *)out + common, 0, has - common);
    memcpy(out, source, common);
    memcpy(out, &has, sizeof has);
}

puad_status struct_write(void *out, const void *source, size_t size, const char *name)
{
    size_t has;
    TRY(check_size(&has, out, name));
    fill(out, has, source, size);
    return PUAD_OK;
}

puad_status struct_write_at(void *out, size_t index, const void *source, size_t size, const char *name)
{
    size_t has;
    TRY(check_size(&has, out, name));
    fill((char *)out + index * has, has, source, size);
    return PUAD_OK;
}

puad_status struct_read(void *out, size_t size, const void *source, const char *name)
{
    size_t has;
    TRY(check_size(&has, source, name));
    fill(out, size, source, has < size ? has : size);
    return PUAD_OK;
}
