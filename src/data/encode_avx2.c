/* side_by_side's encoding for AVX2 with fused multiply-add, eight numbers at a time, with the bits of the
 * plain loop for columns whose constants are of ordinary size (see encode_avx2_can):
 *
 * - Of flushed() only the one against FLT_MIN is left: what the others make 0 it makes 0 too.
 * - A limit before rounding to float is the rounded limit behind it.
 * - A quotient is the product with the reciprocal, corrected twice by its remainder. The first correction is
 *   less than a last place off, so the second is the quotient correctly rounded (Markstein), as division
 *   gives it; remainders are exact, as nothing that matters underflows. */
#include "data/encode_avx2.h"

#if defined __x86_64__
#include <immintrin.h>
#include <math.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define INLINE_AVX2 static inline AVX2 __attribute__((always_inline))

/* What transform_hold makes of numbers that are beyond. */
static const double held_most = (float)HELD_MOST;

static bool ordinary(double value)
{
    return value > 1e-60 && value < 1e60;
}

bool encode_avx2_can(const transform_column *column)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           (column->pivot == 0 || fabs(column->pivot) > 1e-200) && ordinary(column->factor) &&
           ordinary(column->sd) && ordinary(column->scale) && fabs(column->mean) <= held_most &&
           (!(column->spread > 0) || (ordinary(column->spread) && fabs(column->shift) <= held_most)) &&
           (!column->bounded || (column->low > -held_most && column->high < held_most));
}

/* What is less than a normal float becomes 0. */
INLINE_AVX2 __m256d flushed_four(__m256d value)
{
    __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), value);
    return _mm256_and_pd(value, _mm256_cmp_pd(size, _mm256_set1_pd(FLT_MIN), _CMP_NLT_UQ));
}

typedef struct scaling {
    __m256d mean, sd, reciprocal, scale;
} scaling;

INLINE_AVX2 scaling scaling_of(double mean, double sd, double scale)
{
    return (scaling){_mm256_set1_pd(mean), _mm256_set1_pd(sd), _mm256_set1_pd(1 / sd), _mm256_set1_pd(scale)};
}

INLINE_AVX2 __m128 scaled_four(__m256d value, const scaling *how)
{
    value = _mm256_sub_pd(value, how->mean);
    __m256d quotient = _mm256_mul_pd(value, how->reciprocal);
    for (int i = 0; i < 2; i++)
        quotient = _mm256_fmadd_pd(_mm256_fnmadd_pd(quotient, how->sd, value), how->reciprocal, quotient);
    return _mm256_cvtpd_ps(flushed_four(_mm256_mul_pd(quotient, how->scale)));
}

/* The second operand of a minimum or maximum is the result where one of them is NaN. */
INLINE_AVX2 __m256 limited_eight(__m128 low, __m128 high)
{
    __m256 most = _mm256_set1_ps((float)ENCODED_MOST), least = _mm256_set1_ps(-(float)ENCODED_MOST);
    return _mm256_min_ps(most, _mm256_max_ps(least, _mm256_set_m128(high, low)));
}

AVX2 bool encode_avx2(float *out, float *missing, const transform_column *column, const double *numbers,
                      size_t count)
{
    const __m256d pivot = _mm256_set1_pd(column->pivot), factor = _mm256_set1_pd(column->factor);
    const __m256d low = _mm256_set1_pd(column->bounded ? column->low : -held_most);
    const __m256d high = _mm256_set1_pd(column->bounded ? column->high : held_most);
    const scaling first = scaling_of(column->mean, column->sd, column->scale);
    const bool twice = column->spread > 0;
    const scaling second = scaling_of(column->shift, twice ? column->spread : 1, 1);
    __m256d least = high, most = low;
    __m256 farthest = _mm256_setzero_ps();
    for (size_t i = 0; i < count; i += 8) {
        __m128 half[2];
        for (int h = 0; h < 2; h++) {
            __m256d away = _mm256_sub_pd(_mm256_loadu_pd(numbers + i + 4 * h), pivot);
            __m256d held = flushed_four(_mm256_mul_pd(away, factor));
            held = _mm256_cvtps_pd(_mm256_cvtpd_ps(held));
            least = _mm256_min_pd(held, least);
            most = _mm256_max_pd(held, most);
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
    __m256d outside =
        _mm256_or_pd(_mm256_cmp_pd(least, low, _CMP_LT_OQ), _mm256_cmp_pd(most, high, _CMP_GT_OQ));
    __m256 far = _mm256_cmp_ps(farthest, _mm256_set1_ps((float)ENCODED_MOST), _CMP_GE_OQ);
    return (!column->bounded || _mm256_testz_pd(outside, outside)) && _mm256_testz_ps(far, far);
}

#else
bool encode_avx2_can(const transform_column *column)
{
    (void)column;
    return false;
}

bool encode_avx2(float *out, float *missing, const transform_column *column, const double *numbers,
                 size_t count)
{
    (void)out, (void)missing, (void)column, (void)numbers, (void)count;
    return false;
}
#endif
