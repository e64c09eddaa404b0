/* Receives requests within the limits, answers them, and logs each on one line. */
#include "serve/routes.h"

#include "base/json.h"
#include "serve/model_description.h"
#include "serve/score_request.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATH_BYTES = 256, FIRST_BODY_BYTES = 4096, REASONS_MAX = 100 };

typedef struct http_request {
    char path[PATH_BYTES], method[16];
    char *body;
    size_t size, capacity;
    double started;
    unsigned status; /* of the response */
    size_t response_bytes, rows, flagged;
    bool received, too_large;
} http_request;

static client *client_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

void route_connection(void *context, struct MHD_Connection *connection, void **socket_context,
                      enum MHD_ConnectionNotificationCode code)
{
    service *self = context;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        *socket_context = info ? slow_clients_add(self->clients, info->connect_fd) : NULL;
    else
        slow_clients_remove(self->clients, *socket_context);
}

/* Takes ownership of `text`. */
static enum MHD_Result answer(struct MHD_Connection *connection, http_request *request, unsigned status,
                              const char *type, char *text)
{
    static char nothing[] = "";
    request->status = text ? status : MHD_HTTP_SERVICE_UNAVAILABLE;
    request->response_bytes = text ? strlen(text) : 0;
    struct MHD_Response *response =
        text ? MHD_create_response_from_buffer(request->response_bytes, text, MHD_RESPMEM_MUST_FREE)
             : MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT);
    if (!response) {
        free(text);
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    if (status == MHD_HTTP_CONTENT_TOO_LARGE)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result queued = MHD_queue_response(connection, request->status, response);
    MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result answer_json(struct MHD_Connection *connection, http_request *request, unsigned status,
                                   const cJSON *object)
{
    return answer(connection, request, status, "application/json", json_text_of(object, false));
}

static enum MHD_Result answer_error(struct MHD_Connection *connection, http_request *request, unsigned status,
                                    const char *message)
{
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "error", message);
    return answer_json(connection, request, status, object);
}

static unsigned status_of(puad_status status)
{
    switch (status) {
    case PUAD_FORMAT:
    case PUAD_INVALID: return MHD_HTTP_BAD_REQUEST;
    case PUAD_MEMORY: return MHD_HTTP_SERVICE_UNAVAILABLE;
    default: return MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
}

static bool header_has(struct MHD_Connection *connection, const char *name, const char *word)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
    return value && strstr(value, word);
}

/* The query parameter "explain", 0 to REASONS_MAX; -1 for anything else. */
static int reasons_of(struct MHD_Connection *connection)
{
    char *end;
    const char *text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "explain");
    if (!text) return 0;
    long value = strtol(text, &end, 10);
    return end == text || *end || value < 0 || value > REASONS_MAX ? -1 : (int)value;
}

static enum MHD_Result score(service *self, struct MHD_Connection *connection, http_request *request,
                             bool tensors)
{
    score_response response = {0};
    score_request asked = {.body = request->body ? request->body : "",
                           .size = request->size,
                           .reasons = reasons_of(connection),
                           .model_name = self->settings->model_name};
    const request_limits limits = {self->settings->body_bytes, self->settings->rows};
    if (asked.reasons < 0)
        return answer_error(connection, request, MHD_HTTP_BAD_REQUEST, "explain: expected 0 to 100");
    if (header_has(connection, MHD_HTTP_HEADER_CONTENT_TYPE, "text/csv")) asked.reads = BODY_CSV;
    asked.writes = tensors                                                      ? BODY_TENSORS
                   : header_has(connection, MHD_HTTP_HEADER_ACCEPT, "text/csv") ? BODY_CSV
                   : asked.reads == BODY_CSV && !header_has(connection, MHD_HTTP_HEADER_ACCEPT, "json")
                       ? BODY_CSV
                       : BODY_JSON;
    model_version *version = served_model_acquire(self->model);
    puad_status status = score_request_run(&response, &asked, version, &limits);
    served_model_release(self->model, version);
    if (status != PUAD_OK) return answer_error(connection, request, status_of(status), puad_last_error());
    request->rows = response.rows;
    request->flagged = response.flagged;
    if (asked.reads == BODY_JSON) drift_sample_add(self->sample, asked.body, asked.size, response.rows);
    return answer(connection, request, MHD_HTTP_OK,
                  asked.writes == BODY_CSV ? "text/csv; charset=utf-8" : "application/json", response.text);
}

typedef enum page {
    PAGE_NONE,
    PAGE_HEALTH,
    PAGE_METRICS,
    PAGE_MODEL,
    PAGE_SERVER,
    PAGE_TENSOR_MODEL,
    PAGE_SCORE,
    PAGE_INFER
} page;

static page page_of(const service *self, const char *path)
{
    static const struct {
        const char *path;
        page page;
    } pages[] = {
        {"/health", PAGE_HEALTH},         {"/metrics", PAGE_METRICS}, {"/model", PAGE_MODEL},
        {"/score", PAGE_SCORE},           {"/v2", PAGE_SERVER},       {"/v2/health/live", PAGE_HEALTH},
        {"/v2/health/ready", PAGE_HEALTH}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(path, pages[i].path) == 0) return pages[i].page;
    static const char models[] = "/v2/models/";
    const char *name = self->settings->model_name;
    if (strncmp(path, models, sizeof models - 1) != 0) return PAGE_NONE;
    path += sizeof models - 1;
    if (strncmp(path, name, strlen(name)) != 0) return PAGE_NONE;
    path += strlen(name);
    if (strcmp(path, "") == 0) return PAGE_TENSOR_MODEL;
    if (strcmp(path, "/ready") == 0) return PAGE_HEALTH;
    return strcmp(path, "/infer") == 0 ? PAGE_INFER : PAGE_NONE;
}

