/* Learns scales of channels, and the length of a window from the data. */
#include "series/window.h"

#include "table/encoding/transform.h"

#include <math.h>

enum { LAG_MIN = 16, LAG_MAX = 300, ROWS_MAX = 20000, STRETCH_WINDOWS = 10 };
#define PEAK_HEIGHT 0.1 /* of a period, above the lowest correlation before it */

/* The encoded values that represent 0 and 1 in a column of numbers. */
static void find_indicator(double *zero, double *one, const transform *encoding, size_t channel)
{
    *zero = 0;
    *one = 1;
    for (size_t i = 0; encoding && i < encoding->column_count; i++) {
        const transform_column *column = &encoding->columns[i];
        if (column->type != COLUMN_NUMBER || !column->width || column->first != channel) continue;
        double unit = column->scale / column->sd;
        *zero = ((0 - column->pivot) * column->factor - column->mean) * unit;
        *one = ((1 - column->pivot) * column->factor - column->mean) * unit;
    }
}

void channel_scales_learn(channel_scale *out, const float *rows, size_t count, size_t channels,
                          const transform *encoding)
{
    size_t switches = 0, others = 0;
    for (size_t c = 0; c < channels; c++) {
        double low = INFINITY, high = -INFINITY, zero, one;
        find_indicator(&zero, &one, encoding, c);
        bool indicator = true;
        double near = 1e-4 * fabs(one - zero);
        for (size_t i = 0; i < count; i++) {
            double value = (double)rows[i * channels + c];
            low = fmin(low, value);
            high = fmax(high, value);
            indicator &= fabs(value - zero) <= near || fabs(value - one) <= near;
        }
        double span = high - low;
        bool constant = !(span > 1e-30), two = !constant;
        for (size_t i = 0; two && i < count; i++) {
            double value = (double)rows[i * channels + c];
            two = fmin(value - low, high - value) <= 1e-4 * span;
        }
        switches += two;
        others += !two && !constant;
        out[c] = constant    ? (channel_scale){(float)low, 0, 1}
                 : indicator ? (channel_scale){(float)zero, (float)(1 / (one - zero)), 1}
                             : (channel_scale){(float)(low + span / 2), (float)(2 / span), 1};
        if (two) out[c].weight = 0;
    }
    for (size_t c = 0; c < channels; c++)
        if (out[c].weight == 0) out[c].weight = others ? (float)(1 / sqrt((double)switches)) : 1;
}

/* Joint autocorrelations of the scaled channels for lags 0 to `lags`. */
static puad_status correlate(double *out, const dataset *rows, const channel_scale *scales, size_t lags)
{
    size_t channels = rows->columns, count = rows->rows < ROWS_MAX ? rows->rows : ROWS_MAX;
    AUTO_FREE float *column = NULL;
    TRY(memory_new(&column, count, sizeof *column, "a channel"));
    for (size_t lag = 0; lag <= lags; lag++) out[lag] = 0;
    for (size_t c = 0; c < channels; c++) {
        double mean = 0;
        for (size_t i = 0; i < count; i++) mean += (double)rows->values[i * channels + c];
        mean /= (double)count;
        for (size_t i = 0; i < count; i++)
            column[i] = (float)(((double)rows->values[i * channels + c] - mean) * (double)scales[c].factor);
        for (size_t lag = 0; lag <= lags; lag++) {
            float sum = 0;
            double total = 0;
            for (size_t i = lag; i < count; i++) {
                sum += column[i] * column[i - lag];
                if (i % 256 == 0) {
                    total += (double)sum;
                    sum = 0;
                }
            }
            out[lag] += (total + (double)sum) / (double)(count - lag);
        }
    }
    for (size_t lag = lags + 1; lag-- > 0;) out[lag] = out[0] > 0 ? out[lag] / out[0] : 0;
    return PUAD_OK;
}

static size_t longest_stretch(const dataset *rows)
{
    size_t longest = 0;
    for (size_t begin = 0, end; begin < rows->rows; begin = end) {
        for (end = begin + 1; end < rows->rows && !(rows->breaks && rows->breaks[end]);) end++;
        if (end - begin > longest) longest = end - begin;
    }
    return longest;
}

puad_status window_choose(size_t *out, const dataset *rows, const channel_scale *scales)
{
    double found[LAG_MAX + 2], lowest = 1, best = -INFINITY;
    size_t count = rows->rows < ROWS_MAX ? rows->rows : ROWS_MAX,
           max = longest_stretch(rows) / STRETCH_WINDOWS;
    size_t lags = max < LAG_MAX ? max + 1 : LAG_MAX + 1, period = 0;
    if (lags > count / 2) lags = count / 2;
    TRY(correlate(found, rows, scales, lags));
    for (size_t lag = 1; lag < lags; lag++) {
        lowest = fmin(lowest, found[lag]);
        if (lag < LAG_MIN || found[lag] <= found[lag - 1] || found[lag] < found[lag + 1]) continue;
        if (found[lag] < lowest + PEAK_HEIGHT || found[lag] <= best) continue;
        best = found[lag];
        period = lag;
    }
    *out = period ? period : WINDOW_STANDARD;
    while (*out < WINDOW_MIN) *out *= 2;
    if (*out > max) *out = max > 2 ? max : 2;
    return PUAD_OK;
}
