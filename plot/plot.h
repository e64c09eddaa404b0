/* Pictures: a figure is a description, one struct, that is drawn to a file or to text for a page.
 *
 *     double x[] = {1, 2, 3}, y[] = {.7, .8, .9};
 *     plot_series lines[] = {{.name = "pusvdd", .x = x, .y = y, .count = 3}};
 *     plot_panel panel = {.title = "MNIST", .x = {.label = "epoch"}, .series = lines, .series_count = 1};
 *     plot_write(&(plot_figure){.panels = &panel, .panel_count = 1}, "curve.svg");
 *
 * Everything is borrowed for the time of the call. Texts may hold any bytes: what is not UTF-8 shows as '?'.
 */
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum plot_kind {
#define KIND(name, prefix) PLOT_##name,
#include "plot/kinds.def"
#undef KIND
} plot_kind;

/* AUTO gives series of one name one colour in all panels of a figure. */
typedef enum plot_colour {
    PLOT_AUTO,
#define COLOUR(name, rgb) PLOT_##name,
#include "plot/palette.def"
#undef COLOUR
} plot_colour;

typedef enum plot_mark {
    PLOT_LINE,   /* with a mark at each point while there are few */
    PLOT_POINTS, /* scattered */
    PLOT_STARS,
    PLOT_RINGS, /* hollow */
    PLOT_EDGED, /* filled, with a dark edge */
} plot_mark;

typedef struct plot_axis {
    const char *label;
    bool log;        /* values that are not positive are left out */
    bool whole;      /* marks at whole numbers alone: epochs, counts */
    double min, max; /* both 0: chosen from the data */
} plot_axis;

/* Values that are not finite break a line, and are left out elsewhere. */
typedef struct plot_series {
    const char *name; /* in the legend; NULL for none */
    const double *x, *y;
    const double *low, *high; /* the spread around y: a band, or whiskers on bars; or NULL */
    size_t count;
    plot_mark mark;
    plot_colour colour;
    bool dashed;
    bool plain; /* no marks on a line */
} plot_series;

typedef struct plot_rule { /* a thin line across the panel */
    bool vertical;
    double at;
    const char *label; /* or NULL */
} plot_rule;

/* One panel. Which members count depends on its kind:
 *   CURVES     series over x and y, rules, diagonal
 *   FIELD      `field`: rows x columns values, the first row at y.min and the first column at x.min, as
 * filled bands with contour lines (or as cells with `cells`); series on top. x and y limits must be given.
 *   HISTOGRAM  each series' x, `count` values; as shares of each series with `share`
 *   BARS       names[i] gets one horizontal bar (or dot) per series at y[i], with low[i] to high[i] as
 * whisker IMAGES     image_count images, channels-last, values in [0, 1], 1 or 3 channels; `captions` below
 * each */
typedef struct plot_panel {
    plot_kind kind;
    const char *title;
    plot_axis x, y;
    const plot_series *series;
    size_t series_count;
    const plot_rule *rules;
    size_t rule_count;
    bool diagonal;    /* a thin line from corner to corner: chance, in a ROC curve */
    const char *note; /* small text in a corner of the panel */

    const double *field;
    size_t field_rows, field_columns;
    double field_min, field_max; /* of the colours; both 0: of the field */
    const char *field_label;     /* of the colour bar; NULL for no bar */
    bool cells;

    bool share;

    const char *const *names;
    size_t name_count;
    int decimals; /* of the values written at the bars; -1 for none */
    bool dots;    /* dots instead of bars: an axis of dots need not begin at 0 */

    const float *images;
    size_t image_count, image_columns; /* columns 0: nearly square */
    int image_height, image_width, image_channels;
    const char *const *captions; /* image_count of them, or NULL */
} plot_panel;

enum { PLOT_PANEL_WIDTH = 340, PLOT_PANEL_HEIGHT = 250 };

typedef struct plot_figure {
    const char *title; /* or NULL */
    const plot_panel *panels;
    size_t panel_count;
    size_t columns;                   /* of panels; 0: chosen */
    double panel_width, panel_height; /* in pixels of 1/96 inch; 0: PLOT_PANEL_WIDTH and _HEIGHT */
    bool no_legend;
} plot_figure;

/* Draws to a file whose kind its name's ending says: .svg, .png (two pixels a unit) or .pdf. */
puad_status plot_write(const plot_figure *figure, const char *path);

/* The figure as an <svg> element to stand in a page: no background, takes its ink from the page's text
 * colour, has no ids. The caller frees *out_text. */
puad_status plot_svg(char **out_text, const plot_figure *figure);

/* The same of one panel, or of the legend alone (*out_text is NULL when the figure has none), so that a page
 * can let panels flow. */
puad_status plot_svg_panel(char **out_text, const plot_figure *figure, size_t panel);
puad_status plot_svg_legend(char **out_text, const plot_figure *figure, double width);

#endif
