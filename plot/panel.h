/* Internal to a figure: the frame of a panel, and the functions of each kind of panel. */
#ifndef PLOT_PANEL_H
#define PLOT_PANEL_H

#include "plot/canvas.h"
#include "plot/plot.h"
#include "plot/ticks.h"

/* The range of a panel's data; limits_include extends it. */
typedef struct limits {
    double x_min, x_max, y_min, y_max;
} limits;

void limits_include(double *min, double *max, double value, bool log);

typedef struct frame {
    box outer, inner; /* the panel with its labels; the data area */
    scale x, y;
    const plot_figure *figure;
    const plot_panel *panel;
} frame;

typedef struct panel_kind {
    void (*limits)(limits *grow, const plot_panel *panel);
    void (*draw)(canvas *on, const frame *in);
    bool x_axis, y_axis; /* has numeric labels */
    bool zero_x, zero_y; /* begins at zero, without space below */
    double right_margin;
} panel_kind;

#define KIND(name, prefix) extern const panel_kind panel_##prefix;
#include "plot/kinds.def"
#undef KIND

/* The margins of a panel's frame around its data. */
typedef struct margins {
    double left, top, right, bottom;
} margins;

margins panel_margins(const plot_figure *figure, const plot_panel *panel);
void panel_draw(canvas *on, const plot_figure *figure, const plot_panel *panel, box outer, margins around);

/* The color and index of a series: by its name's position in the figure's legend, else by its position in
 * the panel. */
color series_color(const plot_figure *figure, const plot_panel *panel, size_t series);
size_t series_number(const plot_figure *figure, const plot_panel *panel, size_t series);
color ramp_color(double share); /* light to dark, for fields; share in [0, 1] */

enum { MARKS_MAX = 24 }; /* lines with more points have no marks */

/* Draws the mark of a line's point, a star, or a ring. */
void draw_mark(canvas *on, point at, size_t number, color fill);
void draw_star(canvas *on, point at, double radius, color fill);
#define RING_STYLE(paint) ((path_style){.stroke = (paint), .width = 1.5})
#define EDGED_STYLE(paint) ((path_style){.fill = (paint), .stroke = COLOR_RGB(0x1F2328), .width = 1.2})
void draw_ring(canvas *on, point at, double radius, path_style style);

/* Draws the series of a panel over x and y. */
void draw_series(canvas *on, const frame *in);

/* A buffer for points, grown as needed and freed by its owner; NULL (with the canvas's status set) when
 * memory ran out. */
point *points_new(canvas *on, size_t count);

/* The legend: every named series of the figure once. */
double legend_height(const plot_figure *figure, double width);
void legend_draw(canvas *on, const plot_figure *figure, double left, double top, double width);

#endif
