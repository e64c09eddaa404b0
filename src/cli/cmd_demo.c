/* puad demo: trains an autoencoder on generated characters and shows the loss falling, and that characters it
 * has never seen are rebuilt worse. */
#include "cli/command.h"
#include "cli/progress.h"
#include "detector/metrics.h"
#include "score/head.h"
#include "sets/set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option options[] = {
    {.name = "epochs",
     .type = OPTION_INTEGER,
     .standard = "12",
     .min = 1,
     .max = 10000,
     .value = "N",
     .help = "passes over the images"},
    {.name = "rows",
     .type = OPTION_INTEGER,
     .standard = "768",
     .min = 2,
     .max = 6000,
     .value = "N",
     .help = "images to train on"},
    {.name = "seed",
     .type = OPTION_INTEGER,
     .standard = "0",
     .min = 0,
     .max = 1e9,
     .value = "N",
     .help = "seed of weights and order"},
    {.name = "threads",
     .type = OPTION_INTEGER,
     .standard = "0",
     .min = 0,
     .max = 1024,
     .value = "T",
     .help = "threads; 0 for one per processor"},
    {.name = "quiet", .type = OPTION_FLAG, .help = "no progress"},
};

enum { NORMAL_CLASS = 7, BATCH = 128, TEST_ROWS = 400, SIDE = 32 };

typedef struct demo {
    network *net;
    head h;
    size_t end; /* layers */
    dataset train, test;
    float *batch, *gradient;
    float scores[BATCH], score_gradient[BATCH];
} demo;

static void demo_free(demo *d)
{
    network_free(d->net);
    dataset_free(&d->train);
    dataset_free(&d->test);
}
#define AUTO_DEMO __attribute__((cleanup(demo_free)))

/* Rows of the normal class to train on; test rows of every class. */
static puad_status make_images(demo *d, arena *memory, size_t rows)
{
    const set_row *about;
    AUTO_RAW_SET raw_set glyphs = {0};
    TRY(set_find(&about, "glyphs"));
    TRY(set_read(&glyphs, about, NULL, 0));
    uint32_t *chosen;
    TRY(arena_new(memory, &chosen, rows, sizeof *chosen));
    size_t found = 0;
    for (size_t i = 0; i < glyphs.parts[PART_TRAIN].rows && found < rows; i++)
        if (glyphs.parts[PART_TRAIN].classes[i] == NORMAL_CLASS) chosen[found++] = (uint32_t)i;
    TRY(raw_set_rows(&d->train, &glyphs, PART_TRAIN, chosen, found, SIDE));
    return raw_set_rows(&d->test, &glyphs, PART_TEST, NULL, TEST_ROWS, SIDE);
}

static puad_status prepare(demo *d, arena *memory, const invocation *call, team *workers)
{
    TRY(make_images(d, memory, (size_t)value_of(call, "rows")->integer));
    architecture plan;
    architecture_options wanted = {.in = {SIDE, SIDE, (size_t)d->train.channels},
                                   .head = HEAD_RECONSTRUCTION};
    TRY(architecture_make(&plan, "conv32", &wanted));
    network_options room = {.rows = BATCH, .training = true, .workers = workers};
    TRY(network_new(&d->net, plan.layers, plan.count, &room));
    network_start(d->net, (uint64_t)value_of(call, "seed")->integer);
    d->end = plan.count;
    d->h = (head){.kind = HEAD_RECONSTRUCTION,
                  .outputs = shape_size(d->net->layers[plan.count - 1].out),
                  .inputs = d->train.columns};
    TRY(arena_new(memory, &d->batch, BATCH * d->train.columns, sizeof(float)));
    return arena_new(memory, &d->gradient, BATCH * d->h.outputs, sizeof(float));
}

static void gather(demo *d, const dataset *from, const uint32_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(d->batch + i * from->columns, from->values + rows[i] * from->columns,
               from->columns * sizeof(float));
}

/* One step on the mean score; returns the sum of the scores. */
static double train_batch(demo *d, size_t count)
{
    const float *out = network_forward(d->net, d->batch, count, d->end, true);
    head_score(&d->h, &d->net->options, d->scores, out, d->batch, count);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += d->scores[i];
        d->score_gradient[i] = 1.0f / (float)count;
    }
    head_back(&d->h, &d->net->options, d->gradient, d->score_gradient, d->scores, out, d->batch, count);
    network_backward(d->net, d->gradient, NULL);
    network_step(d->net, &(adam_options){1e-3, 0.9, 0.999, 1e-8, 1e-3}, d->end);
    return sum;
}

