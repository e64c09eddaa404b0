/* Every kernel as plain loops: slow and short, the oracle for tests of the vector versions.
 * PUAD_ISA=reference runs a whole network with this table. */
#include "kernels/reference.h"

#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

static void multiply(const multiply_job *job)
{
    for (size_t m = 0; m < job->rows; m++)
        for (size_t n = 0; n < job->columns; n++) {
            float *c = job->c + (ptrdiff_t)m * job->c_row + n;
            double sum = job->add ? *c : 0;
            for (size_t s = 0; s < job->segments; s++)
                for (size_t k = 0; k < job->depth; k++) {
                    const float *a = job->a + (ptrdiff_t)m * job->a_row + (ptrdiff_t)s * job->a_segment;
                    const float *b = job->b + (ptrdiff_t)s * job->b_segment + (ptrdiff_t)k * job->b_step;
                    sum += (double)a[(ptrdiff_t)k * job->a_step] * b[n];
                }
            *c = (float)sum + (job->bias ? job->bias[n] : 0);
            if (job->slope && *c < 0) *c *= *job->slope;
        }
}

static float clamped(double value, float low, float high)
{
    return value > (double)high ? high : value < (double)low ? low : (float)value;
}

static void depthwise(float *y, const depthwise_job *job, size_t row)
{
    for (size_t x = 0; x < job->out_width; x++)
        for (size_t c = 0; c < job->channels; c++) {
            double sum = job->bias[c];
            for (size_t i = 0; i < job->tall; i++)
                for (size_t j = 0; j < job->wide; j++) {
                    size_t line = row * job->stride + i, column = x * job->stride + j;
                    if (line < job->top || line - job->top >= job->height) continue;
                    if (column < job->left || column - job->left >= job->width) continue;
                    size_t pixel = (line - job->top) * job->width + column - job->left;
                    sum += (double)job->x[pixel * job->channels + c] *
                           job->weights[(i * job->wide + j) * job->channels + c];
                }
            y[x * job->channels + c] = (float)sum;
        }
}

/* The matrices of winograd.inl, from the interpolation points. */
static const double points5[7] = {0, 1, -1, 2, -2, 0.5, -0.5}, points3[5] = {0, 0.75, -0.75, 1.5, -1.5};

static const double *finite_points(int taps, size_t *count)
{
    *count = winograd_side((size_t)taps) - 1;
    return taps == 5 ? points5 : points3;
}

/* A[j][i] = point_j ^ i; the point at infinity selects the last value */
static double spread_entry(int taps, size_t j, size_t i)
{
    size_t count;
    const double *points = finite_points(taps, &count);
    if (j == count) return i == WINOGRAD_OUTPUTS - 1;
    return pow(points[j], (double)i);
}

/* B'[j][i]: coefficient of x^i in the product of (x - point_m) over m != j (over all m for infinity). For
 * five taps the sign of the row of point 0 is flipped, so that G's row there is +1. */
static double input_entry(int taps, size_t j, size_t i)
{
    size_t count, degree = 0;
    const double *points = finite_points(taps, &count);
    double polynomial[9] = {1};
    for (size_t m = 0; m < count; m++) {
        if (m == j) continue;
        degree++;
        for (size_t k = degree; k > 0; k--) polynomial[k] = polynomial[k - 1] - points[m] * polynomial[k];
        polynomial[0] *= -points[m];
    }
    double sign = taps == 5 && j == 0 ? -1 : 1;
    return i <= degree ? sign * polynomial[i] : 0;
}

/* G[j][k] = point_j ^ k / product over m != j of (point_j - point_m) */
static double weight_entry(int taps, size_t j, size_t k)
{
    size_t count;
    const double *points = finite_points(taps, &count);
    if (j == count) return k == (size_t)taps - 1;
    double product = taps == 5 && j == 0 ? -1 : 1;
    for (size_t m = 0; m < count; m++)
        if (m != j) product *= points[j] - points[m];
    return pow(points[j], (double)k) / product;
}

/* One of the matrices, or its transpose: `outputs` x `inputs`. */
typedef struct matrix {
    size_t outputs, inputs;
    double entry[WINOGRAD_SIDE_MAX][WINOGRAD_SIDE_MAX];
} matrix;

