/* The second part of puad bench kernels: forward, gradient by input and gradient by weights of each
 * convolution of conv32 as in a training step, including the weight packing that each needs. */
#include "cli/bench/bench.h"
#include "cli/common/json_line.h"

#include "nn/architecture.h"
#include "nn/winograd.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct subject {
    network *net; /* a single layer */
    float *in, *out_gradient, *in_gradient;
    size_t rows;
} subject;

static void run_forward(void *context)
{
    subject *s = context;
    network_weights_changed(s->net);
    network_forward(s->net, s->in, s->rows, 1, true);
}

static void run_input_gradient(void *context)
{
    subject *s = context;
    network_input_gradient(s->net, s->out_gradient, s->in_gradient);
}

static void run_weight_gradient(void *context)
{
    subject *s = context;
    network_backward(s->net, s->out_gradient, NULL);
}

/* Multiplications and additions that the algorithm performs per row: fewer with Winograd, more with
 * padding. */
static double work_done(const effective *e, const kernels *k)
{
    double out = (double)round_to(e->out, k->panel / 2), in = (double)e->in, rows = 0;
    if (e->winograd) return 2 * (double)(winograd_points(e->taps) * winograd_tiles(e)) * in * out;
    for (size_t y = 0; y < e->height; y++) {
        size_t count;
        valid_taps(e, y, &count);
        rows += (double)count;
    }
    return 2 * rows * (double)(e->taps * e->width) * in * out;
}

static double work_forward(const layer *self, const kernels *k)
{
    effective e = convolution_effective(self, k);
    return work_done(&e, k);
}

static double work_backward(const layer *self, const kernels *k)
{
    effective e = convolution_effective(self, k), reversed = effective_reversed(&e);
    return work_done(&reversed, k);
}

static const struct {
    const char *name;
    void (*run)(void *context);
    double (*done)(const layer *self, const kernels *k);
} passes[] = {{"forward", run_forward, work_forward},
              {"gradient by input", run_input_gradient, work_backward},
              {"gradient by weights", run_weight_gradient, work_forward}};
enum { PASSES = sizeof passes / sizeof *passes };

/* One line of the table: a pass of a layer, or the sum over all. */
typedef struct line {
    char what[64];
    const char *pass;
    double time, useful, done; /* seconds, FLOP, FLOP */
} line;

static puad_status print_line(const line *l, double peak, bool json)
{
    if (!json) {
        printf("  %-30s %-20s %9.2f %9.1f %9.1f %8.0f%%\n", l->what, l->pass, l->time * 1e3,
               l->useful / l->time * 1e-9, l->done / l->time * 1e-9, 100 * l->useful / l->time / peak);
        return PUAD_OK;
    }
    AUTO_JSON cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "layer", l->what);
    cJSON_AddStringToObject(out, "pass", l->pass);
    cJSON_AddNumberToObject(out, "ms", l->time * 1e3);
    cJSON_AddNumberToObject(out, "useful_gflops", l->useful / l->time * 1e-9);
    cJSON_AddNumberToObject(out, "done_gflops", l->done / l->time * 1e-9);
    cJSON_AddNumberToObject(out, "peak_gflops", peak * 1e-9);
    cJSON_AddNumberToObject(out, "peak_share", l->useful / l->time / peak);
    return json_line(out);
}

static puad_status prepare(subject *s, arena *memory, const layer *self, size_t rows, team *workers)
{
    network_options storage = {.rows = rows, .training = true, .workers = workers};
    layer alone = *self;
    TRY(network_new(&s->net, &alone, 1, &storage));
    network_start(s->net, 0);
    size_t in = rows * shape_size(s->net->layers[0].in), out = rows * shape_size(s->net->layers[0].out);
    s->rows = rows;
    TRY(arena_new(memory, &s->in, in, sizeof(float)));
    TRY(arena_new(memory, &s->in_gradient, in, sizeof(float)));
    TRY(arena_new(memory, &s->out_gradient, out, sizeof(float)));
    rng draws = rng_make(0, rng_stream("bench", 2));
    for (size_t i = 0; i < in; i++) s->in[i] = (float)rng_uniform(&draws);
    for (size_t i = 0; i < out; i++) s->out_gradient[i] = (float)rng_uniform(&draws) - 0.5f;
    return PUAD_OK;
}

typedef struct table {
    size_t rows, repeats;
    double peak;
    bool json;
    line total;
} table;

static puad_status bench_layer(table *t, const layer *self, bool first, team *workers)
{
    AUTO_ARENA arena memory = {0};
    subject s = {0};
    puad_status status = prepare(&s, &memory, self, t->rows, workers);
    for (size_t p = 0; status == PUAD_OK && p < PASSES; p++) {
        if (first && passes[p].run == run_input_gradient) continue; /* not needed in a training step */
        const layer *planned = &s.net->layers[0];
        line l = {.pass = passes[p].name,
                  .useful = (double)t->rows * bench_layer_work(planned),
                  .done = (double)t->rows * passes[p].done(planned, s.net->options.k)};
        snprintf(l.what, sizeof l.what, "%zux%zux%zu -> %zux%zux%zu", planned->in.height, planned->in.width,
                 planned->in.channels, planned->out.height, planned->out.width, planned->out.channels);
        l.time = bench_time(passes[p].run, &s, t->repeats);
        status = print_line(&l, t->peak, t->json);
        t->total.time += l.time, t->total.useful += l.useful, t->total.done += l.done;
    }
    network_free(s.net);
    return status;
}

puad_status bench_passes(const invocation *call, team *workers)
{
    architecture plan;
    architecture_options wanted = {.in = {32, 32, 3}, .head = HEAD_RECONSTRUCTION};
    TRY(architecture_make(&plan, "conv32", &wanted));
    table t = {.rows = (size_t)value_of(call, "batch")->integer,
               .repeats = (size_t)value_of(call, "steps")->integer,
               .json = is_given(call, "json"),
               .total = {.what = "all", .pass = "full training step"}};
    t.peak = bench_peak(workers, kernels_best());
    if (!t.json)
        printf("convolutions of conv32, "
               "batch %zu, %d threads, peak %.1f GFLOP/s\n  %-30s %-20s %9s %9s %9s %9s\n",
               t.rows, team_size(workers), t.peak * 1e-9, "", "", "ms", "useful", "done", "of peak");
    shape in = plan.layers[0].in;
    network *whole = NULL; /* only for the shapes */
    TRY(network_new(&whole, plan.layers, plan.count, &(network_options){.rows = 1}));
    puad_status status = PUAD_OK;
    for (size_t i = 0; i < plan.count && status == PUAD_OK; i++) {
        if (plan.layers[i].type != &layer_convolution) continue;
        layer one = plan.layers[i];
        one.in = i == 0 ? in : whole->layers[i].in;
        status = bench_layer(&t, &one, i == 0, workers);
    }
    network_free(whole);
    return status == PUAD_OK ? print_line(&t.total, t.peak, t.json) : status;
}