static double train_epoch(demo *d, uint32_t *order, uint64_t seed, size_t epoch)
{
    rng draws = rng_make(seed, rng_stream("shuffle", epoch));
    rng_permutation(&draws, order, d->train.rows);
    double sum = 0;
    for (size_t at = 0, count; at < d->train.rows; at += count) {
        count = d->train.rows - at;
        if (count > BATCH) count = count == BATCH + 1 ? BATCH - 1 : BATCH; /* BatchNorm needs two rows */
        gather(d, &d->train, order + at, count);
        sum += train_batch(d, count);
    }
    return sum / (double)d->train.rows;
}

static puad_status train(demo *d, arena *memory, const invocation *call)
{
    size_t epochs = (size_t)value_of(call, "epochs")->integer;
    uint64_t seed = (uint64_t)value_of(call, "seed")->integer;
    uint32_t *order;
    double *losses;
    TRY(arena_new(memory, &order, d->train.rows, sizeof *order));
    TRY(arena_new(memory, &losses, epochs, sizeof *losses));
    progress bar = progress_begin("training", epochs, is_given(call, "quiet"));
    for (size_t epoch = 0; epoch < epochs; epoch++) {
        losses[epoch] = train_epoch(d, order, seed, epoch);
        progress_update(&bar, epoch + 1, "loss %.3f", losses[epoch]);
    }
    progress_end(&bar);
    printf("\nepoch    loss\n");
    for (size_t epoch = 0; epoch < epochs; epoch++) {
        if (epoch % (epochs / 24 + 1) != 0 && epoch + 1 != epochs) continue;
        printf("%5zu %7.3f  ", epoch, losses[epoch]);
        for (int mark = (int)(50 * losses[epoch] / losses[0]); mark > 0; mark--) putchar('*');
        putchar('\n');
    }
    return PUAD_OK;
}

/* The mean error of the character it was trained on and of each other one. */
static puad_status compare(demo *d, arena *memory)
{
    double sum[2] = {0}, auroc;
    size_t count[2] = {0};
    float *scores;
    int8_t *truth;
    TRY(arena_new(memory, &scores, d->test.rows, sizeof *scores));
    TRY(arena_new(memory, &truth, d->test.rows, sizeof *truth));
    for (size_t at = 0, rows; at < d->test.rows; at += rows) {
        rows = d->test.rows - at < BATCH ? d->test.rows - at : BATCH;
        const float *in = d->test.values + at * d->test.columns;
        head_score(&d->h, &d->net->options, d->scores, network_forward(d->net, in, rows, d->end, false), in,
                   rows);
        for (size_t i = 0; i < rows; i++) {
            int other = d->test.classes[at + i] != NORMAL_CLASS;
            scores[at + i] = d->scores[i];
            truth[at + i] = (int8_t)other;
            sum[other] += d->scores[i];
            count[other]++;
        }
    }
    TRY(metrics_auroc(&auroc, scores, truth, d->test.rows));
    printf("\nerror on new images: %.2f for the character it was trained on, %.2f for the nine others (AUROC "
           "%.3f)\n",
           sum[0] / (double)count[0], sum[1] / (double)count[1], auroc);
    return PUAD_OK;
}

static puad_status run_demo(const invocation *call, team *workers)
{
    AUTO_ARENA arena memory = {0};
    AUTO_DEMO demo d = {0};
    TRY(prepare(&d, &memory, call, workers));
    printf("An autoencoder learns one of ten generated characters (synthetic set 'glyphs'): %zu images of "
           "32x32, network conv32, "
           "%d threads, %s.\n",
           d.train.rows, team_size(workers), d.net->options.k->name);
    fflush(stdout);
    TRY(train(&d, &memory, call));
    return compare(&d, &memory);
}

static puad_status run(const invocation *call)
{
    team *workers = NULL;
    TRY(team_new(&workers, (int)value_of(call, "threads")->integer));
    puad_status status = run_demo(call, workers);
    team_free(workers);
    return status;
}

const command command_demo = {
    .name = "demo",
    .summary = "everything on generated data",
    .usage = "[OPTIONS]",
    .description = "Trains an autoencoder on generated images of one character, shows the loss of every "
                   "epoch, and compares its "
                   "error on new images of that character and of others.",
    .example = "puad demo\npuad demo --epochs 3 --quiet",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
