/* The intervals of a series with the highest scores: a table, and a picture of each. */
#include "cli/library_values.h"
#include "cli/report/report_series.h"

#include <math.h>

enum { CARDS_SHOWN = 10 };

static void put_kind(page *on, const report *self, const report_interval *about)
{
    if (self->kinds)
        fprintf(page_markup(on), "<span class=\"kind %s\">%s</span>", about->known ? "known" : "new",
                about->known ? "known kind" : "new kind");
}

static void put_cell(page *on, const char *text)
{
    fputs("<td>", page_markup(on));
    page_escape(on, text);
    fputs("</td>", page_markup(on));
}

static void put_table(page *on, report *self, const series_story *story)
{
    FILE *to = page_markup(on);
    bool grouped = story->strand_count && story->strands[0].group;
    const char *headings[] = {"rank",
                              grouped ? info_of(self->model).series_column : NULL,
                              "from",
                              "to",
                              "rows",
                              "largest score",
                              self->kinds ? "kind" : NULL,
                              "flag",
                              "reasons"};
    fputs("<div class=\"wide\" tabindex=\"0\"><table id=\"top\"><thead><tr>", to);
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
        if (!headings[i]) continue;
        fprintf(to, "<th scope=\"col\"%s><button>", i == 0 || i == 4 || i == 5 ? " class=\"n\"" : "");
        page_escape(on, headings[i]);
        fputs("</button></th>", to);
    }
    fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t k = 0; k < story->count; k++) {
        const report_interval *at = &story->intervals[k];
        fprintf(to, "<tr data-score=\"%.9g\" class=\"flagged\"><td class=\"n\">", (double)at->at.score);
        if (k < CARDS_SHOWN)
            fprintf(to, "<a href=\"#r%zu\">%zu</a></td>", k + 1, k + 1);
        else
            fprintf(to, "%zu</td>", k + 1);
        if (grouped) put_cell(on, at->group);
        put_cell(on, at->begin);
        put_cell(on, at->end);
        fprintf(to, "<td class=\"n\">%zu</td><td class=\"n\">%.4g</td>", at->at.last - at->at.first + 1,
                (double)at->at.score);
        if (self->kinds) {
            fputs("<td>", to);
            put_kind(on, self, at);
            fputs("</td>", to);
        }
        fputs("<td class=\"mark\">flagged</td><td class=\"why\">", to);
        page_escape(on, at->because);
        fputs("</td></tr>\n", to);
    }
    fputs("</tbody></table></div>\n", to);
}

/* The numeric columns that contribute most to an interval. */
static size_t main_channels(size_t out[SERIES_ZOOMED], const report_interval *at, const series_story *story)
{
    size_t count = 0;
    for (; count < SERIES_ZOOMED && count < story->channel_count; count++) {
        size_t best = SIZE_MAX;
        for (size_t c = 0; c < story->channel_count; c++) {
            size_t column = story->channels[c];
            bool taken = false;
            for (size_t k = 0; k < count; k++) taken |= out[k] == column;
            if (taken || (at->shares && !(at->shares[column] > 0.01F))) continue;
            if (best == SIZE_MAX || (at->shares && at->shares[column] > at->shares[best])) best = column;
        }
        if (best == SIZE_MAX) break;
        out[count] = best;
    }
    return count;
}

static puad_status put_card(page *on, report *self, const series_story *story, size_t k)
{
    FILE *to = page_markup(on);
    const report_interval *at = &story->intervals[k];
    size_t length = at->at.last - at->at.first + 1;
    size_t around = length > self->window ? length : self->window, channels[SERIES_ZOOMED];
    const strand *in = story->strands;
    while (in->input != at->input || at->at.first < in->first || at->at.first >= in->end) in++;
    size_t first = at->at.first > in->first + around ? at->at.first - around : in->first,
           end = at->at.last + around + 1 < in->end ? at->at.last + around + 1 : in->end;
    fprintf(to, "<details class=\"row flagged\" id=\"r%zu\" data-score=\"%.9g\"%s><summary><b>%zu. ", k + 1,
            (double)at->at.score, k == 0 ? " open" : "", k + 1);
    if (at->group) page_escape(on, report_text(self, "%s, ", at->group));
    page_escape(on, at->begin);
    fputs("</b><span class=\"why\">", to);
    page_escape(on, at->because);
    fputs("</span><span>", to);
    put_kind(on, self, at);
    fprintf(to, " %.4g</span></summary>\n<div class=\"inside\">\n", (double)at->at.score);
    page_text(on, "%s%s to %s: %zu rows, %zu of them flagged; the largest score is that of row %zu.",
              self->input_count > 1 ? report_text(self, "%s, ", self->inputs[at->input].path) : "", at->begin,
              at->end, length, at->at.flagged, at->at.peak);
    if (*at->because) page_text(on, "Reasons at its peak: %s.", at->because);
    size_t count = main_channels(channels, at, story);
    TRY(series_draw(on, self,
                    &(series_view){.input = at->input,
                                   .first = first,
                                   .end = end,
                                   .channels = channels,
                                   .channel_count = count,
                                   .score = true,
                                   .channel_height = 72,
                                   .mark_first = at->at.first,
                                   .mark_last = at->at.last}));
    fputs("</div></details>\n", to);
    return PUAD_OK;
}

puad_status report_put_intervals(page *on, report *self, const series_story *story)
{
    page_section(on, "Flagged intervals");
    if (!story->count) {
        page_text(on, "No row is flagged at the suggested threshold.");
        return PUAD_OK;
    }
    page_text(on,
              "Rows flagged at the suggested threshold form %s interval%s; intervals with fewer than %zu "
              "rows between them are joined. %s%s Click a rank to see the picture.",
              report_count_text(self, story->all), story->all == 1 ? "" : "s", self->window / 2,
              story->count < story->all
                  ? report_text(self, "The %zu with the largest scores are listed.", story->count)
                  : "All are listed, the largest score first.",
              self->ranks_training ? " The model was trained on these rows, so it may be overconfident about "
                                     "them."
                                   : "");
    put_table(on, self, story);
    page_subsection(on, "Why");
    page_text(on,
              "Each interval with the rows before and after it, in the columns that contribute most. Level "
              "and amplitude are the mean and the standard deviation of a column over a window of %zu "
              "rows; the shape is the rest.",
              self->window);
    for (size_t k = 0; k < story->count && k < CARDS_SHOWN; k++) TRY(put_card(on, self, story, k));
    return PUAD_OK;
}
