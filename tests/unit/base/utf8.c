/* Valid UTF-8 is unchanged; anything else becomes the replacement character. */
#include "base/utf8.h"

#include "test.h"

static void check_valid(const char *text, const char *expected)
{
    char *valid = utf8_valid(text);
    CHECK_TEXT(valid, expected);
    free(valid);
}

TEST(valid_text_stays)
{
    const char *texts[] = {"", "plain", "caf\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8e\x88 end"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_valid(texts[i], texts[i]);
}

TEST(invalid_utf8_becomes_the_replacement_character)
{
    check_valid("caf\xe9", "caf\xef\xbf\xbd");                           /* Latin-1 */
    check_valid("a\xe2\x82", "a\xef\xbf\xbd\xef\xbf\xbd");               /* cut off */
    check_valid("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");                 /* overlong */
    check_valid("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* an unpaired surrogate */
    check_valid("\xf5\x80\x80\x80z", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
}

TEST(a_character_is_written_by_its_number)
{
    const struct {
        uint32_t number;
        const char *bytes;
    } characters[] = {{'a', "a"},
                      {0xe9, "\xc3\xa9"},
                      {0x20ac, "\xe2\x82\xac"},
                      {0x1f388, "\xf0\x9f\x8e\x88"},
                      {0xdc00, "\xef\xbf\xbd"},
                      {0x110000, "\xef\xbf\xbd"},
                      {UINT32_MAX, "\xef\xbf\xbd"}};
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        char text[5] = "";
        CHECK_INT(utf8_put(text, characters[i].number), strlen(characters[i].bytes));
        CHECK_TEXT(text, characters[i].bytes);
    }
}

TEST(the_number_of_a_character_is_found)
{
    uint32_t number = 0;
    CHECK_INT(utf8_next(&number, "\xc2\x9b"), 2);
    CHECK_INT(number, 0x9b);
    CHECK_INT(utf8_next(&number, "\x80"), 0);
}
