/* Depthwise convolution of a row: two vectors of channels and, if all taps are within the image's width,
 * four neighboring pixels at a time. */

/* The taps of one row of outputs that are within the height, and the input row of the first one. */
typedef struct depthwise_rows {
    size_t first, end;
    const float *x;
} depthwise_rows;

INLINE depthwise_rows depthwise_rows_of(const depthwise_job *job, size_t row)
{
    size_t line = row * job->stride, beyond = job->height + job->top;
    size_t first = line < job->top ? job->top - line : 0;
    size_t end = line >= beyond ? 0 : beyond - line < job->tall ? beyond - line : job->tall;
    const float *x = first < end ? job->x + (line + first - job->top) * job->width * job->channels : job->x;
    return (depthwise_rows){first, end, x};
}

/* `pixels`, `vectors` and `full` (all lanes are used) are constants after inlining. Taps [from, to) of the
 * row are within the width for each pixel; the first one is at input column `column`. */
INLINE void depthwise_tile(const int pixels, const int vectors, const bool full, const depthwise_job *job,
                           const depthwise_rows *rows, const size_t columns[3], size_t c, float *y)
{
    const size_t start = columns[0], to = columns[1], step = job->stride * job->channels;
    const size_t left = full ? (size_t)vectors * LANES : job->channels - c;
    vector sum[4][2];
    UNROLL(4)
    for (int p = 0; p < pixels; p++) UNROLL(2)
    for (int v = 0; v < vectors; v++) sum[p][v] = load_some(job->bias + c, left, (size_t)v * LANES);
    for (size_t i = rows->first; i < rows->end; i++) {
        const float *x = rows->x + ((i - rows->first) * job->width + columns[2]) * job->channels + c;
        const float *w = job->weights + (i * job->wide + start) * job->channels + c;
        for (size_t j = start; j < to; j++, x += job->channels, w += job->channels) {
            vector weight[2];
            UNROLL(2)
            for (int v = 0; v < vectors; v++) weight[v] = load_some(w, left, (size_t)v * LANES);
            UNROLL(4)
            for (int p = 0; p < pixels; p++) UNROLL(2)
            for (int v = 0; v < vectors; v++)
                sum[p][v] += weight[v] * load_some(x + (size_t)p * step, left, (size_t)v * LANES);
        }
    }
    UNROLL(4)
    for (int p = 0; p < pixels; p++) UNROLL(2)
    for (int v = 0; v < vectors; v++)
        store_some(y + (size_t)p * job->channels, sum[p][v], left, (size_t)v * LANES);
}

INLINE void depthwise_channels(const int vectors, const bool full, const depthwise_job *job,
                               const depthwise_rows *rows, size_t c, float *y)
{
    size_t inside = job->width + job->left >= job->wide ? job->width + job->left - job->wide + 1 : 0;
    for (size_t x = 0, pixels; x < job->out_width; x += pixels) {
        size_t place = x * job->stride, beyond = job->width + job->left;
        size_t start = place < job->left ? job->left - place : 0;
        size_t to = place >= beyond ? start : beyond - place < job->wide ? beyond - place : job->wide;
        size_t columns[3] = {start, to > start ? to : start, place + start - job->left};
        bool four = start == 0 && x + 4 <= job->out_width && place + 3 * job->stride < inside;
        pixels = four ? 4 : 1;
        if (four)
            depthwise_tile(4, vectors, full, job, rows, columns, c, y + x * job->channels + c);
        else
            depthwise_tile(1, vectors, full, job, rows, columns, c, y + x * job->channels + c);
    }
}

static void NAME(depthwise)(float *y, const depthwise_job *job, size_t row)
{
    const depthwise_rows rows = depthwise_rows_of(job, row);
    size_t c = 0;
    for (; c + 2 * LANES <= job->channels; c += 2 * LANES) depthwise_channels(2, true, job, &rows, c, y);
    for (; c + LANES <= job->channels; c += LANES) depthwise_channels(1, true, job, &rows, c, y);
    if (c < job->channels) depthwise_channels(1, false, job, &rows, c, y);
}
