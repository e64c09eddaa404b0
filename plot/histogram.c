/* Draws histograms: steps over bins that all series of a panel share. */
#include "plot/panel.h"

#include "base/memory.h"
#include "base/sort.h"

#include <math.h>

enum { BINS_MAX = 40, SAMPLE = 4096 };

typedef struct bins {
    double min, width;
    size_t count;
} bins;

/* The Freedman-Diaconis width from an even sample of the values; 0 if it is undefined. */
static double spread_width(const plot_panel *panel, size_t total)
{
    double sample[SAMPLE];
    size_t used = 0, seen = 0, every = total / SAMPLE + 1;
    for (size_t s = 0; s < panel->series_count; s++)
        for (size_t i = 0; i < panel->series[s].count; i++)
            if (isfinite(panel->series[s].x[i]) && seen++ % every == 0 && used < SAMPLE)
                sample[used++] = panel->series[s].x[i];
    if (used < 4) return 0;
    sort_doubles(sample, used);
    return 2 * (sample[used * 3 / 4] - sample[used / 4]) / cbrt((double)total);
}

/* Bins of a round width, or one per integer if there are few distinct integers. */
static bins bins_of(const plot_panel *panel)
{
    double min = INFINITY, max = -INFINITY;
    size_t total = 0;
    bool whole = true;
    for (size_t s = 0; s < panel->series_count; s++)
        for (size_t i = 0; i < panel->series[s].count; i++) {
            double value = panel->series[s].x[i];
            if (!isfinite(value)) continue;
            total++;
            whole = whole && value == floor(value);
            limits_include(&min, &max, value, false);
        }
    if (total == 0) return (bins){0, 1, 1};
    if (max == min) return (bins){min - 0.5, 1, 1};
    if (whole && max - min < BINS_MAX) return (bins){min - 0.5, 1, (size_t)(max - min) + 1};
    double width = spread_width(panel, total);
    size_t count = width > 0 ? (size_t)fmin(ceil((max - min) / width), BINS_MAX) : 20;
    count = count < 5 ? 5 : count;
    if (whole) { /* each bin holds equally many integers */
        width = ceil((max - min + 1) / (double)count);
        return (bins){min - 0.5, width, (size_t)ceil((max - min + 1) / width)};
    }
    return (bins){min, (max - min) / (double)count, count};
}

static void count_values(double heights[BINS_MAX + 1], const bins *histogram, const plot_series *series,
                         bool share)
{
    size_t total = 0;
    for (size_t b = 0; b < histogram->count; b++) heights[b] = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (!isfinite(series->x[i])) continue;
        double place = (series->x[i] - histogram->min) / histogram->width;
        size_t bin = place <= 0 ? 0 : (size_t)fmin(place, (double)histogram->count - 1);
        heights[bin]++;
        total++;
    }
    for (size_t b = 0; share && total && b < histogram->count; b++) heights[b] /= (double)total;
}

static void histogram_limits(limits *grow, const plot_panel *panel)
{
    bins histogram = bins_of(panel);
    double heights[BINS_MAX + 1] = {0}, smallest = panel->share ? 1e-4 : 0.5; /* lower limit of a log axis */
    limits_include(&grow->x_min, &grow->x_max, histogram.min, false);
    limits_include(&grow->x_min, &grow->x_max, histogram.min + histogram.width * (double)histogram.count,
                   false);
    limits_include(&grow->y_min, &grow->y_max, panel->y.log ? smallest : 0, false);
    for (size_t s = 0; s < panel->series_count; s++) {
        count_values(heights, &histogram, &panel->series[s], panel->share);
        for (size_t b = 0; b < histogram.count; b++)
            limits_include(&grow->y_min, &grow->y_max, heights[b], panel->y.log);
    }
}

static void draw_steps(canvas *on, const frame *in, const bins *histogram, const double *heights, color paint)
{
    point outline[2 * BINS_MAX + 4];
    size_t count = 0;
    outline[count++] = (point){scale_pixel(&in->x, histogram->min), in->inner.bottom};
    for (size_t b = 0; b < histogram->count; b++) {
        double left = scale_pixel(&in->x, histogram->min + histogram->width * (double)b);
        double right = scale_pixel(&in->x, histogram->min + histogram->width * (double)(b + 1));
        double height = in->y.log && heights[b] <= in->y.min ? in->y.min : heights[b];
        double top = scale_pixel(&in->y, height);
        outline[count++] = (point){left, top};
        outline[count++] = (point){right, top};
    }
    outline[count] = (point){outline[count - 1].x, in->inner.bottom};
    count++;
    canvas_path(on, PATH_CLOSED, outline, count, (path_style){.fill = paint, .opacity = 0.35});
    canvas_path(on, PATH_OPEN, outline, count, (path_style){.stroke = paint, .width = 1.2});
}

static void histogram_draw(canvas *on, const frame *in)
{
    bins histogram = bins_of(in->panel);
    double heights[BINS_MAX + 1] = {0};
    canvas_clip(on, &in->inner);
    for (size_t s = 0; s < in->panel->series_count; s++) {
        count_values(heights, &histogram, &in->panel->series[s], in->panel->share);
        draw_steps(on, in, &histogram, heights, series_color(in->figure, in->panel, s));
    }
    canvas_clip(on, NULL);
}

const panel_kind panel_histogram = {.limits = histogram_limits,
                                    .draw = histogram_draw,
                                    .x_axis = true,
                                    .y_axis = true,
                                    .zero_y = true,
                                    .right_margin = 12};
