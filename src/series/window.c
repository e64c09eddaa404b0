/* Encodes windows, and builds the labeled windows of a training series. */
#include "series/window.h"

#include "table/encoding/transform.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AMPLITUDE_MIN (0.1 * TABLE_SCALE)

static void encode_channel(float *out, const window_plan *plan, const float *rows, size_t channel)
{
    size_t length = plan->length, channels = plan->channels;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < length; i++) sum += (double)rows[i * channels + channel];
    double level = sum / (double)length;
    for (size_t i = 0; i < length; i++) {
        double away = (double)rows[i * channels + channel] - level;
        squares += away * away;
    }
    double variance = squares / (double)length;
    double scale = TABLE_SCALE / sqrt(variance + AMPLITUDE_MIN * AMPLITUDE_MIN);
    for (size_t i = 0; i < length; i++)
        out[i * channels + channel] =
            (float)flushed(((double)rows[i * channels + channel] - level) * scale, FLT_MIN);
    double weight = sqrt((double)length);
    out[length * channels + channel] = (float)flushed(weight * level, FLT_MIN);
    out[(length + 1) * channels + channel] = (float)flushed(weight * sqrt(variance), FLT_MIN);
}

void window_encode(float *out, const window_plan *plan, const float *rows)
{
    for (size_t c = 0; c < plan->channels; c++) encode_channel(out, plan, rows, c);
}

void window_decode(float *rows, const window_plan *plan, const float *window)
{
    size_t length = plan->length, channels = plan->channels;
    double weight = sqrt((double)length);
    for (size_t c = 0; c < channels; c++) {
        double level = (double)window[length * channels + c] / weight,
               amplitude = (double)window[(length + 1) * channels + c] / weight,
               scale = sqrt(amplitude * amplitude + AMPLITUDE_MIN * AMPLITUDE_MIN) / TABLE_SCALE;
        for (size_t i = 0; i < length; i++)
            rows[i * channels + c] = (float)((double)window[i * channels + c] * scale + level);
    }
}

void window_encode_short(float *out, const window_plan *plan, const float *rows, size_t count, float *buffer)
{
    size_t channels = plan->channels, period = count > 1 ? 2 * (count - 1) : 1;
    for (size_t i = 0; i < plan->length; i++) {
        size_t at = i % period;
        if (at >= count) at = period - at;
        memcpy(buffer + i * channels, rows + at * channels, channels * sizeof *buffer);
    }
    window_encode(out, plan, buffer);
}

void window_place(size_t *first, size_t *last_end, const window_plan *plan, const uint8_t *breaks,
                  size_t count, size_t row)
{
    size_t length = plan->length, begin = row, end = row + 1;
    while (begin > 0 && row - begin < length && !(breaks && breaks[begin])) begin--;
    while (end < count && end - row <= length && !(breaks && breaks[end])) end++;
    size_t half = plan->stride > length / 2 ? plan->stride - 1 : length / 2;
    *first = row - begin < half ? begin : row - half;
    if (*first + length > end) *first = end - begin < length ? begin : end - length;
    *last_end = *first + length < end ? *first + length : end;
}

void window_around(float *out, const window_plan *plan, const float *rows, const uint8_t *breaks,
                   size_t count, size_t row, float *buffer)
{
    size_t first, end;
    window_place(&first, &end, plan, breaks, count, row);
    if (end - first < plan->length)
        window_encode_short(out, plan, rows + first * plan->channels, end - first, buffer);
    else
        window_encode(out, plan, rows + first * plan->channels);
}

void window_mean(float *row, const window_plan *plan, const float *window)
{
    const float *levels = window + plan->length * plan->channels;
    double weight = sqrt((double)plan->length);
    for (size_t c = 0; c < plan->channels; c++) row[c] = (float)((double)levels[c] / weight);
}

/* Whether a run of labeled anomalies begins and ends within rows first ... first + length - 1 of a
 * segment. */
static bool holds_run(const int8_t *labels, size_t begin, size_t end, size_t first, size_t length)
{
    bool inside = false; /* a run that began within the window */
    for (size_t i = first; i < first + length; i++) {
        bool here = labels[i] == PUAD_LABEL_ANOMALY;
        if (here && (i == begin || labels[i - 1] != PUAD_LABEL_ANOMALY)) inside = true;
        if (here && inside && (i + 1 == end || labels[i + 1] != PUAD_LABEL_ANOMALY)) return true;
    }
    return false;
}

