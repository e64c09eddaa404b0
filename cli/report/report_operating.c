/* The slider: all thresholds that were looked at, what each would flag, and where the scores lie. */
#include "base/json.h"
#include "cli/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 72, WIDTH = 720, HEIGHT = 150, RUG = 12, RUG_MOST = 400 };

typedef struct score_bins {
    double from, to;
    size_t counts[BINS], most;
} score_bins;

static puad_status bin_scores(score_bins *out, const report *of)
{
    *out = (score_bins){0};
    TRY(puad_ranking_bins(out->counts, BINS, &out->from, &out->to, of->ranking,
                          puad_calibration_anomalies(of->model), puad_calibration_anomaly_count(of->model)));
    for (size_t i = 0; i < BINS; i++)
        if (out->counts[i] > out->most) out->most = out->counts[i];
    return PUAD_OK;
}

/* Heights are logarithms: a few flagged rows among thousands are to be seen. */
static void draw_scores(page *on, const report *of, const score_bins *bins)
{
    FILE *to = page_markup(on);
    double wide = (double)WIDTH / BINS, cut = of->stops[of->suggested].threshold;
    fprintf(to,
            "<svg viewBox=\"-4 -8 %d %d\" role=\"img\" aria-label=\"How many rows have which score, "
            "and the threshold\">\n<g id=\"scores\">",
            WIDTH + 8, HEIGHT + RUG + 14);
    for (int i = 0; i < BINS; i++) {
        double high =
            bins->counts[i] ? log1p((double)bins->counts[i]) / log1p((double)bins->most) * HEIGHT : 0;
        double edge = bins->from + (i + 0.5) * (bins->to - bins->from) / BINS;
        if (high > 0)
            fprintf(to,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" data-t=\"%.9g\"%s><title>%zu "
                    "rows</title></rect>",
                    i * wide, HEIGHT - high, wide - 1, high, edge, edge >= cut ? " class=\"on\"" : "",
                    bins->counts[i]);
    }
    fputs("</g>\n", to);
    size_t anomalies = puad_calibration_anomaly_count(of->model), step = anomalies / RUG_MOST + 1;
    for (size_t i = 0; i < anomalies; i += step) {
        double x = ((double)puad_calibration_anomalies(of->model)[i] - bins->from) / (bins->to - bins->from);
        fprintf(to, "<line class=\"rug\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x * WIDTH, x * WIDTH,
                HEIGHT + 3, HEIGHT + 3 + RUG);
    }
    double x = (cut - bins->from) / (bins->to - bins->from);
    fprintf(to,
            "<g id=\"cut\" transform=\"translate(%.1f)\"><line y1=\"-8\" y2=\"%d\"/></g>\n</svg>\n<div "
            "class=\"ends\"><span>%.3g</span><span>score</span><span>%.3g</span></div>\n",
            fmin(fmax(x, 0), 1) * WIDTH, HEIGHT, bins->from, bins->to);
}

static void add_band(cJSON *to, const char *name, bool judged, puad_figure figure)
{
    if (!judged) {
        cJSON_AddNullToObject(to, name);
        return;
    }
    cJSON *list = cJSON_AddArrayToObject(to, name);
    const double values[] = {figure.value, figure.low, figure.high};
    for (int i = 0; i < 3; i++) cJSON_AddItemToArray(list, cJSON_CreateNumber(round(values[i] * 1e4) / 1e4));
}

/* What the script reads. '<' is written as an escape, so that no text can end the element. */
static puad_status put_data(page *on, const report *of, const score_bins *bins)
{
    AUTO_JSON cJSON *data = cJSON_CreateObject();
    const char *named = of->model_path ? of->model_path : "MODEL";
    AUTO_ARENA arena scratch = {0};
    const char *model, *input, *line;
    TRY(arena_shell_word(&scratch, &model, named));
    TRY(arena_shell_word(&scratch, &input, of->inputs[0].path));
    TRY(arena_print(&scratch, &line, "puad score %s %s", model, input));
    cJSON_AddStringToObject(data, "command", line);
    cJSON_AddNumberToObject(data, "rows", (double)of->ranked_count);
    cJSON_AddStringToObject(data, "listed", of->window ? "intervals" : "rows");
    cJSON_AddNumberToObject(data, "at", (double)(of->stop_count - 1 - of->suggested));
    json_add_double(data, "from", bins->from);
    json_add_double(data, "to", bins->to);
    cJSON_AddNumberToObject(data, "width", WIDTH);
    cJSON *points = cJSON_AddArrayToObject(data, "points");
    for (size_t i = of->stop_count; i-- > 0;) { /* to the right as the scores grow */
        const report_stop *stop = &of->stops[i];
        cJSON *point = cJSON_CreateObject();
        char text[32];
        snprintf(text, sizeof text, "%.9g", stop->threshold);
        json_add_double(point, "t", stop->threshold);
        cJSON_AddStringToObject(point, "s", text);
        cJSON_AddNumberToObject(point, "n", (double)stop->flagged);
        add_band(point, "r", stop->judged, stop->recall);
        add_band(point, "p", stop->judged && !report_is_declined(of), stop->precision);
        cJSON_AddItemToArray(points, point);
    }
    AUTO_FREE char *text = json_text_of(data, false);
    if (!text) FAIL(PUAD_MEMORY, "no memory for the page");
    FILE *to = page_markup(on);
    fputs("<script type=\"application/json\" id=\"operating\">", to);
    for (const char *at = text; *at; at++)
        if (*at == '<')
            fputs("\\u003c", to);
        else
            fputc(*at, to);
    fputs("</script>\n", to);
    return PUAD_OK;
}

