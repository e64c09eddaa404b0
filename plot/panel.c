/* The frame of a panel: limits, margins, axes with grid, title. */
#include "plot/panel.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { TICK_SIZE = 10, TITLE_SIZE = 12 };
static const text_style tick_text = {.size = TICK_SIZE}, label_text = {.size = 11},
                        title_text = {.size = TITLE_SIZE, .bold = true};

static const panel_kind *panel_kind_of(const plot_panel *panel)
{
    static const panel_kind *const kinds[] = {
#define KIND(name, prefix) &panel_##prefix,
#include "plot/kinds.def"
#undef KIND
    };
    return kinds[panel->kind];
}

void limits_include(double *min, double *max, double value, bool log)
{
    if (!isfinite(value) || (log && value <= 0)) return;
    *min = fmin(*min, value);
    *max = fmax(*max, value);
}

/* Extends one axis's data range to the displayed range. */
static void settle(scale *axis, const plot_axis *wanted, double min, double max, bool from_zero)
{
    axis->whole = wanted->whole;
    axis->log = wanted->log;
    bool given = wanted->min != 0 || wanted->max != 0;
    if (given && wanted->max > wanted->min && (!wanted->log || wanted->min > 0)) {
        axis->min = wanted->min;
        axis->max = wanted->max;
        return;
    }
    if (!(max >= min)) { /* no data */
        min = wanted->log ? 0.1 : 0;
        max = 1;
    }
    if (wanted->log) {
        double buffer = max > min ? pow(max / min, 0.05) : 2;
        axis->min = min / buffer;
        axis->max = max * buffer;
        return;
    }
    if (from_zero) min = fmin(min, 0);
    double buffer = (max - min) * 0.05;
    if (!(buffer > fabs(max) * 1e-12)) buffer = max == 0 ? 1 : fabs(max) * 0.1;
    axis->min = from_zero && min == 0 ? 0 : min - buffer;
    axis->max = max + buffer;
}

static void scales_of(frame *in)
{
    const plot_panel *panel = in->panel;
    const panel_kind *kind = panel_kind_of(panel);
    limits extent = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    kind->limits(&extent, panel);
    settle(&in->x, &panel->x, extent.x_min, extent.x_max, kind->zero_x);
    settle(&in->y, &panel->y, extent.y_min, extent.y_max, kind->zero_y);
    in->x.start = in->inner.left;
    in->x.to = in->inner.right;
    in->y.start = in->inner.bottom;
    in->y.to = in->inner.top;
}

static double widest_label(const tick_list *list)
{
    double widest = 0;
    for (size_t i = 0; i < list->count; i++)
        widest = fmax(widest, text_width(list->ticks[i].label, tick_text));
    return widest;
}

/* Whether the labels of the marks do not overlap, along a horizontal (by width) or vertical axis (by
 * height). */
static bool labels_fit(const tick_list *list, const scale *axis, bool horizontal)
{
    for (size_t i = 1; i < list->count; i++) {
        const tick *left = &list->ticks[i - 1], *right = &list->ticks[i];
        double apart = fabs(scale_pixel(axis, right->value) - scale_pixel(axis, left->value));
        double need = horizontal
                          ? (text_width(left->label, tick_text) + text_width(right->label, tick_text)) / 2 + 7
                          : 14;
        if (apart < need) return false;
    }
    return true;
}

/* Marks at a comfortable distance; closer ones if there would be fewer than three. */
static tick_list ticks_of(const scale *axis, double comfortable, bool horizontal)
{
    double length = fabs(axis->to - axis->start);
    int start = (int)fmax(2, length / comfortable), max = (int)fmax(2, length / 18);
    tick_list best = {0};
    for (int about = start; about > 0; about--) {
        best = scale_ticks(axis, about);
        if (labels_fit(&best, axis, horizontal)) break;
    }
    for (int about = start + 1; about <= max && best.count < 3; about++) {
        tick_list more = scale_ticks(axis, about);
        if (more.count > best.count && labels_fit(&more, axis, horizontal)) best = more;
    }
    return best;
}

static tick_list ticks_of_x(const scale *x)
{
    return ticks_of(x, 45, true);
}

static tick_list ticks_of_y(const scale *y)
{
    return ticks_of(y, 36, false);
}

static double names_width(const plot_panel *panel, double panel_width)
{
    double widest = 0;
    for (size_t i = 0; i < panel->name_count; i++)
        widest = fmax(widest, text_width(panel->names[i], tick_text));
    return fmin(widest + 8, 0.6 * panel_width);
}

margins panel_margins(const plot_figure *figure, const plot_panel *panel)
{
    const panel_kind *kind = panel_kind_of(panel);
    margins around = {.left = 4, .top = panel->title ? 22 : 8, .right = kind->right_margin, .bottom = 4};
    if (panel->kind == PLOT_FIELD && !panel->field_label) around.right = 12;
    if (kind->x_axis) around.bottom = 18 + (panel->x.label ? 16 : 0);
    if (kind->y_axis) {
        frame in = {.figure = figure,
                    .panel = panel,
                    .inner = {0, 0, figure->panel_width, figure->panel_height - 60}};
        scales_of(&in);
        tick_list list = ticks_of_y(&in.y);
        around.left = widest_label(&list) + 10 + (panel->y.label ? 17 : 0);
    } else if (panel->kind == PLOT_BARS) {
        around.left = names_width(panel, figure->panel_width) + 4;
    }
    return around;
}

