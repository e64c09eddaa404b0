/* Text in pictures and pages: any bytes become valid and harmless. */
#include "plot/canvas.h"
#include "test.h"

static const char *cleaned(const char *text)
{
    static char out[TEXT_MAX];
    text_clean(out, sizeof out, text);
    return out;
}

TEST(good_text_stays_and_bad_bytes_become_question_marks)
{
    CHECK_TEXT(cleaned("plain \xC3\xA9 \xE2\x88\x92 \xF0\x9F\x98\x80"),
               "plain \xC3\xA9 \xE2\x88\x92 \xF0\x9F\x98\x80");
    CHECK_TEXT(cleaned("a\xFF"
                       "b\xC3"),
               "a?b?");
    CHECK_TEXT(cleaned("\xC0\xAF \xED\xA0\x80 \xF5\x80\x80\x80"),
               "?? ??? ????"); /* overlong, surrogate, too large */
    CHECK_TEXT(cleaned("tab\tline\nbell\x07"), "tab line bell ");
}

TEST(cutting_never_splits_a_character)
{
    char out[4];
    text_clean(out, sizeof out, "ab\xC3\xA9");
    CHECK_TEXT(out, "ab");
    char fitted[TEXT_MAX];
    text_fit(fitted, "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9",
             (text_style){.size = 10}, 30);
    CHECK_TEXT(cleaned(fitted), fitted);
    CHECK(text_width(fitted, (text_style){.size = 10}) <= 30);
    CHECK(strstr(fitted, "\xE2\x80\xA6") != NULL);
}

TEST(markup_is_escaped)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    REQUIRE(stream);
    text_escape(stream, "<b onclick=\"x\">&\n\x01");
    fclose(stream);
    CHECK_TEXT(text, "&lt;b onclick=&quot;x&quot;&gt;&amp;\n ");
    free(text);
}
