/* Patches of the images that a backbone has processed. */
#include "backbone/runner.h"

#include <string.h>

size_t backbone_patch_floats(const backbone_runner *runner)
{
    return runner->patches.floats;
}

/* Averages every step-th channel over the neighbors inside the image. */
static void average(float *out, stage_map map, const patch_stage *stage)
{
    size_t channels = stage->channels, step = stage->step;
    for (size_t y = 0; y < map.height; y++)
        for (size_t x = 0; x < map.width; x++, out += channels) {
            size_t top = y ? y - 1 : 0, left = x ? x - 1 : 0, count = 0;
            memset(out, 0, channels * sizeof *out);
            for (size_t i = top; i < map.height && i <= y + 1; i++)
                for (size_t j = left; j < map.width && j <= x + 1; j++, count++) {
                    const float *pixel = map.values + (i * map.width + j) * map.channels;
                    if (step == 1)
                        for (size_t c = 0; c < channels; c++) out[c] += pixel[c];
                    else
                        for (size_t c = 0; c < channels; c++) out[c] += pixel[c * step];
                }
            for (size_t c = 0; c < channels; c++) out[c] /= (float)count;
        }
}

void backbone_patches(const backbone_runner *runner, float *patches, int thread)
{
    const patch_model *model = &runner->source->patches;
    for (size_t i = 0; i < model->count; i++)
        average(patches + runner->patches.at[i], backbone_stage(runner, model->stages[i].stage, thread),
                &model->stages[i]);
}

void backbone_patch_scores(const backbone_runner *runner, float *scores, float *patches, int thread)
{
    const patch_model *model = &runner->source->patches;
    const patch_shape *shape = &runner->patches;
    float *buffer = runner->threads[thread].patches, *distances = buffer + shape->floats;
    for (size_t i = 0; i < model->count; i++) {
        size_t positions = shape->height[i] * shape->width[i];
        scores[i] = scores[model->count + i] = 0;
        if (!model->learned) continue;
        patches_distances(distances, &model->stages[i], patches + shape->at[i], positions, buffer);
        scores[i] = patches_top(distances, positions);
        patches_outputs(distances, &model->stages[i], patches + shape->at[i], positions);
        scores[model->count + i] = patches_top(distances, positions);
    }
}

void backbone_patch_map(const backbone_runner *runner, float *map, size_t *tall, size_t *wide, float *patches,
                        size_t index, int thread)
{
    const patch_stage *stage = &runner->source->patches.stages[index];
    const patch_shape *shape = &runner->patches;
    size_t positions = shape->height[index] * shape->width[index];
    patches_distances(map, stage, patches + shape->at[index], positions, runner->threads[thread].patches);
    for (size_t p = 0; p < positions; p++) map[p] = (map[p] - stage->level[0]) / stage->level[1];
    *tall = shape->height[index];
    *wide = shape->width[index];
}

puad_status backbone_learn_patches(backbone *owner, const backbone_runner *runner, const patch_images *images,
                                   team *workers)
{
    TRY(patches_learn(&owner->patches, &runner->patches, images, workers));
    backbone_make_fingerprint(owner);
    return PUAD_OK;
}
