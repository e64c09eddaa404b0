/* Pictures: a figure is described by one struct and drawn to a file or to an SVG string for a page.
 *
 *     double x[] = {1, 2, 3}, y[] = {.7, .8, .9};
 *     plot_series lines[] = {{.name = "pusvdd", .x = x, .y = y, .count = 3}};
 *     plot_panel panel = {.title = "MNIST", .x = {.label = "epoch"}, .series = lines, .series_count = 1};
 *     plot_write(&(plot_figure){.panels = &panel, .panel_count = 1}, "curve.svg");
 *
 * All pointers are borrowed during the call. Texts may hold any bytes: invalid UTF-8 is shown as '?'. */
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

/* AUTO gives series with equal names the same color in all panels of a figure. */
typedef enum plot_color {
    PLOT_AUTO,
#define COLOR(name, rgb) PLOT_##name,
#include "plot/palette.def"
#undef COLOR
} plot_color;

typedef enum plot_mark {
    PLOT_LINE,   /* with a mark at each point if there are few */
    PLOT_POINTS, /* scattered */
    PLOT_STARS,
    PLOT_RINGS, /* hollow */
    PLOT_EDGED, /* filled, with a dark edge */
} plot_mark;

typedef struct plot_axis {
    const char *label;
    bool log;        /* non-positive values are left out */
    bool whole;      /* marks only at integers: epochs, counts */
    double min, max; /* both 0: derived from the data */
} plot_axis;

/* Non-finite values break a line, and are left out elsewhere. */
typedef struct plot_series {
    const char *name; /* for the legend; NULL for none */
    const double *x, *y;
    const double *low, *high; /* interval around y: a band, or whiskers on bars; or NULL */
    size_t count;
    plot_mark mark;
    plot_color color;
    bool dashed;
    bool plain; /* no marks on a line */
} plot_series;

typedef struct plot_rule { /* A thin line across the panel. */
    bool vertical;
    double at;
    const char *label; /* or NULL */
} plot_rule;

/* One panel. The fields used depend on its kind:
 *   CURVES     series over x and y, rules, diagonal
 *   FIELD      `field`: rows x columns values, the first row at y.min and the first column at x.min, as
 *              filled bands with contour lines (or as cells with `cells`); series on top. x and y limits
 *              must be given.
 *   HISTOGRAM  each series' x, `count` values; as fractions of each series with `share`
 *   BARS       names[i] gets one horizontal bar (or dot) per series at y[i], with low[i] to high[i] as
 *              whiskers
 *   IMAGES     image_count images, channels-last, values in [0, 1], 1 or 3 channels; `captions` below each */
typedef struct plot_panel {
    plot_kind kind;
    const char *title;
    plot_axis x, y;
    const plot_series *series;
    size_t series_count;
    const plot_rule *rules;
    size_t rule_count;
    bool diagonal;    /* a thin line from corner to corner: chance level in a ROC curve */
    const char *note; /* small text in a corner of the panel */

    const double *field;
    size_t field_rows, field_columns;
    double field_min, field_max; /* range of the colors; both 0: that of the field */
    const char *field_label;     /* of the color bar; NULL for no bar */
    bool cells;

    bool share;

    const char *const *names;
    size_t name_count;
    int decimals; /* of the values at the bars; -1 for no values */
    bool dots;    /* dots instead of bars: their axis need not begin at 0 */

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
    size_t columns;                   /* of panels; 0: automatic */
    double panel_width, panel_height; /* in pixels of 1/96 inch; 0: PLOT_PANEL_WIDTH and _HEIGHT */
    bool no_legend;
} plot_figure;

/* Draws to a file; its extension determines the format: .svg, .png (two pixels per unit) or .pdf. */
puad_status plot_write(const plot_figure *figure, const char *path);

/* The figure as an <svg> element for a page: no background, the page's text color as ink, no ids. The
 * caller frees *out_text. */
puad_status plot_svg(char **out_text, const plot_figure *figure);

/* The same for one panel, or for the legend alone (*out_text is NULL if the figure has none), so that a
 * page can wrap panels. */
puad_status plot_svg_panel(char **out_text, const plot_figure *figure, size_t panel);
puad_status plot_svg_legend(char **out_text, const plot_figure *figure, double width);

#endif
