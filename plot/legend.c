/* Colors of series, their marks, and the legend. */
#include "plot/panel.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static color palette_color(size_t number)
{
    static const uint32_t colors[] = {
#define COLOR(name, rgb) rgb,
#include "plot/palette.def"
#undef COLOR
    };
    return COLOR_RGB(colors[number % (sizeof colors / sizeof *colors)]);
}

color ramp_color(double share)
{
    static const uint8_t anchors[][3] = {{247, 251, 255}, {211, 227, 243}, {158, 202, 225},
                                         {107, 174, 214}, {49, 130, 189},  {16, 84, 148}};
    enum { LAST = sizeof anchors / sizeof *anchors - 1 };
    double place = fmin(fmax(share, 0), 1) * LAST;
    if (!(place >= 0)) place = 0; /* NaN */
    size_t low = place >= LAST ? LAST - 1 : (size_t)place;
    uint32_t rgb = 0;
    for (int i = 0; i < 3; i++) {
        double value = anchors[low][i] + (place - (double)low) * (anchors[low + 1][i] - anchors[low][i]);
        rgb = rgb << 8 | (uint32_t)lround(value);
    }
    return COLOR_RGB(rgb);
}

/* Calls `each` for every series with a new name; stops when it returns false. */
typedef bool legend_visit(void *context, const plot_panel *panel, size_t series, size_t number);

static bool met_before(const plot_figure *figure, size_t panel, size_t series, const char *name)
{
    for (size_t p = 0; p <= panel; p++)
        for (size_t s = 0; s < figure->panels[p].series_count && (p < panel || s < series); s++)
            if (figure->panels[p].series[s].name && strcmp(figure->panels[p].series[s].name, name) == 0)
                return true;
    return false;
}

static size_t legend_walk(const plot_figure *figure, legend_visit *each, void *context)
{
    size_t number = 0;
    for (size_t p = 0; p < figure->panel_count; p++)
        for (size_t s = 0; s < figure->panels[p].series_count; s++) {
            const char *name = figure->panels[p].series[s].name;
            if (!name || met_before(figure, p, s, name)) continue;
            if (each && !each(context, &figure->panels[p], s, number)) return number;
            number++;
        }
    return number;
}

static size_t legend_count(const plot_figure *figure)
{
    return figure->no_legend ? 0 : legend_walk(figure, NULL, NULL);
}

static bool name_differs(void *context, const plot_panel *panel, size_t series, size_t number)
{
    (void)number;
    const char *const *name = context;
    return strcmp(panel->series[series].name, *name) != 0;
}

size_t series_number(const plot_figure *figure, const plot_panel *panel, size_t series)
{
    const char *name = panel->series[series].name;
    return name ? legend_walk(figure, name_differs, &name) : series;
}

color series_color(const plot_figure *figure, const plot_panel *panel, size_t series)
{
    plot_color wanted = panel->series[series].color;
    return palette_color(wanted ? (size_t)wanted - 1 : series_number(figure, panel, series));
}

void draw_star(canvas *on, point at, double radius, color fill)
{
    point corners[10];
    for (int i = 0; i < 10; i++) {
        double angle = M_PI * i / 5, reach = i % 2 ? radius * 0.45 : radius;
        corners[i] = (point){at.x + reach * sin(angle), at.y - reach * cos(angle)};
    }
    canvas_path(on, PATH_CLOSED, corners, 10, (path_style){.fill = fill, .stroke = COLOR_PAPER, .width = 1});
}

void draw_ring(canvas *on, point at, double radius, path_style style)
{
    enum { CORNERS = 16 };
    point corners[CORNERS];
    for (int i = 0; i < CORNERS; i++)
        corners[i] =
            (point){at.x + radius * cos(2 * M_PI * i / CORNERS), at.y + radius * sin(2 * M_PI * i / CORNERS)};
    canvas_path(on, PATH_CLOSED, corners, CORNERS, style);
}

void draw_mark(canvas *on, point at, size_t number, color fill)
{
    static const point shapes[][4] = {
        {{-2.9, -2.9}, {2.9, -2.9}, {2.9, 2.9}, {-2.9, 2.9}}, /* square */
        {{0, -4.1}, {3.8, 2.7}, {-3.8, 2.7}, {0, -4.1}},      /* triangle */
        {{0, -4.2}, {4.2, 0}, {0, 4.2}, {-4.2, 0}},           /* diamond */
        {{0, 4.1}, {3.8, -2.7}, {-3.8, -2.7}, {0, 4.1}},      /* inverted triangle */
    };
    const path_style style = {.fill = fill, .stroke = COLOR_PAPER, .width = 0.8};
    size_t kinds = sizeof shapes / sizeof *shapes + 1, which = number % kinds;
    if (which == 0) {
        canvas_path(on, PATH_DOTS, &at, 1, (path_style){.stroke = COLOR_PAPER, .width = 8});
        canvas_path(on, PATH_DOTS, &at, 1, (path_style){.stroke = fill, .width = 6.4});
        return;
    }
    point corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = (point){at.x + shapes[which - 1][i].x, at.y + shapes[which - 1][i].y};
    canvas_path(on, PATH_CLOSED, corners, 4, style);
}

