/* Failing with a message, and passing a failure up. Every function that can fail returns puad_status.
 *
 *     TRY(call(...));                        returns the status of a failed call to our caller
 *     FAIL(PUAD_FORMAT, "%s: ...", path);    records a message for this thread and returns the code
 *
 * Both return at once, so what a function owns is freed by `cleanup` attributes (see AUTO_FREE). */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <puad/puad.h>

/* Records the message and returns `code`. */
puad_status status_fail(puad_status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before the message already recorded; for adding the place where a lower call failed. */
void status_prefix(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the code itself, not the result of the call, so that compilers and linters see that it fails. */
#define FAIL(code, ...) return status_fail((code), __VA_ARGS__), (code)

/* For the public calls: the argument must not be NULL. */
#define NEED(argument)                                                                                       \
    do {                                                                                                     \
        if (!(argument)) FAIL(PUAD_INVALID, "%s: %s must not be NULL", __func__, #argument);                 \
    } while (0)

#define TRY(expression)                                                                                      \
    do {                                                                                                     \
        puad_status try_status_ = (expression);                                                              \
        if (try_status_ != PUAD_OK) return try_status_;                                                      \
    } while (0)

#endif
