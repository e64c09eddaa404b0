/* The time series of a report: which parts of the inputs are drawn, and how. */
#ifndef CLI_REPORT_REPORT_SERIES_H
#define CLI_REPORT_REPORT_SERIES_H

#include "cli/report/report.h"

enum { CHANNELS_MAX = 8, SERIES_ZOOMED = 3 }; /* columns drawn for the series, and for an interval */

/* Rows of one input that belong together: a group, or all of them. */
typedef struct strand {
    size_t input, first, end;
    const char *group; /* or NULL */
    size_t flagged;
} strand;

/* A flagged interval with its description. */
typedef struct report_interval {
    size_t input;
    puad_interval at;
    const char *group, *begin, *end; /* as text; group may be NULL */
    float *window, *shares;          /* the model's input at the peak; contributions by column of the file */
    const char *because;
    bool known;
} report_interval;

/* All data of the section about a series. */
typedef struct series_story {
    strand *strands;
    size_t strand_count;
    report_interval *intervals; /* with the largest scores */
    size_t count, all;
    size_t channels[CHANNELS_MAX], channel_count, numbers; /* drawn; numeric columns */
} series_story;

/* What is drawn for rows first ... end - 1 of an input. */
typedef struct series_view {
    size_t input, first, end;
    const size_t *channels; /* columns of the model */
    size_t channel_count;
    bool score;                   /* draw the score below */
    double channel_height;        /* of a channel's panel */
    size_t mark_first, mark_last; /* rows of an interval to shade; or first > last: the flagged rows */
} series_view;

puad_status series_draw(page *on, report *self, const series_view *view);

puad_status report_put_intervals(page *on, report *self, const series_story *story);

#endif
