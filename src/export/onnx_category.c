/* A category column in ONNX: a LabelEncoder maps each string to its number, and a table maps numbers to
 * columns of 0 and 1. ONNX cannot compare without case, so the words for a missing value are listed in
 * every case. Surrounding blanks are ignored, as in the program. */
#include "base/number.h"
#include "base/utf8.h"
#include "export/onnx_parts.h"

#include <ctype.h>
#include <string.h>

typedef struct words {
    const char **texts;
    int64_t *codes;
    size_t count;
} words;

static const char *word_at(const void *context, size_t place)
{
    return ((const words *)context)->texts[place];
}

/* Adds every combination of lower and upper case letters of a word. */
static puad_status add_cases(words *to, arena *memory, const char *word, int64_t code)
{
    size_t letters = 0, length = strlen(word);
    for (size_t i = 0; i < length; i++) letters += isalpha((unsigned char)word[i]) != 0;
    for (size_t bits = 0; bits < (size_t)1 << letters; bits++) {
        char *text = arena_text(memory, word);
        if (!text) FAIL(PUAD_MEMORY, "no memory for words");
        for (size_t i = 0, letter = 0; i < length; i++)
            if (isalpha((unsigned char)text[i]) && bits >> letter++ & 1) text[i] = (char)toupper(text[i]);
        to->texts[to->count] = text;
        to->codes[to->count++] = code;
    }
    return PUAD_OK;
}

/* A category that is also a word for a missing value ("none") keeps its own code. */
static puad_status add_category(words *to, size_t missing, const char *name, const char *text, int64_t code)
{
    if (!text_is_utf8((text_view){text, strlen(text)}))
        FAIL(PUAD_INVALID, "column '%s': the category '%s' is not UTF-8, which ONNX requires", name, text);
    for (size_t i = 0; i < missing; i++) {
        if (strcmp(to->texts[i], text) != 0) continue;
        to->codes[i] = code;
        return PUAD_OK;
    }
    to->texts[to->count] = text;
    to->codes[to->count++] = code;
    return PUAD_OK;
}

static puad_status gather_words(words *out, arena *memory, const char *name, const dictionary *texts)
{
    size_t categories = texts->count, capacity = categories + 1, missing = 0;
    const char *word;
    while ((word = cell_missing_word(missing++))) capacity += (size_t)1 << strlen(word);
    TRY(arena_new(memory, &out->texts, capacity, sizeof *out->texts));
    TRY(arena_new(memory, &out->codes, capacity, sizeof *out->codes));
    TRY(add_cases(out, memory, "", (int64_t)categories + 1));
    for (size_t i = 0; (word = cell_missing_word(i)); i++)
        TRY(add_cases(out, memory, word, (int64_t)categories + 1));
    missing = out->count;
    for (size_t i = 0; i < categories; i++)
        TRY(add_category(out, missing, name, texts->texts[i].text, (int64_t)i));
    return PUAD_OK;
}

puad_status export_codes(const char **out, graph *g, const char *texts, const char *name,
                         const dictionary *categories)
{
    words all = {0};
    TRY(gather_words(&all, g->memory, name, categories));
    node encoder = node_begin(g, "LabelEncoder");
    node_domain(&encoder, "ai.onnx.ml");
    node_input(&encoder, texts);
    node_texts(&encoder, "keys_strings", word_at, &all, all.count);
    node_integers(&encoder, "values_int64s", all.codes, all.count);
    node_integer(&encoder, "default_int64", (int64_t)categories->count);
    *out = node_end(&encoder);
    return PUAD_OK;
}

puad_status export_category(const char **out, graph *g, const char *texts, const transform_column *column)
{
    size_t categories = column->categories.count, width = column->width;
    const char *codes;
    transform_column alone = *column; /* its columns begin at 0 */
    alone.first = 0;
    float *table;
    TRY(arena_new(g->memory, &table, (categories + 2) * width, sizeof *table));
    for (size_t i = 0; i < categories; i++) transform_code(table + i * width, &alone, (uint32_t)i);
    transform_code(table + categories * width, &alone, CODE_REST);
    transform_code(table + (categories + 1) * width, &alone, CODE_MISSING);
    TRY(export_codes(&codes, g, texts, column->name, &column->categories));
    const int64_t sizes[] = {(int64_t)categories + 2, (int64_t)width};
    const char *rows = GRAPH_NODE(g, "Gather", graph_floats(g, table, sizes, 2), codes);
    *out = GRAPH_NODE(g, "Reshape", rows, GRAPH_VECTOR(g, -1, (int64_t)width));
    return PUAD_OK;
}
