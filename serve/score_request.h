/* Scores the rows of a request and writes the response. */
#ifndef SERVE_SCORE_REQUEST_H
#define SERVE_SCORE_REQUEST_H

#include "serve/request_rows.h"
#include "serve/served_model.h"

typedef enum body_format { BODY_JSON, BODY_CSV, BODY_TENSORS } body_format;

typedef struct score_request {
    const char *body;
    size_t size;
    body_format reads, writes;
    int reasons;            /* number of columns explained per row; 0: none */
    const char *model_name; /* in the Open Inference Protocol */
} score_request;

typedef struct score_response {
    char *text; /* on the heap */
    size_t rows, flagged;
} score_response;

/* PUAD_FORMAT and PUAD_INVALID are errors of the client. */
puad_status score_request_run(score_response *out, const score_request *request, model_version *version,
                              const request_limits *limits);

#endif
