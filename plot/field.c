/* Draws values over a plane: filled bands with contour lines and a color bar, or plain cells. */
#include "plot/panel.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BANDS_ABOUT = 9, IMAGE_SIDE = 256, LEVELS_MAX = 32 };

static void field_limits(limits *grow, const plot_panel *panel)
{
    *grow = (limits){panel->x.min, panel->x.max, panel->y.min, panel->y.max};
}

typedef struct shades {
    double min, max; /* of the finite values */
    size_t count;    /* number of levels between bands */
    double levels[LEVELS_MAX];
} shades;

static shades shades_of(const plot_panel *panel)
{
    shades found = {INFINITY, -INFINITY, 0, {0}};
    for (size_t i = 0; i < panel->field_rows * panel->field_columns; i++)
        limits_include(&found.min, &found.max, panel->field[i], false);
    if (panel->field_max > panel->field_min) {
        found.min = panel->field_min;
        found.max = panel->field_max;
    }
    if (!(found.max > found.min)) return found;
    tick_list list = ticks_linear(found.min, found.max, BANDS_ABOUT);
    /* a level at the very edge would depend on rounding errors */
    double rim = 1e-3 * (found.max - found.min);
    for (size_t i = 0; i < list.count; i++) {
        double level = list.ticks[i].value;
        if (level > found.min + rim && level < found.max - rim) found.levels[found.count++] = level;
    }
    return found;
}

static double shade(const shades *gray, double value, bool cells)
{
    if (!(gray->max > gray->min)) return 0.5;
    if (cells || gray->count == 0) return (value - gray->min) / (gray->max - gray->min);
    size_t band = 0;
    while (band < gray->count && value >= gray->levels[band]) band++;
    return (double)band / (double)gray->count;
}

/* Bilinear interpolation of the field; row and column are in units of points. */
static double between(const plot_panel *panel, double row, double column)
{
    size_t r = (size_t)fmin(row, (double)panel->field_rows - 2),
           c = (size_t)fmin(column, (double)panel->field_columns - 2);
    const double *at = panel->field + r * panel->field_columns + c;
    double down = row - (double)r, right = column - (double)c;
    return (1 - down) * ((1 - right) * at[0] + right * at[1]) +
           down * ((1 - right) * at[panel->field_columns] + right * at[panel->field_columns + 1]);
}

static void paint_pixel(uint8_t *rgb, double value, const shades *gray, bool cells)
{
    color paint = isfinite(value) ? ramp_color(shade(gray, value, cells)) : COLOR_RGB(0xBBBBBB);
    rgb[0] = (uint8_t)(paint >> 16);
    rgb[1] = (uint8_t)(paint >> 8);
    rgb[2] = (uint8_t)paint;
}

/* The first row of the field is the lowest of the picture. */
static void draw_bands(canvas *on, const frame *in, const shades *gray)
{
    const plot_panel *panel = in->panel;
    size_t height = panel->cells ? panel->field_rows : IMAGE_SIDE,
           width = panel->cells ? panel->field_columns : IMAGE_SIDE;
    AUTO_FREE uint8_t *rgb = NULL;
    puad_status status = memory_new(&rgb, height * width, 3, "a picture of a field");
    if (status != PUAD_OK) {
        on->status = status;
        return;
    }
    for (size_t i = 0; i < height; i++)
        for (size_t j = 0; j < width; j++) {
            size_t row = height - 1 - i;
            double value =
                panel->cells
                    ? panel->field[row * width + j]
                    : between(panel, ((double)row + 0.5) / (double)height * (double)(panel->field_rows - 1),
                              ((double)j + 0.5) / (double)width * (double)(panel->field_columns - 1));
            paint_pixel(rgb + 3 * (i * width + j), value, gray, panel->cells);
        }
    canvas_image(on, in->inner, rgb, (int)width, (int)height, !panel->cells);
}

/* A contour line crosses sides of the grid's cells. Side 2 * cell is a cell's lower one, 2 * cell + 1 its
 * left one; each crossed side is linked to another one in each cell that shares it, and the links form
 * chains. */
typedef struct crossing {
    uint32_t links[2]; /* sides; NO_SIDE for none */
} crossing;
#define NO_SIDE UINT32_MAX

static void link_sides(crossing *sides, uint32_t a, uint32_t b)
{
    sides[a].links[sides[a].links[0] != NO_SIDE] = b;
    sides[b].links[sides[b].links[0] != NO_SIDE] = a;
}

/* Marching squares in one cell: links the sides that the level crosses. Corners and sides are numbered
 * from lower left. */
static void cross_cell(crossing *sides, const plot_panel *panel, size_t cell, double level)
{
    size_t columns = panel->field_columns;
    const double *at = panel->field + cell;
    const double corner[4] = {at[0], at[1], at[columns + 1], at[columns]};
    const uint32_t side[4] = {(uint32_t)(2 * cell), (uint32_t)(2 * (cell + 1) + 1),
                              (uint32_t)(2 * (cell + columns)), (uint32_t)(2 * cell + 1)};
    if (!isfinite(corner[0] + corner[1] + corner[2] + corner[3])) return;
    uint32_t crossed[4];
    size_t found = 0;
    for (size_t i = 0; i < 4; i++)
        if ((corner[i] < level) != (corner[(i + 1) % 4] < level)) crossed[found++] = side[i];
    if (found == 2) link_sides(sides, crossed[0], crossed[1]);
    if (found < 4) return;
    /* a saddle: the value at the center decides which corners are cut off */
    double middle = (corner[0] + corner[1] + corner[2] + corner[3]) / 4;
    bool first_cut = (middle < level) != (corner[0] < level);
    link_sides(sides, side[0], side[first_cut ? 3 : 1]);
    link_sides(sides, side[2], side[first_cut ? 1 : 3]);
}

