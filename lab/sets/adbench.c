/* Draws rows like numpy.random.seed and train_test_split(test_size=0.3, stratify=y). */
#include "lab/sets/adbench.h"

#include "lab/sets/numpy_random.h"

#include <math.h>
#include <string.h>

enum { FEWEST = 1000, MOST = 10000, KINDS = 2 };
#define TEST_SHARE 0.3
#define TRAINING_SHARE 0.7

typedef struct draw {
    arena memory;
    numpy_random random;
    uint32_t *rows; /* indices of the drawn rows in the file; some more than once */
    bool *anomaly;  /* for each of them */
    size_t count;
} draw;

static void draw_free(draw *owner)
{
    arena_free(&owner->memory);
}

/* Small tables are sampled with replacement, large ones without. */
static puad_status draw_rows(draw *out, const file_set *files, const adbench_request *request)
{
    size_t all = files->rows.rows;
    uint32_t *order;
    out->random = numpy_random_make((uint32_t)request->seed);
    out->count = all < FEWEST ? FEWEST : all > MOST ? MOST : all;
    TRY(arena_new(&out->memory, &out->rows, out->count, sizeof *out->rows));
    TRY(arena_new(&out->memory, &out->anomaly, out->count, sizeof *out->anomaly));
    TRY(arena_new(&out->memory, &order, all, sizeof *order));
    for (size_t i = 0; i < all; i++) order[i] = (uint32_t)i;
    if (all > MOST) numpy_random_shuffle(&out->random, order, all);
    for (size_t i = 0; i < out->count; i++) {
        size_t place = all < FEWEST ? numpy_random_interval(&out->random, (uint32_t)all - 1) : i;
        out->rows[i] = order[place];
        out->anomaly[i] = !(request->normal & ONE(files->classes[out->rows[i]]));
    }
    return PUAD_OK;
}

/* The number of each kind in `draws`, in proportion; the rest goes to the largest remainders. */
static void approximate_mode(size_t out[KINDS], const size_t counts[KINDS], size_t draws,
                             numpy_random *random)
{
    double remainders[KINDS];
    size_t given = 0, sum = counts[0] + counts[1];
    for (int k = 0; k < KINDS; k++) {
        double exact = (double)counts[k] / (double)sum * (double)draws;
        out[k] = (size_t)floor(exact);
        remainders[k] = exact - floor(exact);
        given += out[k];
    }
    if (given >= draws) return;
    if (remainders[0] == remainders[1] && draws - given == 1) {
        uint32_t order[KINDS];
        numpy_random_permutation(random, order, KINDS);
        out[order[0]]++;
        return;
    }
    if (remainders[0] == remainders[1]) numpy_random_permutation(random, (uint32_t[KINDS]){0}, KINDS);
    for (int k = 0; k < KINDS; k++) /* with two kinds: both, or the one with more left */
        out[k] += draws - given >= KINDS || remainders[k] > remainders[1 - k];
}

/* Indices in `from->rows` of the training and of the test part. */
static puad_status divide(uint32_t **train, size_t *train_count, uint32_t **test, size_t *test_count,
                          draw *source)
{
    size_t counts[KINDS] = {0}, left[KINDS], trained[KINDS], tested[KINDS];
    uint32_t *members, *order;
    TRY(arena_new(&source->memory, &members, source->count, sizeof *members));
    TRY(arena_new(&source->memory, &order, source->count, sizeof *order));
    TRY(arena_new(&source->memory, train, source->count, sizeof **train));
    TRY(arena_new(&source->memory, test, source->count, sizeof **test));
    *test_count = (size_t)ceil(TEST_SHARE * (double)source->count);
    *train_count = source->count - *test_count;
    for (size_t i = 0; i < source->count; i++) counts[source->anomaly[i]]++;
    approximate_mode(trained, counts, *train_count, &source->random);
    for (int k = 0; k < KINDS; k++) left[k] = counts[k] - trained[k];
    approximate_mode(tested, left, *test_count, &source->random);
    size_t in_train = 0, in_test = 0;
    for (int k = 0; k < KINDS; k++) {
        size_t found = 0;
        for (size_t i = 0; i < source->count; i++)
            if (source->anomaly[i] == (k == 1)) members[found++] = (uint32_t)i;
        numpy_random_permutation(&source->random, order, counts[k]);
        for (size_t i = 0; i < trained[k]; i++) (*train)[in_train++] = members[order[i]];
        for (size_t i = 0; i < tested[k]; i++) (*test)[in_test++] = members[order[trained[k] + i]];
    }
    numpy_random_shuffle(&source->random, *train, *train_count);
    numpy_random_shuffle(&source->random, *test, *test_count);
    return PUAD_OK;
}

