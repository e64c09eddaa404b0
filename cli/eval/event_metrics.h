/* How many labeled events of a time series are found, for a limit on false alarms.
 *
 * An event is a run of anomalous rows in one segment. Flagged rows with fewer than `join` other rows between
 * them are one alarm. Normal rows less than `join` rows from an event count neither for nor against the model,
 * because a window there contains anomalous rows. */
#ifndef CLI_EVAL_EVENT_METRICS_H
#define CLI_EVAL_EVENT_METRICS_H

#include <puad/puad.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of one or several segments, in order of time. */
typedef struct event_rows {
    const float *scores;
    const int8_t *truth;   /* 1 for an anomaly */
    const uint8_t *starts; /* 1 for each row that starts a segment */
    size_t rows, join;
} event_rows;

typedef struct event_metrics {
    size_t events, found, false_alarms;
    double threshold;    /* rows with at least this score are flagged; NaN if none can be */
    double median_delay; /* rows from the start of a found event to its first flagged row; NaN without any */
} event_metrics;

/* The lowest threshold down to which the false alarms never exceed the limit. */
puad_status event_metrics_at(event_metrics *out, const event_rows *rows, size_t false_alarms_max);

#endif
