/* Runs a backbone's graph on one image per thread and computes features of its stages. */
#include "backbone/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void backbone_runner_free(backbone_runner *owner)
{
    if (!owner) return;
    for (size_t i = 0; owner->threads && i < owner->thread_count; i++) {
        free(owner->threads[i].block);
        free(owner->threads[i].copy);
    }
    arena_free(&owner->memory);
    free(owner);
}

void backbone_runner_cleanup(backbone_runner **owner)
{
    backbone_runner_free(*owner);
}

/* The last node that reads each value; the values of stages are needed to the end. */
static void last_readers(size_t *last, const backbone *source)
{
    for (size_t i = 0; i <= source->node_count; i++) last[i] = 0;
    for (size_t i = 0; i < source->node_count; i++)
        for (int k = 0; k < 2; k++) last[source->nodes[i].inputs[k]] = i;
    for (size_t i = 0; i < source->stage_count; i++) last[source->stages[i]] = SIZE_MAX;
}

/* Assigns values to offsets in one memory block: a value reuses the space of one that is no longer read,
 * if it fits, else new space. */
typedef struct value_place {
    size_t at, size, value; /* value: the one stored there now */
} value_place;

static puad_status place_values(size_t *at, size_t *total, backbone_runner *runner)
{
    const backbone *source = runner->source;
    AUTO_ARENA arena scratch = {0};
    size_t *last, count = 0;
    value_place *places;
    TRY(arena_new(&scratch, &last, source->node_count + 1, sizeof *last));
    TRY(arena_new(&scratch, &places, source->node_count, sizeof *places));
    last_readers(last, source);
    *total = 0;
    for (size_t i = 0; i < source->node_count; i++) {
        const graph_shape *shape = &runner->shapes[i + 1];
        size_t size = shape->height * shape->width * shape->channels, best = SIZE_MAX;
        size = (size + 15) / 16 * 16;
        for (size_t p = 0; p < count; p++) {
            bool unused = last[places[p].value] < i;
            bool better = best == SIZE_MAX || places[p].size < places[best].size;
            if (unused && places[p].size >= size && better) best = p;
        }
        if (best == SIZE_MAX) {
            best = count++;
            places[best] = (value_place){*total, size, 0};
            *total += size;
        }
        places[best].value = i + 1;
        at[i + 1] = places[best].at;
    }
    return PUAD_OK;
}

static puad_status prepare_thread(run_thread *thread, backbone_runner *runner, const size_t *at, size_t total)
{
    size_t copy = 0, widest = 0;
    for (size_t i = 0; i < runner->source->node_count; i++) {
        if (runner->nodes[i].copy > copy) copy = runner->nodes[i].copy;
        if (runner->source->nodes[i].out > widest) widest = runner->source->nodes[i].out;
    }
    TRY(arena_new(&runner->memory, &thread->values, runner->source->node_count + 1, sizeof(float *)));
    TRY(arena_new(&runner->memory, &thread->sums, 2 * widest, sizeof *thread->sums));
    TRY(memory_new(&thread->block, total, sizeof(float), "the values of a backbone"));
    TRY(memory_new(&thread->copy, copy + 1, sizeof(float), "the values of a backbone"));
    TRY(arena_new(&runner->memory, &thread->patches, runner->patches.floats + runner->patches.positions_most,
                  sizeof(float)));
    for (size_t i = 1; i <= runner->source->node_count; i++) thread->values[i] = thread->block + at[i];
    return PUAD_OK;
}

static void place_patches(backbone_runner *runner)
{
    const patch_model *model = &runner->source->patches;
    patch_shape *out = &runner->patches;
    for (size_t i = 0; i < model->count; i++) {
        const graph_shape *shape = &runner->shapes[runner->source->stages[model->stages[i].stage]];
        size_t positions = shape->height * shape->width;
        out->height[i] = shape->height;
        out->width[i] = shape->width;
        out->at[i] = out->floats;
        out->floats += positions * model->stages[i].channels;
        if (positions > out->positions_most) out->positions_most = positions;
    }
}

