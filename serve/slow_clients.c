/* A list of open connections, each with the time since it has been waiting for a request. */
#include "serve/slow_clients.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

struct client {
    client *before, *after;
    int socket;
    bool waiting, quiet; /* quiet: overdue at the last check, and no bytes waited to be read */
    double since;
};

struct slow_clients {
    pthread_mutex_t lock;
    client *first;
    double seconds;
};

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

slow_clients *slow_clients_new(int seconds)
{
    slow_clients *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    pthread_mutex_init(&made->lock, NULL);
    made->seconds = seconds;
    return made;
}

void slow_clients_free(slow_clients *self)
{
    if (!self) return;
    for (client *next, *at = self->first; at; at = next) {
        next = at->after;
        free(at);
    }
    pthread_mutex_destroy(&self->lock);
    free(self);
}

client *slow_clients_add(slow_clients *self, int socket)
{
    client *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    *made = (client){.socket = socket, .waiting = true, .since = seconds_now()};
    pthread_mutex_lock(&self->lock);
    made->after = self->first;
    if (self->first) self->first->before = made;
    self->first = made;
    pthread_mutex_unlock(&self->lock);
    return made;
}

void slow_clients_remove(slow_clients *self, client *which)
{
    if (!which) return;
    pthread_mutex_lock(&self->lock);
    if (which->before)
        which->before->after = which->after;
    else
        self->first = which->after;
    if (which->after) which->after->before = which->before;
    pthread_mutex_unlock(&self->lock);
    free(which);
}

void slow_clients_waiting(slow_clients *self, client *which, bool waiting)
{
    if (!which) return;
    pthread_mutex_lock(&self->lock);
    which->waiting = waiting;
    which->quiet = false;
    which->since = seconds_now();
    pthread_mutex_unlock(&self->lock);
}

/* Whether bytes of the client wait to be read: then the service is late, not the client. */
static bool has_sent(const client *which)
{
    struct pollfd one = {.fd = which->socket, .events = POLLIN};
    return poll(&one, 1, 0) > 0 && (one.revents & POLLIN);
}

/* A connection must be quiet at two checks: between them, the service handles a request that it has just
 * read. */
void slow_clients_close(slow_clients *self)
{
    double now = seconds_now();
    pthread_mutex_lock(&self->lock);
    for (client *at = self->first; at; at = at->after) {
        bool quiet = at->waiting && now - at->since > self->seconds && !has_sent(at);
        if (quiet && at->quiet) shutdown(at->socket, SHUT_RDWR);
        at->quiet = quiet;
    }
    pthread_mutex_unlock(&self->lock);
}
