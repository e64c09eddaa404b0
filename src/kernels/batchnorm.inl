/* BatchNorm as an affine map per channel, LeakyReLU and max-pool 2, fused to one pass over memory in each
 * direction.
 *
 * Training needs two passes forward (moments, then apply) and two backward (sums, then apply). The value
 * before LeakyReLU, a = x * scale + shift, is recomputed in the backward pass instead of stored; so is the
 * position of the largest of four pixels (the first one if several are equal). LeakyReLU is monotonic, so
 * pooling comes first. */

INLINE vector leaky_of(vector a, float slope)
{
    return pick(a > 0, a, a * slope);
}
INLINE vector leaky_slope(vector dy, vector a, float slope)
{
    return pick(a > 0, dy, dy * slope);
}

INLINE void moments_block(const int width, float *mean, float *deviations, const float *x, size_t rows,
                          size_t channels, size_t left)
{
    vector sum[4], square[4];
    UNROLL(4)
    for (int i = 0; i < width; i++) sum[i] = square[i] = (vector){0};
    for (size_t r = 0; r < rows; r++) {
        UNROLL(4)
        for (int i = 0; i < width; i++) sum[i] += load_up_to(x + r * channels + i * LANES, left);
    }
    UNROLL(4)
    for (int i = 0; i < width; i++) sum[i] = sum[i] / (float)rows;
    for (size_t r = 0; r < rows; r++) {
        UNROLL(4)
        for (int i = 0; i < width; i++) {
            vector difference = load_up_to(x + r * channels + i * LANES, left) - sum[i];
            square[i] += difference * difference;
        }
    }
    UNROLL(4)
    for (int i = 0; i < width; i++) {
        store_up_to(mean + i * LANES, sum[i], left);
        store_up_to(deviations + i * LANES, square[i], left);
    }
}

/* mean and sum of squared deviations of each channel over the rows of one image */
static void NAME(moments)(float *mean, float *deviations, const float *x, size_t rows, size_t channels)
{
    size_t c = 0;
    if (rows == 0) return;
    for (; c + 4 * LANES <= channels; c += 4 * LANES)
        moments_block(4, mean + c, deviations + c, x + c, rows, channels, LANES);
    for (; c + 2 * LANES <= channels; c += 2 * LANES)
        moments_block(2, mean + c, deviations + c, x + c, rows, channels, LANES);
    for (; c < channels; c += LANES)
        moments_block(1, mean + c, deviations + c, x + c, rows, channels, channels - c);
}

static void NAME(affine_leaky)(float *y, const float *x, const float *scale, const float *shift, float slope,
                               size_t rows, size_t channels)
{
    for (size_t r = 0; r < rows; r++, x += channels, y += channels) {
        size_t c = 0;
        for (; c + LANES <= channels; c += LANES)
            store(y + c, leaky_of(load(x + c) * load(scale + c) + load(shift + c), slope));
        if (c < channels) {
            size_t left = channels - c;
            vector a = load_up_to(x + c, left) * load_up_to(scale + c, left) + load_up_to(shift + c, left);
            store_up_to(y + c, leaky_of(a, slope), left);
        }
    }
}

/* the four pixels of pooled pixel (row, column) */
#define CORNERS(base, row, column)                                                                           \
    {                                                                                                        \
        (base) + ((2 * (row)) * width + 2 * (column)) * channels,                                            \
            (base) + ((2 * (row)) * width + 2 * (column) + 1) * channels,                                    \
            (base) + ((2 * (row) + 1) * width + 2 * (column)) * channels,                                    \
            (base) + ((2 * (row) + 1) * width + 2 * (column) + 1) * channels                                 \
    }

INLINE vector largest(vector a, vector b)
{
    return pick(a >= b, a, b);
}

static void NAME(affine_leaky_pool)(float *y, const float *x, const float *scale, const float *shift,
                                    float slope, size_t height, size_t width, size_t channels)
{
    for (size_t row = 0; row < height / 2; row++)
        for (size_t column = 0; column < width / 2; column++, y += channels) {
            const float *corner[4] = CORNERS(x, row, column);
            for (size_t c = 0; c < channels; c += LANES) {
                size_t left = channels - c;
                vector factor = load_up_to(scale + c, left), plus = load_up_to(shift + c, left);
                vector top = largest(load_up_to(corner[0] + c, left) * factor + plus,
                                     load_up_to(corner[1] + c, left) * factor + plus);
                vector low = largest(load_up_to(corner[2] + c, left) * factor + plus,
                                     load_up_to(corner[3] + c, left) * factor + plus);
                store_up_to(y + c, leaky_of(largest(top, low), slope), left);
            }
        }
}

