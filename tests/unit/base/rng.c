/* The generator: published test vectors, and the draws derived from it. */
#include "base/rng.h"
#include "test.h"

TEST(philox_gives_the_published_vectors)
{
    uint32_t out[4];
    rng_block(out, 0, 0, 0);
    CHECK(out[0] == 0x6627e8d5 && out[1] == 0xe169c58d && out[2] == 0xbc57ac4c && out[3] == 0x9b00dbd8);
    rng_block(out, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    CHECK(out[0] == 0x408f276d && out[1] == 0x41c83b0e && out[2] == 0xa20bc7c6 && out[3] == 0x6d5451fd);
    rng_block(out, 0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88);
    CHECK(out[0] == 0xd16cfe09 && out[1] == 0x94fdcceb && out[2] == 0x5001e420 && out[3] == 0x24126ea1);
}

TEST(a_permutation_holds_every_index_once)
{
    uint32_t order[1000];
    bool seen[1000] = {false};
    rng state = rng_make(7, rng_stream("shuffle", 3));
    rng_permutation(&state, order, 1000);
    for (int i = 0; i < 1000; i++) {
        REQUIRE(order[i] < 1000);
        CHECK(!seen[order[i]]);
        seen[order[i]] = true;
    }
}

TEST(normal_draws_have_mean_0_and_deviation_1)
{
    rng state = rng_make(1, 2);
    double sum = 0, squares = 0;
    int count = 200000;
    for (int i = 0; i < count; i++) {
        double draw = rng_normal(&state);
        sum += draw;
        squares += draw * draw;
    }
    CHECK_NEAR(sum / count, 0, 0.01);
    CHECK_NEAR(squares / count, 1, 0.02);
}

TEST(draws_below_a_bound_are_even)
{
    rng state = rng_make(5, 0);
    int counts[6] = {0};
    for (int i = 0; i < 60000; i++) counts[rng_below(&state, 6)]++;
    for (int i = 0; i < 6; i++) CHECK_NEAR(counts[i], 10000, 400);
}

TEST(streams_with_other_names_or_indexes_differ)
{
    CHECK(rng_stream("shuffle", 0) != rng_stream("shuffle", 1));
    CHECK(rng_stream("shuffle", 0) != rng_stream("noise", 0));
}
