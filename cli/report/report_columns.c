/* The data: what became of each column, and what is usual in it. */
#include "cli/report/report.h"

#include <math.h>
#include <string.h>

enum { BINS = 24, COLUMNS_MOST = 200, WIDE = 120, HIGH = 26, SAMPLE_MOST = 20000 };

typedef struct spark {
    size_t others[BINS], anomalies[BINS];
} spark;

/* Numbers between the typical ones and a little further. */
static bool fill_spark(spark *out, const report *of, const puad_column *column)
{
    double low = column->typical.low, high = column->typical.high, further = 0.25 * (high - low);
    return puad_dataset_bins(of->train, column->name, low - further, high + further, SAMPLE_MOST, out->others,
                             out->anomalies, BINS) == PUAD_OK;
}

/* Heights of the bars: shares of all of them. False where there are none. */
static bool shares(double out[BINS], double *highest, const size_t counts[BINS])
{
    size_t sum = 0;
    for (int i = 0; i < BINS; i++) sum += counts[i];
    for (int i = 0; i < BINS && sum; i++) {
        out[i] = (double)counts[i] / (double)sum;
        *highest = fmax(*highest, out[i]);
    }
    return sum > 0;
}

static void put_spark(FILE *to, const spark *of)
{
    double others[BINS], anomalies[BINS], most = 0, wide = (double)WIDE / BINS;
    bool labeled = shares(anomalies, &most, of->anomalies);
    if (!shares(others, &most, of->others)) return;
    fprintf(to, "<svg class=\"spark\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">", WIDE, HIGH);
    for (int i = 0; i < BINS; i++) {
        double high = others[i] / most * HIGH;
        if (high > 0)
            fprintf(to, "<rect x=\"%.0f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", i * wide, HIGH - high,
                    wide - 0.6, high);
    }
    if (labeled) {
        fputs("<path d=\"", to);
        for (int i = 0; i < BINS; i++) {
            double y = HIGH - anomalies[i] / most * (HIGH - 2);
            fprintf(to, "%s%.0f %.1fL%.0f %.1f", i ? "L" : "M", i * wide, y, (i + 1) * wide, y);
        }
        fputs("\"/>", to);
    }
    fputs("</svg>", to);
}

static puad_status put_column(page *on, report *of, size_t index)
{
    puad_column column = {.struct_size = sizeof column};
    FILE *to = page_markup(on);
    char what[512] = "", usual[256] = "";
    spark drawn;
    TRY(puad_detector_column(of->model, &column, index));
    TRY(puad_column_text(&column, what, sizeof what, PUAD_COLUMN_ALL));
    TRY(puad_column_text(&column, usual, sizeof usual, PUAD_COLUMN_TYPICAL));
    fputs("<tr><td><b>", to);
    page_escape(on, column.name);
    fputs("</b></td><td class=\"why\">", to);
    page_escape(on, what);
    fputs("</td><td class=\"why f\">", to);
    page_escape(on, usual);
    fputs("</td><td>", to);
    if (of->train && fill_spark(&drawn, of, &column)) put_spark(to, &drawn);
    fputs("</td></tr>\n", to);
    return PUAD_OK;
}

static void add_counts(page *on, report *of)
{
    double anomalies = puad_detector_number(of->model, "anomalies"),
           normals = puad_detector_number(of->model, "normals"),
           rows = puad_detector_number(of->model, "rows");
    /* Labeled anomalies are held out too, unless models trained without them have scored them. */
    size_t held = of->train && puad_dataset_rows(of->train) > (size_t)rows
                      ? puad_dataset_rows(of->train) - (size_t)rows
                      : puad_calibration_unlabeled_count(of->model);
    if (of->window)
        page_text(on,
                  "The model was trained on %s windows of %zu rows, %.0f apart: "
                  "%s labeled anomalies, %s labeled normals, all others unlabeled. "
                  "%s rows, a window apart, were held out for the estimates on this page.",
                  report_count_text(of, (size_t)rows), of->window, puad_detector_number(of->model, "stride"),
                  report_count_text(of, (size_t)anomalies), report_count_text(of, (size_t)normals),
                  report_count_text(of, puad_calibration_unlabeled_count(of->model)));
    else
        page_text(on,
                  "The model was trained on %s rows: %s labeled anomalies, %s labeled normals, "
                  "all others unlabeled. %s more rows were held out for the estimates on this page.",
                  report_count_text(of, (size_t)rows), report_count_text(of, (size_t)anomalies),
                  report_count_text(of, (size_t)normals), held ? report_count_text(of, held) : "No");
    for (size_t i = 0; i < of->input_count; i++)
        page_text(on, "%s: %s rows%s.", of->inputs[i].path,
                  report_count_text(of, puad_dataset_rows(of->inputs[i].rows)),
                  of->ranks_training ? ", trained on and ranked" : " to rank");
}

static puad_status add_notes(page *on, report *of)
{
    const puad_dataset *from = of->train ? of->train : of->input_count ? of->inputs[0].rows : NULL;
    size_t count = puad_dataset_note_count(from);
    const char **items;
    if (!count) return PUAD_OK;
    TRY(arena_new(&of->memory, &items, count, sizeof *items));
    char said[SPOKEN_ROOM];
    for (size_t i = 0; i < count; i++)
        items[i] = report_text(of, "%s", speak(said, of->call->command, puad_dataset_note(from, i)));
    page_list(on, items, count);
    return PUAD_OK;
}

puad_status report_add_columns(page *on, report *of)
{
    FILE *to = page_markup(on);
    size_t columns = puad_detector_column_count(of->model);
    page_section(on, "The data, and what was done with each column");
    add_counts(on, of);
    TRY(add_notes(on, of));
    if (of->image)
        page_text(on, "Pictures are resized to %.0f x %.0f with %.0f channels.",
                  puad_detector_number(of->model, "width"), puad_detector_number(of->model, "height"),
                  puad_detector_number(of->model, "channels"));
    if (!columns) return PUAD_OK;
    fputs("<div class=\"wide\" tabindex=\"0\"><table "
          "id=\"columns\"><thead><tr><th><button>column</button></th><th>"
          "<button>becomes</button></th><th><button>usual among unlabeled "
          "rows</button></th><th>distribution</th></tr>"
          "</thead>\n<tbody>\n",
          to);
    for (size_t i = 0; i < columns && i < COLUMNS_MOST; i++) TRY(put_column(on, of, i));
    fputs("</tbody></table></div>\n", to);
    if (columns > COLUMNS_MOST) page_text(on, "%zu more columns are not shown.", columns - COLUMNS_MOST);
    if (of->train)
        page_text(
            on,
            "Bars: all rows. Line: "
            "labeled anomalies, at their own scale of shares. What is far out is in the first or last bar.");
    return PUAD_OK;
}
