/* Draws the channels of a series one above the other, as SVG: min and max per pixel if there are more rows
 * than pixels, flagged rows shaded across all panels, times below. */
#include "cli/library_values.h"
#include "cli/report/report_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEFT = 64,
    INNER = 920,
    WIDE = LEFT + INNER + 8,
    SCORE_HIGH = 74,
    GAP = 20,
    BINS_MAX = 460,
    TICK_CAPACITY = 92
};

typedef struct drawing {
    page *on;
    report *self;
    FILE *to;
    const series_view *view;
    const double *times;
    const unsigned char *begins;
    const float *scores;
    size_t rows;
} drawing;

static double x_of(const drawing *canvas, double row)
{
    return LEFT + row / (double)(canvas->rows > 1 ? canvas->rows - 1 : 1) * INNER;
}

static bool is_break(const drawing *canvas, size_t i)
{
    return i == 0 || (canvas->begins && canvas->begins[canvas->view->first + i]);
}

/* Draws values as a line: every row, or the min and max per pixel. */
static void put_line(drawing *canvas, const double *values, double low, double high, double top,
                     double height, const char *class)
{
    size_t bins = canvas->rows > 2 * (size_t)INNER ? INNER : canvas->rows;
    bool pen = false;
    fprintf(canvas->to, "<path class=\"%s\" d=\"", class);
    for (size_t b = 0; b < bins; b++) {
        size_t first = b * canvas->rows / bins, end = (b + 1) * canvas->rows / bins, small = first,
               large = first;
        for (size_t i = first; i < end; i++) {
            if (is_break(canvas, i)) pen = false;
            if (isnan(values[i])) continue;
            if (isnan(values[small]) || values[i] < values[small]) small = i;
            if (isnan(values[large]) || values[i] > values[large]) large = i;
        }
        if (isnan(values[small])) {
            pen = false;
            continue;
        }
        size_t ends[2] = {small < large ? small : large, small < large ? large : small};
        for (int k = 0; k < (small == large ? 1 : 2); k++) {
            double y = top + (1 - (values[ends[k]] - low) / (high - low)) * height;
            fprintf(canvas->to, "%s%.1f %.1f", pen ? "L" : "M", x_of(canvas, (double)ends[k]), y);
            if (!pen) fprintf(canvas->to, "h.1"); /* makes an isolated point visible */
            pen = true;
        }
    }
    fputs("\"/>\n", canvas->to);
}

static void range_of(double *low, double *high, const double *values, size_t count)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i])) continue;
        *low = fmin(*low, values[i]);
        *high = fmax(*high, values[i]);
    }
    if (!(*low <= *high)) *low = *high = 0;
    if (*low == *high) {
        *low -= 0.5;
        *high += 0.5;
    }
}

static void put_panel(drawing *canvas, const char *name, double low, double high, double top, double height)
{
    fprintf(canvas->to,
            "<line class=\"edge\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"end\" x=\"%d\" "
            "y=\"%.1f\">%.4g</text><text class=\"end\" x=\"%d\" y=\"%.1f\">%.4g</text>",
            LEFT, LEFT + INNER, top + height, top + height, LEFT - 6, top + 9, high, LEFT - 6, top + height,
            low);
    fprintf(canvas->to, "<text class=\"name\" x=\"%d\" y=\"%.1f\">", LEFT, top - 4);
    page_escape(canvas->on, name);
    fputs("</text>\n", canvas->to);
}

/* Shades rows from..to of the view. */
static void put_band(drawing *canvas, size_t start, size_t to, double bottom, const char *class, double score)
{
    double left = fmax(x_of(canvas, (double)start - 0.5), LEFT),
           right = fmin(x_of(canvas, (double)to + 0.5), LEFT + INNER);
    fprintf(canvas->to, "<rect class=\"%s\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%.0f\"", class, left,
            fmax(right - left, 1.5), bottom);
    if (!isnan(score)) fprintf(canvas->to, " data-score=\"%.9g\"", score);
    fputs("/>\n", canvas->to);
}