/* At most the number of anomalies in training. */
static size_t label_count(const file_set *files, const adbench_request *request, size_t in_training)
{
    size_t all = 0;
    for (size_t i = 0; i < files->rows.rows; i++) all += !(request->normal & ONE(files->classes[i]));
    double wanted = ceil(request->published ? request->share * (double)in_training
                                            : request->share * TRAINING_SHARE * (double)all);
    return wanted < (double)in_training ? (size_t)wanted : in_training;
}

static puad_status fill_plan(split_plan *out, draw *source, const file_set *file,
                             const adbench_request *request)
{
    uint32_t *train, *test, *anomalies, *order;
    size_t in_training = 0;
    TRY(divide(&train, &out->train_count, &test, &out->test_count, source));
    TRY(arena_new(&source->memory, &anomalies, out->train_count, sizeof *anomalies));
    TRY(arena_new(&source->memory, &order, out->train_count, sizeof *order));
    TRY(arena_new(&out->memory, &out->train_rows, out->train_count, sizeof *out->train_rows));
    TRY(arena_new(&out->memory, &out->train_labels, out->train_count, 1));
    TRY(arena_new(&out->memory, &out->train_truth, out->train_count, 1));
    TRY(arena_new(&out->memory, &out->test_rows, out->test_count, sizeof *out->test_rows));
    TRY(arena_new(&out->memory, &out->test_groups, out->test_count, 1));
    for (size_t i = 0; i < out->train_count; i++) {
        out->train_rows[i] = source->rows[train[i]];
        out->train_truth[i] = source->anomaly[train[i]];
        if (source->anomaly[train[i]]) anomalies[in_training++] = (uint32_t)i;
    }
    out->train_labeled = label_count(file, request, in_training);
    if (out->train_labeled) numpy_random_permutation(&source->random, order, in_training);
    for (size_t i = 0; i < out->train_labeled; i++)
        out->train_labels[anomalies[order[i]]] = PUAD_LABEL_ANOMALY;
    for (size_t i = 0; i < out->test_count; i++) {
        split_group group = source->anomaly[test[i]] ? GROUP_SEEN : GROUP_NORMAL;
        out->test_rows[i] = source->rows[test[i]];
        out->test_groups[i] = (uint8_t)group;
        out->test_rows_of[group]++;
    }
    out->train_hidden = in_training - out->train_labeled;
    out->train_normal = out->train_count - in_training;
    out->alpha_u = (double)out->train_hidden / (double)(out->train_count - out->train_labeled);
    out->alpha_all = (double)in_training / (double)out->train_count;
    if (in_training == 0 || out->test_rows_of[GROUP_SEEN] == 0)
        FAIL(PUAD_INVALID, "%s: no anomalies in training or none in the test part", file->path);
    return PUAD_OK;
}

puad_status adbench_split(split *out, const file_set *files, const adbench_request *request)
{
    __attribute__((cleanup(draw_free))) draw rows = {0};
    *out = (split){0};
    if (files->rows.image)
        FAIL(PUAD_INVALID, "%s contains images, but ADBench's protocol is for tables", files->path);
    TRY(draw_rows(&rows, files, request));
    puad_status status = fill_plan(&out->plan, &rows, files, request);
    if (status == PUAD_OK) status = file_set_take(out, files);
    if (status != PUAD_OK) split_free(out);
    return status;
}
