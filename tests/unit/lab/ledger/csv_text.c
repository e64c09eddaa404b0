/* CSV: written values are read back, and errors are located. */
#include "lab/ledger/csv_text.h"
#include "test.h"

TEST(every_text_is_read_back)
{
    static const char *const texts[] = {"plain", "",         "a,b",      "say \"so\"", "two\nlines",
                                        "\r",    " spaces ", "\xC3\xA9", "\""};
    enum { COUNT = sizeof texts / sizeof *texts };
    char *written = NULL, *values[COUNT + 1];
    size_t size = 0, count = 0;
    FILE *stream = open_memstream(&written, &size);
    for (int row = 0; row < 2; row++) {
        for (size_t i = 0; i < COUNT; i++) sheet_write(stream, texts[i], i == 0);
        fputc('\n', stream);
    }
    fclose(stream);
    sheet_reader reader = sheet_begin(written, size, "f");
    for (int row = 0; row < 2; row++) {
        CHECK_OK(sheet_next(values, COUNT + 1, &count, &reader));
        CHECK_INT(count, COUNT);
        for (size_t i = 0; i < COUNT; i++) CHECK_TEXT(values[i], texts[i]);
        CHECK_INT(reader.line, 1 + 2 * row); /* a line break inside a value counts */
    }
    CHECK_OK(sheet_next(values, COUNT + 1, &count, &reader));
    CHECK_INT(count, 0);
    free(written);
}

static puad_status first_row(const char *text, size_t size, size_t *count)
{
    char copy[100], *values[3];
    memcpy(copy, text, size);
    copy[size] = 0;
    sheet_reader reader = sheet_begin(copy, size, "f");
    return sheet_next(values, 3, count, &reader);
}

TEST(line_ends_of_all_kinds_and_a_missing_last_one_are_understood)
{
    size_t count;
    CHECK_OK(first_row("\xEF\xBB\xBF"
                       "a,b\r\nc",
                       9, &count));
    CHECK_INT(count, 2);
    CHECK_OK(first_row("\n\na,\"b\"", 7, &count));
    CHECK_INT(count, 2);
    CHECK_OK(first_row("a,", 2, &count));
    CHECK_INT(count, 2);
}

TEST(broken_text_is_refused_with_its_line)
{
    size_t count;
    CHECK_FAILS(first_row("\n\"ab", 4, &count), PUAD_FORMAT, "f:2");
    CHECK_FAILS(first_row("\"ab\"c", 5, &count), PUAD_FORMAT, "f:1");
    CHECK_FAILS(first_row("a\"b", 3, &count), PUAD_FORMAT, "f:1");
    CHECK_FAILS(first_row("a\0b", 3, &count), PUAD_FORMAT, "f:1");
    CHECK_FAILS(first_row("\"a\0b\"", 5, &count), PUAD_FORMAT, "f:1");
    CHECK_FAILS(first_row("a,b,c,d", 7, &count), PUAD_FORMAT, "f:1", "3");
}
