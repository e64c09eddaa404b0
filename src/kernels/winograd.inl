/* Toom-Cook (Winograd) transforms for tiles of 4x4 outputs. Along one axis the interpolation points are 0,
 * 1, -1, 2, -2, 1/2, -1/2 and infinity for five taps, and 0, 3/4, -3/4, 3/2, -3/2 and infinity for three:
 * of many point sets tried, these have the smallest rounding errors. With d the 8 (6) inputs of a line, g
 * the taps and y the four outputs,  y = A'[(G g) * (B' d)]; the gradient by the taps is  G'[(B' d) * (A
 * dy)]. Each matrix is written out below; a pair of points +-a shares its even part e and its odd part o.
 * A tile is multiplied by its matrix twice, by rows and then by columns, one vector of channels at a time,
 * so that intermediate values stay in the first-level cache. The number of channels is a multiple of the
 * vector's lanes. */

enum { LINE = 8 }; /* maximum number of values in a line of a tile, on either side of a transform */

/* p = B' d */
INLINE void line_input(const int taps, vector p[LINE], const vector d[LINE])
{
    vector e, o;
    if (taps == 5) {
        p[0] = (d[0] - d[6]) + 5.25f * (d[4] - d[2]);
        e = d[2] - 4.25f * d[4] + d[6], o = d[1] - 4.25f * d[3] + d[5];
        p[1] = e + o, p[2] = e - o;
        e = 0.25f * d[2] - 1.25f * d[4] + d[6], o = 0.5f * d[1] - 2.5f * d[3] + 2.0f * d[5];
        p[3] = e + o, p[4] = e - o;
        e = 4.0f * d[2] - 5.0f * d[4] + d[6], o = 2.0f * d[1] - 2.5f * d[3] + 0.5f * d[5];
        p[5] = e + o, p[6] = e - o;
        p[7] = (d[7] - d[1]) + 5.25f * (d[3] - d[5]);
    } else {
        p[0] = 1.265625f * d[0] - 2.8125f * d[2] + d[4];
        e = d[4] - 2.25f * d[2], o = 0.75f * d[3] - 1.6875f * d[1];
        p[1] = e + o, p[2] = e - o;
        e = d[4] - 0.5625f * d[2], o = 1.5f * d[3] - 0.84375f * d[1];
        p[3] = e + o, p[4] = e - o;
        p[5] = d[5] - 2.8125f * d[3] + 1.265625f * d[1];
    }
}

/* y = A' m */
INLINE void line_output(const int taps, vector y[LINE], const vector m[LINE])
{
    vector even1 = m[1] + m[2], odd1 = m[1] - m[2], even2 = m[3] + m[4], odd2 = m[3] - m[4];
    y[0] = m[0] + even1 + even2;
    if (taps == 5) {
        vector even3 = m[5] + m[6], odd3 = m[5] - m[6];
        y[0] += even3;
        y[1] = odd1 + 2.0f * odd2 + 0.5f * odd3;
        y[2] = even1 + 4.0f * even2 + 0.25f * even3;
        y[3] = odd1 + 8.0f * odd2 + 0.125f * odd3 + m[7];
    } else {
        y[1] = 0.75f * odd1 + 1.5f * odd2;
        y[2] = 0.5625f * even1 + 2.25f * even2;
        y[3] = 0.421875f * odd1 + 3.375f * odd2 + m[5];
    }
}

/* p = A y */
INLINE void line_spread(const int taps, vector p[LINE], const vector y[LINE])
{
    vector e, o;
    p[0] = y[0];
    if (taps == 5) {
        e = y[0] + y[2], o = y[1] + y[3];
        p[1] = e + o, p[2] = e - o;
        e = y[0] + 4.0f * y[2], o = 2.0f * y[1] + 8.0f * y[3];
        p[3] = e + o, p[4] = e - o;
        e = y[0] + 0.25f * y[2], o = 0.5f * y[1] + 0.125f * y[3];
        p[5] = e + o, p[6] = e - o;
        p[7] = y[3];
    } else {
        e = y[0] + 0.5625f * y[2], o = 0.75f * y[1] + 0.421875f * y[3];
        p[1] = e + o, p[2] = e - o;
        e = y[0] + 2.25f * y[2], o = 1.5f * y[1] + 3.375f * y[3];
        p[3] = e + o, p[4] = e - o;
        p[5] = y[3];
    }
}

/* p = G g */
INLINE void line_weights(const int taps, vector p[LINE], const vector g[LINE])
{
    vector e, o;
    if (taps == 5) {
        p[0] = g[0];
        e = (g[0] + g[2] + g[4]) * (-1 / 4.5f), o = (g[1] + g[3]) * (-1 / 4.5f);
        p[1] = e + o, p[2] = e - o;
        e = (g[0] + 4.0f * g[2] + 16.0f * g[4]) * (1 / 90.0f), o = (2.0f * g[1] + 8.0f * g[3]) * (1 / 90.0f);
        p[3] = e + o, p[4] = e - o;
        e = (g[0] + 0.25f * g[2] + 0.0625f * g[4]) * (1 / 1.40625f);
        o = (0.5f * g[1] + 0.125f * g[3]) * (1 / 1.40625f);
        p[5] = e + o, p[6] = e - o;
        p[7] = g[4];
    } else {
        p[0] = g[0] * (1 / 1.265625f);
        e = (g[0] + 0.5625f * g[2]) * (-1 / 1.8984375f), o = g[1] * (-0.75f / 1.8984375f);
        p[1] = e + o, p[2] = e - o;
        e = (g[0] + 2.25f * g[2]) * (1 / 7.59375f), o = g[1] * (1.5f / 7.59375f);
        p[3] = e + o, p[4] = e - o;
        p[5] = g[2];
    }
}

