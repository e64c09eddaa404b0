/* Validation split and mini-batches: sizes, fractions, and that every row is used. */
#include "detector/network/sampler.h"
#include "base/rng.h"
#include "test.h"

#include <puad/objective.h>

enum { ROWS_MAX = 6000, ALL = PUAD_USES_UNLABELED | PUAD_USES_ANOMALIES | PUAD_USES_NORMALS };
static int8_t labels[ROWS_MAX];
static uint32_t rows_of[ROWS_MAX];

/* Labels in a mixed order; returns the number of rows. */
static size_t make_labels(size_t unlabeled, size_t anomalies, size_t normals)
{
    size_t rows = unlabeled + anomalies + normals;
    uint32_t order[ROWS_MAX];
    rng state = rng_make(99, 0);
    rng_permutation(&state, order, rows);
    for (size_t i = 0; i < rows; i++) {
        labels[order[i]] = (int8_t)(i < unlabeled ? 0 : i < unlabeled + anomalies ? 1 : -1);
        rows_of[i] = (uint32_t)i;
    }
    return rows;
}

static size_t count_label(const uint32_t *rows, size_t count, int label)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += labels[rows[i]] == label;
    return found;
}

TEST(validation_has_the_fraction_of_each_label)
{
    size_t rows = make_labels(4750, 250, 40);
    AUTO_VALIDATION_SPLIT validation_split split = {0};
    CHECK_OK(validation_split_new(&split, labels, rows, 0.1, 7));
    CHECK_INT(split.validation_count, 475 + 25 + 4);
    CHECK_INT(split.training_count + split.validation_count, rows);
    CHECK_INT(count_label(split.validation, split.validation_count, 0), 475);
    CHECK_INT(count_label(split.validation, split.validation_count, 1), 25);
    for (size_t i = 0, t = 0, v = 0; i < rows; i++) { /* each row is in one part; both are ascending */
        bool in_training = t < split.training_count && split.training[t] == i;
        bool in_validation = v < split.validation_count && split.validation[v] == i;
        CHECK(in_training != in_validation);
        t += in_training;
        v += in_validation;
    }
}

TEST(a_few_labels_are_on_both_sides)
{
    size_t rows = make_labels(100, 3, 1);
    AUTO_VALIDATION_SPLIT validation_split split = {0};
    CHECK_OK(validation_split_new(&split, labels, rows, 0.1, 7));
    CHECK_INT(count_label(split.validation, split.validation_count, 1), 1);
    CHECK_INT(count_label(split.training, split.training_count, 1), 2);
    CHECK_INT(count_label(split.training, split.training_count, -1), 1); /* a single one is trained on */
}

TEST(a_validation_fraction_of_0_holds_out_nothing)
{
    size_t rows = make_labels(20, 3, 0);
    AUTO_VALIDATION_SPLIT validation_split whole = {0}, split = {0};
    CHECK_OK(validation_split_new(&whole, labels, rows, 0, 7));
    CHECK_INT(whole.validation_count, 0);
    CHECK_INT(whole.training_count, 23);
    CHECK_FAILS(validation_split_new(&split, labels, rows, 0.6, 7), PUAD_INVALID, "0.6");
    labels[5] = 2;
    CHECK_FAILS(validation_split_new(&split, labels, rows, 0.1, 7), PUAD_INVALID, "row 5", "label 2");
    CHECK_OK(validation_split_new(&split, labels, 0, 0.1, 7));
    CHECK_INT(split.training_count, 0);
}

TEST(the_split_follows_the_seed)
{
    size_t rows = make_labels(900, 100, 0);
    AUTO_VALIDATION_SPLIT validation_split first = {0}, again = {0}, other = {0};
    CHECK_OK(validation_split_new(&first, labels, rows, 0.1, 7));
    CHECK_OK(validation_split_new(&again, labels, rows, 0.1, 7));
    CHECK_OK(validation_split_new(&other, labels, rows, 0.1, 8));
    CHECK(memcmp(first.validation, again.validation, first.validation_count * sizeof(uint32_t)) == 0);
    CHECK(memcmp(first.validation, other.validation, first.validation_count * sizeof(uint32_t)) != 0);
}