/* Shades what any threshold of the slider flags, by the largest score of a few pixels. */
static void put_flagged(drawing *canvas, double bottom)
{
    const report *self = canvas->self;
    size_t bins = canvas->rows < BINS_MAX ? canvas->rows : BINS_MAX;
    double cut = self->stops[self->suggested].threshold,
           loosest = self->stops[self->stop_count - 1].threshold;
    const series_view *view = canvas->view;
    if (view->mark_first <= view->mark_last) {
        put_band(canvas, view->mark_first - view->first, view->mark_last - view->first, bottom, "hit flagged",
                 (double)NAN);
        return;
    }
    for (size_t b = 0; b < bins; b++) {
        size_t first = b * canvas->rows / bins, end = (b + 1) * canvas->rows / bins;
        float max = canvas->scores[first];
        for (size_t i = first; i < end; i++) max = fmaxf(max, canvas->scores[i]);
        if ((double)max >= loosest)
            put_band(canvas, first, end - 1, bottom, (double)max >= cut ? "hit flagged" : "hit", (double)max);
    }
}

static void put_labeled(drawing *canvas)
{
    const int8_t *labels = canvas->self->ranks_training
                               ? dataset_of(canvas->self->inputs[canvas->view->input].data).labels
                               : NULL;
    for (size_t i = 0, end; labels && i < canvas->rows; i = end) {
        const int8_t *at = labels + canvas->view->first;
        for (end = i + 1; end < canvas->rows && at[end] == at[i];) end++;
        if (at[i] == PUAD_LABEL_ANOMALY) put_band(canvas, i, end - 1, 5, "labeled", (double)NAN);
    }
}

static void put_gaps(drawing *canvas, double bottom)
{
    for (size_t i = 1; i < canvas->rows; i++)
        if (is_break(canvas, i))
            fprintf(canvas->to, "<line class=\"gap\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%.0f\"/>\n",
                    x_of(canvas, (double)i - 0.5), x_of(canvas, (double)i - 0.5), bottom);
}

static double time_at(const drawing *canvas, size_t i)
{
    return canvas->times ? canvas->times[canvas->view->first + i] : (double)(canvas->view->first + i);
}

/* The step of the axis marks, for about nine marks. */
static double tick_step(const drawing *canvas, bool date)
{
    static const double nice[] = {
        1,      2,       5,       10,      15,       30,       60,       120,       300,      600,
        900,    1800,    3600,    7200,    10800,    21600,    43200,    86400,     172800,   432000,
        864000, 1728000, 2592000, 7776000, 15552000, 31536000, 63072000, 157680000, 315360000};
    double passed = 0;
    for (size_t i = 1; i < canvas->rows; i++)
        if (!is_break(canvas, i)) passed += fmax(time_at(canvas, i) - time_at(canvas, i - 1), 0);
    double wanted = passed / 9;
    for (size_t k = 0; date && wanted >= 1 && k < sizeof nice / sizeof *nice; k++)
        if (nice[k] >= wanted) return nice[k];
    if (!(wanted > 0)) return 1;
    double power = pow(10, floor(log10(wanted)));
    return power * (wanted <= power ? 1 : wanted <= 2 * power ? 2 : wanted <= 5 * power ? 5 : 10);
}

/* "2024-01-31", "01-31 10:00" or "10:00": the part that differs from the previous mark. */
static void tick_text(char text[40], const drawing *canvas, double time, double step, bool date,
                      double before)
{
    char whole[40] = "";
    snprintf(text, 40, "%.10g", time);
    if (!date || puad_detector_time_text(canvas->self->model, whole, sizeof whole, time) != PUAD_OK) return;
    bool same_day = !isnan(before) && floor(before / 86400) == floor(time / 86400);
    if (strlen(whole) < 12) /* midnight, or a time of day without a date */
        snprintf(text, 40, "%s", whole);
    else if (step >= 86400)
        snprintf(text, 40, "%.10s", whole);
    else
        snprintf(text, 40, "%.*s",
                 step < 60  ? (same_day ? 8 : 14)
                 : same_day ? 5
                            : 11,
                 whole + (same_day ? 11 : 5));
}