/* The label of a window; false if it is left out. */
static bool window_label(int8_t *out, const int8_t *labels, size_t begin, size_t end, size_t first,
                         size_t length)
{
    size_t anomalies = 0, normals = 0;
    for (size_t i = first; i < first + length; i++) {
        anomalies += labels[i] == PUAD_LABEL_ANOMALY;
        normals += labels[i] == PUAD_LABEL_NORMAL;
    }
    *out = normals == length ? PUAD_LABEL_NORMAL : PUAD_LABEL_UNLABELED;
    if (anomalies == 0) return true;
    *out = PUAD_LABEL_ANOMALY;
    return 2 * anomalies >= length || holds_run(labels, begin, end, first, length);
}

typedef struct making {
    windows *out;
    const dataset *rows;
    const int8_t *labels;
    const window_plan *plan;
    bool counting; /* the first pass, to count the windows */
    bool partial;  /* windows with few labeled rows are unlabeled, instead of left out */
} making;

static void take_window(making *job, size_t begin, size_t end, size_t first)
{
    windows *out = job->out;
    const window_plan *plan = job->plan;
    int8_t label = PUAD_LABEL_UNLABELED;
    if (job->labels && !window_label(&label, job->labels, begin, end, first, plan->length)) {
        label = PUAD_LABEL_UNLABELED;
        if (!job->partial) {
            out->left_out += job->counting;
            return;
        }
    }
    if (!job->counting) {
        out->data.labels[out->data.rows] = label;
        out->first[out->data.rows] = (uint32_t)first;
        window_encode(out->data.values + out->data.rows * out->data.columns, plan,
                      job->rows->values + first * plan->channels);
    }
    out->data.rows++;
}

static void take_stretch(making *job, size_t begin, size_t end)
{
    windows *out = job->out;
    size_t length = job->plan->length, stride = job->plan->stride, count = end - begin, at = begin;
    if (job->counting) {
        out->stretches++;
        if (count > out->longest) out->longest = count;
        out->short_stretches += count < length;
        out->short_rows += count < length ? count : 0;
    }
    if (count < length) return;
    for (; at + length <= end; at += stride) take_window(job, begin, end, at);
    if (at - stride + length < end) take_window(job, begin, end, end - length);
}

static void take_all(making *job)
{
    const dataset *rows = job->rows;
    job->out->data.rows = 0;
    for (size_t begin = 0, end; begin < rows->rows; begin = end) {
        for (end = begin + 1; end < rows->rows && !(rows->breaks && rows->breaks[end]); end++) continue;
        take_stretch(job, begin, end);
    }
}

puad_status windows_make(windows *out, const dataset *rows, const int8_t *labels, const window_plan *plan,
                         bool partial)
{
    making job = {out, rows, labels, plan, true, partial};
    dataset *data = &out->data;
    size_t cells;
    *out = (windows){0};
    take_all(&job);
    size_t count = data->rows;
    if (count == 0)
        FAIL(PUAD_INVALID,
             "no window of %zu rows: %zu rows in %zu segments, longest %zu; shorter option "
             "'window', longer option 'gap'",
             plan->length, rows->rows, out->stretches, out->longest);
    data->height = data->width = 1;
    data->columns = window_columns(plan);
    data->channels = (int)data->columns;
    if (data->columns > INT32_MAX || !size_multiply(&cells, count, data->columns))
        FAIL(PUAD_MEMORY, "%zu windows of %zu values are too many", count, data->columns);
    float *values = NULL;
    TRY(memory_new(&values, cells, sizeof *values, "windows"));
    data->value_block = data->values = values;
    TRY(arena_new(&data->memory, &data->labels, count, 1));
    TRY(arena_new(&data->memory, &out->first, count, sizeof *out->first));
    data->name = rows->name;
    job.counting = false;
    take_all(&job);
    return PUAD_OK;
}

void windows_free(windows *owner)
{
    dataset_free(&owner->data);
    *owner = (windows){0};
}
