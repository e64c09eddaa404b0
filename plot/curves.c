/* Draws lines with bands, scattered points and stars over two axes; and the corners of a ROC curve. */
#include "plot/panel.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static void curves_limits(limits *grow, const plot_panel *panel)
{
    for (size_t s = 0; s < panel->series_count; s++) {
        const plot_series *series = &panel->series[s];
        for (size_t i = 0; i < series->count; i++) {
            if (!isfinite(series->x[i]) || !isfinite(series->y[i])) continue;
            limits_include(&grow->x_min, &grow->x_max, series->x[i], panel->x.log);
            limits_include(&grow->y_min, &grow->y_max, series->y[i], panel->y.log);
            if (!series->low || !series->high) continue;
            limits_include(&grow->y_min, &grow->y_max, series->low[i], panel->y.log);
            limits_include(&grow->y_min, &grow->y_max, series->high[i], panel->y.log);
        }
    }
    for (size_t i = 0; i < panel->rule_count; i++)
        if (!panel->rules[i].vertical)
            limits_include(&grow->y_min, &grow->y_max, panel->rules[i].at, panel->y.log);
}

point *points_new(canvas *on, size_t count)
{
    point *points = NULL;
    puad_status status = memory_new(&points, count, sizeof *points, "the points of a curve");
    if (status != PUAD_OK && on->status == PUAD_OK) on->status = status;
    return points;
}

/* The position of (x, y), limited to the range of a picture. */
static bool place(point *out, const frame *in, double x, double y)
{
    if (!isfinite(x) || !isfinite(y) || (in->x.log && x <= 0) || (in->y.log && y <= 0)) return false;
    *out =
        (point){fmin(fmax(scale_pixel(&in->x, x), -1e5), 1e5), fmin(fmax(scale_pixel(&in->y, y), -1e5), 1e5)};
    return true;
}

/* The points of a line up to the next break; those closer than half a pixel to the previous one are
 * dropped. */
static size_t next_run(point *run, size_t *next, const frame *in, const plot_series *series)
{
    size_t count = 0;
    point at, last = {0};
    bool pending = false;
    while (*next < series->count && !place(&at, in, series->x[*next], series->y[*next])) ++*next;
    for (; *next < series->count && place(&at, in, series->x[*next], series->y[*next]); ++*next) {
        pending = count > 0 && fabs(at.x - run[count - 1].x) < 0.5 && fabs(at.y - run[count - 1].y) < 0.5;
        if (!pending) run[count++] = at;
        last = at;
    }
    if (pending) run[count++] = last;
    return count;
}

static void draw_band(canvas *on, const frame *in, const plot_series *series, color paint)
{
    AUTO_FREE point *outline = points_new(on, 2 * series->count);
    if (!outline) return;
    size_t i = 0;
    while (i < series->count) {
        size_t count = 0, begin = i;
        while (i < series->count && place(&outline[count], in, series->x[i], series->high[i])) {
            count++;
            i++;
        }
        for (size_t back = i; back-- > begin;)
            if (place(&outline[count], in, series->x[back], series->low[back])) count++;
        if (count > 2)
            canvas_path(on, PATH_CLOSED, outline, count, (path_style){.fill = paint, .opacity = 0.18});
        if (i == begin) i++;
    }
}

static void draw_curve(canvas *on, const frame *in, const plot_series *series, color paint, size_t number)
{
    AUTO_FREE point *run = points_new(on, series->count + 1);
    if (!run) return;
    const path_style style = {.stroke = paint, .width = 1.8, .dashed = series->dashed};
    size_t next = 0, count;
    while ((count = next_run(run, &next, in, series)) > 0)
        if (count > 1) canvas_path(on, PATH_OPEN, run, count, style);
    point at;
    if (series->count > MARKS_MAX || series->plain) return;
    for (size_t i = 0; i < series->count; i++)
        if (place(&at, in, series->x[i], series->y[i])) draw_mark(on, at, number, paint);
}

static void draw_points(canvas *on, const frame *in, const plot_series *series, color paint)
{
    AUTO_FREE point *dots = points_new(on, series->count);
    if (!dots) return;
    size_t count = 0;
    for (size_t i = 0; i < series->count; i++) count += place(&dots[count], in, series->x[i], series->y[i]);
    double size = count > 2000 ? 2 : count > 300 ? 3 : 4.5;
    canvas_path(on, PATH_DOTS, dots, count, (path_style){.stroke = paint, .width = size, .opacity = 0.85});
}

static void draw_stars(canvas *on, const frame *in, const plot_series *series, color paint)
{
    point at;
    for (size_t i = 0; i < series->count; i++)
        if (place(&at, in, series->x[i], series->y[i])) draw_star(on, at, 9, paint);
}

static void draw_rings(canvas *on, const frame *in, const plot_series *series, path_style style)
{
    point at;
    for (size_t i = 0; i < series->count; i++)
        if (place(&at, in, series->x[i], series->y[i])) draw_ring(on, at, 2.8, style);
}

void draw_series(canvas *on, const frame *in)
{
    const plot_panel *panel = in->panel;
    const box around = {in->inner.left - 5, in->inner.top - 5, in->inner.right + 5, in->inner.bottom + 5};
    canvas_clip(on, &around); /* keeps marks on the edge complete */
    for (size_t s = 0; s < panel->series_count; s++)
        if (panel->series[s].low && panel->series[s].high && panel->series[s].mark == PLOT_LINE)
            draw_band(on, in, &panel->series[s], series_color(in->figure, panel, s));
    for (size_t s = 0; s < panel->series_count; s++) {
        const plot_series *series = &panel->series[s];
        color paint = series_color(in->figure, panel, s);
        switch (series->mark) {
        case PLOT_LINE: draw_curve(on, in, series, paint, series_number(in->figure, panel, s)); break;
        case PLOT_POINTS: draw_points(on, in, series, paint); break;
        case PLOT_STARS: draw_stars(on, in, series, paint); break;
        case PLOT_RINGS: draw_rings(on, in, series, RING_STYLE(paint)); break;
        case PLOT_EDGED: draw_rings(on, in, series, EDGED_STYLE(paint)); break;
        }
    }
    canvas_clip(on, NULL);
}

const panel_kind panel_curves = {
    .limits = curves_limits, .draw = draw_series, .x_axis = true, .y_axis = true, .right_margin = 12};
