/* Converts the body of a request to the text of a response. */
#include "serve/score_request.h"
#include "cli/library_values.h"

#include "base/decimal.h"
#include "base/plain_text.h"
#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOTE_CAPACITY = 16, REASON_BYTES = 2048 };

typedef struct notes {
    cJSON *list;
    size_t count;
} notes;

typedef struct scored {
    size_t rows, flagged;
    float *scores;
    double *p, *probabilities; /* NULL if not available */
    unsigned char *flags;      /* NULL if there is no threshold */
    cJSON *ids, *reasons;      /* arrays, or NULL */
    notes notes;
    arena memory;
} scored;

static void scored_free(scored *self)
{
    json_cleanup(&self->ids);
    json_cleanup(&self->reasons);
    json_cleanup(&self->notes.list);
    arena_free(&self->memory);
}
#define AUTO_SCORED __attribute__((cleanup(scored_free)))

static void keep_note(void *context, puad_note_kind kind, const char *text)
{
    notes *self = context;
    (void)kind;
    if (self->count++ < NOTE_CAPACITY) cJSON_AddItemToArray(self->list, cJSON_CreateString(text));
}

static void drop_warning(void *context, const puad_warning *warning)
{
    (void)context; /* one request has too few rows for drift: serve/drift_sample.h compares many */
    (void)warning;
}

static puad_status request_options(puad_options **out, notes *messages)
{
    TRY(puad_options_new(out));
    TRY(puad_options_set_number(*out, "threads", 1));
    puad_options_set_note(*out, keep_note, messages);
    puad_options_set_warning(*out, drop_warning, NULL);
    return PUAD_OK;
}

static puad_status make_room(scored *out, size_t rows, const puad_decider *decider)
{
    TRY(arena_new(&out->memory, &out->scores, rows, sizeof *out->scores));
    if (decided(decider).has_p) TRY(arena_new(&out->memory, &out->p, rows, sizeof *out->p));
    if (decided(decider).has_probability)
        TRY(arena_new(&out->memory, &out->probabilities, rows, sizeof *out->probabilities));
    if (decided(decider).kind == PUAD_DECIDES_THRESHOLD)
        TRY(arena_new(&out->memory, &out->flags, rows, sizeof *out->flags));
    return PUAD_OK;
}

static void decide(scored *out, const puad_decider *decider)
{
    for (size_t row = 0; row < out->rows; row++) {
        if (out->p) out->p[row] = puad_decider_p(decider, out->scores[row]);
        if (out->probabilities) out->probabilities[row] = puad_decider_probability(decider, out->scores[row]);
        if (out->flags) {
            out->flags[row] = puad_decider_flags(decider, out->scores[row]) != 0;
            out->flagged += out->flags[row];
        }
    }
}

static puad_status add_reason(scored *out, puad_scorer *scorer, int reasons, const float *row, size_t columns)
{
    char text[REASON_BYTES];
    size_t count;
    AUTO_FREE puad_reason *found = NULL;
    TRY(memory_new(&found, (size_t)reasons, sizeof *found, "reasons"));
    found->struct_size = sizeof *found;
    TRY(puad_scorer_reasons(scorer, found, (size_t)reasons, &count, row, columns));
    TRY(puad_reasons_text(found, count, text, sizeof text));
    cJSON_AddItemToArray(out->reasons, cJSON_CreateString(text));
    return PUAD_OK;
}

static puad_status score_table(scored *out, const request_rows *rows, const score_request *request,
                               model_version *version, puad_scorer *scorer, const puad_options *options)
{
    puad_dataset *data = NULL;
    TRY(puad_dataset_from_table(&data, rows->table, version_detector(version), options));
    puad_status status = puad_scorer_run(scorer, out->scores, rows->count, data);
    size_t columns = dataset_of(data).columns;
    for (size_t i = 0; i < dataset_of(data).note_count; i++)
        keep_note(&out->notes, PUAD_NOTE, puad_dataset_note(data, i));
    for (size_t row = 0; out->reasons && status == PUAD_OK && row < rows->count; row++)
        status = add_reason(out, scorer, request->reasons, dataset_of(data).values + row * columns, columns);
    puad_dataset_free(data);
    return status;
}

static puad_status score_json(scored *out, const request_rows *rows, const score_request *request,
                              model_version *version, const puad_options *options)
{
    puad_scorer *scorer = NULL;
    out->rows = rows->count;
    TRY(make_room(out, rows->count, version_decider(version)));
    if (rows->count == 0) return PUAD_OK;
    TRY(version_scorer_acquire(&scorer, version));
    puad_status status = score_table(out, rows, request, version, scorer, options);
    version_scorer_release(version, scorer);
    if (status == PUAD_OK) decide(out, version_decider(version));
    return status;
}

