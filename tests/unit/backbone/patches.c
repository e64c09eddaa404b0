/* Usual patches: distances, hidden anomalies among the images, patches like labeled ones, cross-fitted scores,
 * threads. */
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

static float both[2 * IMAGES]; /* the two scores of each image */

static void learn(arena *memory, float *scores, size_t images, size_t anomalies, team *workers)
{
    CHECK_OK(patches_choose(&model, memory, (const size_t[]){CHANNELS, 16}, 2));
    CHECK(model.count == 1 && model.stages[0].channels == CHANNELS && !model.learned);
    CHECK_OK(patches_learn(&model, &shape, &(patch_images){patches, both, images, anomalies}, workers));
    CHECK(model.learned);
    for (size_t i = 0; i < images; i++) scores[i] = both[2 * i];
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
    learn(&memory, scores, IMAGES, 0, NULL);
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
    learn(&memory, scores, FEW, 0, NULL);
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

static double mean_of(const float *values, size_t first, size_t end)
{
    double sum = 0;
    for (size_t i = first; i < end; i++) sum += (double)values[2 * i] / (double)(end - first);
    return sum;
}

/* A shift of all patches by a small part of their deviation: distances hardly change. */
TEST(patches_like_those_of_labeled_anomalies_score_high)
{
    AUTO_ARENA arena memory = {0};
    enum { LABELED = 20, POSITIONS = SIDE * SIDE };
    static float scores[IMAGES], scratch[FLOATS], outputs[POSITIONS], distances[POSITIONS], later[2 * IMAGES];
    fill(patches, 5, 0);
    fill(fresh, 6, 0);
    for (size_t k = 0; k < (size_t)LABELED * FLOATS; k += CHANNELS) {
        patches[(IMAGES - LABELED) * FLOATS + k + 2] += 0.5F;
        fresh[k + 2] += 0.5F;
    }
    learn(&memory, scores, IMAGES, LABELED, NULL);
    for (size_t i = 0; i < IMAGES; i++) {
        patches_distances(distances, &model.stages[0], fresh + i * FLOATS, POSITIONS, scratch);
        patches_outputs(outputs, &model.stages[0], fresh + i * FLOATS, POSITIONS);
        later[2 * i] = patches_top(outputs, POSITIONS);
    }
    double known = mean_of(both + 1, IMAGES - LABELED, IMAGES),
           usual = mean_of(both + 1, 0, IMAGES - LABELED);
    double new_ones = mean_of(later, 0, LABELED), others = mean_of(later, LABELED, IMAGES);
    CHECK(known > usual + 0.5 && new_ones > others + 0.5);
    CHECK(fabs(known - new_ones) < 0.25 && fabs(usual - others) < 0.25);
    double near = mean_of(both, IMAGES - LABELED, IMAGES) - mean_of(both, 0, IMAGES - LABELED);
    CHECK(fabs(near) < known - usual);
}

TEST(labels_at_random_give_no_output_to_their_images)
{
    AUTO_ARENA arena memory = {0};
    static float scores[IMAGES];
    fill(patches, 7, 0);
    learn(&memory, scores, IMAGES, 40, NULL);
    CHECK(fabs(mean_of(both + 1, 80, IMAGES) - mean_of(both + 1, 0, 80)) < 0.2);
    fill(patches, 7, 0);
    learn(&memory, scores, IMAGES, PATCH_FOLDS - 1, NULL); /* too few for a classifier */
    for (size_t i = 0; i < IMAGES; i++) CHECK(both[2 * i + 1] == 0);
}

TEST(threads_give_the_same_bits_and_tiny_samples_work)
{
    AUTO_ARENA arena memory = {0};
    AUTO_TEAM team *workers = NULL;
    static float one[IMAGES], two[IMAGES];
    CHECK_OK(team_new(&workers, 2));
    fill(patches, 3, 0);
    learn(&memory, one, IMAGES, 10, NULL);
    fill(patches, 3, 0);
    learn(&memory, two, IMAGES, 10, workers);
    CHECK(memcmp(one, two, sizeof one) == 0);
    for (size_t images = 1; images < 4; images++) {
        fill(patches, 3, 0);
        learn(&memory, one, images, images / 2, NULL);
        for (size_t i = 0; i < images; i++) CHECK(isfinite(one[i]));
    }
    memset(patches, 0, sizeof patches); /* constant */
    learn(&memory, one, IMAGES, 10, NULL);
    for (size_t i = 0; i < IMAGES; i++) CHECK(isfinite(one[i]));
}
