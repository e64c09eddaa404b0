/* Closes connections that take too long to send the head of a request: a client that sends one byte now and
 * then would otherwise keep a connection for ever. All calls may come from any thread. */
#ifndef SERVE_SLOW_CLIENTS_H
#define SERVE_SLOW_CLIENTS_H

#include <stdbool.h>

typedef struct slow_clients slow_clients;
typedef struct client client;

slow_clients *slow_clients_new(int seconds); /* NULL: no memory */
void slow_clients_free(slow_clients *self);

client *slow_clients_add(slow_clients *self, int socket); /* NULL: no memory */
void slow_clients_remove(slow_clients *self, client *which);
/* While the head of a request is awaited, the clock of the connection runs. */
void slow_clients_waiting(slow_clients *self, client *which, bool waiting);
void slow_clients_close(slow_clients *self); /* those whose time is over */

double seconds_now(void); /* of a clock that never goes back */

#endif