static puad_status take_block(scored *out, puad_stream *stream, const score_request *request)
{
    size_t rows = block_of(stream).rows;
    memcpy(out->scores + out->rows, block_of(stream).scores, rows * sizeof *out->scores);
    for (size_t row = 0; row < rows; row++) {
        const char *id = puad_stream_id(stream, row);
        if (id) {
            if (!out->ids) out->ids = cJSON_CreateArray();
            cJSON_AddItemToArray(out->ids, cJSON_CreateString(id));
        }
        if (!out->reasons) continue;
        size_t columns = block_of(stream).columns;
        AUTO_FREE float *values = NULL;
        TRY(memory_new(&values, columns, sizeof *values, "a row"));
        TRY(puad_stream_take(stream, values, columns, row));
        TRY(add_reason(out, puad_stream_scorer(stream), request->reasons, values, columns));
    }
    out->rows += rows;
    return PUAD_OK;
}

static puad_status read_stream(scored *out, puad_stream *stream, const score_request *request,
                               const request_limits *limits)
{
    for (;;) {
        TRY(puad_stream_next(stream));
        if (block_of(stream).rows == 0) break;
        if (out->rows + block_of(stream).rows > limits->rows)
            FAIL(PUAD_INVALID, "more than %zu rows; send fewer at a time", limits->rows);
        TRY(take_block(out, stream, request));
    }
    for (size_t i = 0; puad_stream_note(stream, i); i++)
        keep_note(&out->notes, PUAD_NOTE, puad_stream_note(stream, i));
    return PUAD_OK;
}

/* The reader's other formats, including compressed ones, are not accepted here. */
static puad_status check_csv(const char *body, size_t size)
{
    uint32_t character;
    for (size_t place = 0, bytes; place < size; place += bytes) {
        bytes = utf8_next(&character, body + place);
        if (bytes == 0 || (character < 32 && character != '\n' && character != '\r' && character != '\t'))
            FAIL(PUAD_FORMAT, "byte %zu of the body: expected CSV in UTF-8", place);
    }
    return PUAD_OK;
}

static puad_status write_all(int file, const char *body, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t written = write(file, body + done, size - done);
        if (written <= 0) FAIL(PUAD_IO, "no memory for the body: %s", strerror(errno));
        done += (size_t)written;
    }
    return PUAD_OK;
}

static puad_status score_csv(scored *out, const score_request *request, model_version *version,
                             const puad_options *options, const request_limits *limits)
{
    char path[64];
    puad_stream *stream = NULL;
    TRY(check_csv(request->body, request->size));
    TRY(make_room(out, limits->rows, version_decider(version)));
    int file = memfd_create("request.csv", MFD_CLOEXEC);
    if (file < 0) FAIL(PUAD_IO, "no memory for the body: %s", strerror(errno));
    puad_status status = write_all(file, request->body, request->size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (status == PUAD_OK) status = puad_stream_open(&stream, version_detector(version), path, options);
    if (status == PUAD_OK) status = read_stream(out, stream, request, limits);
    puad_stream_free(stream);
    close(file);
    if (status == PUAD_OK) decide(out, version_decider(version));
    return status;
}

static cJSON *number_array(const double *values, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) cJSON_AddItemToArray(list, json_exact_number(values[i]));
    return list;
}

static cJSON *score_array(const float *values, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    char text[DECIMAL_TEXT];
    for (size_t i = 0; i < count; i++) {
        decimal_text(text, (double)values[i], DECIMAL_DIGITS_MAX);
        cJSON_AddItemToArray(list, isfinite(values[i]) ? cJSON_CreateRaw(text) : cJSON_CreateNull());
    }
    return list;
}

static cJSON *flag_array(const unsigned char *flags, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) cJSON_AddItemToArray(list, cJSON_CreateBool(flags[i]));
    return list;
}

static cJSON *json_response(scored *source, const model_version *version)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "schema", 1);
    cJSON_AddNumberToObject(object, "model_version", (double)version_number(version));
    if (source->ids) cJSON_AddItemToObject(object, "id", source->ids);
    cJSON_AddItemToObject(object, "score", score_array(source->scores, source->rows));
    if (source->p) cJSON_AddItemToObject(object, "p_value", number_array(source->p, source->rows));
    if (source->probabilities)
        cJSON_AddItemToObject(object, "probability", number_array(source->probabilities, source->rows));
    if (source->flags) cJSON_AddItemToObject(object, "flag", flag_array(source->flags, source->rows));
    if (source->reasons) cJSON_AddItemToObject(object, "reasons", source->reasons);
    if (source->notes.count > 0) {
        cJSON_AddItemToObject(object, "notes", source->notes.list);
        source->notes.list = NULL;
    }
    source->ids = source->reasons = NULL;
    return object;
}

