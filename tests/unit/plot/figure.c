/* Figures: the extension selects the format, inline SVG has no ids and uses the page's colors, unusual
 * data are drawn. */
#include "base/file.h"
#include "plot/plot.h"
#include "test.h"

static const double x[] = {1, 2, 3, NAN, 5}, y[] = {0.5, 0.75, INFINITY, 0.8, 0.9},
                    low[] = {0.4, 0.7, 0, 0, 0.8}, high[] = {0.6, 0.8, 1, 1, 1};
static const float images[2 * 4 * 4] = {0, 0.5f, 1, NAN, 7, -3};
static const char *const names[] = {"one", "two <&>", "three", "\xFF", "five"};
static const double field[9] = {0, 1, 2, 1, NAN, 3, 2, 3, 4};

static const plot_series series[] = {
    {.name = "first", .x = x, .y = y, .low = low, .high = high, .count = 5},
    {.name = "second & last", .x = y, .y = x, .count = 5, .mark = PLOT_POINTS},
    {.name = "star", .x = x, .y = y, .count = 5, .mark = PLOT_STARS},
};

/* One panel of each kind. */
static plot_panel panel_of(plot_kind kind)
{
    return (plot_panel){.kind = kind,
                        .title = "title",
                        .x = {.label = "across", .min = 0, .max = kind == PLOT_FIELD},
                        .y = {.label = "up", .min = 0, .max = kind == PLOT_FIELD},
                        .series = series,
                        .series_count = 3,
                        .field = field,
                        .field_rows = 3,
                        .field_columns = 3,
                        .field_label = "score",
                        .names = names,
                        .name_count = 5,
                        .images = images,
                        .image_count = 2,
                        .image_height = 4,
                        .image_width = 4,
                        .image_channels = 1,
                        .captions = names};
}

static size_t all_kinds(plot_panel *panels)
{
    size_t count = 0;
#define KIND(name, prefix) panels[count++] = panel_of(PLOT_##name);
#include "plot/kinds.def"
#undef KIND
    return count;
}

TEST(the_kind_of_file_follows_the_name)
{
    static const struct {
        const char *name, *begins;
    } kinds[] = {{"a.svg", "<svg"}, {"a.png", "\x89PNG"}, {"a.PDF", "%PDF"}};
    plot_panel panels[8];
    plot_figure figure = {.title = "all", .panels = panels, .panel_count = all_kinds(panels)};
    for (size_t i = 0; i < 3; i++) {
        const char *path = test_path(kinds[i].name);
        CHECK_OK(plot_write(&figure, path));
        unsigned char *bytes = NULL;
        size_t size = 0;
        CHECK_OK(file_read(&bytes, &size, path, 1 << 24));
        CHECK(memcmp(bytes, kinds[i].begins, 4) == 0);
        free(bytes);
    }
    CHECK_FAILS(plot_write(&figure, test_path("a.gif")), PUAD_INVALID, "a.gif", ".svg", ".png", ".pdf");
    CHECK_FAILS(plot_write(&figure, "/nowhere/a.png"), PUAD_IO, "/nowhere/a.png");
}

TEST(inline_svg_has_no_ids_no_background_and_escaped_text)
{
    plot_panel panels[8];
    plot_figure figure = {.panels = panels, .panel_count = all_kinds(panels)};
    char *svg = NULL;
    CHECK_OK(plot_svg(&svg, &figure));
    CHECK(strstr(svg, " id=") == NULL);
    CHECK(strstr(svg, "<rect") == NULL);
    CHECK(strstr(svg, "second &amp; last") != NULL);
    CHECK(strstr(svg, "two &lt;&amp;&gt;") != NULL);
    CHECK(strstr(svg, "currentColor") != NULL);
    CHECK(strstr(svg, "nan") == NULL && strstr(svg, "inf\"") == NULL);
    free(svg);
}

TEST(the_same_figure_gives_the_same_bytes)
{
    plot_panel panels[8];
    plot_figure figure = {.panels = panels, .panel_count = all_kinds(panels)};
    unsigned char *first = NULL, *second = NULL;
    size_t first_size = 0, second_size = 0;
    CHECK_OK(plot_write(&figure, test_path("one.pdf")));
    CHECK_OK(plot_write(&figure, test_path("two.pdf")));
    CHECK_OK(file_read(&first, &first_size, test_path("one.pdf"), 1 << 24));
    CHECK_OK(file_read(&second, &second_size, test_path("two.pdf"), 1 << 24));
    CHECK(first_size == second_size && memcmp(first, second, first_size) == 0);
    free(first);
    free(second);
}