/* g = G' s */
INLINE void line_weights_back(const int taps, vector g[LINE], const vector s[LINE])
{
    if (taps == 5) {
        vector e1 = (s[1] + s[2]) * (-1 / 4.5f), o1 = (s[1] - s[2]) * (-1 / 4.5f);
        vector e2 = (s[3] + s[4]) * (1 / 90.0f), o2 = (s[3] - s[4]) * (1 / 90.0f);
        vector e3 = (s[5] + s[6]) * (1 / 1.40625f), o3 = (s[5] - s[6]) * (1 / 1.40625f);
        g[0] = s[0] + e1 + e2 + e3;
        g[1] = o1 + 2.0f * o2 + 0.5f * o3;
        g[2] = e1 + 4.0f * e2 + 0.25f * e3;
        g[3] = o1 + 8.0f * o2 + 0.125f * o3;
        g[4] = e1 + 16.0f * e2 + 0.0625f * e3 + s[7];
    } else {
        vector e1 = (s[1] + s[2]) * (-1 / 1.8984375f), e2 = (s[3] + s[4]) * (1 / 7.59375f);
        g[0] = s[0] * (1 / 1.265625f) + e1 + e2;
        g[1] = (s[1] - s[2]) * (-0.75f / 1.8984375f) + (s[3] - s[4]) * (1.5f / 7.59375f);
        g[2] = 0.5625f * e1 + 2.25f * e2 + s[5];
    }
}

/* Transforms a tile of `inputs` x `inputs` values to `outputs` x `outputs`: `line` for each row, then for each column.
 * READ(i) and WRITE(i) are the addresses of value i of the tile, row by row; they use c, the first of the
 * channels. */
#define BOTH_WAYS(line, taps, inputs, outputs, channels)                                                     \
    for (size_t c = 0; c < (channels); c += LANES) {                                                         \
        vector half[LINE][LINE];                                                                             \
        for (size_t row = 0; row < (inputs); row++) {                                                        \
            vector values[LINE];                                                                             \
            UNROLL(8)                                                                                        \
            for (size_t i = 0; i < (inputs); i++) values[i] = load(READ(row * (inputs) + i));                \
            line(taps, half[row], values);                                                                   \
        }                                                                                                    \
        for (size_t column = 0; column < (outputs); column++) {                                              \
            vector values[LINE], results[LINE];                                                              \
            UNROLL(8)                                                                                        \
            for (size_t i = 0; i < (inputs); i++) values[i] = half[i][column];                               \
            line(taps, results, values);                                                                     \
            UNROLL(8)                                                                                        \
            for (size_t i = 0; i < (outputs); i++) store(WRITE(i *(outputs) + column), results[i]);          \
        }                                                                                                    \
    }

static void NAME(winograd_input)(int taps, float *points, size_t point_stride, const float *const *pixels,
                                 size_t first, size_t channels)
{
#define READ(i) (pixels[i] + first + c)
#define WRITE(i) (points + (i)*point_stride + c)
    if (taps == 5) {
        BOTH_WAYS(line_input, 5, 8, 8, channels)
    } else {
        BOTH_WAYS(line_input, 3, 6, 6, channels)
    }
#undef READ
#undef WRITE
}

static void NAME(winograd_output)(int taps, float *const *pixels, const float *points, size_t point_stride,
                                  size_t channels)
{
#define READ(i) (points + (i)*point_stride + c)
#define WRITE(i) (pixels[i] + c)
    if (taps == 5) {
        BOTH_WAYS(line_output, 5, 8, 4, channels)
    } else {
        BOTH_WAYS(line_output, 3, 6, 4, channels)
    }
#undef READ
#undef WRITE
}

static void NAME(winograd_spread)(int taps, float *points, size_t point_stride, const float *const *pixels,
                                  size_t first, size_t channels)
{
#define READ(i) (pixels[i] + first + c)
#define WRITE(i) (points + (i)*point_stride + c)
    if (taps == 5) {
        BOTH_WAYS(line_spread, 5, 4, 8, channels)
    } else {
        BOTH_WAYS(line_spread, 3, 4, 6, channels)
    }
#undef READ
#undef WRITE
}

static void NAME(winograd_weights)(int taps, float *points, size_t point_stride, const float *weights,
                                   size_t tap_stride, size_t count)
{
#define READ(i) (weights + (i)*tap_stride + c)
#define WRITE(i) (points + (i)*point_stride + c)
    if (taps == 5) {
        BOTH_WAYS(line_weights, 5, 5, 8, count)
    } else {
        BOTH_WAYS(line_weights, 3, 3, 6, count)
    }
#undef READ
#undef WRITE
}

static void NAME(winograd_weights_back)(int taps, float *weights, size_t tap_stride, const float *points,
                                        size_t point_stride, size_t count)
{
#define READ(i) (points + (i)*point_stride + c)
#define WRITE(i) (weights + (i)*tap_stride + c)
    if (taps == 5) {
        BOTH_WAYS(line_weights_back, 5, 8, 5, count)
    } else {
        BOTH_WAYS(line_weights_back, 3, 6, 3, count)
    }
#undef READ
#undef WRITE
}

#undef BOTH_WAYS