static void draw_axes(canvas *on, const frame *in)
{
    const plot_panel *panel = in->panel;
    const panel_kind *kind = panel_kind_of(panel);
    const path_style grid = {.stroke = COLOR_INK, .width = 0.6, .opacity = 0.16};
    const path_style axis = {.stroke = COLOR_INK, .width = 0.8, .opacity = 0.7};
    const box at = in->inner;
    if (kind->x_axis) {
        tick_list list = ticks_of_x(&in->x);
        for (size_t i = 0; i < list.count; i++) {
            double x = scale_pixel(&in->x, list.ticks[i].value);
            if (panel->kind != PLOT_FIELD) canvas_line(on, x, at.top, x, at.bottom, grid);
            canvas_line(on, x, at.bottom, x, at.bottom + 3, axis);
            canvas_text(on, x, at.bottom + 14, list.ticks[i].label,
                        (text_style){.size = TICK_SIZE, .anchor = 0.5});
        }
        canvas_line(on, at.left, at.bottom, at.right, at.bottom, axis);
        if (panel->x.label)
            canvas_text(on, (at.left + at.right) / 2, at.bottom + 29, panel->x.label,
                        (text_style){.anchor = 0.5});
    }
    if (kind->y_axis) {
        tick_list list = ticks_of_y(&in->y);
        for (size_t i = 0; i < list.count; i++) {
            double y = scale_pixel(&in->y, list.ticks[i].value);
            if (panel->kind != PLOT_FIELD) canvas_line(on, at.left, y, at.right, y, grid);
            canvas_line(on, at.left - 3, y, at.left, y, axis);
            canvas_text(on, at.left - 5, y + 3.5, list.ticks[i].label,
                        (text_style){.size = TICK_SIZE, .anchor = 1});
        }
        canvas_line(on, at.left, at.top, at.left, at.bottom, axis);
        char label[TEXT_MAX];
        if (panel->y.label) {
            text_fit(label, panel->y.label, label_text, in->outer.bottom - in->outer.top - 4);
            canvas_text(on, in->outer.left + 11, (at.top + at.bottom) / 2, label,
                        (text_style){.anchor = 0.5, .upright = true});
        }
    }
}

/* Whether a curve of the panel passes through a box, at its points or midway between them. */
static bool crossed(const frame *in, box area)
{
    for (size_t s = 0; s < in->panel->series_count; s++) {
        const plot_series *series = &in->panel->series[s];
        for (size_t i = 0; series->y && i < 2 * series->count; i++) {
            size_t at = i / 2, next = at + 1 < series->count ? at + i % 2 : at;
            double x = (scale_pixel(&in->x, series->x[at]) + scale_pixel(&in->x, series->x[next])) / 2,
                   y = (scale_pixel(&in->y, series->y[at]) + scale_pixel(&in->y, series->y[next])) / 2;
            if (x >= area.left && x <= area.right && y >= area.top && y <= area.bottom) return true;
        }
    }
    return false;
}

static void draw_rules(canvas *on, const frame *in)
{
    const plot_panel *panel = in->panel;
    const path_style thin = {.stroke = COLOR_INK, .width = 0.9, .opacity = 0.55, .dashed = true};
    const text_style small = {.size = 9, .faint = true};
    const box at = in->inner;
    if (panel->diagonal) canvas_line(on, at.left, at.bottom, at.right, at.top, thin);
    for (size_t i = 0; i < panel->rule_count; i++) {
        const plot_rule *rule = &panel->rules[i];
        const scale *along = rule->vertical ? &in->x : &in->y;
        if (!(rule->at >= along->min && rule->at <= along->max)) continue;
        double place = scale_pixel(along, rule->at);
        if (rule->vertical)
            canvas_line(on, place, at.top, place, at.bottom, thin);
        else
            canvas_line(on, at.left, place, at.right, place, thin);
        if (!rule->label) continue;
        if (rule->vertical) { /* on the side with enough space */
            double wide = text_width(rule->label, small) + 8;
            bool left = place + wide > at.right;
            box area = {left ? place - wide : place - 4, at.top - 4, left ? place + 4 : place + wide,
                        at.top + 20};
            bool low = panel->kind == PLOT_CURVES && crossed(in, area);
            canvas_text(on, place + (left ? -4 : 4), low ? at.bottom - 6 : at.top + 10, rule->label,
                        (text_style){.size = 9, .faint = true, .anchor = left});
        } else {
            canvas_text(on, at.right - 3, place - 3, rule->label,
                        (text_style){.size = 9, .faint = true, .anchor = 1});
        }
    }
}

void panel_draw(canvas *on, const plot_figure *figure, const plot_panel *panel, box outer, margins around)
{
    const panel_kind *kind = panel_kind_of(panel);
    frame in = {.figure = figure, .panel = panel, .outer = outer};
    in.inner = (box){outer.left + around.left, outer.top + around.top, outer.right - around.right,
                     outer.bottom - around.bottom};
    scales_of(&in);
    if (panel->title) {
        char title[TEXT_MAX];
        bool framed = kind->x_axis && panel->kind != PLOT_BARS; /* centered on the data, else on the panel */
        double middle = framed ? (in.inner.left + in.inner.right) / 2 : (outer.left + outer.right) / 2;
        text_fit(title, panel->title, title_text, 2 * fmin(middle - outer.left, outer.right - middle));
        canvas_text(on, middle, outer.top + 14, title,
                    (text_style){.size = TITLE_SIZE, .bold = true, .anchor = 0.5});
    }
    if (panel->kind != PLOT_FIELD) draw_axes(on, &in);
    kind->draw(on, &in);
    if (panel->kind == PLOT_FIELD) draw_axes(on, &in);
    draw_rules(on, &in);
    /* curves rise or fall to the right, so the lower corner is mostly free; in other panels the upper one
     * is */
    if (panel->note)
        canvas_text(on, in.inner.right - 4,
                    panel->kind == PLOT_CURVES ? in.inner.bottom - 6 : in.inner.top + 11, panel->note,
                    (text_style){.size = 10, .anchor = 1});
}
