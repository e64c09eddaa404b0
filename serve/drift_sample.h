/* A sample of the rows that clients have sent, compared with the training rows once there are enough: a single
 * request says little about drift. All calls may come from any thread. */
#ifndef SERVE_DRIFT_SAMPLE_H
#define SERVE_DRIFT_SAMPLE_H

#include "serve/request_rows.h"
#include "serve/served_model.h"
#include "serve/service_metrics.h"

typedef struct drift_sample drift_sample;

drift_sample *drift_sample_new(void); /* NULL: no memory */
void drift_sample_free(drift_sample *self);

/* Keeps the body of a JSON request of `rows` rows, as far as there is room. */
void drift_sample_add(drift_sample *self, const char *body, size_t size, size_t rows);

/* If enough rows are there, compares them and counts warnings; then begins a new sample. */
void drift_sample_compare(drift_sample *self, served_model *model, metrics *counts);

#endif
