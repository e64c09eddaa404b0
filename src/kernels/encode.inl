/* Encodes numbers of a table column by column, and transposes columns to rows. */

/* transform_hold and transform_scaled without branches, so that compilers vectorize them. */
INLINE void encode_plainly(float *restrict out, float *restrict missing, bool *beyond,
                           const number_encoding *encoding, const double *restrict numbers, size_t count)
{
    int outside = 0;
    double pivot = encoding->pivot, factor = encoding->factor, mean = encoding->mean, sd = encoding->sd,
           scale = encoding->scale;
    double low = encoding->low, high = encoding->high;
    for (size_t i = 0; i < count; i++) {
        double held = (double)transform_hold(numbers[i], pivot, factor);
        outside |= (held < low) | (held > high);
        held = held < low ? low : held;
        held = held > high ? high : held;
        out[i] = transform_scaled(held, mean, sd, scale);
    }
    for (size_t i = 0; i < count && encoding->spread > 0; i++)
        out[i] = transform_scaled((double)out[i], encoding->shift, encoding->spread, 1);
    for (size_t i = 0; i < count && missing; i++) missing[i] = out[i] != out[i] ? 1.0f : 0.0f;
    for (size_t i = 0; i < count; i++) {
        outside |= fabsf(out[i]) >= (float)ENCODED_MAX;
        out[i] = out[i] != out[i] ? 0 : out[i];
    }
    if (outside) *beyond = true;
}

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

/* Eight numbers at a time, bit-identical to the plain loop for columns whose constants have ordinary size:
 *
 * - Of the calls of flushed() only the one with FLT_MIN remains; it also zeroes the values that the others would.
 * - Clipping after rounding to float uses the rounded bound.
 * - A quotient is the product with the reciprocal, corrected twice by its remainder. The first correction
 * is
 *   less than one unit in the last place off, so the second gives the correctly rounded quotient
 *   (Markstein); remainders are exact because nothing relevant underflows. */
/* The value that transform_hold clips to. */
#define HELD_LIMIT ((double)(float)HELD_MAX)

INLINE bool ordinary(double value)
{
    return value > 1e-60 && value < 1e60;
}

INLINE bool is_bounded(const number_encoding *encoding)
{
    return encoding->low > -INFINITY || encoding->high < INFINITY;
}

/* Neither tiny nor huge. */
INLINE bool is_ordinary(const number_encoding *encoding)
{
    return (encoding->pivot == 0 || fabs(encoding->pivot) > 1e-200) && ordinary(encoding->factor) &&
           ordinary(encoding->sd) && ordinary(encoding->scale) && fabs(encoding->mean) <= HELD_LIMIT &&
           (!(encoding->spread > 0) || (ordinary(encoding->spread) && fabs(encoding->shift) <= HELD_LIMIT)) &&
           (!is_bounded(encoding) || (encoding->low > -HELD_LIMIT && encoding->high < HELD_LIMIT));
}

/* Values smaller than a normal float become 0. */
INLINE __m256d flushed_four(__m256d value)
{
    __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), value);
    return _mm256_and_pd(value, _mm256_cmp_pd(size, _mm256_set1_pd(FLT_MIN), _CMP_NLT_UQ));
}

typedef struct scaling {
    __m256d mean, sd, reciprocal, scale;
} scaling;

INLINE scaling scaling_of(double mean, double sd, double scale)
{
    return (scaling){_mm256_set1_pd(mean), _mm256_set1_pd(sd), _mm256_set1_pd(1 / sd), _mm256_set1_pd(scale)};
}

INLINE __m128 scaled_four(__m256d value, const scaling *method)
{
    value = _mm256_sub_pd(value, method->mean);
    __m256d quotient = _mm256_mul_pd(value, method->reciprocal);
    for (int i = 0; i < 2; i++)
        quotient =
            _mm256_fmadd_pd(_mm256_fnmadd_pd(quotient, method->sd, value), method->reciprocal, quotient);
    return _mm256_cvtpd_ps(flushed_four(_mm256_mul_pd(quotient, method->scale)));
}

/* If an operand is NaN, minimum and maximum return the second one. */
INLINE __m256 limited_eight(__m128 low, __m128 high)
{
    __m256 max = _mm256_set1_ps((float)ENCODED_MAX), min = _mm256_set1_ps(-(float)ENCODED_MAX);
    return _mm256_min_ps(max, _mm256_max_ps(min, _mm256_set_m128(high, low)));
}

