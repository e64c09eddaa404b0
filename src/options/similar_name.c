/* Damerau-Levenshtein distance in the form of optimal string alignment. */
#include "options/similar_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LETTERS_MAX = 48, PREFIX_MIN = 3, PREFIX_DISTANCE = 3 };

static int letter(char c)
{
    return c == '_' ? '-' : tolower((unsigned char)c);
}

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t min = a < b ? a : b;
    return min < c ? min : c;
}

static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LETTERS_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++) last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            bool same = letter(a[i - 1]) == letter(b[j - 1]);
            now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + !same);
            bool swapped = i > 1 && j > 1 && letter(a[i - 1]) == letter(b[j - 2]) &&
                           letter(a[i - 2]) == letter(b[j - 1]);
            if (swapped && before[j - 2] + 1 < now[j]) now[j] = before[j - 2] + 1;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[m];
}

void similar_offer(similar_name *search, const char *name, size_t length)
{
    size_t typed = strlen(search->word);
    if (typed == 0 || typed > LETTERS_MAX || length == 0 || length > LETTERS_MAX) return;
    size_t found = distance(search->word, typed, name, length), max = typed <= 3 ? 1 : 2;
    if (typed == 1 && letter(*search->word) != letter(*name)) return; /* any other letter is one edit away */
    if (found > max) {
        if (typed < PREFIX_MIN || typed > length || distance(search->word, typed, name, typed) > 0) return;
        found = PREFIX_DISTANCE;
    }
    if (search->best && found >= search->distance) return;
    search->best = name;
    search->length = length;
    search->distance = found;
}

const char *similar_hint(char out[SIMILAR_CAPACITY], const similar_name *search, const char *prefix)
{
    *out = 0;
    if (search->best)
        snprintf(out, SIMILAR_CAPACITY, "; did you mean '%s%.*s'?", prefix, (int)search->length,
                 search->best);
    return out;
}

const char *similar_choice(char out[SIMILAR_CAPACITY], const char *word, const char *choices)
{
    similar_name search = {.word = word};
    for (const char *entry = choices; *entry;) {
        size_t size = strcspn(entry, "|");
        similar_offer(&search, entry, size);
        entry += size + (entry[size] == '|');
    }
    return similar_hint(out, &search, "");
}
