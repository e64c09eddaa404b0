/* Elementwise operations, whole images, rows and Adam. Plain loops where the compiler vectorizes them. */

static void NAME(leaky)(float *y, const float *x, float slope, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        size_t left = count - i;
        store_up_to(y + i, leaky_of(load_up_to(x + i, left), slope), left);
    }
}

static void NAME(leaky_back)(float *dx, const float *dy, const float *x, float slope, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        size_t left = count - i;
        vector value = load_up_to(x + i, left);
        store_up_to(dx + i, leaky_slope(load_up_to(dy + i, left), value, slope), left);
    }
}

static void NAME(add)(float *restrict y, const float *restrict x, size_t count)
{
    for (size_t i = 0; i < count; i++) y[i] += x[i];
}

/* exp by 2^n * exp(r), |r| <= ln 2 / 2, exp(r) by a polynomial of degree 6; x within [-87, 87] */
INLINE vector exponential(vector x)
{
    vector shifted = x * 1.44269504f + 12582912.0f; /* the low bits of the sum hold the rounded quotient */
    vector n = shifted - 12582912.0f;
    vector r = x - n * 0.693359375f + n * 2.12194440e-4f;
    vector p = (vector){0} + 1.3888889e-3f;
    p = p * r + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    integers bits = (integers)shifted << 23;
    return (vector)((integers)p + bits);
}

INLINE vector sigmoid_of(vector value)
{
    vector limit = (vector){0} + 87.0f;
    value = pick(value > limit, limit, value);
    value = pick(value < -limit, -limit, value);
    return 1.0f / (1.0f + exponential(-value));
}

static void NAME(sigmoid)(float *y, const float *x, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        size_t left = count - i;
        store_up_to(y + i, sigmoid_of(load_up_to(x + i, left)), left);
    }
}

static void NAME(silu)(float *y, const float *x, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        size_t left = count - i;
        vector value = load_up_to(x + i, left);
        store_up_to(y + i, value * sigmoid_of(value), left);
    }
}

static void NAME(clamp)(float *y, float low, float high, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float value = y[i] > high ? high : y[i];
        y[i] = value < low ? low : value;
    }
}

static void NAME(hard_swish)(float *restrict y, const float *restrict x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float open = x[i] + 3 > 6 ? 6 : x[i] + 3;
        y[i] = x[i] * (open < 0 ? 0 : open) * (1.0f / 6);
    }
}

static void NAME(sigmoid_back)(float *restrict dx, const float *restrict dy, const float *restrict y,
                               size_t count)
{
    for (size_t i = 0; i < count; i++) dx[i] = dy[i] * y[i] * (1 - y[i]);
}

static void NAME(pool)(float *y, const float *x, size_t height, size_t width, size_t channels)
{
    for (size_t row = 0; row < height / 2; row++)
        for (size_t column = 0; column < width / 2; column++, y += channels) {
            const float *corner[4] = CORNERS(x, row, column);
            for (size_t c = 0; c < channels; c++) {
                float top = corner[0][c] >= corner[1][c] ? corner[0][c] : corner[1][c];
                float low = corner[2][c] >= corner[3][c] ? corner[2][c] : corner[3][c];
                y[c] = top >= low ? top : low;
            }
        }
}

static void NAME(pool_back)(float *dx, const float *dy, const float *x, size_t height, size_t width,
                            size_t channels)
{
    for (size_t row = 0; row < height / 2; row++)
        for (size_t column = 0; column < width / 2; column++, dy += channels) {
            const float *corner[4] = CORNERS(x, row, column);
            float *target[4] = CORNERS(dx, row, column);
            for (size_t c = 0; c < channels; c++) {
                int best = 0;
                for (int i = 1; i < 4; i++)
                    if (corner[i][c] > corner[best][c]) best = i;
                for (int i = 0; i < 4; i++) target[i][c] = i == best ? dy[c] : 0;
            }
        }
}

/* height and width are those of the small image */
static void NAME(upsample)(float *y, const float *x, size_t height, size_t width, size_t channels)
{
    for (size_t row = 0; row < 2 * height; row++)
        for (size_t column = 0; column < 2 * width; column++, y += channels)
            for (size_t c = 0; c < channels; c++) y[c] = x[(row / 2 * width + column / 2) * channels + c];
}

static void NAME(upsample_back)(float *dx, const float *dy, size_t height, size_t width, size_t channels)
{
    width *= 2;
    for (size_t row = 0; row < height; row++)
        for (size_t column = 0; column < width / 2; column++, dx += channels) {
            const float *corner[4] = CORNERS(dy, row, column);
            for (size_t c = 0; c < channels; c++)
                dx[c] = corner[0][c] + corner[1][c] + (corner[2][c] + corner[3][c]);
        }
}

static void NAME(squared_distance)(float *out, const float *y, const float *x, size_t count, size_t repeat)
{
    vector sum[2] = {{0}, {0}};
    float rest = 0;
    size_t i = 0;
    if (repeat == 1) {
        for (; i + 2 * LANES <= count; i += 2 * LANES) {
            vector first = load(y + i) - load(x + i), second = load(y + i + LANES) - load(x + i + LANES);
            sum[0] += first * first;
            sum[1] += second * second;
        }
        for (; i < count; i++) rest += (y[i] - x[i]) * (y[i] - x[i]);
    } else {
        float part[4] = {0};
        for (size_t j = 0; i < count; j++)
            for (size_t k = 0; k < repeat; k++, i++) part[j & 3] += (y[i] - x[j]) * (y[i] - x[j]);
        rest = (part[0] + part[1]) + (part[2] + part[3]);
    }
    sum[0] += sum[1];
    /* only if not all vectors are full */
    for (int lane = 0; lane < LANES && count >= 2 * LANES; lane++) rest += sum[0][lane];
    *out = rest;
}

static void NAME(scaled_difference)(float *restrict dy, const float *restrict y, const float *restrict x,
                                    float factor, size_t count, size_t repeat)
{
    if (repeat == 1) {
        for (size_t i = 0; i < count; i++) dy[i] = factor * (y[i] - x[i]);
        return;
    }
    for (size_t i = 0, j = 0; i < count; j++)
        for (size_t k = 0; k < repeat; k++, i++) dy[i] = factor * (y[i] - x[j]);
}

static void NAME(adam)(float *restrict w, const float *restrict g, float *restrict m, float *restrict v,
                       const adam_step *step, size_t count)
{
    const float beta1 = step->beta1, beta2 = step->beta2, decay = step->decay;
    const float keep = step->keep, rate = step->rate, correction = step->correction, epsilon = step->epsilon;
    for (size_t i = 0; i < count; i++) {
        float gradient = g[i] + decay * w[i];
        m[i] = beta1 * m[i] + (1 - beta1) * gradient;
        v[i] = beta2 * v[i] + (1 - beta2) * gradient * gradient;
        w[i] = keep * w[i] - rate * m[i] / (__builtin_sqrtf(v[i]) * correction + epsilon);
    }
}
