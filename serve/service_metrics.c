/* Counts requests, rows, reloads and drift, and prints them for Prometheus. */
#include "serve/service_metrics.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double bounds[] = {.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};
enum { BOUNDS = sizeof bounds / sizeof *bounds, STATUS_CLASSES = 6, WARNINGS = 256, NAME_BYTES = 128 };

typedef struct warning_count {
    char warning[NAME_BYTES], column[NAME_BYTES];
    unsigned long count;
} warning_count;

struct metrics {
    pthread_mutex_t lock;
    unsigned long requests[STATUS_CLASSES]; /* by the first digit of the HTTP status */
    unsigned long buckets[BOUNDS], rows, flagged, reloads, failed_reloads, drift_rows;
    double seconds;
    warning_count warnings[WARNINGS];
    size_t warning_kinds;
};

metrics *metrics_new(void)
{
    metrics *made = calloc(1, sizeof *made);
    if (made) pthread_mutex_init(&made->lock, NULL);
    return made;
}

void metrics_free(metrics *self)
{
    if (!self) return;
    pthread_mutex_destroy(&self->lock);
    free(self);
}

void metrics_request(metrics *self, unsigned status, double seconds, size_t rows, size_t flagged)
{
    pthread_mutex_lock(&self->lock);
    self->requests[status / 100 % STATUS_CLASSES]++;
    self->rows += rows;
    self->flagged += flagged;
    self->seconds += seconds;
    for (size_t i = 0; i < BOUNDS; i++) self->buckets[i] += seconds <= bounds[i];
    pthread_mutex_unlock(&self->lock);
}

void metrics_reload(metrics *self, bool succeeded)
{
    pthread_mutex_lock(&self->lock);
    if (succeeded)
        self->reloads++;
    else
        self->failed_reloads++;
    pthread_mutex_unlock(&self->lock);
}

void metrics_drift(metrics *self, const char *warning, const char *column)
{
    warning_count wanted = {.count = 0};
    snprintf(wanted.warning, sizeof wanted.warning, "%s", warning);
    snprintf(wanted.column, sizeof wanted.column, "%s", column ? column : "");
    pthread_mutex_lock(&self->lock);
    size_t i = 0;
    while (i < self->warning_kinds && (strcmp(self->warnings[i].warning, wanted.warning) != 0 ||
                                       strcmp(self->warnings[i].column, wanted.column) != 0))
        i++;
    if (i == self->warning_kinds && i < WARNINGS) self->warnings[self->warning_kinds++] = wanted;
    if (i < WARNINGS) self->warnings[i].count++;
    pthread_mutex_unlock(&self->lock);
}

void metrics_drift_checked(metrics *self, size_t rows)
{
    pthread_mutex_lock(&self->lock);
    self->drift_rows += rows;
    pthread_mutex_unlock(&self->lock);
}

static void put_counter(FILE *to, const char *name, const char *help, unsigned long value)
{
    fprintf(to, "# HELP %s %s\n# TYPE %s counter\n%s %lu\n", name, help, name, name, value);
}

/* Escapes backslash, quote and line feed of a label value. */
static void put_label(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", to);
        else if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else
            fputc(*text, to);
    }
}

static void put_requests(FILE *to, const metrics *self)
{
    unsigned long total = 0;
    fputs("# HELP puad_requests_total Requests by the class of their HTTP status.\n"
          "# TYPE puad_requests_total counter\n",
          to);
    for (int i = 1; i < STATUS_CLASSES; i++) {
        fprintf(to, "puad_requests_total{status=\"%dxx\"} %lu\n", i, self->requests[i]);
        total += self->requests[i];
    }
    fputs("# HELP puad_request_seconds Time from the end of the request's headers to its response.\n"
          "# TYPE puad_request_seconds histogram\n",
          to);
    for (size_t i = 0; i < BOUNDS; i++)
        fprintf(to, "puad_request_seconds_bucket{le=\"%g\"} %lu\n", bounds[i], self->buckets[i]);
    fprintf(to, "puad_request_seconds_bucket{le=\"+Inf\"} %lu\n", total);
    fprintf(to, "puad_request_seconds_sum %.6f\npuad_request_seconds_count %lu\n", self->seconds, total);
}

static void put_drift(FILE *to, const metrics *self)
{
    put_counter(to, "puad_drift_rows_total", "Rows compared with the training rows.", self->drift_rows);
    fputs("# HELP puad_drift_warnings_total Warnings of these comparisons, by name and column.\n"
          "# TYPE puad_drift_warnings_total counter\n",
          to);
    for (size_t i = 0; i < self->warning_kinds; i++) {
        fputs("puad_drift_warnings_total{warning=\"", to);
        put_label(to, self->warnings[i].warning);
        fputs("\",column=\"", to);
        put_label(to, self->warnings[i].column);
        fprintf(to, "\"} %lu\n", self->warnings[i].count);
    }
}

char *metrics_text(metrics *self, unsigned long model_version)
{
    char *text = NULL;
    size_t size;
    FILE *to = text_stream_open(&text, &size);
    if (!to) return NULL;
    pthread_mutex_lock(&self->lock);
    put_requests(to, self);
    put_counter(to, "puad_rows_total", "Rows scored.", self->rows);
    put_counter(to, "puad_flagged_rows_total", "Rows flagged as anomalies.", self->flagged);
    put_counter(to, "puad_model_reloads_total", "New model files taken into service.", self->reloads);
    put_counter(to, "puad_model_reload_failures_total", "New model files that could not be used.",
                self->failed_reloads);
    put_drift(to, self);
    pthread_mutex_unlock(&self->lock);
    fprintf(to,
            "# HELP puad_model_version Number of the model in service, 1 for the first.\n"
            "# TYPE puad_model_version gauge\npuad_model_version %lu\n",
            model_version);
    return text_stream_close(to, &text) ? text : NULL;
}
