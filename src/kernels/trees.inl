/* Trees and distances for detectors without a network. */

typedef int16_t codes_vector __attribute__((vector_size(LANES * 4)));
typedef int16_t loose_codes __attribute__((vector_size(LANES * 4), aligned(2), may_alias));
typedef uint16_t values_vector __attribute__((vector_size(LANES * 4)));
typedef uint16_t half_values __attribute__((vector_size(LANES * 2)));
typedef uint32_t loose_sums __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

/* Stores a comparison's result as a mask: otherwise gcc generates slow blends for the following steps. */
#if defined(__AVX2__) && LANES == 8
#define HIDE(value) __asm__("" : "+x"(value))
#else
#define HIDE(value) (void)0
#endif

/* Masks mark the rows that reach a node; every node processes all rows at once, without branches. A row's
 * value is that of the leftmost leaf plus the differences of its right turns (modulo 2^16). The last
 * steps, which have only leaves below them, need no masks. */
#if defined(__AVX512BW__) && LANES == 16
#include <immintrin.h>

/* The same with a bit for each row: comparisons give bits here, and the masks of a large tree stay in the cache. */
static void NAME(tree_sums)(uint32_t *sums, const tree_step *steps, size_t inner, size_t count,
                            uint16_t first, const int16_t *codes, int16_t *masks)
{
    enum { EACH = LANES * 2, VECTORS = TREE_ROWS / EACH };
    typedef uint32_t row_bits __attribute__((aligned(2), may_alias));
    row_bits *reached = (row_bits *)masks;
    __m512i value[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        value[v] = _mm512_set1_epi16((int16_t)first);
        reached[v] = UINT32_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        const tree_step *step = &steps[i];
        const int16_t *code = codes + (size_t)step->column * TREE_ROWS;
        __m512i threshold = _mm512_set1_epi16(step->threshold),
                difference = _mm512_set1_epi16(step->difference);
        UNROLL(2)
        for (int v = 0; v < VECTORS; v++) {
            __mmask32 here = reached[i * VECTORS + (size_t)v];
            __mmask32 turns =
                _mm512_mask_cmpgt_epi16_mask(here, threshold, _mm512_loadu_si512(code + v * EACH));
            value[v] = _mm512_mask_add_epi16(value[v], turns, value[v], difference);
            if (i >= inner) continue;
            reached[step->left * (size_t)VECTORS + (size_t)v] = _kandn_mask32(turns, here);
            reached[step->right * (size_t)VECTORS + (size_t)v] = turns;
        }
    }
    for (int v = 0; v < VECTORS; v++) {
        uint16_t values[EACH];
        memcpy(values, &value[v], sizeof values);
        for (int i = 0; i < EACH; i++) sums[v * EACH + i] += values[i];
    }
}
#else
static void NAME(tree_sums)(uint32_t *sums, const tree_step *steps, size_t inner, size_t count,
                            uint16_t first, const int16_t *codes, int16_t *masks)
{
    enum { EACH = LANES * 2, VECTORS = TREE_ROWS / EACH };
    values_vector value[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        value[v] = (values_vector){0} + first;
        *(loose_codes *)(masks + v * EACH) = (codes_vector){0} - 1;
    }
    for (size_t i = 0; i < inner; i++) {
        const tree_step *step = &steps[i];
        const int16_t *code = codes + (size_t)step->column * TREE_ROWS, *here = masks + i * TREE_ROWS;
        int16_t *left = masks + (size_t)step->left * TREE_ROWS,
                *right = masks + (size_t)step->right * TREE_ROWS;
        codes_vector threshold = (codes_vector){0} + step->threshold,
                     difference = (codes_vector){0} + step->difference, stays[VECTORS], turns[VECTORS];
        UNROLL(8)
        for (int v = 0; v < VECTORS; v++) {
            codes_vector reached = *(const loose_codes *)(here + v * EACH);
            turns[v] = (threshold > *(const loose_codes *)(code + v * EACH)) & reached;
            HIDE(turns[v]);
            stays[v] = reached ^ turns[v];
            value[v] += (values_vector)(turns[v] & difference);
        }
        UNROLL(8)
        for (int v = 0; v < VECTORS; v++) {
            *(loose_codes *)(left + v * EACH) = stays[v];
            *(loose_codes *)(right + v * EACH) = turns[v];
        }
    }
    for (size_t i = inner; i < count; i++) {
        const tree_step *step = &steps[i];
        const int16_t *code = codes + (size_t)step->column * TREE_ROWS, *here = masks + i * TREE_ROWS;
        codes_vector threshold = (codes_vector){0} + step->threshold,
                     difference = (codes_vector){0} + step->difference;
        UNROLL(8)
        for (int v = 0; v < VECTORS; v++) {
            codes_vector turns = threshold > *(const loose_codes *)(code + v * EACH);
            turns &= *(const loose_codes *)(here + v * EACH);
            value[v] += (values_vector)(turns & difference);
        }
    }
    for (int v = 0; v < VECTORS; v++) {
        half_values half[2];
        memcpy(half, &value[v], sizeof half);
        for (int i = 0; i < 2; i++) {
            loose_sums *to = (loose_sums *)(sums + v * EACH + i * LANES);
            *to += __builtin_convertvector(half[i], loose_sums);
        }
    }
}
#endif

