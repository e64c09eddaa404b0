/* Trees and distances for detectors without a network. */

typedef int16_t codes_vector __attribute__((vector_size(LANES * 4)));
typedef int16_t loose_codes __attribute__((vector_size(LANES * 4), aligned(2), may_alias));
typedef uint16_t values_vector __attribute__((vector_size(LANES * 4)));
typedef uint16_t half_values __attribute__((vector_size(LANES * 2)));
typedef uint32_t loose_sums __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

/* What a comparison found is kept as it is: gcc would make slow blends of the steps that follow. */
#if defined(__AVX2__) && LANES == 8
#define HIDE(value) __asm__("" : "+x"(value))
#else
#define HIDE(value) (void)0
#endif

/* Masks say which rows reach a node; every node is looked at for all rows at once, without a branch. A row's
 * value is that of the leftmost leaf plus the differences that its right turns add (modulo 2^16). Masks of
 * leaves would be for nobody, so the last steps, which have leaves alone below them, make none. */
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

/* The least squared distance to the points of each set; points lie column after column, `size` of them.
 * Multiplied and added without fusing, so that distances, which are ranked among others, have the same bits
 * on every machine. */
#if defined(__clang__)
#define NOT_FUSED
#pragma clang fp contract(off)
#else
#define NOT_FUSED __attribute__((optimize("fp-contract=off")))
#endif
NOT_FUSED static void NAME(least_distances)(float *least, const float *row, const float *points, size_t sets,
                                            size_t size, size_t columns)
{
    enum { TOGETHER = 4 * LANES };
    for (size_t set = 0; set < sets; set++, points += size * columns) {
        vector best = (vector){0} + __builtin_inff();
        float found = __builtin_inff();
        size_t i = 0;
        for (; i + TOGETHER <= size; i += TOGETHER) {
            vector sum[4] = {{0}, {0}, {0}, {0}};
            for (size_t c = 0; c < columns; c++) {
                const float *at = points + c * size + i;
                UNROLL(4)
                for (int v = 0; v < 4; v++) {
                    vector off = load(at + v * LANES) - row[c];
                    sum[v] += off * off;
                }
            }
            for (int v = 0; v < 4; v++) best = select(sum[v] < best, sum[v], best);
        }
        for (; i < size; i += LANES) {
            size_t left = size - i < LANES ? size - i : LANES;
            vector sum = {0};
            for (size_t c = 0; c < columns; c++) {
                vector off = load_up_to(points + c * size + i, left) - row[c];
                sum += off * off;
            }
            for (size_t lane = 0; lane < left; lane++) found = sum[lane] < found ? sum[lane] : found;
        }
        for (int lane = 0; lane < LANES; lane++) found = best[lane] < found ? best[lane] : found;
        least[set] = found;
    }
}
