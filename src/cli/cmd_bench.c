/* puad bench: how fast this build trains and scores on this machine, and how near its convolutions come to the peak. */
#include "base/memory.h"
#include "cli/command.h"
#include "score/head.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const option options[] = {
    {.name = "network", .type = OPTION_CHOICE, .standard = "conv32", .choices = "conv32|mlp", .help = "which network"},
    {.name = "head", .type = OPTION_CHOICE, .standard = "reconstruction", .choices = "reconstruction|distance|logit",
     .help = "which score head"},
    {.name = "batch", .type = OPTION_INTEGER, .standard = "128", .min = 2, .max = 65536, .value = "N", .help = "rows a step"},
    {.name = "threads", .type = OPTION_INTEGER, .standard = "0", .min = 0, .max = 1024, .value = "T",
     .help = "threads; 0 for one per processor"},
    {.name = "steps", .type = OPTION_INTEGER, .standard = "12", .min = 1, .max = 100000, .value = "N",
     .help = "timed steps; the median is shown"},
    {.name = "gray", .type = OPTION_FLAG, .help = "one channel that stands for three equal ones"},
    {.name = "json", .type = OPTION_FLAG, .help = "one JSON object a line"},
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return values[count / 2];
}

/* Multiply-adds per second of all threads together, both operations counted: what no loop can exceed. */
static void peak_item(void *context, size_t item, int thread)
{
    (void)item, (void)thread;
    ((const kernels *)context)->fused_rate(20000);
}

static double measure_peak(team *workers, const kernels *k)
{
    double best = 0;
    size_t threads = (size_t)team_size(workers);
    for (int round = 0; round < 5; round++) {
        double begin = seconds();
        team_run(workers, threads, peak_item, (void *)k);
        double rate = (double)threads * (20000 * 1000 / 12 * 12) * (double)k->panel / (seconds() - begin);
        if (rate > best) best = rate;
    }
    return best;
}

/* Multiplications and additions of one row in a forward pass, by real pixels only: taps on the padding are not counted. A
 * convolution after up-sampling counts as the four small ones that are done. */
static double layer_work(const layer *self)
{
    if (self->type == &layer_dense) return 2.0 * (double)shape_size(self->in) * (double)shape_size(self->out);
    if (self->type != &layer_convolution) return 0;
    size_t taps = self->upsample ? 3 : self->taps, pad = taps / 2, rows = 0, columns = 0;
    for (size_t k = 0; k < taps; k++) {
        size_t cut = k < pad ? pad - k : k - pad;
        rows += cut < self->in.height ? self->in.height - cut : 0;
        columns += cut < self->in.width ? self->in.width - cut : 0;
    }
    return 2.0 * (double)(rows * columns * self->in.channels * self->out.channels) * (self->upsample ? 4 : 1);
}

/* A training step: forward, and backward by weights (every layer) and by input (all but the first). */
static double step_work(const network *net, size_t end)
{
    double work = 0;
    for (size_t i = 0; i < end; i++) work += layer_work(&net->layers[i]) * (i > 0 ? 3 : 2);
    return work;
}

typedef struct bench {
    network *net, *scorer;
    architecture plan;
    head h;
    float *rows, *scores, *score_gradient, *gradient, centre[1024];
    size_t batch;
} bench;

static void train_step(bench *b)
{
    const float *out = network_forward(b->net, b->rows, b->batch, b->plan.head, true);
    head_score(&b->h, &b->net->options, b->scores, out, b->rows, b->batch);
    for (size_t i = 0; i < b->batch; i++) b->score_gradient[i] = 1.0f / (float)b->batch;
    head_back(&b->h, &b->net->options, b->gradient, b->score_gradient, b->scores, out, b->rows, b->batch);
    network_backward(b->net, b->gradient, NULL);
    network_step(b->net, &adam_standard, b->plan.head);
}

static void score_pass(bench *b)
{
    const float *out = network_forward(b->net, b->rows, b->batch, b->plan.head, false);
    head_score(&b->h, &b->net->options, b->scores, out, b->rows, b->batch);
}

