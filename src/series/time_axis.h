/* The order of the rows of a time series. If a row is more than a gap after its predecessor, earlier than
 * it, or in another group, it starts a new segment: no window crosses that boundary. The axis itself
 * (transform.h) is learned with the encoding and stored in the model. */
#ifndef SERIES_TIME_AXIS_H
#define SERIES_TIME_AXIS_H

#include "dataset/data_options.h"
#include "dataset/dataset.h"
#include "series/intervals.h"
#include "table/csv/csv.h"
#include "table/encoding/transform.h"

enum { AXIS_GAP_STEPS = 10 }; /* default gap in median steps */

static inline bool axis_is_given(const time_axis *axis)
{
    return axis->time || axis->group;
}

/* Seconds since 1970 of a date in UTC; or the number itself. */
bool axis_read(double *out, const cell_form *form, text_view text);

/* Iterates over the rows in order. */
typedef struct axis_clock {
    const time_axis *axis;
    double before;
    size_t rows, gaps, back, same;
    size_t first_back, first_same; /* row indices */
} axis_clock;
bool axis_clock_step(axis_clock *clock, double time, bool regroup); /* whether a new segment begins here */
/* Notes on irregularities of the rows so far. */
puad_status axis_clock_tell(notes *out, const axis_clock *clock, const char *name);

/* The time and group cells of a CSV file, as its rows are read. */
typedef struct axis_cells {
    const time_axis *axis;
    size_t time_text, group_text; /* indices among the strings of a row; SIZE_MAX for none */
    char *group;                  /* of the previous row */
    size_t group_length, group_room;
    bool group_known;
    double *times;
    uint8_t *regroup;
    size_t capacity;
    interval_list intervals;
} axis_cells;
puad_status axis_cells_room(axis_cells *owner, size_t rows);
/* Reads the time and group of a row; *out_label is that of the interval that contains it. */
puad_status axis_cells_read(axis_cells *owner, int8_t *out_label, size_t place, const csv_reader *reader,
                            const csv_block *block, size_t row, size_t text_count);
void axis_cells_free(axis_cells *owner); /* {0} is fine */

/* Learns the axis of rows that were just read from a file, by reading it again, and finds the segment
 * breaks and the labels from intervals. Does nothing if the options name neither times nor groups. */
puad_status axis_learn(dataset *into, const char *path, const data_options *options);

/* Parts of it: the names of the columns; and the median step, the gap (0: derived from the step) and the
 * breaks. */
puad_status axis_name(dataset *into, const data_options *options);
puad_status axis_settle(dataset *into, const double *times, const uint8_t *regroup, size_t rows, double gap);

#endif