/* Sizes of the batches of a plain shuffle of `rows` rows, as text: "4 4 3". */
static const char *shuffle_sizes(size_t rows, size_t batch)
{
    static char text[256];
    AUTO_SAMPLER sampler state = {0};
    int used = 0;
    *text = 0;
    if (sampler_new(&state, &(sampler_plan){SAMPLER_SHUFFLE, labels, rows_of, rows, ALL, batch, 0}) !=
        PUAD_OK)
        return puad_last_error();
    sampler_epoch(&state, 0);
    for (size_t b = 0; b < state.batches; b++) {
        size_t count;
        sampler_batch(&state, b, &count);
        if (count > state.batch_most) return "batch_most is too small";
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%zu", b ? " " : "", count);
    }
    return text;
}

TEST(a_single_remaining_row_joins_the_previous_batch)
{
    make_labels(20, 0, 0);
    CHECK_TEXT(shuffle_sizes(8, 4), "4 4");
    CHECK_TEXT(shuffle_sizes(9, 4), "4 5");
    CHECK_TEXT(shuffle_sizes(10, 4), "4 4 2");
    CHECK_TEXT(shuffle_sizes(3, 4), "3");
    CHECK_TEXT(shuffle_sizes(1, 4), "1");
    CHECK_TEXT(shuffle_sizes(5, 4), "5");
    CHECK_TEXT(shuffle_sizes(0, 4), "");
    CHECK_TEXT(shuffle_sizes(3, 1), "1 1 1");
}

TEST(a_shuffled_epoch_has_every_row_once_in_a_new_order)
{
    size_t rows = make_labels(450, 40, 10);
    AUTO_SAMPLER sampler state = {0};
    CHECK_OK(sampler_new(&state,
                         &(sampler_plan){SAMPLER_SHUFFLE, labels, rows_of + 100, rows - 100, ALL, 128, 3}));
    uint32_t first[ROWS_MAX];
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        bool seen[ROWS_MAX] = {false};
        sampler_epoch(&state, epoch);
        for (size_t i = 0; i < state.rows; i++) {
            CHECK(state.order[i] >= 100 && state.order[i] < rows && !seen[state.order[i]]);
            seen[state.order[i]] = true;
        }
        CHECK_INT(state.rows, rows - 100);
        if (epoch > 0) CHECK(memcmp(first, state.order, state.rows * sizeof *first) != 0);
        memcpy(first, state.order, state.rows * sizeof *first);
    }
    sampler_epoch(&state,
                  0); /* an epoch can be drawn again, in any order: a resumed run sees the same rows */
    sampler_epoch(&state, 2);
    CHECK(memcmp(first, state.order, state.rows * sizeof *first) == 0);
}

/* A stratified epoch: sizes within the batch, every label in every batch, no unlabeled row twice, evenly
 * spread. */