static puad_status prepare(backbone_runner *runner, team *workers)
{
    const backbone *source = runner->source;
    AUTO_ARENA arena scratch = {0};
    graph_padding *padding;
    size_t *at, total = 0, widest = 3;
    TRY(arena_new(&runner->memory, &runner->shapes, source->node_count + 1, sizeof *runner->shapes));
    TRY(arena_new(&runner->memory, &runner->nodes, source->node_count, sizeof *runner->nodes));
    TRY(arena_new(&scratch, &padding, source->node_count, sizeof *padding));
    TRY(arena_new(&scratch, &at, source->node_count + 1, sizeof *at));
    TRY(graph_shapes(runner->shapes, padding, source, (int)runner->side));
    for (size_t i = 0; i < source->node_count; i++) {
        runner->nodes[i].padding = padding[i];
        if (source->nodes[i].kind == OPERATOR_conv) TRY(runner_pack(runner, i));
        if (source->nodes[i].out > widest) widest = source->nodes[i].out;
    }
    TRY(arena_new(&runner->memory, &runner->zeros, widest, sizeof(float)));
    place_patches(runner);
    TRY(place_values(at, &total, runner));
    runner->thread_count = workers ? (size_t)team_size(workers) : 1;
    TRY(arena_new(&runner->memory, &runner->threads, runner->thread_count, sizeof *runner->threads));
    for (size_t i = 0; i < runner->thread_count; i++)
        TRY(prepare_thread(&runner->threads[i], runner, at, total));
    return PUAD_OK;
}

puad_status backbone_runner_new(backbone_runner **out, const backbone *source, int side, team *workers)
{
    if (side < BACKBONE_SIDE_MIN || side > BACKBONE_SIDE_MAX)
        FAIL(PUAD_INVALID, "images of %d x %d pixels; a backbone takes %d to %d", side, side,
             BACKBONE_SIDE_MIN, BACKBONE_SIDE_MAX);
    backbone_runner *runner = NULL;
    TRY(memory_new(&runner, 1, sizeof *runner, "a backbone"));
    runner->source = source;
    runner->k = kernels_best();
    runner->side = (size_t)side;
    puad_status status = prepare(runner, workers);
    if (status != PUAD_OK) {
        backbone_runner_free(runner);
        return status;
    }
    *out = runner;
    return PUAD_OK;
}

/* Max or mean over the taps inside the image; padding is ignored. */
static void run_pool(const graph_node *node, const graph_padding *padding, const graph_shape *shape,
                     const graph_shape *to, float *out, const float *in)
{
    bool max = node->kind == OPERATOR_max_pool;
    size_t channels = to->channels;
    for (size_t y = 0; y < to->height; y++)
        for (size_t x = 0; x < to->width; x++, out += channels) {
            size_t taps = 0;
            for (size_t i = 0; i < node->tall; i++)
                for (size_t j = 0; j < node->wide; j++) {
                    size_t line = y * node->stride + i - padding->top;
                    size_t column = x * node->stride + j - padding->left;
                    /* negative indices wrap around and fail this check */
                    if (line >= shape->height || column >= shape->width) continue;
                    const float *pixel = in + (line * shape->width + column) * channels;
                    for (size_t c = 0; c < channels; c++)
                        out[c] = taps == 0 ? pixel[c] : !max ? out[c] + pixel[c] : fmaxf(out[c], pixel[c]);
                    taps++;
                }
            for (size_t c = 0; c < channels; c++)
                out[c] = taps == 0 ? 0 : max ? out[c] : out[c] / (float)taps;
        }
}

static void run_global_pool(const graph_shape *shape, float *out, const float *in, double *sums)
{
    size_t pixels = shape->height * shape->width;
    memset(sums, 0, shape->channels * sizeof *sums);
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < shape->channels; c++) sums[c] += (double)in[i * shape->channels + c];
    for (size_t c = 0; c < shape->channels; c++) out[c] = (float)(sums[c] / (double)pixels);
}