TEST(panels_and_legend_can_be_drawn_separately)
{
    plot_panel panels[8];
    plot_figure figure = {.panels = panels, .panel_count = all_kinds(panels)};
    for (size_t i = 0; i < figure.panel_count; i++) {
        char *svg = NULL;
        CHECK_OK(plot_svg_panel(&svg, &figure, i));
        CHECK(strstr(svg, "title") != NULL);
        free(svg);
    }
    char *legend = NULL;
    CHECK_OK(plot_svg_legend(&legend, &figure, 300));
    CHECK(strstr(legend, "first") && strstr(legend, "star"));
    free(legend);
    figure.no_legend = true;
    CHECK_OK(plot_svg_legend(&legend, &figure, 300));
    CHECK(legend == NULL);
}

TEST(empty_and_degenerate_data_is_drawn)
{
    double same[] = {3, 3, 3}, none[] = {NAN, NAN, NAN}, negative[] = {-1, 0, -5};
    plot_series odd[] = {{.x = same, .y = same, .count = 3},
                         {.x = none, .y = none, .count = 3},
                         {.x = same, .y = negative, .count = 3}};
    for (int log = 0; log < 2; log++)
        for (size_t count = 0; count <= 3; count++) {
            plot_panel panels[] = {
                {.kind = PLOT_CURVES,
                 .x = {.log = log},
                 .y = {.log = log},
                 .series = odd,
                 .series_count = count},
                {.kind = PLOT_HISTOGRAM, .y = {.log = log}, .series = odd, .series_count = count},
                {.kind = PLOT_BARS,
                 .x = {.log = log},
                 .series = odd,
                 .series_count = count,
                 .names = names,
                 .name_count = 3}};
            char *svg = NULL;
            CHECK_OK(plot_svg(&svg, &(plot_figure){.panels = panels, .panel_count = 3}));
            CHECK(strstr(svg, "nan") == NULL);
            free(svg);
        }
}

TEST(wrong_descriptions_are_refused)
{
    plot_panel panel = panel_of(PLOT_FIELD);
    plot_figure figure = {.panels = &panel, .panel_count = 0};
    char *svg = NULL;
    CHECK_FAILS(plot_svg(&svg, &figure), PUAD_INVALID, "1024", "panels", "0");
    figure.panel_count = 1;
    panel.field_rows = 1;
    CHECK_FAILS(plot_svg(&svg, &figure), PUAD_INVALID, "title");
    panel = panel_of(PLOT_FIELD);
    panel.x.max = 0;
    CHECK_FAILS(plot_svg(&svg, &figure), PUAD_INVALID, "limits");
    panel = panel_of(PLOT_IMAGES);
    panel.image_channels = 2;
    CHECK_FAILS(plot_svg(&svg, &figure), PUAD_INVALID, "1", "3", "2");
    panel = panel_of(PLOT_CURVES);
    figure.panel_width = 1e9;
    CHECK_FAILS(plot_svg(&svg, &figure), PUAD_INVALID, "1000000016 x 290", "30000");
}

TEST(rings_are_hollow_edged_dots_filled_and_dots_replace_bars)
{
    const double across[] = {1, 2}, up[] = {1, 2}, source[] = {0.5, 1.5}, to[] = {1.5, 2.5};
    const char *const words[] = {"one", "two"};
    plot_series drawn = {.x = across, .y = up, .count = 2, .mark = PLOT_RINGS};
    plot_panel panel = {.kind = PLOT_CURVES, .series = &drawn, .series_count = 1};
    const plot_figure figure = {.panels = &panel, .panel_count = 1};
    char *hollow = NULL, *filled = NULL, *bars = NULL, *dots = NULL;
    CHECK_OK(plot_svg(&hollow, &figure));
    drawn.mark = PLOT_EDGED;
    CHECK_OK(plot_svg(&filled, &figure));
    CHECK(!strstr(hollow, "#1f2328") && strstr(filled, "#1f2328")); /* the edge */
    drawn = (plot_series){.y = up, .low = source, .high = to, .count = 2};
    panel =
        (plot_panel){.kind = PLOT_BARS, .series = &drawn, .series_count = 1, .names = words, .name_count = 2};
    CHECK_OK(plot_svg(&bars, &figure));
    panel.dots = true;
    CHECK_OK(plot_svg(&dots, &figure));
    CHECK(strstr(bars, "opacity=\"0.85\"") && !strstr(dots, "opacity=\"0.85\""));
    free(hollow);
    free(filled);
    free(bars);
    free(dots);
}
