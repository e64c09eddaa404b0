/* Listens, watches the model file and the signals, and shuts down without dropping a request. */
#include "serve/server.h"

#include "base/memory.h"
#include "serve/routes.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* slow_clients.h limits the time to send a request. UNREAD_FACTOR times that limits the time without any
 * transfer, for clients that do not read; it is longer because it also counts when the service is late. */
enum { CONNECTION_MEMORY = 32 << 10, FINISH_SECONDS = 10, UNREAD_FACTOR = 3 };

static void free_service(service *self)
{
    served_model_free(self->model);
    metrics_free(self->counts);
    slow_clients_free(self->clients);
    drift_sample_free(self->sample);
}

static puad_status make_service(service *out, const server_settings *settings)
{
    *out = (service){.settings = settings};
    TRY(served_model_open(&out->model, settings->model_path, settings->options));
    out->counts = metrics_new();
    out->clients = slow_clients_new(settings->seconds);
    out->sample = drift_sample_new();
    if (!out->counts || !out->clients || !out->sample) FAIL(PUAD_MEMORY, "no memory for the service");
    return PUAD_OK;
}

/* "host:port" or "[v6]:port". */
static puad_status resolve(struct addrinfo **out, const char *address)
{
    char host[256];
    const char *colon = strrchr(address, ':');
    size_t length = colon ? (size_t)(colon - address) : 0;
    if (!colon || length >= sizeof host)
        FAIL(PUAD_INVALID, "option 'listen': '%s': expected HOST:PORT, such as 127.0.0.1:8080", address);
    memcpy(host, address, length);
    host[length] = '\0';
    char *name = host;
    if (name[0] == '[' && length > 1 && name[length - 1] == ']') {
        name[length - 1] = '\0';
        name++;
    }
    const struct addrinfo wanted = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    int failed = getaddrinfo(*name ? name : NULL, colon + 1, &wanted, out);
    if (failed) FAIL(PUAD_INVALID, "option 'listen': '%s': %s", address, gai_strerror(failed));
    return PUAD_OK;
}

static void drop_message(void *context, const char *format, va_list arguments)
{
    (void)context; /* errors of clients are in the access log and in the metrics */
    (void)format;
    (void)arguments;
}

static puad_status start(struct MHD_Daemon **out, service *self)
{
    struct addrinfo *place;
    TRY(resolve(&place, self->settings->address));
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG;
    if (place->ai_family == AF_INET6) flags |= MHD_USE_IPv6;
    errno = 0;
    *out = MHD_start_daemon(flags, 0, NULL, NULL, route_request, self, MHD_OPTION_EXTERNAL_LOGGER,
                            drop_message, NULL, MHD_OPTION_SOCK_ADDR, place->ai_addr,
                            MHD_OPTION_THREAD_POOL_SIZE, (unsigned)self->settings->threads,
                            MHD_OPTION_CONNECTION_LIMIT, (unsigned)self->settings->connections,
                            MHD_OPTION_CONNECTION_TIMEOUT, UNREAD_FACTOR * (unsigned)self->settings->seconds,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
                            MHD_OPTION_NOTIFY_CONNECTION, route_connection, self, MHD_OPTION_NOTIFY_COMPLETED,
                            route_completed, self, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_END);
    int reason = errno;
    freeaddrinfo(place);
    if (!*out)
        FAIL(PUAD_IO, "%s: cannot listen there: %s", self->settings->address,
             strerror(reason ? reason : EINVAL));
    return PUAD_OK;
}

static void reload(service *self, bool always)
{
    bool changed = false;
    puad_status status = served_model_refresh(self->model, always, &changed);
    if (status != PUAD_OK) {
        metrics_reload(self->counts, false);
        fprintf(stderr, "puad serve: warning: %s; the current model stays in service\n", puad_last_error());
    } else if (changed) {
        metrics_reload(self->counts, true);
        fprintf(stderr, "puad serve: loaded %s again\n", self->settings->model_path);
    }
}

static void watch(service *self, const sigset_t *signals)
{
    for (;;) {
        const struct timespec second = {.tv_sec = 1};
        int got = sigtimedwait(signals, NULL, &second);
        if (got == SIGINT || got == SIGTERM) return;
        reload(self, got == SIGHUP);
        slow_clients_close(self->clients);
        drift_sample_compare(self->sample, self->model, self->counts);
    }
}

/* Refuses new connections; running requests are answered. */
static void finish(struct MHD_Daemon *daemon)
{
    MHD_socket listening = MHD_quiesce_daemon(daemon);
    if (listening != MHD_INVALID_SOCKET) close(listening);
    for (int tenth = 0; tenth < 10 * FINISH_SECONDS; tenth++) {
        const union MHD_DaemonInfo *open = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
        if (!open || open->num_connections == 0) break;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    MHD_stop_daemon(daemon);
}

static puad_status serve(service *self, const sigset_t *signals)
{
    struct MHD_Daemon *daemon;
    TRY(start(&daemon, self));
    const union MHD_DaemonInfo *port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    const char *colon = strrchr(self->settings->address, ':');
    fprintf(stderr, "puad serve: listening on http://%.*s:%u\n", (int)(colon - self->settings->address),
            self->settings->address, port ? port->port : 0);
    watch(self, signals);
    finish(daemon);
    return PUAD_OK;
}

puad_status server_run(const server_settings *settings)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    /* threads created from here on leave these signals to watch() */
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    signal(SIGPIPE, SIG_IGN);
    service self;
    puad_status status = make_service(&self, settings);
    if (status == PUAD_OK) status = serve(&self, &signals);
    free_service(&self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
