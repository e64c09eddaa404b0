/* puad bench step: a whole training step and a scoring pass. */
#include "cli/bench/bench.h"
#include "cli/common/json_line.h"

#include "detector/network/head.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct bench {
    network *net;
    architecture plan;
    head h;
    float *rows, *scores, *score_gradient, *gradient, center[1024];
    size_t batch;
} bench;

/* A training step: forward, backward by weights (every layer) and by input (all except the first). */
static double step_work(const network *net, size_t end)
{
    double work = 0;
    for (size_t i = 0; i < end; i++) work += bench_layer_work(&net->layers[i]) * (i > 0 ? 3 : 2);
    return work;
}

static void train_step(void *context)
{
    bench *b = context;
    const float *out = network_forward(b->net, b->rows, b->batch, b->plan.head, true);
    head_score(&b->h, &b->net->options, b->scores, out, b->rows, b->batch);
    for (size_t i = 0; i < b->batch; i++) b->score_gradient[i] = 1.0f / (float)b->batch;
    head_back(&b->h, &b->net->options, b->gradient, b->score_gradient,
              &(head_pass){b->scores, out, b->rows, b->batch});
    network_backward(b->net, b->gradient, NULL);
    network_step(b->net, &adam_standard, b->plan.head);
}

static void score_pass(void *context)
{
    bench *b = context;
    const float *out = network_forward(b->net, b->rows, b->batch, b->plan.head, false);
    head_score(&b->h, &b->net->options, b->scores, out, b->rows, b->batch);
}

static puad_status prepare(bench *b, arena *memory, const invocation *call, team *workers)
{
    const char *name = value_of(call, "network")->text, *kind = value_of(call, "head")->text;
    bool image = strcmp(name, "conv32") == 0;
    shape in = image ? (shape){32, 32, is_given(call, "gray") ? 1 : 3} : (shape){1, 1, 32};
    architecture_options wanted = {.in = in};
    while (strcmp(head_name(wanted.head), kind) != 0) wanted.head++;
    TRY(architecture_make(&b->plan, name, &wanted));
    b->batch = (size_t)value_of(call, "batch")->integer;
    network_options storage = {.rows = b->batch, .training = true, .workers = workers};
    TRY(network_new(&b->net, b->plan.layers, b->plan.head, &storage));
    network_start(b->net, 0);
    size_t outputs = shape_size(b->net->layers[b->plan.head - 1].out);
    b->h = (head){.kind = wanted.head, .outputs = outputs, .inputs = shape_size(in), .center = b->center};
    for (size_t i = 0; i < 1024; i++) b->center[i] = 0.1f;
    TRY(arena_new(memory, &b->rows, b->batch * shape_size(in), sizeof(float)));
    TRY(arena_new(memory, &b->scores, b->batch, sizeof(float)));
    TRY(arena_new(memory, &b->score_gradient, b->batch, sizeof(float)));
    TRY(arena_new(memory, &b->gradient, b->batch * outputs, sizeof(float)));
    rng draws = rng_make(0, rng_stream("bench", 0));
    for (size_t i = 0; i < b->batch * shape_size(in); i++) b->rows[i] = (float)rng_uniform(&draws);
    return PUAD_OK;
}

typedef struct figures {
    double train, score, peak, work, memory; /* seconds, seconds, FLOP/s, FLOP per step, MiB */
} figures;

static puad_status print_json(const invocation *call, const bench *b, int threads, const figures *f)
{
    AUTO_JSON cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "network", value_of(call, "network")->text);
    cJSON_AddStringToObject(out, "head", value_of(call, "head")->text);
    cJSON_AddNumberToObject(out, "batch", (double)b->batch);
    cJSON_AddNumberToObject(out, "threads", threads);
    cJSON_AddNumberToObject(out, "train_ms", f->train * 1e3);
    cJSON_AddNumberToObject(out, "score_ms", f->score * 1e3);
    cJSON_AddNumberToObject(out, "train_samples_per_s", (double)b->batch / f->train);
    cJSON_AddNumberToObject(out, "score_samples_per_s", (double)b->batch / f->score);
    cJSON_AddNumberToObject(out, "peak_gflops", f->peak * 1e-9);
    cJSON_AddNumberToObject(out, "train_gflops", f->work / f->train * 1e-9);
    cJSON_AddNumberToObject(out, "peak_mib", f->memory);
    cJSON_AddStringToObject(out, "isa", b->net->options.k->name);
    return json_line(out);
}

static puad_status measure(bench *b, arena *memory, const invocation *call, team *workers)
{
    TRY(prepare(b, memory, call, workers));
    size_t steps = (size_t)value_of(call, "steps")->integer;
    figures f = {.train = bench_time(train_step, b, steps), .score = bench_time(score_pass, b, steps)};
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    f.memory = (double)usage.ru_maxrss / 1024;
    f.peak = bench_peak(workers, b->net->options.k);
    f.work = step_work(b->net, b->plan.head) * (double)b->batch;
    if (is_given(call, "json")) return print_json(call, b, team_size(workers), &f);
    printf(
        "%s, %s head, batch %zu, %d threads, %s: training step %.1f ms (%.0f rows/s, %.0f of %.0f GFLOP/s), "
        "scoring %.1f ms (%.0f rows/s), %.0f MiB\n",
        value_of(call, "network")->text, value_of(call, "head")->text, b->batch, team_size(workers),
        b->net->options.k->name, f.train * 1e3, (double)b->batch / f.train, f.work / f.train * 1e-9,
        f.peak * 1e-9, f.score * 1e3, (double)b->batch / f.score, f.memory);
    return PUAD_OK;
}

puad_status bench_step(const invocation *call, team *workers)
{
    AUTO_ARENA arena memory = {0};
    bench b = {0};
    puad_status status = measure(&b, &memory, call, workers);
    network_free(b.net);
    return status;
}
