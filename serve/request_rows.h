/* The rows of a request: JSON, or tensors of the Open Inference Protocol, as a table in memory.
 *
 * JSON is one of
 *     [{"amount": 12.5, "country": "home"}, ...]            objects, one for each row
 *     {"rows": [{...}, ...]}                                the same
 *     {"columns": ["amount", "country"], "rows": [[12.5, "home"], ...]}
 *     {"rows": [[0.5, 1.2], ...]}                           for models of unnamed columns
 *     {"inputs": [{"name": "amount", "shape": [2], "datatype": "FP64", "data": [12.5, 3]}, ...]}
 * null is a missing cell. */
#ifndef SERVE_REQUEST_ROWS_H
#define SERVE_REQUEST_ROWS_H

#include "base/json.h"
#include "base/memory.h"

#include <puad/dataset.h>

typedef struct request_limits {
    size_t body_bytes, rows;
} request_limits;

typedef struct request_rows {
    size_t count;
    puad_table *table;
    const char *id; /* of the request, repeated in the response; NULL if none */
    cJSON *body;
    arena memory; /* owns what the table refers to */
} request_rows;

/* PUAD_FORMAT for any other body, PUAD_INVALID if a limit is exceeded. Free the result in both cases. */
puad_status request_rows_read(request_rows *out, const char *body, size_t size, const request_limits *limits);
void request_rows_free(request_rows *self);

#endif
