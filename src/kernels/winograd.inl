/* Toom-Cook (Winograd) transforms for four outputs along x. The interpolation points are 0, 1, -1, 2, -2,
 * 1/2, -1/2 and infinity for five taps, and the same without the halves for three. With d the 8 (6) inputs of
 * a tile, g the taps and y the four outputs,  y = A'[(G g) * (B' d)]; the gradient by the taps is  G'[(B' d)
 * * (A dy)]. Each matrix is written out below; the pair of points +-a shares its even part e and its odd part
 * o. Channels come in multiples of the vector's lanes. */

#define AT(pixel) load((pixel) + c)
#define PUT(p, value) store(points + (p)*point_stride + c, (value))
#define GET(p) load(points + (p)*point_stride + c)

/* points = B' d */
static void NAME(winograd_input)(int taps, float *points, size_t point_stride, const float *const pixels[8],
                                 size_t channels)
{
    if (taps == 5) {
        for (size_t c = 0; c < channels; c += LANES) {
            vector d0 = AT(pixels[0]), d1 = AT(pixels[1]), d2 = AT(pixels[2]), d3 = AT(pixels[3]);
            vector d4 = AT(pixels[4]), d5 = AT(pixels[5]), d6 = AT(pixels[6]), d7 = AT(pixels[7]);
            PUT(0, (d0 - d6) + 5.25f * (d4 - d2));
            vector e = d2 - 4.25f * d4 + d6, o = d1 - 4.25f * d3 + d5;
            PUT(1, e + o);
            PUT(2, e - o);
            e = 0.25f * d2 - 1.25f * d4 + d6;
            o = 0.5f * d1 - 2.5f * d3 + 2.0f * d5;
            PUT(3, e + o);
            PUT(4, e - o);
            e = 4.0f * d2 - 5.0f * d4 + d6;
            o = 2.0f * d1 - 2.5f * d3 + 0.5f * d5;
            PUT(5, e + o);
            PUT(6, e - o);
            PUT(7, (d7 - d1) + 5.25f * (d3 - d5));
        }
    } else {
        for (size_t c = 0; c < channels; c += LANES) {
            vector d0 = AT(pixels[0]), d1 = AT(pixels[1]), d2 = AT(pixels[2]);
            vector d3 = AT(pixels[3]), d4 = AT(pixels[4]), d5 = AT(pixels[5]);
            PUT(0, 4.0f * d0 - 5.0f * d2 + d4);
            vector e = d4 - 4.0f * d2, o = d3 - 4.0f * d1;
            PUT(1, e + o);
            PUT(2, e - o);
            e = d4 - d2;
            o = 2.0f * (d3 - d1);
            PUT(3, e + o);
            PUT(4, e - o);
            PUT(5, d5 - 5.0f * d3 + 4.0f * d1);
        }
    }
}

/* y = A' points */
static void NAME(winograd_output)(int taps, float *const pixels[4], const float *points, size_t point_stride,
                                  size_t channels)
{
    for (size_t c = 0; c < channels; c += LANES) {
        vector m1 = GET(1), m2 = GET(2), m3 = GET(3), m4 = GET(4);
        vector even1 = m1 + m2, odd1 = m1 - m2, even2 = m3 + m4, odd2 = m3 - m4;
        vector y0 = GET(0) + even1 + even2;
        vector y1 = odd1 + 2.0f * odd2;
        vector y2 = even1 + 4.0f * even2;
        vector y3 = odd1 + 8.0f * odd2;
        if (taps == 5) {
            vector m5 = GET(5), m6 = GET(6), even3 = m5 + m6, odd3 = m5 - m6;
            y0 += even3;
            y1 += 0.5f * odd3;
            y2 += 0.25f * even3;
            y3 += 0.125f * odd3 + GET(7);
        } else {
            y3 += GET(5);
        }
        store(pixels[0] + c, y0);
        store(pixels[1] + c, y1);
        store(pixels[2] + c, y2);
        store(pixels[3] + c, y3);
    }
}