/* sum of g and of g * (x - mean) per channel, g the gradient before LeakyReLU */
INLINE void sums_block(const int width, float *sum, float *sum_x, const float *dy, const float *x,
                       const float *scale, const float *shift, const float *mean, float slope, size_t rows,
                       size_t channels, size_t left)
{
    vector total[2], total_x[2], factor[2], plus[2], middle[2];
    UNROLL(2)
    for (int i = 0; i < width; i++) {
        total[i] = total_x[i] = (vector){0};
        factor[i] = load_up_to(scale + i * LANES, left);
        plus[i] = load_up_to(shift + i * LANES, left);
        middle[i] = load_up_to(mean + i * LANES, left);
    }
    for (size_t r = 0; r < rows; r++) {
        UNROLL(2)
        for (int i = 0; i < width; i++) {
            vector value = load_up_to(x + r * channels + i * LANES, left);
            vector g = leaky_slope(load_up_to(dy + r * channels + i * LANES, left),
                                   value * factor[i] + plus[i], slope);
            total[i] += g;
            total_x[i] += g * (value - middle[i]);
        }
    }
    UNROLL(2)
    for (int i = 0; i < width; i++) {
        store_up_to(sum + i * LANES, total[i], left);
        store_up_to(sum_x + i * LANES, total_x[i], left);
    }
}

static void NAME(affine_leaky_sums)(float *sum, float *sum_x, const float *dy, const float *x,
                                    const float *scale, const float *shift, const float *mean, float slope,
                                    size_t rows, size_t channels)
{
    size_t c = 0;
    for (; c + 2 * LANES <= channels; c += 2 * LANES)
        sums_block(2, sum + c, sum_x + c, dy + c, x + c, scale + c, shift + c, mean + c, slope, rows,
                   channels, LANES);
    for (; c < channels; c += LANES)
        sums_block(1, sum + c, sum_x + c, dy + c, x + c, scale + c, shift + c, mean + c, slope, rows,
                   channels, channels - c);
}

static void NAME(affine_leaky_pool_sums)(float *sum, float *sum_x, const float *dy, const float *x,
                                         const float *scale, const float *shift, const float *mean,
                                         float slope, size_t height, size_t width, size_t channels)
{
    for (size_t c = 0; c < channels; c += LANES) {
        size_t left = channels - c;
        vector total = {0}, total_x = {0};
        vector factor = load_up_to(scale + c, left), plus = load_up_to(shift + c, left),
               middle = load_up_to(mean + c, left);
        for (size_t row = 0; row < height / 2; row++)
            for (size_t column = 0; column < width / 2; column++) {
                const float *corner[4] = CORNERS(x, row, column);
                vector value = load_up_to(corner[0] + c, left), best = value * factor + plus;
                UNROLL(4)
                for (int i = 1; i < 4; i++) {
                    vector other = load_up_to(corner[i] + c, left), a = other * factor + plus;
                    value = pick(a > best, other, value);
                    best = largest(best, a);
                }
                vector g = load_up_to(dy + (row * (width / 2) + column) * channels + c, left);
                g = leaky_slope(g, best, slope);
                total += g;
                total_x += g * (value - middle);
            }
        store_up_to(sum + c, total, left);
        store_up_to(sum_x + c, total_x, left);
    }
}

/* dx = g * scale + x * by_x + constant */
static void NAME(affine_leaky_back)(float *dx, const float *dy, const float *x, const float *scale,
                                    const float *shift, const float *by_x, const float *constant, float slope,
                                    size_t rows, size_t channels)
{
    for (size_t r = 0; r < rows; r++, x += channels, dy += channels, dx += channels)
        for (size_t c = 0; c < channels; c += LANES) {
            size_t left = channels - c;
            vector value = load_up_to(x + c, left), factor = load_up_to(scale + c, left);
            vector g =
                leaky_slope(load_up_to(dy + c, left), value * factor + load_up_to(shift + c, left), slope);
            store_up_to(dx + c,
                        g * factor + value * load_up_to(by_x + c, left) + load_up_to(constant + c, left),
                        left);
        }
}

static void NAME(affine_leaky_pool_back)(float *dx, const float *dy, const float *x, const float *scale,
                                         const float *shift, const float *by_x, const float *constant,
                                         float slope, size_t height, size_t width, size_t channels)
{
    for (size_t row = 0; row < height / 2; row++)
        for (size_t column = 0; column < width / 2; column++, dy += channels) {
            const float *corner[4] = CORNERS(x, row, column);
            float *target[4] = CORNERS(dx, row, column);
            for (size_t c = 0; c < channels; c += LANES) {
                size_t left = channels - c;
                vector factor = load_up_to(scale + c, left), plus = load_up_to(shift + c, left);
                vector x_factor = load_up_to(by_x + c, left), rest = load_up_to(constant + c, left);
                vector value[4], a[4];
                UNROLL(4)
                for (int i = 0; i < 4; i++) {
                    value[i] = load_up_to(corner[i] + c, left);
                    a[i] = value[i] * factor + plus;
                }
                vector best = largest(largest(a[0], a[1]), largest(a[2], a[3]));
                vector g = leaky_slope(load_up_to(dy + c, left), best, slope) * factor;
                UNROLL(4)
                for (int i = 0; i < 4; i++) {
                    vector own = pick(a[i] == best, g, (vector){0});
                    /* the first of equal pixels gets the whole gradient */
                    g = pick(a[i] == best, (vector){0}, g);
                    store_up_to(target[i] + c, own + (value[i] * x_factor + rest), left);
                }
            }
        }
}