enum { SWATCH = 26, GAP = 16, LINE_HEIGHT = 18 };
static const text_style name_text = {.size = 11};

typedef struct legend_pen {
    canvas *on; /* NULL to measure */
    const plot_figure *figure;
    double left, width, x, y;
    double column; /* the width of an entry if there are several rows, so that entries are aligned; else 0 */
} legend_pen;

static double entry_width(const plot_panel *panel, size_t series)
{
    return SWATCH + text_width(panel->series[series].name, name_text) + GAP;
}

static void draw_swatch(canvas *on, const plot_figure *figure, const plot_panel *panel, size_t series,
                        double x, double y)
{
    const plot_series *drawn = &panel->series[series];
    color paint = series_color(figure, panel, series);
    point middle = {x + 10, y};
    if (panel->kind == PLOT_HISTOGRAM || panel->kind == PLOT_BARS) {
        canvas_box(on, (box){x + 3, y - 5, x + 17, y + 5}, (path_style){.fill = paint, .opacity = 0.85});
    } else if (drawn->mark == PLOT_STARS) {
        draw_star(on, middle, 7, paint);
    } else if (drawn->mark == PLOT_RINGS) {
        draw_ring(on, middle, 3.6, RING_STYLE(paint));
    } else if (drawn->mark == PLOT_EDGED) {
        draw_ring(on, middle, 3.6, EDGED_STYLE(paint));
    } else if (drawn->mark == PLOT_POINTS) {
        canvas_path(on, PATH_DOTS, &middle, 1, (path_style){.stroke = paint, .width = 7});
    } else {
        canvas_line(on, x, y, x + 20, y,
                    (path_style){.stroke = paint, .width = 1.8, .dashed = drawn->dashed});
        if (!drawn->plain && drawn->count <= MARKS_MAX)
            draw_mark(on, middle, series_number(figure, panel, series), paint);
    }
}

static bool place_entry(void *context, const plot_panel *panel, size_t series, size_t number)
{
    legend_pen *pen = context;
    (void)number;
    double wide = pen->column > 0 ? pen->column : entry_width(panel, series);
    if (pen->x > pen->left && pen->x + wide - GAP > pen->left + pen->width) {
        pen->x = pen->left;
        pen->y += LINE_HEIGHT;
    }
    if (pen->on) {
        draw_swatch(pen->on, pen->figure, panel, series, pen->x, pen->y - 4);
        char name[TEXT_MAX];
        text_fit(name, panel->series[series].name, name_text, pen->width - SWATCH);
        canvas_text(pen->on, pen->x + SWATCH, pen->y, name, name_text);
    }
    pen->x += wide;
    return true;
}

static bool widest_entry(void *context, const plot_panel *panel, size_t series, size_t number)
{
    double *widest = context;
    (void)number;
    *widest = fmax(*widest, entry_width(panel, series));
    return true;
}

/* Computes the position of all entries without drawing. */
static legend_pen measure(const plot_figure *figure, double width)
{
    legend_pen pen = {.figure = figure, .width = width, .y = LINE_HEIGHT};
    legend_walk(figure, place_entry, &pen);
    if (pen.y == LINE_HEIGHT) return pen;
    pen = (legend_pen){.figure = figure, .width = width, .y = LINE_HEIGHT};
    legend_walk(figure, widest_entry, &pen.column);
    legend_walk(figure, place_entry, &pen);
    return pen;
}

double legend_height(const plot_figure *figure, double width)
{
    return legend_count(figure) == 0 ? 0 : measure(figure, width).y + 6;
}

/* A single row is centered; several rows are left-aligned. */
void legend_draw(canvas *on, const plot_figure *figure, double left, double top, double width)
{
    if (legend_count(figure) == 0) return;
    legend_pen pen = measure(figure, width);
    double indent = pen.y == LINE_HEIGHT ? fmax(0, (width - pen.x + GAP) / 2) : 0;
    pen = (legend_pen){.on = on,
                       .figure = figure,
                       .left = left + indent,
                       .width = width - indent,
                       .x = left + indent,
                       .y = top + LINE_HEIGHT - 4,
                       .column = pen.column};
    legend_walk(figure, place_entry, &pen);
}
