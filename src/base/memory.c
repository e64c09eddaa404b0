/* Checked allocation and the arena. */
#include "base/memory.h"
#include "base/c_locale.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool size_multiply(size_t *result, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, result);
}

bool size_add(size_t *result, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, result);
}

puad_status memory_new(void *out_pointer, size_t count, size_t size, const char *what)
{
    size_t bytes;
    void *block = NULL;
    if (size_multiply(&bytes, count, size) && bytes <= PTRDIFF_MAX) block = calloc(bytes ? bytes : 1, 1);
    if (!block) FAIL(PUAD_MEMORY, "no memory for %s (%zu x %zu bytes)", what, count, size);
    memcpy(out_pointer, &block, sizeof block);
    return PUAD_OK;
}

puad_status memory_grow(void *pointer, size_t count, size_t size, const char *what)
{
    size_t bytes;
    void *block;
    memcpy(&block, pointer, sizeof block);
    if (!size_multiply(&bytes, count, size) || bytes > PTRDIFF_MAX) bytes = 0;
    void *grown = bytes ? realloc(block, bytes) : NULL;
    if (!grown) FAIL(PUAD_MEMORY, "no memory for %s (%zu x %zu bytes)", what, count, size);
    memcpy(pointer, &grown, sizeof grown);
    return PUAD_OK;
}

struct arena_block {
    struct arena_block *older;
    char *base;
    size_t used, size;
};

enum { ARENA_BLOCK = 64 * 1024 };

static size_t round_up(size_t bytes)
{
    return (bytes + MEMORY_ALIGNMENT - 1) & ~(size_t)(MEMORY_ALIGNMENT - 1);
}

puad_status arena_new(arena *owner, void *out_pointer, size_t count, size_t size)
{
    size_t bytes;
    if (!size_multiply(&bytes, count, size) || bytes > PTRDIFF_MAX - ARENA_BLOCK)
        FAIL(PUAD_MEMORY, "no memory for %zu x %zu bytes", count, size);
    bytes = round_up(bytes ? bytes : 1);
    struct arena_block *block = owner->newest;
    if (!block || block->size - block->used < bytes) {
        size_t capacity = bytes > ARENA_BLOCK ? bytes : ARENA_BLOCK;
        if (capacity < owner->reserve) capacity = owner->reserve;
        block = malloc(sizeof *block);
        char *base = block ? aligned_alloc(MEMORY_ALIGNMENT, capacity) : NULL;
        if (!base) {
            free(block);
            FAIL(PUAD_MEMORY, "no memory for %zu bytes", capacity);
        }
        *block = (struct arena_block){owner->newest, base, 0, capacity};
        owner->newest = block;
    }
    void *result = block->base + block->used;
    memset(result, 0, bytes);
    block->used += bytes;
    owner->total += bytes;
    memcpy(out_pointer, &result, sizeof result);
    return PUAD_OK;
}

char *arena_text(arena *owner, const char *text)
{
    char *copy = NULL;
    size_t bytes = strlen(text) + 1;
    if (arena_new(owner, &copy, bytes, 1) != PUAD_OK) return NULL;
    return memcpy(copy, text, bytes);
}

puad_status arena_print(arena *owner, const char **out, const char *format, ...)
{
    AUTO_FREE char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = c_allocate_list(&text, format, arguments);
    va_end(arguments);
    if (length < 0) text = NULL; /* vasprintf leaves the pointer unset on failure */
    *out = text ? arena_text(owner, text) : NULL;
    if (!*out) FAIL(PUAD_MEMORY, "no memory for a string");
    return PUAD_OK;
}

puad_status arena_shell_word(arena *owner, const char **out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/@%,:=";
    char *word, *to;
    *out = text;
    if (*text && text[strspn(text, plain)] == 0) return PUAD_OK;
    /* a byte becomes at most four; plus two quotes and the end */
    TRY(arena_new(owner, &word, strlen(text) + 1, 4));
    to = stpcpy(word, "'");
    for (; *text; text++) to = *text == '\'' ? stpcpy(to, "'\\''") : stpncpy(to, text, 1);
    stpcpy(to, "'");
    *out = word;
    return PUAD_OK;
}

void arena_free(arena *owner)
{
    while (owner->newest) {
        struct arena_block *block = owner->newest;
        owner->newest = block->older;
        free(block->base);
        free(block);
    }
    owner->total = 0;
    owner->reserve = 0;
}

void arena_reset(arena *owner)
{
    size_t capacity = 0;
    for (struct arena_block *block = owner->newest; block; block = block->older) capacity += block->size;
    if (owner->newest && owner->newest->older) { /* replaced by one block, allocated when it is needed */
        arena_free(owner);
        owner->reserve = capacity;
    }
    if (owner->newest) owner->newest->used = 0;
    owner->total = 0;
}

typedef struct text_target {
    char **text;
    size_t *size, capacity;
} text_target;

static ssize_t text_target_write(void *cookie, const char *bytes, size_t count)
{
    text_target *to = cookie;
    if (count >= to->capacity - *to->size) {
        size_t capacity = 2 * to->capacity + count;
        char *larger = realloc(*to->text, capacity);
        if (!larger) return 0;
        *to->text = larger;
        to->capacity = capacity;
    }
    memcpy(*to->text + *to->size, bytes, count);
    *to->size += count;
    (*to->text)[*to->size] = '\0';
    return (ssize_t)count;
}

static int text_target_close(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *text_stream_open(char **text, size_t *size)
{
    enum { ROOM = 4096 };
    text_target *to = malloc(sizeof *to);
    *text = calloc(1, ROOM);
    *size = 0;
    FILE *stream = NULL;
    if (to && *text) {
        *to = (text_target){text, size, ROOM};
        stream = fopencookie(to, "w",
                             (cookie_io_functions_t){.write = text_target_write, .close = text_target_close});
    }
    if (stream) return stream;
    free(to);
    free(*text);
    *text = NULL;
    return NULL;
}

bool text_stream_close(FILE *stream, char **text)
{
    bool failed = ferror(stream);
    failed |= fclose(stream) != 0;
    if (!failed && *text) return true;
    free(*text);
    *text = NULL;
    return false;
}

void memory_free(const void *owned)
{
    free((void *)(uintptr_t)owned);
}

void memory_cleanup(void *pointer_to_pointer)
{
    void *block;
    memcpy(&block, pointer_to_pointer, sizeof block);
    free(block);
}
