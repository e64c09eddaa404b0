/* Usual patches: distances, hidden anomalies among the images, cross-fitted scores, threads. */
#include "backbone/patches.h"
#include "base/rng.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { IMAGES = 120, HIDDEN = 10, SIDE = 6, CHANNELS = 8, FLOATS = SIDE * SIDE * CHANNELS };
static float patches[IMAGES * FLOATS], fresh[IMAGES * FLOATS];

/* Correlated channels; the first images have a few patches along a direction of small variance. */
static void fill(float *out, uint64_t stream, size_t hidden)
{
    rng draws = rng_make(4, rng_stream("patches", stream));
    for (size_t i = 0; i < IMAGES; i++)
        for (size_t p = 0; p < (size_t)SIDE * SIDE; p++) {
            double both = rng_normal(&draws);
            float *to = out + i * FLOATS + p * CHANNELS;
            for (size_t c = 0; c < CHANNELS; c++) to[c] = (float)(100 + both + 0.5 * rng_normal(&draws));
            if (i < hidden && p < 4) to[0] += 4, to[1] -= 4;
        }
}

static const patch_shape shape = {
    .height = {SIDE}, .width = {SIDE}, .floats = FLOATS, .positions_most = (size_t)SIDE * SIDE};

static patch_model model;

static void learn(arena *memory, float *scores, size_t images, team *workers)
{
    CHECK_OK(patches_choose(&model, memory, (const size_t[]){CHANNELS, 16}, 2));
    CHECK(model.count == 1 && model.stages[0].channels == CHANNELS && !model.learned);
    CHECK_OK(patches_learn(&model, &shape, patches, images, scores, 1, workers));
    CHECK(model.learned);
}

TEST(stages_in_the_middle_are_chosen_and_wide_ones_thinned)
{
    AUTO_ARENA arena memory = {0};
    CHECK_OK(patches_choose(&model, &memory, (const size_t[]){40, 80, 600, 192, 320}, 5));
    CHECK(model.count == 3 && model.stages[0].stage == 1 && model.stages[2].stage == 3);
    CHECK(model.stages[1].step == 3 && model.stages[1].channels == 200);
    CHECK_OK(patches_choose(&model, &memory, (const size_t[]){24}, 1));
    CHECK(model.count == 1 && model.stages[0].stage == 0);
}

TEST(patches_of_hidden_anomalies_do_not_become_usual)
{
    AUTO_ARENA arena memory = {0};
    static float scores[IMAGES], copy[FLOATS], scratch[FLOATS], distances[SIDE * SIDE];
    fill(patches, 0, HIDDEN);
    learn(&memory, scores, IMAGES, NULL);
    float usual = -INFINITY, odd = INFINITY;
    for (size_t i = 0; i < IMAGES; i++) {
        if (i < HIDDEN) odd = fminf(odd, scores[i]);
        if (i >= HIDDEN) usual = fmaxf(usual, scores[i]);
    }
    CHECK(odd > usual + 1);
    fill(patches, 0, HIDDEN);
    memcpy(copy, patches, sizeof copy);
    patches_distances(distances, &model.stages[0], copy, (size_t)SIDE * SIDE, scratch);
    for (size_t p = 0; p < (size_t)SIDE * SIDE; p++)
        CHECK((distances[p] > model.stages[0].level[0] + 3 * model.stages[0].level[1]) == (p < 4));
}

/* d^2 has a chi-squared distribution with CHANNELS degrees of freedom, for training and new images. */
TEST(scores_of_training_images_compare_with_those_of_new_ones)
{
    AUTO_ARENA arena memory = {0};
    static float scores[IMAGES], scratch[FLOATS], distances[SIDE * SIDE];
    double training = 0, later = 0, squares = 0;
    enum { FEW = 20 }; /* few images, where scores of the model's own images would be too small */
    fill(patches, 1, 0);
    fill(fresh, 2, 0);
    learn(&memory, scores, FEW, NULL);
    for (size_t i = 0; i < FEW; i++) training += (double)scores[i] / FEW;
    for (size_t i = 0; i < IMAGES; i++) {
        patches_distances(distances, &model.stages[0], fresh + i * FLOATS, (size_t)SIDE * SIDE, scratch);
        for (size_t p = 0; p < (size_t)SIDE * SIDE; p++)
            squares += expm1((double)distances[p]) / (IMAGES * SIDE * SIDE);
        later += (double)patches_top(distances, (size_t)SIDE * SIDE) / IMAGES;
    }
    CHECK(fabs(training - later) < 0.1);
    CHECK(fabs(squares - CHANNELS) < 0.15 * CHANNELS);
}

TEST(threads_give_the_same_bits_and_tiny_samples_work)
{
    AUTO_ARENA arena memory = {0};
    AUTO_TEAM team *workers = NULL;
    static float one[IMAGES], two[IMAGES];
    CHECK_OK(team_new(&workers, 2));
    fill(patches, 3, 0);
    learn(&memory, one, IMAGES, NULL);
    fill(patches, 3, 0);
    learn(&memory, two, IMAGES, workers);
    CHECK(memcmp(one, two, sizeof one) == 0);
    for (size_t images = 1; images < 4; images++) {
        fill(patches, 3, 0);
        learn(&memory, one, images, NULL);
        for (size_t i = 0; i < images; i++) CHECK(isfinite(one[i]));
    }
    memset(patches, 0, sizeof patches); /* constant */
    learn(&memory, one, IMAGES, NULL);
    for (size_t i = 0; i < IMAGES; i++) CHECK(isfinite(one[i]));
}