/* `count` is a multiple of eight. */
INLINE void encode_eights(float *out, float *missing, bool *beyond, const number_encoding *encoding,
                          const double *numbers, size_t count)
{
    const __m256d pivot = _mm256_set1_pd(encoding->pivot), factor = _mm256_set1_pd(encoding->factor);
    const __m256d low = _mm256_set1_pd(fmax(encoding->low, -HELD_LIMIT));
    const __m256d high = _mm256_set1_pd(fmin(encoding->high, HELD_LIMIT));
    const scaling first = scaling_of(encoding->mean, encoding->sd, encoding->scale);
    const bool twice = encoding->spread > 0;
    const scaling second = scaling_of(encoding->shift, twice ? encoding->spread : 1, 1);
    __m256d min = high, max = low;
    __m256 farthest = _mm256_setzero_ps();
    for (size_t i = 0; i < count; i += 8) {
        __m128 half[2];
        for (int h = 0; h < 2; h++) {
            __m256d away = _mm256_sub_pd(_mm256_loadu_pd(numbers + i + 4 * h), pivot);
            __m256d held = flushed_four(_mm256_mul_pd(away, factor));
            held = _mm256_cvtps_pd(_mm256_cvtpd_ps(held));
            min = _mm256_min_pd(held, min);
            max = _mm256_max_pd(held, max);
            half[h] = scaled_four(_mm256_min_pd(high, _mm256_max_pd(low, held)), &first);
        }
        __m256 scaled = limited_eight(half[0], half[1]);
        if (twice)
            scaled = limited_eight(scaled_four(_mm256_cvtps_pd(_mm256_castps256_ps128(scaled)), &second),
                                   scaled_four(_mm256_cvtps_pd(_mm256_extractf128_ps(scaled, 1)), &second));
        __m256 there = _mm256_cmp_ps(scaled, scaled, _CMP_ORD_Q);
        scaled = _mm256_and_ps(scaled, there);
        farthest = _mm256_max_ps(farthest, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), scaled));
        _mm256_storeu_ps(out + i, scaled);
        if (missing) _mm256_storeu_ps(missing + i, _mm256_andnot_ps(there, _mm256_set1_ps(1)));
    }
    __m256d outside = _mm256_or_pd(_mm256_cmp_pd(min, low, _CMP_LT_OQ), _mm256_cmp_pd(max, high, _CMP_GT_OQ));
    __m256 far = _mm256_cmp_ps(farthest, _mm256_set1_ps((float)ENCODED_MAX), _CMP_GE_OQ);
    if (!_mm256_testz_ps(far, far) || (is_bounded(encoding) && !_mm256_testz_pd(outside, outside)))
        *beyond = true;
}
#endif

static void NAME(encode_numbers)(float *out, float *missing, bool *beyond, const number_encoding *encoding,
                                 const double *numbers, size_t count)
{
    size_t eights = 0;
#if defined(__AVX2__) && defined(__FMA__)
    if (is_ordinary(encoding)) eights = count / 8 * 8;
    if (eights) encode_eights(out, missing, beyond, encoding, numbers, eights);
#endif
    if (eights < count)
        encode_plainly(out + eights, missing ? missing + eights : NULL, beyond, encoding, numbers + eights,
                       count - eights);
}

typedef float four __attribute__((vector_size(16)));
typedef float loose_four __attribute__((vector_size(16), aligned(4), may_alias));

/* gcc has __builtin_shufflevector since version 12. */
#if defined(__clang__)
#define LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#else
typedef int32_t four_places __attribute__((vector_size(16)));
#define LOW_PAIRS(a, b) __builtin_shuffle(a, b, (four_places){0, 4, 1, 5})
#define HIGH_PAIRS(a, b) __builtin_shuffle(a, b, (four_places){2, 6, 3, 7})
#endif

/* Transposes four columns of four rows. */
INLINE void turn_square(float *rows, size_t stride, const float *columns, size_t apart)
{
    four a = *(const loose_four *)columns, b = *(const loose_four *)(columns + apart);
    four c = *(const loose_four *)(columns + 2 * apart), d = *(const loose_four *)(columns + 3 * apart);
    four ac_low = LOW_PAIRS(a, c), ac_high = HIGH_PAIRS(a, c);
    four bd_low = LOW_PAIRS(b, d), bd_high = HIGH_PAIRS(b, d);
    *(loose_four *)rows = LOW_PAIRS(ac_low, bd_low);
    *(loose_four *)(rows + stride) = HIGH_PAIRS(ac_low, bd_low);
    *(loose_four *)(rows + 2 * stride) = LOW_PAIRS(ac_high, bd_high);
    *(loose_four *)(rows + 3 * stride) = HIGH_PAIRS(ac_high, bd_high);
}

static void NAME(turn_columns)(float *rows, size_t stride, const float *columns, size_t apart,
                               size_t row_count, size_t column_count)
{
    size_t whole_rows = row_count / 4 * 4, whole_columns = column_count / 4 * 4;
    for (size_t r = 0; r < whole_rows; r += 4)
        for (size_t c = 0; c < whole_columns; c += 4)
            turn_square(rows + r * stride + c, stride, columns + c * apart + r, apart);
    for (size_t c = 0; c < column_count; c++)
        for (size_t r = c < whole_columns ? whole_rows : 0; r < row_count; r++)
            rows[r * stride + c] = columns[c * apart + r];
}
