/* Failing with a message, and returning failures to the caller. Every function that can fail returns
 * puad_status.
 *
 *     TRY(call(...));                        returns the status of a failed call to our caller
 *     FAIL(PUAD_FORMAT, "%s: ...", path);    records a message for this thread and returns the code
 *
 * Both return at once, so `cleanup` attributes (see AUTO_FREE) must free all memory that a function owns. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <puad/puad.h>

/* Records the message and returns `code`. */
puad_status status_fail(puad_status code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before the recorded message, to add the file or place where a lower call failed. */
void status_prefix(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns the code itself, not the result of the call, so that compilers and linters see the failure. */
#define FAIL(code, ...) return status_fail((code), __VA_ARGS__), (code)

/* For public calls: fails if the argument is NULL. */
#define NEED(argument)                                                                                       \
    do {                                                                                                     \
        if (!(argument)) FAIL(PUAD_INVALID, "%s: %s must not be NULL", __func__, #argument);                 \
    } while (0)

#define TRY(expression)                                                                                      \
    do {                                                                                                     \
        puad_status try_status_ = (expression);                                                              \
        if (try_status_ != PUAD_OK) return try_status_;                                                      \
    } while (0)

/* Public structs that start with size_t struct_size: a caller built against an earlier header has a shorter
 * one, a caller built against a later header a longer one. */

/* Copies `size` bytes of `source` into the caller's struct `out`, at most its struct_size, and zeroes its
 * remaining bytes. PUAD_INVALID if struct_size is not set. */
puad_status struct_write(void *out, const void *source, size_t size, const char *name);

/* The same for element `index` of an array; the struct_size of element 0 is the distance between elements. */
puad_status struct_write_at(void *out, size_t index, const void *source, size_t size, const char *name);

/* Copies the caller's struct into ours; fields past its struct_size become 0. */
puad_status struct_read(void *out, size_t size, const void *source, const char *name);

#endif
