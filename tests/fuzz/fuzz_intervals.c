/* Any bytes as the labeled intervals of a time series, and as that series: rejected, or every time has the
 * label found by a search through all intervals, and the rows of the series have labels and breaks. */
#include "fuzz_file.h"
#include "input/input.h"
#include "series/time_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED_MAX = 64 };

static void require(bool condition)
{
    if (!condition) abort();
}

static bool same_group(const interval_list *in, const interval *at, text_view group)
{
    return !in->grouped ||
           (at->group.length == group.length && memcmp(at->group.text, group.text, group.length) == 0);
}

static int8_t label_by_all(const interval_list *in, double time, text_view group)
{
    int8_t label = PUAD_LABEL_UNLABELED;
    for (size_t i = 0; i < in->count; i++) {
        const interval *at = &in->list[i];
        if (!same_group(in, at, group) || time < at->start || time > at->end) continue;
        if (label != PUAD_LABEL_ANOMALY) label = at->label;
    }
    return label;
}

static void ask(const interval_list *list)
{
    for (size_t i = 0; i < list->count && i < ASKED_MAX; i++) {
        const interval *at = &list->list[i];
        text_view group = list->grouped ? at->group : (text_view){"", 0};
        double times[] = {at->start, at->end, at->start / 2 + at->end / 2, nextafter(at->end, INFINITY),
                          nextafter(at->start, -INFINITY)};
        require(isfinite(at->start) && isfinite(at->end) && at->start <= at->end);
        require(at->label == PUAD_LABEL_ANOMALY || at->label == PUAD_LABEL_NORMAL);
        for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
            require(intervals_label(list, times[k], group) == label_by_all(list, times[k], group));
            require(intervals_label(list, times[k], (text_view){"b", 1}) ==
                    label_by_all(list, times[k], (text_view){"b", 1}));
        }
    }
}

static void read_series(const char *series, const char *intervals, bool grouped)
{
    AUTO_DATASET dataset rows = {0};
    data_options options = {.time = "time", .group = grouped ? "sensor" : NULL, .intervals = intervals};
    if (data_open(&rows, series, &options) != PUAD_OK || axis_learn(&rows, series, &options) != PUAD_OK)
        return;
    for (size_t i = 0; i < rows.rows * rows.columns; i++) require(isfinite(rows.values[i]));
    require(rows.labels && rows.breaks && rows.rows > 0 && rows.breaks[0]);
    for (size_t i = 0; i < rows.rows; i++) require(abs(rows.labels[i]) <= 1 && rows.breaks[i] <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2) return 0;
    unsigned mode = bytes[0];                   /* numbers or a kind of date; whether there are groups */
    size_t first = bytes[1] * (size - 2) / 256; /* how much belongs to the intervals; 0 for all of it */
    if (first == 0) first = size - 2;
    const char *path = fuzz_file_of(0, bytes + 2, first);
    if (!path) return 0;
    cell_form form = {.kind = FORM_PLAIN, .decimal = mode & 128 ? ',' : '.'};
    if (mode & 1)
        form = (cell_form){.kind = FORM_DATE, .order = (date_order)((mode >> 1) % 16 % DATE_ORDERS)};
    interval_list list = {0};
    if (intervals_read(&list, path, &form, mode & 32 ? "sensor" : NULL) == PUAD_OK) ask(&list);
    intervals_free(&list);
    if (first == size - 2) return 0;
    const char *series = fuzz_file_of(1, bytes + 2 + first, size - 2 - first);
    if (series) read_series(series, path, mode & 32);
    return 0;
}
