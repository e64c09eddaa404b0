/* Memory: checked sizes, arenas, and variables that free themselves when their scope ends. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MEMORY_ALIGNMENT 64 /* a cache line and the widest vector */

/* product or sum of sizes; false when it does not fit in size_t */
bool size_multiply(size_t *result, size_t a, size_t b);
bool size_add(size_t *result, size_t a, size_t b);

/* `count` zeroed elements of `size` bytes, freed with free(). `what` names the thing in the message. */
puad_status memory_new(void *out_pointer, size_t count, size_t size, const char *what);

/* Like memory_new, but for *pointer (from memory_new or NULL), whose contents are kept. New bytes are not
 * set. */
puad_status memory_grow(void *pointer, size_t count, size_t size, const char *what);

/* free() for memory that its owner holds by a pointer to const. */
void memory_free(const void *owned);

/* A bump allocator: blocks are aligned to MEMORY_ALIGNMENT, zeroed, and freed together. {0} is an empty
 * arena. */
struct arena_block;
typedef struct arena {
    struct arena_block *newest;
    size_t total;   /* bytes handed out, for reporting */
    size_t reserve; /* minimum size of the next block */
} arena;

puad_status arena_new(arena *owner, void *out_pointer, size_t count, size_t size);
char *arena_text(arena *owner, const char *text); /* a copy; NULL when memory ran out */
puad_status arena_print(arena *owner, const char **out, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* prints like printf */
puad_status arena_shell_word(arena *owner, const char **out,
                             const char *text); /* quoted if a shell needs it */
void arena_free(arena *owner);

/* Makes all memory of the arena available again; a second use of the same size allocates nothing. */
void arena_reset(arena *owner);

/* Frees the pointer when the variable's scope ends: AUTO_FREE char *name = NULL; */
void memory_cleanup(void *pointer_to_pointer);
#define AUTO_FREE __attribute__((cleanup(memory_cleanup)))
#define AUTO_ARENA __attribute__((cleanup(arena_free)))

/* Like open_memstream, except that a write fails when memory runs out instead of losing bytes silently.
 * *text and *size are valid after fflush and fclose. NULL when memory ran out. */
FILE *text_stream_open(char **text, size_t *size);

/* Closes a stream of open_memstream or text_stream_open. Returns false, with *text freed and NULL, when
 * memory ran out at any time; fclose may report success and leave *text NULL. */
bool text_stream_close(FILE *stream, char **text);

#endif
