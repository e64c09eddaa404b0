/* What a call that can fail returns, and how to learn why it failed.
 *
 * A call that makes something sets its *out to NULL before anything else: after a failure it is NULL, and the
 * _free of NULL does nothing.
 *
 * NULL where a call needs something is PUAD_INVALID, with a message that names the call and the argument; a
 * list may be NULL where its count is 0, and options may be NULL for the default. A call that returns a value
 * and no status gives 0, NULL, NaN or a struct of zeros for NULL.
 *
 * Threads: the message is kept per thread. Texts are UTF-8. */
#ifndef PUAD_STATUS_H
#define PUAD_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PUAD_API __attribute__((visibility("default")))
#else
#define PUAD_API
#endif

typedef enum puad_status {
    PUAD_OK = 0,
    PUAD_INVALID,   /* an argument or option is wrong: the caller can correct it */
    PUAD_IO,        /* the system refused to open, read or write something */
    PUAD_FORMAT,    /* a file is not what it should be: cut, corrupted or of another kind */
    PUAD_MEMORY,    /* memory ran out, or a size is beyond what this machine can hold */
    PUAD_NUMERIC,   /* training or scoring met a value that is not finite; whether a finished model is of any
                       use too */
    PUAD_CANCELLED, /* a callback asked to stop */
} puad_status;

/* The message of the last failure in this thread, one line without newline; "" if there was none. Borrowed:
 * it is valid until the next failing call in this thread. Options are spoken of as "option 'epochs'", by the
 * names of <puad/options.h>. */
PUAD_API const char *puad_last_error(void);

/* "PUAD_INVALID" and so on; "unknown status" for any other number. */
PUAD_API const char *puad_status_name(puad_status status);

#ifdef __cplusplus
}
#endif
#endif