static void put_figure(page *on, const char *name, const char *label, const char *value, const char *range,
                       const char *range_name)
{
    fputs("<div><span>", page_markup(on));
    page_escape(on, label);
    fprintf(page_markup(on), "</span><b id=\"%s\">", name);
    page_escape(on, value);
    fprintf(page_markup(on), "</b><small id=\"%s\">", range_name);
    page_escape(on, range);
    fputs("</small></div>\n", page_markup(on));
}

puad_status report_add_operating(page *on, report *of)
{
    page_section(on, "What a threshold would flag");
    if (!of->stop_count) {
        page_text(on, "There are no rows to rank.");
        return PUAD_OK;
    }
    const report_stop *now = &of->stops[of->suggested];
    score_bins bins;
    TRY(bin_scores(&bins, of));
    FILE *to = page_markup(on);
    bool judged = now->judged;
    const char *none = "\u2013";
    page_text(
        on,
        "Rows that score at least the threshold are flagged. Move it to see what changes; it starts at %s.",
        of->suggestion);
    fputs("<div class=\"operate\">\n<div class=\"figures\">\n", to);
    put_figure(on, "at-flagged", "rows flagged", report_count_text(of, now->flagged),
               report_text(of, "%s of %s rows",
                           report_percent(of, (double)now->flagged / (double)of->ranked_count),
                           report_count_text(of, of->ranked_count)),
               "at-share");
    put_figure(on, "at-recall", "anomalies found", judged ? report_percent(of, now->recall.value) : none,
               judged ? report_text(of, "%s to %s", report_percent(of, now->recall.low),
                                    report_percent(of, now->recall.high))
                      : "",
               "at-recall-range");
    judged = judged && !report_is_declined(of);
    put_figure(on, "at-precision", "of the flagged are anomalies",
               judged ? report_percent(of, now->precision.value) : none,
               judged ? report_text(of, "%s to %s", report_percent(of, now->precision.low),
                                    report_percent(of, now->precision.high))
                      : "",
               "at-precision-range");
    put_figure(on, "at-threshold", "threshold", report_text(of, "%.4g", now->threshold), "", "at-nothing");
    fputs("</div>\n", to);
    draw_scores(on, of, &bins);
    fprintf(to,
            "<div id=\"controls\" hidden><input "
            "id=\"threshold\" type=\"range\" min=\"0\" max=\"%zu\" value=\"%zu\" aria-label=\"Threshold, "
            "from lax to strict\">\n<div class=\"steps\"><button data-step=\"-1\">laxer</button><button "
            "data-step=\"1\">stricter</button><button id=\"suggested\">suggested</button><span "
            "id=\"at-listed\"></span></div>\n<p><code id=\"at-command\"></code></p></div>\n</div>\n",
            of->stop_count - 1, of->stop_count - 1 - of->suggested);
    if (puad_calibration_anomaly_count(of->model))
        page_text(on, "Bars: how many rows have which score, on a logarithmic scale. "
                      "Ticks below them: labeled anomalies, scored by models that had not seen them.");
    if (report_is_declined(of))
        page_note(on,
                  "How many of the flagged rows are anomalies is not identifiable: "
                  "labeled anomalies score like many unlabeled rows. Check a sample of the flagged rows.");
    if (of->table)
        page_text(on, "Shares are estimates with bands of 95%% or more, for anomalies like the labeled ones. "
                      "They say nothing about new kinds of anomaly.");
    else
        page_note(on, "How many of the anomalies a threshold finds cannot be estimated: %s", of->table_lacks);
    return put_data(on, of, &bins);
}
