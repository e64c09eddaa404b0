/* Eigenvectors of symmetric matrices, and the residual of principal components. */
#include "test.h"

#include "base/rng.h"
#include "detector/ensemble/eigen_symmetric.h"
#include "detector/ensemble/pca.h"

#include <math.h>
#include <string.h>

enum { MOST = 40 };

TEST(a_symmetric_matrix_is_the_sum_of_its_values_and_vectors)
{
    static double a[MOST * MOST], kept[MOST * MOST], vectors[MOST * MOST], values[MOST];
    for (size_t n = 1; n <= MOST; n += n < 5 ? 1 : 7)
        for (int kind = 0; kind < 3; kind++) { /* any, of rank 1, diagonal with equal values */
            rng draws = rng_make(7, n);
            for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k <= i; k++)
                    a[i * n + k] = a[k * n + i] = kind == 0   ? rng_normal(&draws)
                                                  : kind == 1 ? (double)((i + 1) * (k + 1))
                                                  : i == k    ? 2
                                                              : 0;
            memcpy(kept, a, sizeof a);
            CHECK_OK(symmetric_solve(values, vectors, a, n));
            for (size_t i = 0; i + 1 < n; i++) CHECK(values[i] >= values[i + 1]);
            for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < n; k++) {
                    double sum = 0, length = 0;
                    for (size_t v = 0; v < n; v++) sum += values[v] * vectors[v * n + i] * vectors[v * n + k];
                    for (size_t c = 0; c < n; c++) length += vectors[i * n + c] * vectors[k * n + c];
                    CHECK_NEAR(sum, kept[i * n + k], 1e-9 * (1 + fabs(values[0])));
                    CHECK_NEAR(length, i == k, 1e-9);
                }
        }
}

/* Rows along one direction, with a little of a second. */
static void draw(float *rows, size_t count, size_t columns)
{
    rng draws = rng_make(1, columns);
    for (size_t i = 0; i < count; i++) {
        double along = rng_normal(&draws), beside = 0.05 * rng_normal(&draws);
        for (size_t c = 0; c < columns; c++)
            rows[i * columns + c] = (float)(3 + along + (c % 2 ? beside : -beside));
    }
}

TEST(rows_off_the_line_have_larger_scores_and_name_the_column)
{
    enum { COUNT = 200 };
    static float rows[COUNT * 1100], off[1100], shares[1100];
    uint32_t numbers[COUNT];
    team *workers = NULL;
    AUTO_ARENA arena scratch = {0};
    CHECK_OK(team_new(&workers, 1));
    for (uint32_t i = 0; i < COUNT; i++) numbers[i] = i;
    static const size_t widths[] = {2, 6, 1100}; /* the last from products of rows */
    for (size_t k = 0; k < 3; k++) {
        size_t columns = widths[k];
        principal made = {0};
        float usual, far;
        draw(rows, COUNT, columns);
        CHECK_OK(principal_fit(&made, rows, columns, numbers, COUNT));
        CHECK_INT(made.kept, 1);
        for (size_t c = 0; c < columns; c++) off[c] = 3;
        CHECK_OK(principal_score(&usual, &made, off, 1, workers, &scratch));
        off[1] += 4;
        CHECK_OK(principal_score(&far, &made, off, 1, workers, &scratch));
        CHECK(far > 5 * usual + 1);
        CHECK_NEAR(far, 4 * sqrt(1 - 1.0 / (double)columns), 0.2);
        CHECK_OK(principal_explain(shares, &made, off));
        for (size_t c = 0; c < columns; c++) CHECK(columns == 2 || c == 1 || shares[c] < shares[1]);
        principal_free(&made);
    }
    team_free(workers);
}

TEST(one_column_is_judged_by_its_distance_from_the_mean)
{
    float rows[4] = {1, 2, 3, 6}, scores[4];
    uint32_t numbers[4] = {0, 1, 2, 3};
    principal made = {0};
    team *workers = NULL;
    AUTO_ARENA arena scratch = {0};
    CHECK_OK(team_new(&workers, 1));
    CHECK_OK(principal_fit(&made, rows, 1, numbers, 4));
    CHECK_OK(principal_score(scores, &made, rows, 4, workers, &scratch));
    CHECK_NEAR(scores[3], 3, 1e-6);
    CHECK_NEAR(scores[2], 0, 1e-6);
    CHECK_FAILS(principal_new(&(principal){0}, 3, 3), PUAD_INVALID, "3 components", "3 columns");
    made.mean[0] = NAN;
    CHECK_FAILS(principal_check(&made), PUAD_FORMAT, "column 0");
    principal_free(&made);
    team_free(workers);
}
