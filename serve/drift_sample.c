/* Keeps request bodies until there are enough rows to compare with the training rows. */
#include "serve/drift_sample.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { COMPARED_ROWS = 2000, BODY_CAPACITY = COMPARED_ROWS, SAMPLE_BYTES = 16 << 20 };

typedef struct body {
    char *text;
    size_t size;
} body;

struct drift_sample {
    pthread_mutex_t lock;
    body bodies[BODY_CAPACITY];
    size_t count, bytes, rows;
};

drift_sample *drift_sample_new(void)
{
    drift_sample *made = calloc(1, sizeof *made);
    if (made) pthread_mutex_init(&made->lock, NULL);
    return made;
}

static void forget(body *bodies, size_t count)
{
    for (size_t i = 0; i < count; i++) free(bodies[i].text);
}

void drift_sample_free(drift_sample *self)
{
    if (!self) return;
    forget(self->bodies, self->count);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

void drift_sample_add(drift_sample *self, const char *text, size_t size, size_t rows)
{
    pthread_mutex_lock(&self->lock);
    if (self->rows < COMPARED_ROWS && self->count < BODY_CAPACITY && size <= SAMPLE_BYTES - self->bytes) {
        body *next = &self->bodies[self->count];
        next->text = malloc(size + 1);
        if (next->text) {
            memcpy(next->text, text, size);
            next->text[size] = '\0';
            next->size = size;
            self->count++;
            self->bytes += size;
            self->rows += rows;
        }
    }
    pthread_mutex_unlock(&self->lock);
}

static void count_warning(void *context, const puad_warning *warning)
{
    metrics_drift(context, warning->name, warning->column);
}

static void drop_note(void *context, puad_note_kind kind, const char *text)
{
    (void)context;
    (void)kind;
    (void)text;
}

/* Joins all bodies that are objects of columns to one body. */
static puad_status join(cJSON **out, const body *bodies, size_t count)
{
    *out = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        AUTO_JSON cJSON *one = NULL;
        TRY(json_parse(&one, bodies[i].text, "the body"));
        cJSON *rows = cJSON_IsArray(one) ? one : cJSON_GetObjectItemCaseSensitive(one, "rows");
        if (!rows || !cJSON_IsObject(rows->child)) continue;
        while (rows->child) cJSON_AddItemToArray(*out, cJSON_DetachItemViaPointer(rows, rows->child));
    }
    return PUAD_OK;
}

static puad_status compare(const body *bodies, size_t count, model_version *version, metrics *counts)
{
    AUTO_JSON cJSON *rows = NULL;
    TRY(join(&rows, bodies, count));
    AUTO_FREE char *text = json_text_of(rows, false);
    if (!text) FAIL(PUAD_MEMORY, "no memory for a sample of rows");
    const request_limits limits = {.body_bytes = SIZE_MAX, .rows = SIZE_MAX};
    __attribute__((cleanup(request_rows_free))) request_rows table = {0};
    TRY(request_rows_read(&table, text, strlen(text), &limits));
    if (table.count < COMPARED_ROWS / 2) return PUAD_OK;
    puad_scorer *scorer = NULL;
    puad_options *options = NULL;
    AUTO_FREE float *scores = NULL;
    TRY(memory_new(&scores, table.count, sizeof *scores, "scores"));
    TRY(puad_options_new(&options));
    puad_status status = puad_options_set_number(options, "threads", 1);
    puad_options_set_warning(options, count_warning, counts);
    puad_options_set_note(options, drop_note, NULL);
    if (status == PUAD_OK) status = version_scorer_acquire(&scorer, version);
    if (status == PUAD_OK) status = puad_scorer_run_table(scorer, scores, table.count, table.table, options);
    if (status == PUAD_OK) metrics_drift_checked(counts, table.count);
    version_scorer_release(version, scorer);
    puad_options_free(options);
    return status;
}

void drift_sample_compare(drift_sample *self, served_model *model, metrics *counts)
{
    body *bodies = NULL;
    size_t count = 0;
    pthread_mutex_lock(&self->lock);
    if (self->rows >= COMPARED_ROWS || self->count == BODY_CAPACITY) {
        bodies = malloc(self->count * sizeof *bodies);
        if (bodies) {
            count = self->count;
            memcpy(bodies, self->bodies, count * sizeof *bodies);
            self->count = self->bytes = self->rows = 0;
        }
    }
    pthread_mutex_unlock(&self->lock);
    if (!bodies) return;
    model_version *version = served_model_acquire(model);
    (void)compare(bodies, count, version, counts); /* rows of an earlier model are dropped */
    served_model_release(model, version);
    forget(bodies, count);
    free(bodies);
}
