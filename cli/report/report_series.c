/* A time series: the series drawn with its flagged rows, and the intervals with the highest scores. */
#include "cli/report/report_series.h"
#include "cli/library_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRANDS_MAX = 12, STRANDS_OPEN = 3, BEGINS_MAX = 5000, INTERVALS_MAX = 200, BECAUSE_CAPACITY = 2000 };

static puad_status add_strand(strand *into, size_t *count, const report *self, strand made)
{
    double cut = self->stop_count ? self->stops[self->suggested].threshold : (double)INFINITY;
    for (size_t r = made.first; r < made.end; r++)
        made.flagged += (double)self->inputs[made.input].scores[r] >= cut;
    if (made.end > made.first) into[(*count)++] = made;
    return PUAD_OK;
}

/* Splits by groups: the string of the group column in the first row of each segment. */
static puad_status split(strand *into, size_t *count, report *self, size_t input, const size_t *at,
                         size_t begins)
{
    const puad_dataset *rows = self->inputs[input].data;
    puad_cells *cells = NULL;
    strand now = {.input = input};
    size_t column = 0;
    TRY(puad_cells_read(&cells, rows, at, begins));
    while (column < puad_cells_columns(cells) &&
           strcmp(puad_cells_name(cells, column), info_of(self->model).series_column) != 0)
        column++;
    for (size_t b = 0; b < begins && column < puad_cells_columns(cells); b++) {
        const char *text = puad_cells_text(cells, b, column);
        text = report_text(self, "%s", text ? text : "");
        if (now.group && strcmp(text, now.group) != 0) {
            now.end = at[b];
            add_strand(into, count, self, now);
            now = (strand){.input = input, .first = at[b]};
        }
        now.group = text;
    }
    puad_cells_free(cells);
    now.end = puad_dataset_rows(rows);
    return add_strand(into, count, self, now);
}