static matrix matrix_of(double (*entry)(int taps, size_t point, size_t i), int taps, size_t outputs,
                        size_t inputs, bool transposed)
{
    matrix m = {outputs, inputs, {{0}}};
    for (size_t row = 0; row < outputs; row++)
        for (size_t column = 0; column < inputs; column++)
            m.entry[row][column] = transposed ? entry(taps, column, row) : entry(taps, row, column);
    return m;
}

/* Value i of M t M', with t the square tile. */
static double both_ways(const matrix *m, size_t i, const double *tile)
{
    const double *by_row = m->entry[i / m->outputs], *by_column = m->entry[i % m->outputs];
    double sum = 0;
    for (size_t y = 0; y < m->inputs; y++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): a tile has from x from values */
        for (size_t x = 0; x < m->inputs; x++) sum += by_row[y] * by_column[x] * tile[y * m->inputs + x];
    return sum;
}

/* For each channel c, value i of the result goes to `write`, and value i of the tile comes from `read`. */
#define EACH_TILE(channels, m, write, read)                                                                  \
    for (size_t c = 0; c < (channels); c++) {                                                                \
        double tile[WINOGRAD_SIDE_MAX * WINOGRAD_SIDE_MAX];                                                  \
        for (size_t i = 0; i < (m).inputs * (m).inputs; i++) tile[i] = (read);                               \
        for (size_t i = 0; i < (m).outputs * (m).outputs; i++) (write) = (float)both_ways(&(m), i, tile);    \
    }

static void winograd_input(int taps, float *points, size_t point_stride, const float *const *pixels,
                           size_t first, size_t channels)
{
    size_t side = winograd_side((size_t)taps);
    matrix m = matrix_of(input_entry, taps, side, side, false);
    EACH_TILE(channels, m, points[i * point_stride + c], pixels[i][first + c])
}

static void winograd_output(int taps, float *const *pixels, const float *points, size_t point_stride,
                            size_t channels)
{
    matrix m = matrix_of(spread_entry, taps, WINOGRAD_OUTPUTS, winograd_side((size_t)taps), true);
    EACH_TILE(channels, m, pixels[i][c], points[i * point_stride + c])
}

static void winograd_spread(int taps, float *points, size_t point_stride, const float *const *pixels,
                            size_t first, size_t channels)
{
    matrix m = matrix_of(spread_entry, taps, winograd_side((size_t)taps), WINOGRAD_OUTPUTS, false);
    EACH_TILE(channels, m, points[i * point_stride + c], pixels[i][first + c])
}

static void winograd_weights(int taps, float *points, size_t point_stride, const float *weights,
                             size_t tap_stride, size_t count)
{
    matrix m = matrix_of(weight_entry, taps, winograd_side((size_t)taps), (size_t)taps, false);
    EACH_TILE(count, m, points[i * point_stride + c], weights[i * tap_stride + c])
}

static void winograd_weights_back(int taps, float *weights, size_t tap_stride, const float *points,
                                  size_t point_stride, size_t count)
{
    matrix m = matrix_of(weight_entry, taps, (size_t)taps, winograd_side((size_t)taps), true);
    EACH_TILE(count, m, weights[i * tap_stride + c], points[i * point_stride + c])
}

static void moments(float *mean, float *deviations, const float *x, size_t rows, size_t channels)
{
    if (rows == 0) return;
    for (size_t c = 0; c < channels; c++) {
        double sum = 0, squares = 0;
        for (size_t r = 0; r < rows; r++) sum += x[r * channels + c];
        sum /= (double)rows;
        for (size_t r = 0; r < rows; r++)
            squares += (x[r * channels + c] - sum) * (x[r * channels + c] - sum);
        mean[c] = (float)sum;
        deviations[c] = (float)squares;
    }
}

static float leaky_one(float a, float slope)
{
    return a > 0 ? a : a * slope;
}

static void affine_leaky(float *y, const float *x, const float *scale, const float *shift, float slope,
                         size_t rows, size_t channels)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < channels; c++)
            y[r * channels + c] = leaky_one(x[r * channels + c] * scale[c] + shift[c], slope);
}

/* the position of pixel i (0..3) of a pooled pixel */
static size_t corner(size_t row, size_t column, int i, size_t width)
{
    return (2 * row + (size_t)i / 2) * width + 2 * column + (size_t)i % 2;
}

