/* The callbacks of libmicrohttpd: the response of each path. */
#ifndef SERVE_ROUTES_H
#define SERVE_ROUTES_H

#include "serve/drift_sample.h"
#include "serve/server.h"
#include "serve/service_metrics.h"
#include "serve/slow_clients.h"

#include <microhttpd.h>

typedef struct service {
    const server_settings *settings;
    served_model *model;
    metrics *counts;
    slow_clients *clients;
    drift_sample *sample;
} service;

/* MHD_AccessHandlerCallback, MHD_NotifyConnectionCallback and MHD_RequestCompletedCallback; `context` is
 * the service. */
enum MHD_Result route_request(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *body, size_t *size,
                              void **request);
void route_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                      enum MHD_ConnectionNotificationCode code);
void route_completed(void *context, struct MHD_Connection *connection, void **request,
                     enum MHD_RequestTerminationCode code);

#endif
