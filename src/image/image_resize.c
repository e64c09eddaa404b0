/* Bilinear resizing with pixel centers at half. When an axis shrinks, the triangle filter is widened by
 * the scale, so every pixel counts (anti-aliasing); when it grows, the filter spans the two nearest
 * pixels. Rows first, then columns. */
#include "image/image.h"

#include <math.h>
#include <stdlib.h>

typedef struct axis {
    int start, to;
    int span;       /* maximum number of weights per output pixel */
    int *first;     /* one per output pixel: the first input pixel */
    int *count;     /* one per output pixel: the number of input pixels */
    float *weights; /* `to` x span, each row summing to 1 */
} axis;

struct resize {
    arena memory;
    int channels;
    axis vertical, horizontal;
    float *middle; /* input height x output width x channels */
};

static puad_status axis_make(axis *out, arena *memory, int start, int to)
{
    double scale = (double)start / to, reach = scale > 1 ? scale : 1;
    *out = (axis){.start = start, .to = to, .span = 2 * (int)ceil(reach) + 1};
    TRY(arena_new(memory, &out->first, (size_t)to, sizeof(int)));
    TRY(arena_new(memory, &out->count, (size_t)to, sizeof(int)));
    TRY(arena_new(memory, &out->weights, (size_t)to * (size_t)out->span, sizeof(float)));
    for (int i = 0; i < to; i++) {
        double center = scale * (i + 0.5), total = 0;
        int first = (int)(center - reach + 0.5), end = (int)(center + reach + 0.5);
        if (first < 0) first = 0;
        if (end > start) end = start;
        float *weights = out->weights + (size_t)i * (size_t)out->span;
        for (int pass = 0; pass < 2; pass++) /* the second pass divides by the sum of the first */
            for (int j = first; j < end; j++) {
                double distance = fabs((j + 0.5 - center) / reach), weight = distance < 1 ? 1 - distance : 0;
                if (pass == 0)
                    total += weight;
                else
                    weights[j - first] = (float)(weight / total);
            }
        out->first[i] = first;
        out->count[i] = end - first;
    }
    return PUAD_OK;
}

puad_status resize_new(resize **out, int height, int width, int channels, int new_height, int new_width)
{
    resize *plan = NULL;
    TRY(memory_new(&plan, 1, sizeof *plan, "a resizing plan"));
    plan->channels = channels;
    puad_status status = axis_make(&plan->vertical, &plan->memory, height, new_height);
    if (status == PUAD_OK) status = axis_make(&plan->horizontal, &plan->memory, width, new_width);
    if (status == PUAD_OK)
        status = arena_new(&plan->memory, &plan->middle,
                           (size_t)height * (size_t)new_width * (size_t)channels, sizeof(float));
    if (status != PUAD_OK) {
        resize_free(plan);
        return status;
    }
    *out = plan;
    return PUAD_OK;
}

puad_status resize_fit(resize **plan, int height, int width, int channels, int new_height, int new_width)
{
    resize *old = *plan;
    if (old && old->vertical.start == height && old->vertical.to == new_height &&
        old->horizontal.start == width && old->horizontal.to == new_width && old->channels == channels)
        return PUAD_OK;
    resize_free(old);
    *plan = NULL;
    return resize_new(plan, height, width, channels, new_height, new_width);
}

static void resize_row(float *out, const uint8_t *pixels, const axis *along, int channels)
{
    for (int x = 0; x < along->to; x++) {
        const float *weights = along->weights + (size_t)x * (size_t)along->span;
        const uint8_t *t = pixels + (size_t)along->first[x] * (size_t)channels;
        for (int c = 0; c < channels; c++) {
            float sum = 0;
            for (int k = 0; k < along->count[x]; k++) sum += weights[k] * t[k * channels + c];
            out[x * channels + c] = sum;
        }
    }
}

void resize_run(resize *plan, float *out, const uint8_t *pixels)
{
    const axis *down = &plan->vertical, *along = &plan->horizontal;
    size_t in_stride = (size_t)along->start * (size_t)plan->channels,
           stride = (size_t)along->to * (size_t)plan->channels;
    for (int y = 0; y < down->start; y++)
        resize_row(plan->middle + (size_t)y * stride, pixels + (size_t)y * in_stride, along, plan->channels);
    for (int y = 0; y < down->to; y++) {
        const float *weights = down->weights + (size_t)y * (size_t)down->span;
        const float *source = plan->middle + (size_t)down->first[y] * stride;
        float *row = out + (size_t)y * stride;
        for (size_t x = 0; x < stride; x++) row[x] = 0;
        for (int k = 0; k < down->count[y]; k++)
            for (size_t x = 0; x < stride; x++) row[x] += weights[k] * source[(size_t)k * stride + x];
        for (size_t x = 0; x < stride; x++) {
            float value = row[x] / 255.0f;
            row[x] = value > 1 ? 1 : value;
        }
    }
}

void resize_free(resize *owner)
{
    if (!owner) return;
    arena_free(&owner->memory);
    free(owner);
}
