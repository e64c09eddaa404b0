/* A page: self-contained, escaped, complete. */
#include "plot/page.h"
#include "base/file.h"
#include "test.h"

static char *written(page *on)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (page_write(on, test_path("page.html")) != PUAD_OK) return NULL;
    if (file_read(&bytes, &size, test_path("page.html"), 1 << 24) != PUAD_OK) return NULL;
    return (char *)bytes;
}

TEST(text_is_escaped_and_nothing_is_fetched)
{
    page *made = NULL;
    CHECK_OK(page_new(&made, "A <title>", "sub & title"));
    page_section(made, "One <i>");
    page_section(made, "Two");
    page_text(made, "100 %% of <script>%s</script>", "alert(1)");
    page_note(made, "mind");
    page_code(made, "puad fit a.csv \\\n  -o <m>");
    page_fold(made, "more & more");
    page_text(made, "<b>");
    page_unfold(made);
    char *text = written(made);
    REQUIRE(text);
    CHECK(strstr(text, "<title>A &lt;title&gt;</title>") != NULL);
    CHECK(strstr(text, "100 % of &lt;script&gt;alert(1)&lt;/script&gt;") != NULL);
    CHECK(strstr(text, "<a href=\"#s1\">One &lt;i&gt;</a>") != NULL);
    CHECK(strstr(text, "puad fit a.csv \\\n  -o &lt;m&gt;") != NULL);
    char *fold = strstr(text, "<details><summary>more &amp; more</summary>");
    REQUIRE(fold && strstr(fold, "&lt;b&gt;"));
    CHECK(strstr(fold, "&lt;b&gt;") < strstr(fold, "</details>"));
    CHECK(strstr(text, "http://") == NULL && strstr(text, "https://") == NULL);
    CHECK(strstr(text, "</html>") != NULL);
    free(text);
    page_free(made);
}

TEST(numbers_are_right_aligned_and_marks_are_shown)
{
    page *made = NULL;
    CHECK_OK(page_new(&made, "t", NULL));
    const page_cell cells[] = {{.text = "pusvdd"},
                               {.text = "0.995 \xC2\xB1 0.002", .strong = true, .hint = "5 \"runs\""},
                               {.text = "if"},
                               {.text = NULL, .faint = true}};
    page_add_table(made, &(page_table){.caption = "c",
                                       .headings = (const char *const[]){"method", "AUROC"},
                                       .columns = 2,
                                       .rows = 2,
                                       .cells = cells});
    char *text = written(made);
    REQUIRE(text);
    CHECK(strstr(text, "<td>pusvdd</td><td class=\"n\" title=\"5 &quot;runs&quot;\"><strong>0.995") != NULL);
    CHECK(strstr(text, "<td>if</td><td class=\"f\"></td>") != NULL);
    CHECK(strstr(text, "<button>AUROC</button>") != NULL);
    free(text);
    page_free(made);
}

TEST(a_figure_that_cannot_be_drawn_shows_when_the_page_is_written)
{
    page *made = NULL;
    CHECK_OK(page_new(&made, "t", NULL));
    plot_panel panel = {.kind = PLOT_FIELD};
    page_add_figure(made, &(plot_figure){.panels = &panel, .panel_count = 1}, "caption");
    CHECK_FAILS(page_write(made, test_path("bad.html")), PUAD_INVALID, "bad.html");
    CHECK(!file_exists(test_path("bad.html")));
    page_free(made);
    page_free(NULL);
}