/* Where the level crosses a side, in pixels. */
static point crossing_point(const frame *in, uint32_t side, double level)
{
    const plot_panel *panel = in->panel;
    size_t cell = side / 2, columns = panel->field_columns;
    bool upward = side % 2;
    double start = panel->field[cell], to = panel->field[cell + (upward ? columns : 1)];
    double share = (level - start) / (to - start);
    double column = (double)(cell % columns) + (upward ? 0 : share),
           row = (double)(cell / columns) + (upward ? share : 0);
    return (point){in->inner.left + column * (in->inner.right - in->inner.left) / (double)(columns - 1),
                   in->inner.bottom -
                       row * (in->inner.bottom - in->inner.top) / (double)(panel->field_rows - 1)};
}

/* Follows a chain from one end, or around, and removes its links. */
static void draw_chain(canvas *on, const frame *in, crossing *sides, uint32_t start, double level, point *run)
{
    size_t count = 0;
    bool closed = false;
    for (uint32_t side = start; side != NO_SIDE && !closed;) {
        uint32_t next = sides[side].links[0] != NO_SIDE ? sides[side].links[0] : sides[side].links[1];
        point at =
            crossing_point(in, side, level); /* drop points closer than two pixels, except the last one */
        bool needed =
            count == 0 || next == NO_SIDE || hypot(at.x - run[count - 1].x, at.y - run[count - 1].y) >= 2;
        if (needed) run[count++] = at;
        sides[side] = (crossing){{NO_SIDE, NO_SIDE}};
        for (int i = 0; next != NO_SIDE && i < 2; i++)
            if (sides[next].links[i] == side) sides[next].links[i] = NO_SIDE;
        closed = next == start;
        side = next;
    }
    canvas_path(on, closed ? PATH_CLOSED : PATH_OPEN, run, count,
                (path_style){.stroke = COLOR_RGB(0x1F2328), .width = 0.6, .opacity = 0.45});
}

static void draw_contours(canvas *on, const frame *in, const shades *gray)
{
    const plot_panel *panel = in->panel;
    size_t side_count = 2 * panel->field_rows * panel->field_columns;
    AUTO_FREE point *run = points_new(on, side_count);
    AUTO_FREE crossing *sides = NULL;
    puad_status status = memory_new(&sides, side_count, sizeof *sides, "the contours of a field");
    if (status != PUAD_OK) on->status = status;
    if (!run || !sides) return;
    for (size_t k = 0; k < gray->count; k++) {
        memset(sides, 0xFF, side_count * sizeof *sides);
        for (size_t row = 0; row + 1 < panel->field_rows; row++)
            for (size_t column = 0; column + 1 < panel->field_columns; column++)
                cross_cell(sides, panel, row * panel->field_columns + column, gray->levels[k]);
        for (int ends = 1; ends >= 0; ends--) /* chains with ends first: the rest are closed */
            for (uint32_t side = 0; side < side_count; side++) {
                bool linked = sides[side].links[0] != NO_SIDE || sides[side].links[1] != NO_SIDE;
                bool end = sides[side].links[0] == NO_SIDE || sides[side].links[1] == NO_SIDE;
                if (linked && (end || !ends)) draw_chain(on, in, sides, side, gray->levels[k], run);
            }
    }
}

static void draw_color_bar(canvas *on, const frame *in, const shades *gray)
{
    const plot_panel *panel = in->panel;
    box bar = {in->inner.right + 9, in->inner.top, in->inner.right + 19, in->inner.bottom};
    scale axis = {.min = gray->min, .max = gray->max, .start = bar.bottom, .to = bar.top};
    if (!(gray->max > gray->min)) return;
    double start = gray->min;
    size_t steps = panel->cells ? LEVELS_MAX : gray->count + 1;
    for (size_t i = 0; i < steps; i++) {
        double to = panel->cells       ? gray->min + (gray->max - gray->min) * (double)(i + 1) / (double)steps
                    : i == gray->count ? gray->max
                                       : gray->levels[i];
        canvas_box(on,
                   (box){bar.left, bar.top, bar.right,
                         scale_pixel(&axis, start)}, /* the next one overlaps its top */
                   (path_style){.fill = ramp_color(shade(gray, (start + to) / 2, panel->cells))});
        start = to;
    }
    canvas_box(on, bar, (path_style){.stroke = COLOR_INK, .width = 0.6, .opacity = 0.6});
    tick_list list = ticks_linear(gray->min, gray->max, (int)((bar.bottom - bar.top) / 30));
    double widest = 0;
    for (size_t i = 0; i < list.count; i++) {
        canvas_text(on, bar.right + 4, scale_pixel(&axis, list.ticks[i].value) + 3, list.ticks[i].label,
                    (text_style){.size = 9});
        widest = fmax(widest, text_width(list.ticks[i].label, (text_style){.size = 9}));
    }
    if (panel->field_label)
        canvas_text(on, fmin(bar.right + widest + 17, in->outer.right - 2), (bar.top + bar.bottom) / 2,
                    panel->field_label, (text_style){.size = 10, .anchor = 0.5, .upright = true});
}

static void field_draw(canvas *on, const frame *in)
{
    const plot_panel *panel = in->panel;
    shades gray = shades_of(panel);
    draw_bands(on, in, &gray);
    if (!panel->cells) draw_contours(on, in, &gray);
    draw_series(on, in);
    if (panel->field_label) draw_color_bar(on, in, &gray);
}

const panel_kind panel_field = {
    .limits = field_limits, .draw = field_draw, .x_axis = true, .y_axis = true, .right_margin = 64};
