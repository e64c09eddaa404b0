/* Checked sizes and the arena. */
#include "base/memory.h"
#include "test.h"

TEST(sizes_that_overflow_are_refused)
{
    void *block = NULL;
    CHECK_FAILS(memory_new(&block, SIZE_MAX / 2, 4, "rows"), PUAD_MEMORY, "rows");
    arena a = {0};
    CHECK_FAILS(arena_new(&a, &block, SIZE_MAX / 8, 16), PUAD_MEMORY, "2305843009213693951", "16");
    arena_free(&a);
}

TEST(arena_memory_is_aligned_and_zero)
{
    arena a = {0};
    for (size_t size = 1; size < 300000; size = size * 3 + 1) {
        char *block = NULL;
        CHECK_OK(arena_new(&a, &block, size, 1));
        CHECK((uintptr_t)block % MEMORY_ALIGNMENT == 0);
        for (size_t i = 0; i < size; i++)
            if (block[i]) TEST_FAIL("byte %zu of %zu is not zero", i, size);
        memset(block, 1, size);
    }
    CHECK_TEXT(arena_text(&a, "name"), "name");
    arena_free(&a);
}

TEST(shell_words_are_quoted_where_a_shell_needs_it)
{
    arena a = {0};
    const char *word;
    CHECK_OK(arena_shell_word(&a, &word, "runs/lab-1.db"));
    CHECK_TEXT(word, "runs/lab-1.db");
    CHECK_OK(arena_shell_word(&a, &word, "my lab.db"));
    CHECK_TEXT(word, "'my lab.db'");
    CHECK_OK(arena_shell_word(&a, &word, "it's $HOME"));
    CHECK_TEXT(word, "'it'\\''s $HOME'");
    CHECK_OK(arena_shell_word(&a, &word, ""));
    CHECK_TEXT(word, "''");
    arena_free(&a);
}