static void add_tensor(cJSON *outputs, const char *name, const char *type, cJSON *data, size_t rows)
{
    cJSON *tensor = cJSON_CreateObject(), *shape = cJSON_CreateArray();
    cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)rows));
    cJSON_AddStringToObject(tensor, "name", name);
    cJSON_AddStringToObject(tensor, "datatype", type);
    cJSON_AddItemToObject(tensor, "shape", shape);
    cJSON_AddItemToObject(tensor, "data", data);
    cJSON_AddItemToArray(outputs, tensor);
}

static cJSON *tensor_response(const scored *source, const score_request *request, const char *id,
                              const model_version *version)
{
    char number[32];
    cJSON *object = cJSON_CreateObject(), *outputs = cJSON_CreateArray();
    snprintf(number, sizeof number, "%lu", version_number(version));
    cJSON_AddStringToObject(object, "model_name", request->model_name);
    cJSON_AddStringToObject(object, "model_version", number);
    if (id) cJSON_AddStringToObject(object, "id", id);
    add_tensor(outputs, "score", "FP32", score_array(source->scores, source->rows), source->rows);
    if (source->p)
        add_tensor(outputs, "p_value", "FP64", number_array(source->p, source->rows), source->rows);
    if (source->probabilities)
        add_tensor(outputs, "probability", "FP64", number_array(source->probabilities, source->rows),
                   source->rows);
    if (source->flags)
        add_tensor(outputs, "flag", "BOOL", flag_array(source->flags, source->rows), source->rows);
    cJSON_AddItemToObject(object, "outputs", outputs);
    return object;
}

static void put_cell(FILE *to, const char *text)
{
    fputc(',', to);
    csv_put(to, text, ',', 0);
}

static puad_status csv_response(char **out, const scored *source)
{
    size_t size;
    char text[DECIMAL_TEXT];
    FILE *to = text_stream_open(out, &size);
    if (!to) FAIL(PUAD_MEMORY, "no memory for the response");
    const cJSON *id = source->ids ? source->ids->child : NULL;
    const cJSON *reason = source->reasons ? source->reasons->child : NULL;
    fprintf(to, "row,score%s%s%s%s%s\n", source->ids ? ",id" : "", source->p ? ",p" : "",
            source->probabilities ? ",probability" : "", source->flags ? ",flag" : "",
            source->reasons ? ",reasons" : "");
    for (size_t row = 0; row < source->rows; row++) {
        decimal_text(text, (double)source->scores[row], DECIMAL_DIGITS_MAX);
        fprintf(to, "%zu,%s", row, text);
        if (id) put_cell(to, id->valuestring);
        if (source->p) fprintf(to, ",%.6g", source->p[row]);
        if (source->probabilities) fprintf(to, ",%.4g", source->probabilities[row]);
        if (source->flags) fprintf(to, ",%d", source->flags[row]);
        if (reason) put_cell(to, reason->valuestring);
        fputc('\n', to);
        if (id) id = id->next;
        if (reason) reason = reason->next;
    }
    if (!text_stream_close(to, out)) FAIL(PUAD_MEMORY, "no memory for the response");
    return PUAD_OK;
}

static puad_status write_response(score_response *out, scored *source, const score_request *request,
                                  const char *id, const model_version *version)
{
    out->rows = source->rows;
    out->flagged = source->flagged;
    if (request->writes == BODY_CSV) return csv_response(&out->text, source);
    AUTO_JSON cJSON *object = request->writes == BODY_TENSORS ? tensor_response(source, request, id, version)
                                                              : json_response(source, version);
    out->text = json_text_of(object, false);
    if (!out->text) FAIL(PUAD_MEMORY, "no memory for the response");
    return PUAD_OK;
}

static void options_freed(puad_options **owner)
{
    puad_options_free(*owner);
}

puad_status score_request_run(score_response *out, const score_request *request, model_version *version,
                              const request_limits *limits)
{
    AUTO_SCORED scored result = {.notes.list = cJSON_CreateArray()};
    __attribute__((cleanup(request_rows_free))) request_rows rows = {0};
    __attribute__((cleanup(options_freed))) puad_options *options = NULL;
    *out = (score_response){0};
    TRY(request_options(&options, &result.notes));
    if (request->reasons > 0) result.reasons = cJSON_CreateArray();
    if (request->reads == BODY_CSV) {
        TRY(score_csv(&result, request, version, options, limits));
    } else {
        TRY(request_rows_read(&rows, request->body, request->size, limits));
        TRY(score_json(&result, &rows, request, version, options));
    }
    return write_response(out, &result, request, rows.id, version);
}
