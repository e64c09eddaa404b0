/* Labeled intervals of a time series: a CSV file of their starts and ends. */
#ifndef DATA_INTERVALS_H
#define DATA_INTERVALS_H

#include "base/memory.h"
#include "base/status.h"
#include "data/cell_form.h"
#include "data/text.h"

typedef struct interval {
    double start, end; /* both belong to it */
    double latest;     /* the latest end of this one and those that start before */
    text_view group;   /* text NULL for all */
} interval;

typedef struct interval_list {
    arena memory;
    interval *list; /* by their starts */
    size_t count;
    bool grouped;
} interval_list;

/* Columns "start" and "end", or the first two; and the group's, where the file has it. Times are written as
 * those of the series, or year first. */
puad_status intervals_read(interval_list *out, const char *path, const cell_form *form, const char *group);
bool intervals_hold(const interval_list *list, double time, text_view group);
void intervals_free(interval_list *owner); /* {0} is fine */

#endif