/* the index of the largest of the four pixels after the map; the first of equals */
static size_t best_corner(const float *x, size_t row, size_t column, size_t c, const float *scale,
                          const float *shift, size_t width, size_t channels)
{
    size_t best = corner(row, column, 0, width);
    for (int i = 1; i < 4; i++) {
        size_t other = corner(row, column, i, width);
        float a = x[other * channels + c] * scale[c] + shift[c];
        if (a > x[best * channels + c] * scale[c] + shift[c]) best = other;
    }
    return best;
}

static void affine_leaky_pool(float *y, const float *x, const float *scale, const float *shift, float slope,
                              size_t height, size_t width, size_t channels)
{
    for (size_t row = 0; row < height / 2; row++)
        for (size_t column = 0; column < width / 2; column++)
            for (size_t c = 0; c < channels; c++) {
                size_t best = best_corner(x, row, column, c, scale, shift, width, channels);
                *y++ = leaky_one(x[best * channels + c] * scale[c] + shift[c], slope);
            }
}

static void affine_leaky_sums(float *sum, float *sum_x, const float *dy, const float *x, const float *scale,
                              const float *shift, const float *mean, float slope, size_t rows,
                              size_t channels)
{
    for (size_t c = 0; c < channels; c++) {
        double total = 0, total_x = 0;
        for (size_t i = c; i < rows * channels; i += channels) {
            float g = x[i] * scale[c] + shift[c] > 0 ? dy[i] : dy[i] * slope;
            total += g;
            total_x += g * (x[i] - mean[c]);
        }
        sum[c] = (float)total;
        sum_x[c] = (float)total_x;
    }
}

static void affine_leaky_pool_sums(float *sum, float *sum_x, const float *dy, const float *x,
                                   const float *scale, const float *shift, const float *mean, float slope,
                                   size_t height, size_t width, size_t channels)
{
    for (size_t c = 0; c < channels; c++) {
        double total = 0, total_x = 0;
        for (size_t row = 0; row < height / 2; row++)
            for (size_t column = 0; column < width / 2; column++) {
                float value = x[best_corner(x, row, column, c, scale, shift, width, channels) * channels + c];
                float g = dy[(row * (width / 2) + column) * channels + c];
                if (!(value * scale[c] + shift[c] > 0)) g *= slope;
                total += g;
                total_x += g * (value - mean[c]);
            }
        sum[c] = (float)total;
        sum_x[c] = (float)total_x;
    }
}

static void affine_leaky_back(float *dx, const float *dy, const float *x, const float *scale,
                              const float *shift, const float *by_x, const float *constant, float slope,
                              size_t rows, size_t channels)
{
    for (size_t i = 0; i < rows * channels; i++) {
        size_t c = i % channels;
        float g = x[i] * scale[c] + shift[c] > 0 ? dy[i] : dy[i] * slope;
        dx[i] = g * scale[c] + x[i] * by_x[c] + constant[c];
    }
}

static void affine_leaky_pool_back(float *dx, const float *dy, const float *x, const float *scale,
                                   const float *shift, const float *by_x, const float *constant, float slope,
                                   size_t height, size_t width, size_t channels)
{
    for (size_t row = 0; row < height / 2; row++)
        for (size_t column = 0; column < width / 2; column++)
            for (size_t c = 0; c < channels; c++) {
                size_t best = best_corner(x, row, column, c, scale, shift, width, channels);
                float g = dy[(row * (width / 2) + column) * channels + c] * scale[c];
                if (!(x[best * channels + c] * scale[c] + shift[c] > 0)) g *= slope;
                for (int i = 0; i < 4; i++) {
                    size_t at = corner(row, column, i, width);
                    dx[at * channels + c] =
                        (at == best ? g : 0) + x[at * channels + c] * by_x[c] + constant[c];
                }
            }
}

static void leaky(float *y, const float *x, float slope, size_t count)
{
    for (size_t i = 0; i < count; i++) y[i] = leaky_one(x[i], slope);
}

static void leaky_back(float *dx, const float *dy, const float *x, float slope, size_t count)
{
    for (size_t i = 0; i < count; i++) dx[i] = x[i] > 0 ? dy[i] : dy[i] * slope;
}

static void sigmoid(float *y, const float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) y[i] = (float)(1 / (1 + exp(-(double)x[i])));
}