static double time_calls(bench *b, void (*call)(bench *), size_t steps)
{
    double *times = calloc(steps, sizeof *times);
    for (int i = 0; i < 3; i++) call(b);
    for (size_t i = 0; times && i < steps; i++) {
        double begin = seconds();
        call(b);
        times[i] = seconds() - begin;
    }
    double middle = times ? median(times, steps) : 0;
    free(times);
    return middle;
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
    network_options room = {.rows = b->batch, .training = true, .workers = workers};
    TRY(network_new(&b->net, b->plan.layers, b->plan.head, &room));
    network_start(b->net, 0);
    size_t outputs = shape_size(b->net->layers[b->plan.head - 1].out);
    b->h = (head){.kind = wanted.head, .outputs = outputs, .inputs = shape_size(in), .centre = b->centre};
    for (size_t i = 0; i < 1024; i++) b->centre[i] = 0.1f;
    TRY(arena_new(memory, &b->rows, b->batch * shape_size(in), sizeof(float)));
    TRY(arena_new(memory, &b->scores, b->batch, sizeof(float)));
    TRY(arena_new(memory, &b->score_gradient, b->batch, sizeof(float)));
    TRY(arena_new(memory, &b->gradient, b->batch * outputs, sizeof(float)));
    rng draws = rng_make(0, rng_stream("bench", 0));
    for (size_t i = 0; i < b->batch * shape_size(in); i++) b->rows[i] = (float)rng_uniform(&draws);
    return PUAD_OK;
}

static puad_status bench_step(const invocation *call, team *workers)
{
    AUTO_ARENA arena memory = {0};
    bench b = {0};
    puad_status status = prepare(&b, &memory, call, workers);
    if (status != PUAD_OK) {
        network_free(b.net);
        return status;
    }
    size_t steps = (size_t)value_of(call, "steps")->integer;
    double train = time_calls(&b, train_step, steps), score = time_calls(&b, score_pass, steps);
    double peak = measure_peak(workers, b.net->options.k), work = step_work(b.net, b.plan.head) * (double)b.batch;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "network", value_of(call, "network")->text);
    cJSON_AddStringToObject(out, "head", value_of(call, "head")->text);
    cJSON_AddNumberToObject(out, "batch", (double)b.batch);
    cJSON_AddNumberToObject(out, "threads", team_size(workers));
    cJSON_AddNumberToObject(out, "train_ms", train * 1e3);
    cJSON_AddNumberToObject(out, "score_ms", score * 1e3);
    cJSON_AddNumberToObject(out, "train_samples_per_s", (double)b.batch / train);
    cJSON_AddNumberToObject(out, "score_samples_per_s", (double)b.batch / score);
    cJSON_AddNumberToObject(out, "peak_gflops", peak * 1e-9);
    cJSON_AddNumberToObject(out, "train_gflops", work / train * 1e-9);
    cJSON_AddNumberToObject(out, "peak_mib", (double)usage.ru_maxrss / 1024);
    cJSON_AddStringToObject(out, "isa", b.net->options.k->name);
    if (is_given(call, "json")) {
        char *text = cJSON_PrintUnformatted(out);
        printf("%s\n", text ? text : "{}");
        free(text);
    } else {
        printf("%s, %s head, batch %zu, %d threads, %s: training step %.1f ms (%.0f rows/s, %.0f of %.0f GFLOP/s), "
               "scoring %.1f ms (%.0f rows/s), %.0f MiB\n",
               value_of(call, "network")->text, value_of(call, "head")->text, b.batch, team_size(workers),
               b.net->options.k->name, train * 1e3, (double)b.batch / train, work / train * 1e-9, peak * 1e-9, score * 1e3,
               (double)b.batch / score, (double)usage.ru_maxrss / 1024);
    }
    cJSON_Delete(out);
    network_free(b.net);
    return PUAD_OK;
}

static puad_status run(const invocation *call)
{
    if (strcmp(call->arguments[0], "step") != 0)
        FAIL(PUAD_INVALID, "'%s': expected step", call->arguments[0]);
    team *workers = NULL;
    TRY(team_new(&workers, (int)value_of(call, "threads")->integer));
    puad_status status = bench_step(call, workers);
    team_free(workers);
    return status;
}

const command command_bench = {
    .name = "bench",
    .summary = "speed of this machine and this build",
    .usage = "step|kernels [OPTIONS]",
    .description = "step times a full training step (forward, loss, backward, Adam) and a scoring pass on random rows and prints "
                   "medians.",
    .example = "puad bench step --head distance --batch 128 --threads 2",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_least = 1,
    .arguments_most = 1,
    .run = run,
};