static void run_graph_node(const backbone_runner *runner, size_t index, const run_thread *thread)
{
    const graph_node *node = &runner->source->nodes[index];
    const float *in = thread->values[node->inputs[0]], *other = thread->values[node->inputs[1]];
    const graph_shape *shape = &runner->shapes[node->inputs[0]], *to = &runner->shapes[index + 1];
    float *out = thread->values[index + 1];
    size_t pixels = to->height * to->width, count = pixels * to->channels;
    switch (node->kind) {
    case OPERATOR_conv: conv_run(runner, index, out, in, thread->copy); return;
    case OPERATOR_add:
        memcpy(out, in, count * sizeof *out);
        runner->k->add(out, other, count);
        break;
    case OPERATOR_scale:
        runner->k->affine_leaky(out, in, other, runner->zeros, 1, pixels, to->channels);
        break;
    case OPERATOR_max_pool:
    case OPERATOR_average_pool: run_pool(node, &runner->nodes[index].padding, shape, to, out, in); break;
    case OPERATOR_global_pool: run_global_pool(shape, out, in, thread->sums); break;
    case OPERATOR_activate: memcpy(out, in, count * sizeof *out); break;
    }
    activation_run(runner->k, node->activation, out, count);
}

/* Mean, standard deviation and max of each channel. */
static void pool_stage(float *features, stage_map map, double *sums)
{
    size_t pixels = map.height * map.width, channels = map.channels;
    float *mean = features, *deviation = features + channels, *max = features + 2 * channels;
    double *squares = sums + channels;
    memset(sums, 0, 2 * channels * sizeof *sums);
    memcpy(max, map.values, channels * sizeof *max);
    for (size_t i = 0; i < pixels; i++) {
        const float *pixel = map.values + i * channels;
        for (size_t c = 0; c < channels; c++) {
            double value = (double)pixel[c];
            sums[c] += value;
            squares[c] += value * value;
            max[c] = pixel[c] > max[c] ? pixel[c] : max[c];
        }
    }
    for (size_t c = 0; c < channels; c++) {
        double average = sums[c] / (double)pixels;
        mean[c] = (float)average;
        deviation[c] = (float)sqrt(fmax(squares[c] / (double)pixels - average * average, 0));
    }
}

stage_map backbone_stage(const backbone_runner *runner, size_t stage, int thread)
{
    size_t value = runner->source->stages[stage];
    const graph_shape *shape = &runner->shapes[value];
    return (stage_map){shape->height, shape->width, shape->channels, runner->threads[thread].values[value]};
}

void backbone_run(backbone_runner *runner, float *features, float *picture, int thread)
{
    const backbone *source = runner->source;
    run_thread *own = &runner->threads[thread];
    size_t pixels = runner->side * runner->side;
    for (int c = 0; c < 3; c++) {
        float scale = 255 / source->deviation[c], shift = source->mean[c] / source->deviation[c];
        for (size_t i = 0; i < pixels; i++)
            picture[3 * i + (size_t)c] = picture[3 * i + (size_t)c] * scale - shift;
    }
    own->values[0] = picture;
    for (size_t i = 0; i < source->node_count; i++) run_graph_node(runner, i, own);
    for (size_t i = 0; i < source->stage_count; i++) {
        stage_map map = backbone_stage(runner, i, thread);
        pool_stage(features, map, own->sums);
        features += STAGE_STATISTICS * map.channels;
    }
    own->values[0] = NULL;
}

puad_status backbone_feature_name(char *out, size_t size, const backbone *owner, size_t index)
{
    static const char *const statistics[STAGE_STATISTICS] = {"mean", "deviation", "max"};
    for (size_t i = 0; i < owner->stage_count; i++) {
        size_t channels = graph_channels(owner, owner->stages[i]);
        if (index < STAGE_STATISTICS * channels) {
            snprintf(out, size, "stage %zu %s %zu", i, statistics[index / channels], index % channels);
            return PUAD_OK;
        }
        index -= STAGE_STATISTICS * channels;
    }
    size_t stages = owner->patches.count;
    if (index >= 2 * stages) FAIL(PUAD_INVALID, "the backbone has no feature %zu", index);
    snprintf(out, size, "stage %zu %s", owner->patches.stages[index % stages].stage,
             index < stages ? "patches" : "patches like labeled ones");
    return PUAD_OK;
}