static void silu(float *y, const float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) y[i] = (float)(x[i] / (1 + exp(-(double)x[i])));
}

static void hard_swish(float *y, const float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) y[i] = x[i] * clamped((double)x[i] + 3, 0, 6) / 6;
}

static void clamp(float *y, float low, float high, size_t count)
{
    for (size_t i = 0; i < count; i++) y[i] = clamped((double)y[i], low, high);
}

static void sigmoid_back(float *dx, const float *dy, const float *y, size_t count)
{
    for (size_t i = 0; i < count; i++) dx[i] = dy[i] * y[i] * (1 - y[i]);
}

static void add(float *y, const float *x, size_t count)
{
    for (size_t i = 0; i < count; i++) y[i] += x[i];
}

static const float one[1] = {1}, none[1] = {0};

static void pool(float *y, const float *x, size_t height, size_t width, size_t channels)
{
    for (size_t row = 0; row < height / 2; row++)
        for (size_t column = 0; column < width / 2; column++)
            for (size_t c = 0; c < channels; c++)
                *y++ = x[best_corner(x + c, row, column, 0, one, none, width, channels) * channels + c];
}

static void pool_back(float *dx, const float *dy, const float *x, size_t height, size_t width,
                      size_t channels)
{
    memset(dx, 0, (height / 2 * 2) * width * channels * sizeof *dx);
    for (size_t row = 0; row < height / 2; row++)
        for (size_t column = 0; column < width / 2; column++)
            for (size_t c = 0; c < channels; c++)
                dx[best_corner(x + c, row, column, 0, one, none, width, channels) * channels + c] = *dy++;
}

static void upsample(float *y, const float *x, size_t height, size_t width, size_t channels)
{
    for (size_t row = 0; row < 2 * height; row++)
        for (size_t column = 0; column < 2 * width; column++)
            for (size_t c = 0; c < channels; c++) *y++ = x[(row / 2 * width + column / 2) * channels + c];
}

static void upsample_back(float *dx, const float *dy, size_t height, size_t width, size_t channels)
{
    memset(dx, 0, height * width * channels * sizeof *dx);
    for (size_t row = 0; row < 2 * height; row++)
        for (size_t column = 0; column < 2 * width; column++)
            for (size_t c = 0; c < channels; c++) dx[(row / 2 * width + column / 2) * channels + c] += *dy++;
}

static void squared_distance(float *out, const float *y, const float *x, size_t count, size_t repeat)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += ((double)y[i] - x[i / repeat]) * ((double)y[i] - x[i / repeat]);
    *out = (float)sum;
}

static void scaled_difference(float *dy, const float *y, const float *x, float factor, size_t count,
                              size_t repeat)
{
    for (size_t i = 0; i < count; i++) dy[i] = factor * (y[i] - x[i / repeat]);
}

static void tree_sums(uint32_t *sums, const tree_step *steps, size_t inner, size_t count, uint16_t first,
                      const int16_t *codes, int16_t *masks)
{
    (void)inner, (void)masks;
    for (size_t row = 0; row < TREE_ROWS; row++) {
        uint16_t value = first;
        for (size_t at = 0; at < count;) {
            bool right = codes[(size_t)steps[at].column * TREE_ROWS + row] < steps[at].threshold;
            if (right) value = (uint16_t)(value + steps[at].difference);
            at = right ? steps[at].right : steps[at].left;
        }
        sums[row] += value;
    }
}

static void least_distances(float *min, const float *rows, size_t count, const float *points, size_t sets,
                            size_t size, size_t columns)
{
    for (size_t at = 0; at < count * sets; at++) {
        const float *row = rows + at / sets * columns, *point = points + at % sets * columns * size;
        double found = INFINITY;
        for (size_t i = 0; i < size; i++) {
            double sum = 0;
            for (size_t c = 0; c < columns; c++) {
                double off = (double)row[c] - (double)point[c * size + i];
                sum += off * off;
            }
            found = fmin(found, sum);
        }
        min[at] = (float)found;
    }
}

static void adam(float *w, const float *g, float *m, float *v, const adam_step *step, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float gradient = g[i] + step->decay * w[i];
        m[i] = step->beta1 * m[i] + (1 - step->beta1) * gradient;
        v[i] = step->beta2 * v[i] + (1 - step->beta2) * gradient * gradient;
        w[i] = step->keep * w[i] - step->rate * m[i] / (sqrtf(v[i]) * step->correction + step->epsilon);
    }
}

