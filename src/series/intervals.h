/* Labeled intervals of a time series: a CSV file of their starts and ends. */
#ifndef SERIES_INTERVALS_H
#define SERIES_INTERVALS_H

#include "base/memory.h"
#include "base/status.h"
#include "base/utf8.h"
#include "table/cells/cell_format.h"

typedef struct interval {
    double start, end; /* both inclusive */
    double latest;     /* the latest end among this one and those of its group and label that start earlier */
    text_view group;   /* {0} if the file has no groups */
    int8_t label;      /* PUAD_LABEL_ANOMALY or PUAD_LABEL_NORMAL */
} interval;

typedef struct interval_list {
    arena memory;
    interval *list; /* by group, label and start */
    size_t count;
    bool grouped; /* the file has a column of groups */
} interval_list;

/* Columns "start" and "end", or the first two; the group's, if the file has it; and "label": 1 an anomaly
 * (the default), -1 normal, empty if unknown. Times have the format of the series, or year first. */
puad_status intervals_read(interval_list *out, const char *path, const cell_form *form, const char *group);
/* LABEL_... of a time; an anomaly if intervals of both labels contain it. */
int8_t intervals_label(const interval_list *list, double time, text_view group);
void intervals_free(interval_list *owner); /* {0} is fine */

#endif