/* points = A dy */
static void NAME(winograd_spread)(int taps, float *points, size_t point_stride, const float *const pixels[4],
                                  size_t channels)
{
    for (size_t c = 0; c < channels; c += LANES) {
        vector y0 = AT(pixels[0]), y1 = AT(pixels[1]), y2 = AT(pixels[2]), y3 = AT(pixels[3]);
        PUT(0, y0);
        vector e = y0 + y2, o = y1 + y3;
        PUT(1, e + o);
        PUT(2, e - o);
        e = y0 + 4.0f * y2;
        o = 2.0f * y1 + 8.0f * y3;
        PUT(3, e + o);
        PUT(4, e - o);
        if (taps == 5) {
            e = y0 + 0.25f * y2;
            o = 0.5f * y1 + 0.125f * y3;
            PUT(5, e + o);
            PUT(6, e - o);
            PUT(7, y3);
        } else {
            PUT(5, y3);
        }
    }
}

/* points = G g */
static void NAME(winograd_weights)(int taps, float *points, size_t point_stride, const float *weights,
                                   size_t tap_stride, size_t count)
{
    for (size_t c = 0; c < count; c += LANES) {
        const float *w = weights + c;
        vector g0 = load(w), g1 = load(w + tap_stride), g2 = load(w + 2 * tap_stride);
        if (taps == 5) {
            vector g3 = load(w + 3 * tap_stride), g4 = load(w + 4 * tap_stride);
            PUT(0, g0);
            vector e = (g0 + g2 + g4) * (-1 / 4.5f), o = (g1 + g3) * (-1 / 4.5f);
            PUT(1, e + o);
            PUT(2, e - o);
            e = (g0 + 4.0f * g2 + 16.0f * g4) * (1 / 90.0f);
            o = (2.0f * g1 + 8.0f * g3) * (1 / 90.0f);
            PUT(3, e + o);
            PUT(4, e - o);
            e = (g0 + 0.25f * g2 + 0.0625f * g4) * (1 / 1.40625f);
            o = (0.5f * g1 + 0.125f * g3) * (1 / 1.40625f);
            PUT(5, e + o);
            PUT(6, e - o);
            PUT(7, g4);
        } else {
            PUT(0, 0.25f * g0);
            vector e = (g0 + g2) * (-1 / 6.0f), o = g1 * (-1 / 6.0f);
            PUT(1, e + o);
            PUT(2, e - o);
            e = (g0 + 4.0f * g2) * (1 / 24.0f);
            o = g1 * (1 / 12.0f);
            PUT(3, e + o);
            PUT(4, e - o);
            PUT(5, g2);
        }
    }
}

/* dg = G' points */
static void NAME(winograd_weights_back)(int taps, float *weights, size_t tap_stride, const float *points,
                                        size_t point_stride, size_t count)
{
    for (size_t c = 0; c < count; c += LANES) {
        float *w = weights + c;
        vector s1 = GET(1), s2 = GET(2), s3 = GET(3), s4 = GET(4);
        if (taps == 5) {
            vector s5 = GET(5), s6 = GET(6);
            vector e1 = (s1 + s2) * (-1 / 4.5f), o1 = (s1 - s2) * (-1 / 4.5f);
            vector e2 = (s3 + s4) * (1 / 90.0f), o2 = (s3 - s4) * (1 / 90.0f);
            vector e3 = (s5 + s6) * (1 / 1.40625f), o3 = (s5 - s6) * (1 / 1.40625f);
            store(w, GET(0) + e1 + e2 + e3);
            store(w + tap_stride, o1 + 2.0f * o2 + 0.5f * o3);
            store(w + 2 * tap_stride, e1 + 4.0f * e2 + 0.25f * e3);
            store(w + 3 * tap_stride, o1 + 8.0f * o2 + 0.125f * o3);
            store(w + 4 * tap_stride, e1 + 16.0f * e2 + 0.0625f * e3 + GET(7));
        } else {
            vector e1 = (s1 + s2) * (-1 / 6.0f), e2 = (s3 + s4) * (1 / 24.0f);
            store(w, 0.25f * GET(0) + e1 + e2);
            store(w + tap_stride, (s1 - s2) * (-1 / 6.0f) + (s3 - s4) * (1 / 12.0f));
            store(w + 2 * tap_stride, e1 + 4.0f * e2 + GET(5));
        }
    }
}

#undef AT
#undef PUT
#undef GET