static void encode_numbers(float *out, float *missing, bool *beyond, const number_encoding *encoding,
                           const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double held = (double)transform_hold(numbers[i], encoding->pivot, encoding->factor);
        if (missing) missing[i] = isnan(held) ? 1.0f : 0.0f;
        out[i] = 0;
        if (isnan(held)) continue;
        if (held < encoding->low || held > encoding->high) *beyond = true;
        held = held < encoding->low ? encoding->low : held > encoding->high ? encoding->high : held;
        out[i] = transform_scaled(held, encoding->mean, encoding->sd, encoding->scale);
        if (encoding->spread > 0)
            out[i] = transform_scaled((double)out[i], encoding->shift, encoding->spread, 1);
        if (fabsf(out[i]) >= (float)ENCODED_MAX) *beyond = true;
    }
}

static void turn_columns(float *rows, size_t stride, const float *columns, size_t apart, size_t row_count,
                         size_t column_count)
{
    for (size_t r = 0; r < row_count; r++)
        for (size_t c = 0; c < column_count; c++) rows[r * stride + c] = columns[c * apart + r];
}

static double fused_rate(size_t rounds)
{
    volatile float sum = 0;
    for (size_t i = 0; i < rounds * 1000; i++) sum = sum * 0.999f + 1e-9f;
    return 2.0 * (double)rounds * 1000;
}

extern const kernels kernels_reference;
const kernels kernels_reference = {
    .name = "reference",
    .panel = 16,
    .tile = 4,
#define KERNEL(name, arguments) .name = name,
#include "kernels/kernels.def"
#undef KERNEL
    .fused_rate = fused_rate,
};

/* Calls `use` for every pair of output and input values that share a weight. */
#define EACH_PRODUCT(shape, body)                                                                            \
    for (size_t n = 0; n < (shape)->images; n++)                                                             \
        for (size_t y = 0; y < (shape)->height; y++)                                                         \
            for (size_t x = 0; x < (shape)->width; x++)                                                      \
                for (size_t ky = 0; ky < (shape)->taps; ky++)                                                \
                    for (size_t kx = 0; kx < (shape)->taps; kx++) {                                          \
                        size_t from_y = y + ky - (shape)->taps / 2, from_x = x + kx - (shape)->taps / 2;     \
                        if (from_y >= (shape)->height || from_x >= (shape)->width) continue;                 \
                        size_t at =                                                                          \
                            ((n * (shape)->height + y) * (shape)->width + x) * (shape)->out_channels;        \
                        size_t source = ((n * (shape)->height + from_y) * (shape)->width + from_x) *         \
                                        (shape)->in_channels;                                                \
                        size_t w = (ky * (shape)->taps + kx) * (shape)->in_channels * (shape)->out_channels; \
                        for (size_t ci = 0; ci < (shape)->in_channels; ci++)                                 \
                            for (size_t co = 0; co < (shape)->out_channels; co++) {                          \
                                size_t weight = w + ci * (shape)->out_channels + co;                         \
                                body;                                                                        \
                            }                                                                                \
                    }

void reference_convolve(float *out, const float *in, const float *weights, const reference_shape *shape)
{
    memset(out, 0, shape->images * shape->height * shape->width * shape->out_channels * sizeof *out);
    EACH_PRODUCT(shape, out[at + co] += in[source + ci] * weights[weight])
}

void reference_convolve_back(float *in_gradient, const float *out_gradient, const float *weights,
                             const reference_shape *shape)
{
    memset(in_gradient, 0,
           shape->images * shape->height * shape->width * shape->in_channels * sizeof *in_gradient);
    EACH_PRODUCT(shape, in_gradient[source + ci] += out_gradient[at + co] * weights[weight])
}

void reference_convolve_weights(float *weight_gradient, const float *in, const float *out_gradient,
                                const reference_shape *shape)
{
    size_t count = shape->taps * shape->taps * shape->in_channels * shape->out_channels;
    memset(weight_gradient, 0, count * sizeof *weight_gradient);
    EACH_PRODUCT(shape, weight_gradient[weight] += in[source + ci] * out_gradient[at + co])
}