/* The smallest squared distances of rows to the points of each set; points are stored by column, `size` of
 * them. Two rows share the loaded points, 32 of them (16 if registers are narrow): a detector's sets have
 * 32 points each. Products are not fused, so that distances, which are ranked, have the same bits on every
 * machine. */
#if defined(__clang__)
#define NOT_FUSED
#pragma clang fp contract(off)
#else
#define NOT_FUSED __attribute__((optimize("fp-contract=off")))
#endif
/* The smallest lane, by halving. */
INLINE float least_lane(vector value)
{
    float buffer[LANES];
    store(buffer, value);
    UNROLL(4)
    for (int half = LANES / 2; half; half /= 2) {
        UNROLL(8)
        for (int i = 0; i < half; i++)
            buffer[i] = buffer[i + half] < buffer[i] ? buffer[i + half] : buffer[i];
    }
    return buffer[0];
}

NOT_FUSED static void NAME(least_distances)(float *min, const float *rows, size_t count, const float *points,
                                            size_t sets, size_t size, size_t columns)
{
    enum { VECTORS = LANES == 16 ? 2 : 4, TOGETHER = VECTORS * LANES, PAIR = 2 };
    for (size_t first = 0; first < count; first += PAIR) {
        size_t other = first + 1 < count ? first + 1 : first; /* an odd last row is measured twice */
        const float *row[PAIR] = {rows + first * columns, rows + other * columns}, *source = points;
        for (size_t set = 0; set < sets; set++, source += size * columns) {
            vector best[PAIR] = {(vector){0} + __builtin_inff(), (vector){0} + __builtin_inff()};
            float found[PAIR] = {__builtin_inff(), __builtin_inff()};
            size_t i = 0;
            for (; i + TOGETHER <= size; i += TOGETHER) {
                vector sum[PAIR][VECTORS] = {0};
                for (size_t c = 0; c < columns; c++) {
                    const float *at = source + c * size + i;
                    UNROLL(4)
                    for (int v = 0; v < VECTORS; v++) {
                        vector point = load(at + v * LANES);
                        UNROLL(2)
                        for (int r = 0; r < PAIR; r++) {
                            vector off = point - row[r][c];
                            sum[r][v] += off * off;
                        }
                    }
                }
                for (int r = 0; r < PAIR; r++)
                    for (int v = 0; v < VECTORS; v++) best[r] = pick(sum[r][v] < best[r], sum[r][v], best[r]);
            }
            for (; i < size; i += LANES) {
                size_t left = size - i < LANES ? size - i : LANES;
                for (int r = 0; r < PAIR; r++) {
                    vector sum = {0};
                    for (size_t c = 0; c < columns; c++) {
                        vector off = load_up_to(source + c * size + i, left) - row[r][c];
                        sum += off * off;
                    }
                    for (size_t lane = 0; lane < left; lane++)
                        found[r] = sum[lane] < found[r] ? sum[lane] : found[r];
                }
            }
            for (int r = 0; r < PAIR; r++) {
                float nearest = least_lane(best[r]);
                found[r] = nearest < found[r] ? nearest : found[r];
            }
            min[first * sets + set] = found[0];
            min[other * sets + set] = found[other - first];
        }
    }
}