static void put_ticks(drawing *canvas, double bottom)
{
    bool date = canvas->times && info_of(canvas->self->model).time_is_date;
    double step = tick_step(canvas, date), last = -INFINITY, before = NAN;
    for (size_t i = 0; i < canvas->rows; i++) {
        double now = floor(time_at(canvas, i) / step), x = x_of(canvas, (double)i);
        bool new = i == 0 ? now *step == time_at(canvas, 0) : now != floor(time_at(canvas, i - 1) / step);
        if (!new || x - last < TICK_CAPACITY || x > LEFT + INNER - 20) continue;
        char text[40];
        double reported = is_break(canvas, i) ? time_at(canvas, i) : now * step;
        tick_text(text, canvas, reported, step, date, before);
        fprintf(canvas->to,
                "<line class=\"edge\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.0f\"/><text class=\"tick\" "
                "x=\"%.1f\" y=\"%.0f\">%s</text>\n",
                x, x, bottom, bottom + 5, x, bottom + 18, text);
        last = x;
        before = reported;
    }
}

static puad_status put_channels(drawing *canvas, double *values, double *top)
{
    const series_view *view = canvas->view;
    double low, high;
    for (size_t c = 0; c < view->channel_count; c++) {
        TRY(puad_detector_numbers(canvas->self->model, view->channels[c], values, view->first, canvas->rows,
                                  canvas->self->inputs[view->input].data));
        range_of(&low, &high, values, canvas->rows);
        puad_column column = {.struct_size = sizeof column};
        TRY(puad_detector_column(canvas->self->model, &column, view->channels[c]));
        put_panel(canvas, column.name, low, high, *top, view->channel_height);
        put_line(canvas, values, low, high, *top, view->channel_height, "wave");
        *top += view->channel_height + GAP;
    }
    if (!view->score) return PUAD_OK;
    for (size_t i = 0; i < canvas->rows; i++) values[i] = (double)canvas->scores[i];
    range_of(&low, &high, values, canvas->rows);
    put_panel(canvas, "score and threshold", low, high, *top, SCORE_HIGH);
    put_line(canvas, values, low, high, *top, SCORE_HIGH, "wave score");
    double cut =
        fmin(fmax((canvas->self->stops[canvas->self->suggested].threshold - low) / (high - low), 0), 1);
    fprintf(canvas->to,
            "<g transform=\"translate(0 %.1f)\"><line class=\"level\" data-from=\"%.9g\" data-to=\"%.9g\" "
            "data-high=\"%d\" x1=\"%d\" x2=\"%d\" transform=\"translate(0 %.1f)\"/></g>\n",
            *top, low, high, SCORE_HIGH, LEFT, LEFT + INNER, (1 - cut) * SCORE_HIGH);
    *top += SCORE_HIGH + GAP;
    return PUAD_OK;
}

puad_status series_draw(page *on, report *self, const series_view *view)
{
    const report_input *input = &self->inputs[view->input];
    drawing canvas = {.on = on,
                      .self = self,
                      .to = page_markup(on),
                      .view = view,
                      .times = dataset_of(input->data).times,
                      .begins = dataset_of(input->data).segment_starts,
                      .scores = input->scores + view->first,
                      .rows = view->end - view->first};
    AUTO_FREE double *values = NULL;
    double top = GAP, bottom = GAP + (double)view->channel_count * (view->channel_height + GAP) +
                               (view->score ? SCORE_HIGH + GAP : 0) - GAP;
    TRY(memory_new(&values, canvas.rows, sizeof *values, "a series"));
    fprintf(canvas.to,
            "<div class=\"strand\" tabindex=\"0\"><svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"%zu "
            "rows of the series, flagged ones shaded\">\n",
            WIDE, bottom + 24, canvas.rows);
    put_flagged(&canvas, bottom);
    put_labeled(&canvas);
    put_gaps(&canvas, bottom);
    TRY(put_channels(&canvas, values, &top));
    put_ticks(&canvas, bottom);
    fputs("</svg></div>\n", canvas.to);
    return PUAD_OK;
}
