/* The matrix product: a tile of TILE rows x 2 vectors stays in registers while segments and depth run. */

typedef struct tile_job {
    const multiply_job *job;
    const float *a;
    float *c;
} tile_job;

/* `rows`, the known steps and `full` are constants after inlining; a step of 0 is read from the job. */
INLINE void multiply_tile(const int rows, const ptrdiff_t a_step_known, const ptrdiff_t b_step_known,
                          const bool full, const tile_job *tile)
{
    const multiply_job *job = tile->job;
    const ptrdiff_t a_row = job->a_row;
    const ptrdiff_t a_step = a_step_known ? a_step_known : job->a_step;
    const ptrdiff_t b_step = b_step_known ? b_step_known : job->b_step;
    const size_t columns = job->columns;
    vector sum[TILE][2];
    UNROLL(12)
    for (int m = 0; m < rows; m++) {
        const float *c = tile->c + m * job->c_row;
        if (job->add) {
            sum[m][0] = full ? load(c) : load_some(c, columns, 0);
            sum[m][1] = full ? load(c + LANES) : load_some(c, columns, LANES);
        } else {
            sum[m][0] = (vector){0};
            sum[m][1] = (vector){0};
        }
    }
    for (size_t s = 0; s < job->segments; s++) {
        const float *a = tile->a + (ptrdiff_t)s * job->a_segment;
        const float *b = job->b + (ptrdiff_t)s * job->b_segment;
        for (size_t k = 0; k < job->depth; k++) {
            vector first = full ? load(b) : load_some(b, columns, 0);
            vector second = full ? load(b + LANES) : load_some(b, columns, LANES);
            UNROLL(12)
            for (int m = 0; m < rows; m++) {
                float value = a[m * a_row];
                sum[m][0] += value * first;
                sum[m][1] += value * second;
            }
            a += a_step;
            b += b_step;
        }
    }
    if (job->bias) {
        vector first = full ? load(job->bias) : load_some(job->bias, columns, 0);
        vector second = full ? load(job->bias + LANES) : load_some(job->bias, columns, LANES);
        UNROLL(12)
        for (int m = 0; m < rows; m++) sum[m][0] += first, sum[m][1] += second;
    }
    if (job->slope) {
        UNROLL(12)
        for (int m = 0; m < rows; m++)
            sum[m][0] = leaky_of(sum[m][0], *job->slope), sum[m][1] = leaky_of(sum[m][1], *job->slope);
    }
    if (full && b_step_known && columns < 2 * LANES) { /* the rest of a padded panel is stored partially */
        UNROLL(12)
        for (int m = 0; m < rows; m++) {
            store(tile->c + m * job->c_row, sum[m][0]);
            store_first(tile->c + m * job->c_row + LANES, sum[m][1], columns - LANES);
        }
        return;
    }
    UNROLL(12)
    for (int m = 0; m < rows; m++) {
        float *c = tile->c + m * job->c_row;
        if (full) {
            store(c, sum[m][0]);
            store(c + LANES, sum[m][1]);
        } else {
            store_some(c, sum[m][0], columns, 0);
            store_some(c, sum[m][1], columns, LANES);
        }
    }
}

/* The same for at most one vector of columns: twice as many rows fit into the registers. Rows of b have a
 * whole vector, whatever `columns` is. */
INLINE void multiply_narrow_tile(const int rows, const ptrdiff_t a_step_known, const ptrdiff_t b_step_known,
                                 const tile_job *tile)
{
    const multiply_job *job = tile->job;
    const ptrdiff_t a_row = job->a_row;
    const ptrdiff_t a_step = a_step_known ? a_step_known : job->a_step;
    const ptrdiff_t b_step = b_step_known ? b_step_known : job->b_step;
    vector sum[2 * TILE];
    UNROLL(24)
    for (int m = 0; m < rows; m++) sum[m] = job->add ? load(tile->c + m * job->c_row) : (vector){0};
    for (size_t s = 0; s < job->segments; s++) {
        const float *a = tile->a + (ptrdiff_t)s * job->a_segment;
        const float *b = job->b + (ptrdiff_t)s * job->b_segment;
        for (size_t k = 0; k < job->depth; k++, a += a_step, b += b_step) {
            vector only = load(b);
            UNROLL(24)
            for (int m = 0; m < rows; m++) sum[m] += a[m * a_row] * only;
        }
    }
    if (job->bias) {
        vector bias = load(job->bias);
        UNROLL(24)
        for (int m = 0; m < rows; m++) sum[m] += bias;
    }
    if (job->slope) {
        UNROLL(24)
        for (int m = 0; m < rows; m++) sum[m] = leaky_of(sum[m], *job->slope);
    }
    if (job->columns < LANES) {
        UNROLL(24)
        for (int m = 0; m < rows; m++) store_first(tile->c + m * job->c_row, sum[m], job->columns);
        return;
    }
    UNROLL(24)
    for (int m = 0; m < rows; m++) store(tile->c + m * job->c_row, sum[m]);
}

