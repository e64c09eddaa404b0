/* Horizontal bars, one group per name, with whiskers and the value as text. */
#include "plot/panel.h"

#include <math.h>
#include <stdio.h>

static void bars_limits(limits *grow, const plot_panel *panel)
{
    for (size_t s = 0; s < panel->series_count; s++)
        for (size_t i = 0; i < panel->series[s].count && i < panel->name_count; i++) {
            const plot_series *series = &panel->series[s];
            limits_include(&grow->x_min, &grow->x_max, series->y[i], panel->x.log);
            if (!series->low || !series->high) continue;
            limits_include(&grow->x_min, &grow->x_max, series->low[i], panel->x.log);
            limits_include(&grow->x_min, &grow->x_max, series->high[i], panel->x.log);
        }
}

static double clamp_to(const frame *in, double x)
{
    return fmin(fmax(x, in->inner.left), in->inner.right);
}

static void draw_bar(canvas *on, const frame *in, const plot_series *series, size_t i, box bar, color paint)
{
    double value = series->y[i];
    if (!isfinite(value) || (in->x.log && value <= 0)) return;
    double zero = in->x.log ? in->inner.left : clamp_to(in, scale_pixel(&in->x, 0));
    double end = clamp_to(in, scale_pixel(&in->x, value)), tip = end;
    bar.left = fmin(zero, end);
    bar.right = fmax(zero, end);
    bool dots = in->panel->dots;
    if (!dots) canvas_box(on, bar, (path_style){.fill = paint, .opacity = 0.85});
    if (series->low && series->high && isfinite(series->low[i]) && isfinite(series->high[i])) {
        const path_style thin = {.stroke = dots ? paint : COLOR_INK, .width = dots ? 1.5 : 1.1};
        double middle = (bar.top + bar.bottom) / 2, cap = fmin(3, (bar.bottom - bar.top) / 3);
        double low = clamp_to(in, in->x.log && series->low[i] <= 0 ? in->inner.left
                                                                   : scale_pixel(&in->x, series->low[i]));
        double high = clamp_to(in, scale_pixel(&in->x, series->high[i]));
        canvas_line(on, low, middle, high, middle, thin);
        canvas_line(on, low, middle - cap, low, middle + cap, thin);
        canvas_line(on, high, middle - cap, high, middle + cap, thin);
        tip = fmax(tip, high);
    }
    if (dots) {
        point at = {end, (bar.top + bar.bottom) / 2};
        canvas_path(on, PATH_DOTS, &at, 1, (path_style){.stroke = COLOR_PAPER, .width = 8.5});
        canvas_path(on, PATH_DOTS, &at, 1, (path_style){.stroke = paint, .width = 6.5});
    }
    if (in->panel->decimals < 0 || bar.bottom - bar.top < 7) return;
    char text[48];
    snprintf(text, sizeof text, "%.*f", in->panel->decimals ? in->panel->decimals : 3, value);
    canvas_text(on, tip + 4, (bar.top + bar.bottom) / 2 + 3.2, text, (text_style){.size = 9, .faint = true});
}

static void bars_draw(canvas *on, const frame *in)
{
    const plot_panel *panel = in->panel;
    double row = (in->inner.bottom - in->inner.top) / (double)(panel->name_count ? panel->name_count : 1);
    double thick = fmin(row * 0.78 / (double)(panel->series_count ? panel->series_count : 1), 22);
    for (size_t i = 0; i < panel->name_count; i++) {
        double middle = in->inner.top + row * ((double)i + 0.5);
        double top = middle - thick * (double)panel->series_count / 2;
        char name[TEXT_MAX];
        text_fit(name, panel->names[i], (text_style){.size = 10}, in->inner.left - in->outer.left - 6);
        canvas_text(on, in->inner.left - 6, middle + 3.5, name, (text_style){.size = 10, .anchor = 1});
        for (size_t s = 0; s < panel->series_count; s++, top += thick) {
            if (i >= panel->series[s].count) continue;
            box bar = {0, top + thick * 0.06, 0, top + thick * 0.94};
            draw_bar(on, in, &panel->series[s], i, bar, series_color(in->figure, panel, s));
        }
    }
}

/* The right margin holds the values after the longest bars. */
const panel_kind panel_bars = {
    .limits = bars_limits, .draw = bars_draw, .x_axis = true, .zero_x = true, .right_margin = 40};