static int most_flagged(const void *left, const void *right)
{
    const strand *a = left, *b = right;
    if (a->flagged != b->flagged) return a->flagged < b->flagged ? 1 : -1;
    if (a->input != b->input) return a->input < b->input ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* The strands of all inputs, those with the most flagged rows first; in the report's memory. */
static puad_status find_strands(strand **out, size_t *out_count, report *self)
{
    size_t max = self->input_count;
    for (size_t i = 0; i < self->input_count; i++) {
        const unsigned char *begins = dataset_of(self->inputs[i].data).segment_starts;
        for (size_t r = 0; begins && r < puad_dataset_rows(self->inputs[i].data); r++) max += begins[r];
    }
    TRY(arena_new(&self->memory, out, max, sizeof **out));
    *out_count = 0;
    for (size_t i = 0; i < self->input_count; i++) {
        const unsigned char *begins = dataset_of(self->inputs[i].data).segment_starts;
        size_t rows = puad_dataset_rows(self->inputs[i].data), count = 0, *at;
        TRY(arena_new(&self->memory, &at, max, sizeof *at));
        for (size_t r = 0; begins && r < rows; r++)
            if (begins[r]) at[count++] = r;
        if (count && count <= BEGINS_MAX && info_of(self->model).series_column)
            TRY(split(*out, out_count, self, i, at, count));
        else
            TRY(add_strand(*out, out_count, self, (strand){.input = i, .end = rows}));
    }
    qsort(*out, *out_count, sizeof **out, most_flagged);
    return PUAD_OK;
}

/* The group of a row; NULL if there is none. */
static const char *group_of(const strand *strands, size_t count, size_t input, size_t row)
{
    for (size_t i = 0; i < count; i++)
        if (strands[i].input == input && row >= strands[i].first && row < strands[i].end)
            return strands[i].group;
    return NULL;
}

static int larger_first(const void *left, const void *right)
{
    const report_interval *a = left, *b = right;
    if (a->at.score != b->at.score) return a->at.score < b->at.score ? 1 : -1;
    if (a->input != b->input) return a->input < b->input ? -1 : 1;
    return (a->at.first > b->at.first) - (a->at.first < b->at.first);
}

static const char *time_of(report *self, size_t input, size_t row)
{
    const double *times = dataset_of(self->inputs[input].data).times;
    char text[64];
    if (!times || puad_detector_time_text(self->model, text, sizeof text, times[row]) != PUAD_OK)
        return report_text(self, "row %zu", row);
    return report_text(self, "%s", text);
}

/* Describes an interval: its times, and the reasons at its peak. */
static puad_status tell_interval(report_interval *about, report *self, const series_story *story)
{
    size_t columns = info_of(self->model).column_count;
    unsigned char known = 0;
    char because[BECAUSE_CAPACITY];
    about->group = group_of(story->strands, story->strand_count, about->input, about->at.first);
    about->begin = time_of(self, about->input, about->at.first);
    about->end = time_of(self, about->input, about->at.last);
    TRY(arena_new(&self->memory, &about->window, self->columns, sizeof *about->window));
    TRY(puad_scorer_take(self->scorer, about->window, self->columns, self->inputs[about->input].data,
                         about->at.peak));
    if (self->kinds)
        TRY(puad_decider_known(self->decider, &known, self->scorer, about->window, 1, self->columns));
    about->known = known;
    about->because = "";
    TRY(arena_new(&self->memory, &about->shares, columns, sizeof *about->shares));
    TRY(puad_scorer_explain_columns(self->scorer, about->shares, columns, about->window, self->columns));
    puad_reason reasons[SERIES_ZOOMED] = {{.struct_size = sizeof *reasons}};
    size_t count;
    TRY(puad_scorer_reasons(self->scorer, reasons, SERIES_ZOOMED, &count, about->window, self->columns));
    TRY(puad_reasons_text(reasons, count, because, sizeof because));
    about->because = report_text(self, "%s", because);
    return PUAD_OK;
}

static puad_status find_intervals(series_story *out, report *self)
{
    size_t total = 0, capacity = 0;
    if (!self->stop_count) return PUAD_OK;
    AUTO_FREE report_interval *all = NULL;
    for (size_t i = 0; i < self->input_count; i++) {
        puad_interval *found = NULL;
        size_t count = 0;
        TRY(puad_intervals_find(&found, &count, self->inputs[i].data, self->inputs[i].scores,
                                self->stops[self->suggested].threshold, self->window / 2));
        puad_status status = PUAD_OK;
        if (total + count > capacity) {
            capacity = 2 * (total + count);
            status = memory_grow(&all, capacity, sizeof *all, "intervals");
        }
        for (size_t k = 0; k < count && status == PUAD_OK; k++)
            all[total++] = (report_interval){.input = i, .at = found[k]};
        puad_intervals_free(found);
        TRY(status);
    }
    out->all = total;
    if (!total) return PUAD_OK;
    qsort(all, total, sizeof *all, larger_first);
    out->count = out->all < self->top ? out->all : self->top;
    if (out->count > INTERVALS_MAX) out->count = INTERVALS_MAX;
    TRY(arena_new(&self->memory, &out->intervals, out->count, sizeof *out->intervals));
    memcpy(out->intervals, all, out->count * sizeof *all);
    for (size_t k = 0; k < out->count; k++) TRY(tell_interval(&out->intervals[k], self, out));
    return PUAD_OK;
}

/* Numeric columns; if there are many, those that contribute most to the intervals. */
static puad_status choose_channels(series_story *out, report *self)
{
    size_t columns = info_of(self->model).column_count, *list;
    double *weights;
    TRY(arena_new(&self->memory, &list, columns, sizeof *list));
    TRY(arena_new(&self->memory, &weights, columns, sizeof *weights));
    for (size_t c = 0; c < columns; c++)
        if (puad_detector_numbers(self->model, c, &(double){0}, 0, 0, self->inputs[0].data) == PUAD_OK)
            list[out->numbers++] = c;
    for (size_t k = 0; k < out->count; k++)
        for (size_t c = 0; out->intervals[k].shares && c < columns; c++)
            weights[c] += (double)out->intervals[k].shares[c];
    out->channel_count = out->numbers < CHANNELS_MAX ? out->numbers : CHANNELS_MAX;
    for (size_t n = 0, kept = 0; n < out->numbers && kept < out->channel_count; n++) {
        size_t heavier = 0;
        for (size_t k = 0; k < out->numbers; k++)
            heavier += weights[list[k]] > weights[list[n]] || (weights[list[k]] == weights[list[n]] && k < n);
        if (heavier < out->channel_count) out->channels[kept++] = list[n];
    }
    return PUAD_OK;
}

static puad_status put_strands(page *on, report *self, const series_story *story)
{
    size_t count = story->strand_count < STRANDS_MAX ? story->strand_count : STRANDS_MAX;
    page_section(on, "The series");
    page_text(on,
              "Shaded: rows that the threshold above flags; it follows the slider. If there are more rows "
              "than pixels, a line shows the smallest and largest value per pixel.%s%s",
              self->ranks_training ? " Bars at the top: labeled anomalies." : "",
              dataset_of(self->inputs[0].data).segment_starts ? " Dotted lines: gaps in time." : "");
    if (story->channel_count < story->numbers)
        page_text(on, "Shown are the %zu of %zu columns that contribute most to the intervals below.",
                  story->channel_count, story->numbers);
    for (size_t i = 0; i < count; i++) {
        const strand *at = &story->strands[i];
        if (i == STRANDS_OPEN)
            fprintf(page_markup(on), "<details class=\"more\"><summary>%zu more</summary>\n", count - i);
        if (at->group || self->input_count > 1)
            page_subsection(on, report_text(self, "%s%s%s: %s of %s rows flagged", at->group ? at->group : "",
                                            at->group && self->input_count > 1 ? ", " : "",
                                            self->input_count > 1 ? self->inputs[at->input].path : "",
                                            report_count_text(self, at->flagged),
                                            report_count_text(self, at->end - at->first)));
        TRY(series_draw(on, self,
                        &(series_view){.input = at->input,
                                       .first = at->first,
                                       .end = at->end,
                                       .channels = story->channels,
                                       .channel_count = story->channel_count,
                                       .score = true,
                                       .channel_height = story->channel_count > 4   ? 44
                                                         : story->channel_count > 1 ? 72
                                                                                    : 120,
                                       .mark_first = 1}));
    }
    if (count > STRANDS_OPEN) fputs("</details>\n", page_markup(on));
    if (count < story->strand_count)
        page_text(on, "%zu more groups, with fewer flagged rows, are not drawn.",
                  story->strand_count - count);
    return PUAD_OK;
}

puad_status report_add_series(page *on, report *self)
{
    series_story story = {0};
    TRY(find_strands(&story.strands, &story.strand_count, self));
    TRY(find_intervals(&story, self));
    TRY(choose_channels(&story, self));
    TRY(put_strands(on, self, &story));
    return report_put_intervals(on, self, &story);
}