static enum MHD_Result describe(service *self, struct MHD_Connection *connection, http_request *request,
                                page which)
{
    AUTO_JSON cJSON *object = NULL;
    model_version *version = served_model_acquire(self->model);
    enum MHD_Result result;
    if (which == PAGE_METRICS) {
        result = answer(connection, request, MHD_HTTP_OK, "text/plain; version=0.0.4",
                        metrics_text(self->counts, version_number(version)));
    } else if (which == PAGE_MODEL) {
        char *text = NULL, *copy = NULL;
        if (puad_detector_to_json(&text, version_detector(version)) == PUAD_OK) copy = strdup(text);
        puad_free(text);
        result = answer(connection, request, MHD_HTTP_OK, "application/json", copy);
    } else {
        object = which == PAGE_HEALTH   ? describe_health(version)
                 : which == PAGE_SERVER ? describe_server()
                                        : describe_tensors(version, self->settings->model_name);
        result = answer_json(connection, request, MHD_HTTP_OK, object);
    }
    served_model_release(self->model, version);
    return result;
}

static enum MHD_Result respond(service *self, struct MHD_Connection *connection, http_request *request)
{
    page which = page_of(self, request->path);
    bool posts = which == PAGE_SCORE || which == PAGE_INFER;
    if (which == PAGE_NONE) return answer_error(connection, request, MHD_HTTP_NOT_FOUND, "no such path");
    if (strcmp(request->method, posts ? "POST" : "GET") != 0 &&
        (posts || strcmp(request->method, "HEAD") != 0))
        return answer_error(connection, request, MHD_HTTP_METHOD_NOT_ALLOWED,
                            posts ? "expected POST" : "expected GET");
    if (posts) return score(self, connection, request, which == PAGE_INFER);
    return describe(self, connection, request, which);
}

static puad_status receive(http_request *request, const char *bytes, size_t count, size_t max)
{
    if (count > max - request->size) {
        request->too_large = true;
        return PUAD_INVALID;
    }
    if (request->size + count + 1 > request->capacity) {
        size_t wanted = 2 * (request->size + count) + FIRST_BODY_BYTES;
        TRY(memory_grow(&request->body, wanted, 1, "the body of a request"));
        request->capacity = wanted;
    }
    memcpy(request->body + request->size, bytes, count);
    request->size += count;
    request->body[request->size] = '\0';
    return PUAD_OK;
}

static http_request *begin(const char *path, const char *method)
{
    http_request *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->started = seconds_now();
    snprintf(made->path, sizeof made->path, "%s", path);
    snprintf(made->method, sizeof made->method, "%s", method);
    return made;
}

/* Whether the announced length of a body is too large, so that it can be refused at once. */
static bool announces_too_much(struct MHD_Connection *connection, size_t max)
{
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length && strtoull(length, NULL, 10) > max;
}

static enum MHD_Result refuse_size(struct MHD_Connection *connection, http_request *request, size_t max)
{
    char message[96];
    snprintf(message, sizeof message, "the body has more than %zu bytes; send fewer rows at a time", max);
    return answer_error(connection, request, MHD_HTTP_CONTENT_TOO_LARGE, message);
}

enum MHD_Result route_request(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *body, size_t *size,
                              void **which)
{
    service *self = context;
    http_request *request = *which;
    size_t max = self->settings->body_bytes;
    (void)version;
    if (!request) {
        *which = request = begin(path, method);
        if (!request) return MHD_NO;
        if (announces_too_much(connection, max)) return refuse_size(connection, request, max);
        return MHD_YES;
    }
    if (*size > 0) {
        puad_status status = request->too_large ? PUAD_OK : receive(request, body, *size, max);
        *size = 0;
        return status == PUAD_OK || request->too_large ? MHD_YES : MHD_NO;
    }
    request->received = true;
    slow_clients_waiting(self->clients, client_of(connection), false);
    if (request->too_large) return refuse_size(connection, request, max);
    return respond(self, connection, request);
}

/* Logs the path without characters that could forge a log line. */
static void log_request(struct MHD_Connection *connection, const http_request *request, double seconds)
{
    char source[INET6_ADDRSTRLEN] = "-", path[PATH_BYTES], when[32];
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info ? info->client_addr : NULL;
    if (address && address->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, source,
                  sizeof source);
    if (address && address->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, source,
                  sizeof source);
    snprintf(path, sizeof path, "%s", request->path);
    for (char *at = path; *at; at++)
        if (*at <= ' ' || *at > '~' || *at == '"' || *at == '\\') *at = '?';
    time_t now = time(NULL);
    struct tm parts;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
    printf("%s %s \"%s %s\" %u %zu bytes %zu rows %.1f ms\n", when, source, request->method, path,
           request->status, request->response_bytes, request->rows, 1000 * seconds);
}

void route_completed(void *context, struct MHD_Connection *connection, void **which,
                     enum MHD_RequestTerminationCode code)
{
    service *self = context;
    http_request *request = *which;
    (void)code;
    slow_clients_waiting(self->clients, client_of(connection), true);
    if (!request) return;
    double seconds = seconds_now() - request->started;
    metrics_request(self->counts, request->status ? request->status : MHD_HTTP_REQUEST_TIMEOUT, seconds,
                    request->rows, request->flagged);
    if (self->settings->access_log) log_request(connection, request, seconds);
    free(request->body);
    free(request);
    *which = NULL;
}
