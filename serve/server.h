/* The HTTP service: routes, limits, one line of access log per request. */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include "serve/served_model.h"

typedef struct server_settings {
    const char *model_path, *model_name; /* the name is part of the paths of the Open Inference Protocol */
    const char *address;                 /* HOST:PORT */
    const puad_options *options;         /* threshold, flag rate */
    int threads, connections, seconds;   /* seconds: time limit for sending a request */
    size_t body_bytes, rows;
    bool access_log; /* on standard output */
} server_settings;

/* Serves until SIGINT or SIGTERM; SIGHUP loads the model again. */
puad_status server_run(const server_settings *settings);

#endif
