/* Closes connections that take too long to send the head of a request. Otherwise a client that sends one
 * byte from time to time would keep a connection forever. All calls may come from any thread. */
#ifndef SERVE_SLOW_CLIENTS_H
#define SERVE_SLOW_CLIENTS_H

#include <stdbool.h>

typedef struct slow_clients slow_clients;
typedef struct client client;

slow_clients *slow_clients_new(int seconds); /* NULL when memory ran out */
void slow_clients_free(slow_clients *self);

client *slow_clients_add(slow_clients *self, int socket); /* NULL when memory ran out */
void slow_clients_remove(slow_clients *self, client *which);
/* The clock of a connection runs while the head of a request is awaited. */
void slow_clients_waiting(slow_clients *self, client *which, bool waiting);
void slow_clients_close(slow_clients *self); /* closes those that have timed out */

double seconds_now(void); /* of a monotonic clock */

#endif
