/* A sample of the rows that clients have sent, compared with the training rows once there are enough; a
 * single request has too few. All calls may come from any thread. */
#ifndef SERVE_DRIFT_SAMPLE_H
#define SERVE_DRIFT_SAMPLE_H

#include "serve/request_rows.h"
#include "serve/served_model.h"
#include "serve/service_metrics.h"

typedef struct drift_sample drift_sample;

drift_sample *drift_sample_new(void); /* NULL when memory ran out */
void drift_sample_free(drift_sample *self);

/* Keeps the body of a JSON request with `rows` rows, up to the capacity. */
void drift_sample_add(drift_sample *self, const char *body, size_t size, size_t rows);

/* If there are enough rows, compares them, counts warnings, and begins a new sample. */
void drift_sample_compare(drift_sample *self, served_model *model, metrics *counts);

#endif
