/* Evidence of labels for a derived column: rare for labels at random, also with ties, and strong for a signal. */
#include "base/rng.h"
#include "table/encoding/derived_rows.h"
#include "test.h"

#include <math.h>

enum { ROWS = 1000, LABELS = 20, DRAWS = 2000 };

static double evidence(const double *values, const bool *labeled)
{
    double out = 1;
    CHECK(derived_evidence(&out, values, labeled, ROWS) == PUAD_OK);
    return out;
}

static void draw_labels(bool *labeled, rng *draws)
{
    memset(labeled, 0, ROWS * sizeof *labeled);
    for (int k = 0; k < LABELS;) {
        size_t at = (size_t)rng_below(draws, ROWS);
        k += !labeled[at];
        labeled[at] = true;
    }
}

/* How many of DRAWS labelings at random reach a probability of 0.05; `kinds` different values. */
static int found_by_chance(uint64_t kinds, rng *draws)
{
    double values[ROWS];
    bool labeled[ROWS];
    int found = 0;
    for (int d = 0; d < DRAWS; d++) {
        for (int i = 0; i < ROWS; i++)
            values[i] = (double)rng_below(draws, kinds) * (rng_below(draws, 10) == 0);
        draw_labels(labeled, draws);
        found += evidence(values, labeled) < log(0.05);
    }
    return found;
}

TEST(random_labels_rarely_agree_with_a_column)
{
    rng draws = rng_make(1, rng_stream("test", 0));
    CHECK(found_by_chance(2, &draws) <= DRAWS / 20);
    CHECK(found_by_chance(50, &draws) <= DRAWS / 20);
    CHECK(found_by_chance(1 << 30, &draws) <= DRAWS / 20);
}

TEST(labels_in_a_tail_or_in_both_are_found)
{
    rng draws = rng_make(2, rng_stream("test", 0));
    double values[ROWS], both[ROWS];
    bool labeled[ROWS];
    draw_labels(labeled, &draws);
    for (int i = 0, k = 0; i < ROWS; i++) {
        values[i] = rng_uniform(&draws) + (labeled[i] && k++ % 2);
        both[i] = rng_uniform(&draws) - 0.5 + (labeled[i] ? k % 2 ? 1.0 : -1.0 : 0.0);
    }
    CHECK(evidence(values, labeled) < log(1e-9));
    CHECK(evidence(both, labeled) < log(1e-9));
}

TEST(without_labels_there_is_no_evidence)
{
    double values[ROWS] = {1, 2, 3};
    bool labeled[ROWS] = {0};
    CHECK(evidence(values, labeled) == 0);
}