#define PACKED(n) multiply_tile(n, 1, 2 * LANES, true, &tile)
#define STRIDED(n) multiply_tile(n, 0, 0, true, &tile)
#define PARTIAL(n) multiply_tile(n, 0, 0, false, &tile)

#define FEW_ROWS(expand)                                                                                     \
    case 1: expand(1); break;                                                                                \
    case 2: expand(2); break;                                                                                \
    case 3: expand(3); break;                                                                                \
    case 4: expand(4); break;                                                                                \
    case 5:                                                                                                  \
        expand(5);                                                                                           \
        break;
#if TILE > 6
#define MORE_ROWS(expand)                                                                                    \
    case 6: expand(6); break;                                                                                \
    case 7: expand(7); break;                                                                                \
    case 8: expand(8); break;                                                                                \
    case 9: expand(9); break;                                                                                \
    case 10: expand(10); break;                                                                              \
    case 11:                                                                                                 \
        expand(11);                                                                                          \
        break;
#else
#define MORE_ROWS(expand)
#endif

/* Rows of the next tile: the last two tiles are of similar size, instead of a full one and a small rest. */
INLINE size_t tile_rows(size_t left)
{
    return left >= 2 * TILE ? TILE : left > TILE ? (left + 1) / 2 : left;
}

INLINE tile_job tile_at(const multiply_job *job, size_t row)
{
    return (tile_job){job, job->a + (ptrdiff_t)row * job->a_row, job->c + (ptrdiff_t)row * job->c_row};
}

#define EACH_TILE(expand)                                                                                    \
    for (size_t row = 0, rows; row < job->rows; row += rows) {                                               \
        const tile_job tile = tile_at(job, row);                                                             \
        switch (rows = tile_rows(job->rows - row)) {                                                         \
            FEW_ROWS(expand)                                                                                 \
            MORE_ROWS(expand)                                                                                \
        default: expand(TILE);                                                                               \
        }                                                                                                    \
    }

static __attribute__((noinline)) void multiply_packed(const multiply_job *job)
{
    EACH_TILE(PACKED)
}

static __attribute__((noinline)) void multiply_strided(const multiply_job *job)
{
    EACH_TILE(STRIDED)
}

/* For fewer rows than registers: eight rows keep two units busy that take four steps each. */
#define EACH_NARROW_TILE(a_step, b_step)                                                                     \
    for (size_t row = 0, rows; row < job->rows; row += rows) {                                               \
        const tile_job tile = tile_at(job, row);                                                             \
        size_t left = job->rows - row;                                                                       \
        if (left >= 2 * TILE)                                                                                \
            rows = 2 * TILE, multiply_narrow_tile(2 * TILE, a_step, b_step, &tile);                          \
        else if (left >= 8)                                                                                  \
            rows = 8, multiply_narrow_tile(8, a_step, b_step, &tile);                                        \
        else if (left >= 4)                                                                                  \
            rows = 4, multiply_narrow_tile(4, a_step, b_step, &tile);                                        \
        else                                                                                                 \
            rows = 1, multiply_narrow_tile(1, a_step, b_step, &tile);                                        \
    }

static __attribute__((noinline)) void multiply_narrow(const multiply_job *job)
{
    EACH_NARROW_TILE(1, 2 * LANES)
}

static __attribute__((noinline)) void multiply_narrow_strided(const multiply_job *job)
{
    EACH_NARROW_TILE(0, 0)
}

static void NAME(multiply)(const multiply_job *job)
{
    const bool panels = job->a_step == 1 && job->b_step == 2 * LANES, padded = job->padded && !job->add;
    if (panels && (job->columns == LANES || (padded && job->columns < LANES))) {
        multiply_narrow(job);
    } else if (panels && (job->columns == 2 * LANES || padded)) {
        multiply_packed(job);
    } else if (job->columns == 2 * LANES) {
        multiply_strided(job);
    } else if (job->columns == LANES) {
        multiply_narrow_strided(job);
    } else {
        for (size_t row = 0; row < job->rows; row++) {
            const tile_job tile = tile_at(job, row);
            PARTIAL(1);
        }
    }
}

static double NAME(fused_rate)(size_t rounds)
{
    vector sum[12], factor = (vector){0} + 0.999f, addend = (vector){0} + 1e-9f;
    UNROLL(12)
    for (int i = 0; i < 12; i++) sum[i] = addend * (float)i;
    for (size_t round = 0; round < rounds * 1000 / 12; round++) {
        UNROLL(12)
        for (int i = 0; i < 12; i++) sum[i] = sum[i] * factor + addend;
        __asm__ volatile("" ::: "memory"); /* stops the compiler from removing the loop */
    }
    vector total = sum[0];
    UNROLL(12)
    for (int i = 1; i < 12; i++) total += sum[i];
    volatile float kept = total[0];
    (void)kept;
    return (double)(rounds * 1000 / 12) * 12 * LANES * 2;
}
