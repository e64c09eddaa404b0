/* Counters of a service, in the text format of Prometheus. All calls may come from any thread. */
#ifndef SERVE_SERVICE_METRICS_H
#define SERVE_SERVICE_METRICS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct metrics metrics;

metrics *metrics_new(void); /* NULL when memory ran out */
void metrics_free(metrics *self);

/* Counts a request with this HTTP status and duration. */
void metrics_request(metrics *self, unsigned status, double seconds, size_t rows, size_t flagged);
void metrics_reload(metrics *self, bool succeeded);
/* Counts a comparison of new rows with the training rows: one call per warning. */
void metrics_drift(metrics *self, const char *warning, const char *column);
void metrics_drift_checked(metrics *self, size_t rows);

/* The page, on the heap; NULL when memory ran out. */
char *metrics_text(metrics *self, unsigned long model_version);

#endif