static void check_stratified(size_t unlabeled, size_t anomalies, size_t normals, size_t batch)
{
    size_t rows = make_labels(unlabeled, anomalies, normals);
    AUTO_SAMPLER sampler state = {0};
    CHECK_OK(sampler_new(&state, &(sampler_plan){SAMPLER_STRATIFIED, labels, rows_of, rows, ALL, batch, 5}));
    int times[ROWS_MAX] = {0};
    size_t min[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX}, max[3] = {0};
    sampler_epoch(&state, 1);
    for (size_t b = 0; b < state.batches; b++) {
        size_t count, of_label[3];
        const uint32_t *order = sampler_batch(&state, b, &count);
        CHECK(count <= batch && count <= state.batch_most && count > 0);
        for (int label = -1; label <= 1; label++) {
            of_label[label + 1] = count_label(order, count, label);
            min[label + 1] = of_label[label + 1] < min[label + 1] ? of_label[label + 1] : min[label + 1];
            max[label + 1] = of_label[label + 1] > max[label + 1] ? of_label[label + 1] : max[label + 1];
        }
        if (anomalies) CHECK(of_label[2] >= 1);
        if (normals) CHECK(of_label[0] >= 1);
        for (size_t i = 0; i < count; i++) times[order[i]]++;
    }
    int fewest[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, greatest[3] = {0};
    for (size_t i = 0; i < rows; i++) {
        int at = labels[i] + 1;
        fewest[at] = times[i] < fewest[at] ? times[i] : fewest[at];
        greatest[at] = times[i] > greatest[at] ? times[i] : greatest[at];
    }
    for (int at = 0; at < 3; at++) {
        if (greatest[at] == 0) continue;
        CHECK(max[at] - min[at] <= 1);
        CHECK(fewest[at] >= 1 && greatest[at] - fewest[at] <= 1);
    }
    if (unlabeled) CHECK_INT(greatest[1], 1);
}

TEST(stratified_batches_hold_every_label)
{
    check_stratified(4500, 225, 0, 128);
    check_stratified(4500, 3, 0, 128);
    check_stratified(4500, 3, 2, 128);
    check_stratified(4500, 1, 300, 128);
    check_stratified(129, 1, 1, 128);
    check_stratified(50, 5, 5, 128);
    check_stratified(200, 0, 0, 64);
    check_stratified(100, 7, 3, 4);
    check_stratified(1, 100, 0, 4);
    check_stratified(2, 2, 2, 4);
    check_stratified(0, 9, 0, 4);
    check_stratified(1, 0, 0, 4);
}

TEST(labels_the_objective_does_not_use_are_only_spread)
{
    size_t rows = make_labels(1000, 2, 0);
    AUTO_SAMPLER sampler spread = {0}, state = {0};
    CHECK_OK(sampler_new(
        &spread, &(sampler_plan){SAMPLER_STRATIFIED, labels, rows_of, rows, PUAD_USES_UNLABELED, 100, 0}));
    CHECK_INT(spread.rows, rows);
    CHECK_FAILS(sampler_new(&state, &(sampler_plan){SAMPLER_STRATIFIED, labels, rows_of, rows, ALL, 3, 0}),
                PUAD_INVALID, "3", "4");
    CHECK_FAILS(sampler_new(&state, &(sampler_plan){SAMPLER_SHUFFLE, labels, rows_of, rows, ALL, 0, 0}),
                PUAD_INVALID, "0", "1");
    CHECK_OK(sampler_new(&state, &(sampler_plan){SAMPLER_STRATIFIED, labels, rows_of, 0, ALL, 100, 0}));
    CHECK_INT(state.batches, 0);
    sampler_epoch(&state, 0);
}

TEST(stratified_is_the_default_where_labels_are_rare)
{
    CHECK_INT(sampler_choose(ALL, 4500, 225, 0, 128), SAMPLER_SHUFFLE);    /* 6.4 a batch */
    CHECK_INT(sampler_choose(ALL, 4500, 100, 0, 128), SAMPLER_STRATIFIED); /* 2.8 a batch */
    CHECK_INT(sampler_choose(ALL, 3200, 100, 0, 128), SAMPLER_SHUFFLE);    /* exactly 4 */
    CHECK_INT(sampler_choose(ALL, 4500, 225, 10, 128), SAMPLER_STRATIFIED);
    CHECK_INT(sampler_choose(PUAD_USES_UNLABELED | PUAD_USES_ANOMALIES, 4500, 225, 10, 128), SAMPLER_SHUFFLE);
    CHECK_INT(sampler_choose(PUAD_USES_UNLABELED, 4500, 10, 0, 128), SAMPLER_SHUFFLE);
    CHECK_INT(sampler_choose(ALL, 4500, 0, 0, 128), SAMPLER_SHUFFLE);
    CHECK_INT(sampler_choose(ALL, 4500, 10, 0, 3), SAMPLER_SHUFFLE);
}
