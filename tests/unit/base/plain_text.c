/* Strings from files, made safe for a terminal. */
#include "base/plain_text.h"

#include "test.h"

static const char *plain(const char *text, bool lines)
{
    static char buffer[64];
    text_plain(buffer, sizeof buffer, text, lines);
    return buffer;
}

TEST(text_without_control_characters_stays)
{
    CHECK_TEXT(plain("caf\xc3\xa9, 1 \xe2\x82\xac", false), "caf\xc3\xa9, 1 \xe2\x82\xac");
    CHECK(text_is_plain("caf\xc3\xa9") && text_is_plain("caf\xe9") && text_is_plain(""));
}

TEST(control_characters_are_replaced)
{
    CHECK_TEXT(plain("a\x1b[31mred\x07", false), "a?[31mred?");
    CHECK_TEXT(plain("a\xc2\x9b"
                     "31m\x7f\x9b",
                     false),
               "a?31m??");
    CHECK_TEXT(plain("one\ttwo\nthree\r", true), "one\ttwo\nthree?");
    CHECK_TEXT(plain("one\ttwo\n", false), "one?two?");
    CHECK(!text_is_plain("\x1b") && !text_is_plain("\xc2\x9b") && !text_is_plain("\x9b") &&
          !text_is_plain("\x7f"));
}

TEST(a_long_text_is_cut_between_characters)
{
    char buffer[5];
    text_plain(buffer, sizeof buffer, "abc\xc3\xa9", false);
    CHECK_TEXT(buffer, "abc");
    text_plain(buffer, 1, "abc", false);
    CHECK_TEXT(buffer, "");
}
