/* Learns usual patches and measures distances to them. */
#include "backbone/patches.h"

#include "base/hash.h"
#include "base/sort.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

puad_status patches_choose(patch_model *out, arena *memory, const size_t *channels, size_t stages)
{
    size_t first = stages >= 4, end = stages > 1 ? stages - 1 : 1;
    *out = (patch_model){0};
    for (size_t s = first; s < end && out->count < PATCH_STAGES_MAX; s++) {
        patch_stage *made = &out->stages[out->count++];
        made->stage = s;
        made->step = (channels[s] + PATCH_CHANNELS_MAX - 1) / PATCH_CHANNELS_MAX;
        made->channels = (channels[s] + made->step - 1) / made->step;
        TRY(arena_new(memory, &made->mean, made->channels, sizeof(float)));
        TRY(arena_new(memory, &made->factor, made->channels * made->channels, sizeof(float)));
        TRY(arena_new(memory, &made->level, 2, sizeof(float)));
        TRY(arena_new(memory, &made->direction, made->channels, sizeof(float)));
    }
    return PUAD_OK;
}

/* out = a b for `rows` rows of `depth` values and a matrix of `columns` columns; a is given by its strides. */
static void product(float *out, const float *a, ptrdiff_t a_row, ptrdiff_t a_step, const float *b,
                    size_t rows, size_t depth, size_t columns)
{
    const kernels *k = kernels_best();
    multiply_job job = {.a = a,
                        .a_row = a_row,
                        .a_step = a_step,
                        .b_step = (ptrdiff_t)columns,
                        .c_row = (ptrdiff_t)columns,
                        .rows = rows,
                        .segments = 1,
                        .depth = depth};
    for (size_t p = 0; p < columns; p += k->panel) {
        job.b = b + p;
        job.c = out + p;
        job.columns = columns - p < k->panel ? columns - p : k->panel;
        k->multiply(&job);
    }
}

void patches_distances(float *distances, const patch_stage *stage, float *patches, size_t positions,
                       float *scratch)
{
    size_t channels = stage->channels;
    for (size_t i = 0; i < positions; i++)
        for (size_t c = 0; c < channels; c++) patches[i * channels + c] -= stage->mean[c];
    product(scratch, patches, (ptrdiff_t)channels, 1, stage->factor, positions, channels, channels);
    for (size_t i = 0; i < positions; i++) {
        double squares = 0;
        for (size_t c = 0; c < channels; c++)
            squares += (double)scratch[i * channels + c] * (double)scratch[i * channels + c];
        distances[i] = (float)log1p(squares);
    }
}

void patches_outputs(float *outputs, const patch_stage *stage, const float *patches, size_t positions)
{
    for (size_t i = 0; i < positions; i++) {
        double sum = 0;
        for (size_t c = 0; c < stage->channels; c++)
            sum += (double)patches[i * stage->channels + c] * (double)stage->direction[c];
        outputs[i] = (float)sum;
    }
}

float patches_top(float *values, size_t positions)
{
    size_t top = (size_t)ceil(PATCHES_TOP * (double)positions);
    double sum = 0;
    sort_floats(values, positions);
    for (size_t i = positions - top; i < positions; i++) sum += (double)values[i];
    return (float)(sum / (double)top);
}

/* Sums over the patches of some images. */
typedef struct moments {
    double count, *sum, *squares; /* channels; channels x channels */
} moments;

typedef struct learning {
    patch_stage *stage; /* the result; its mean is that of the first turn's centering */
    const float *patches;
    size_t images, anomalies, stride, positions; /* stride: floats per image */
    const uint8_t *kept;                         /* per image */
    moments folds[PATCH_FOLDS], all;
    /* per fold, then all: patches of unlabeled images and of labeled anomalies; without squares */
    moments sides[PATCH_FOLDS + 1][2];
    patch_stage models[PATCH_FOLDS];      /* each learned from the other folds */
    float *products, *copies, *distances; /* per fold: channels x channels; patches of an image; distances */
    size_t product_floats;
    float *scores, *outputs; /* per image */
    double (*levels)[3];     /* per fold: count, sum and squares of distances of kept images */
    bool apart;              /* scores from the models of the folds, not from `stage` */
} learning;

static void add_sums(moments *to, const float *x, size_t positions, size_t channels)
{
    for (size_t p = 0; p < positions; p++)
        for (size_t c = 0; c < channels; c++) to->sum[c] += (double)x[p * channels + c];
    to->count += (double)positions;
}

/* Images of a fold are those whose index is `fold` modulo PATCH_FOLDS. */
static void add_fold(void *context, size_t fold, int thread)
{
    (void)thread;
    learning *job = context;
    size_t channels = job->stage->channels;
    moments *to = &job->folds[fold];
    float *product_of = job->products + fold * channels * channels;
    to->count = 0;
    memset(to->sum, 0, channels * sizeof *to->sum);
    memset(to->squares, 0, channels * channels * sizeof *to->squares);
    for (size_t i = fold; i < job->images; i += PATCH_FOLDS) {
        const float *x = job->patches + i * job->stride;
        if (!job->kept[i]) continue;
        product(product_of, x, 1, (ptrdiff_t)channels, x, channels, job->positions, channels);
        for (size_t k = 0; k < channels * channels; k++) to->squares[k] += (double)product_of[k];
        add_sums(to, x, job->positions, channels);
    }
}

static void add_sides(learning *job)
{
    for (size_t i = 0; i < job->images; i++) {
        bool anomaly = i >= job->images - job->anomalies;
        const float *x = job->patches + i * job->stride;
        add_sums(&job->sides[i % PATCH_FOLDS][anomaly], x, job->positions, job->stage->channels);
        add_sums(&job->sides[PATCH_FOLDS][anomaly], x, job->positions, job->stage->channels);
    }
}

/* The classifier's direction from all images but those of a fold; `without` may be PATCH_FOLDS. */
static void find_direction(patch_stage *out, const learning *job, size_t without)
{
    size_t n = out->channels;
    const moments *all = job->sides[PATCH_FOLDS], *less = job->sides[without];
    double left[2], length = 0, white[PATCH_CHANNELS_MAX] = {0};
    for (int k = 0; k < 2; k++) left[k] = all[k].count - (without < PATCH_FOLDS ? less[k].count : 0);
    memset(out->direction, 0, n * sizeof *out->direction);
    if (job->anomalies < PATCH_FOLDS || !(left[0] > 0) || !(left[1] > 0)) return;
    for (size_t i = 0; i < n; i++) {
        double mean[2];
        for (int k = 0; k < 2; k++)
            mean[k] = (all[k].sum[i] - (without < PATCH_FOLDS ? less[k].sum[i] : 0)) / left[k];
        for (size_t j = 0; j < n; j++) white[j] += (mean[1] - mean[0]) * (double)out->factor[i * n + j];
    }
    for (size_t j = 0; j < n; j++) length += white[j] * white[j];
    if (!(length > 1e-20)) return;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += white[j] * (double)out->factor[i * n + j];
        out->direction[i] = (float)(sum / sqrt(length));
    }
}

static void subtract(moments *stats, const moments *what, size_t channels, double sign)
{
    stats->count -= sign * what->count;
    for (size_t c = 0; c < channels; c++) stats->sum[c] -= sign * what->sum[c];
    for (size_t k = 0; k < channels * channels; k++) stats->squares[k] -= sign * what->squares[k];
}

/* factor = the inverse of the Cholesky factor, transposed. `s` is overwritten. */
static void invert(float *factor, double *s, double *inverse, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++) {
            double sum = s[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= s[i * n + k] * s[j * n + k];
            s[i * n + j] = i == j ? sqrt(fmax(sum, 1e-30)) : sum / s[j * n + j];
        }
    }
    memset(inverse, 0, n * n * sizeof *inverse);
    for (size_t i = 0; i < n; i++) {
        inverse[i * n + i] = 1;
        for (size_t k = 0; k < i; k++)
            for (size_t j = 0; j <= k; j++) inverse[i * n + j] -= s[i * n + k] * inverse[k * n + j];
        for (size_t j = 0; j <= i; j++) inverse[i * n + j] /= s[i * n + i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) factor[j * n + i] = (float)inverse[i * n + j];
}

static puad_status gaussian(patch_stage *out, const moments *stats)
{
    AUTO_ARENA arena scratch = {0};
    size_t n = out->channels;
    double *s, *inverse, total = 0;
    TRY(arena_new(&scratch, &s, n * n, sizeof *s));
    TRY(arena_new(&scratch, &inverse, n * n, sizeof *inverse));
    for (size_t i = 0; i < n; i++) {
        out->mean[i] = (float)(stats->sum[i] / stats->count);
        for (size_t j = 0; j <= i; j++)
            s[i * n + j] = stats->squares[i * n + j] / stats->count -
                           stats->sum[i] / stats->count * (stats->sum[j] / stats->count);
        total += s[i * n + i];
    }
    double added = fmax(PATCHES_SHRINKAGE * total / (double)n, 1e-12);
    for (size_t i = 0; i < n; i++) s[i * n + i] += added;
    invert(out->factor, s, inverse, n);
    return PUAD_OK;
}

static void score_fold(void *context, size_t fold, int thread)
{
    (void)thread;
    learning *job = context;
    const patch_stage *stage = job->apart ? &job->models[fold] : job->stage;
    size_t floats = job->positions * stage->channels;
    float *copy = job->copies + fold * 2 * floats, *distances = job->distances + fold * job->positions;
    double *level = job->levels[fold];
    level[0] = level[1] = level[2] = 0;
    for (size_t i = fold; i < job->images; i += PATCH_FOLDS) {
        memcpy(copy, job->patches + i * job->stride, floats * sizeof *copy);
        patches_distances(distances, stage, copy, job->positions, copy + floats);
        for (size_t p = 0; p < job->positions && job->kept[i]; p++) {
            level[0]++;
            level[1] += (double)distances[p];
            level[2] += (double)distances[p] * (double)distances[p];
        }
        job->scores[i] = patches_top(distances, job->positions);
        patches_outputs(distances, stage, copy, job->positions);
        job->outputs[i] = patches_top(distances, job->positions);
    }
}

/* Learns from the images that are kept, and scores all. */
static puad_status learn_turn(learning *job, team *workers)
{
    size_t channels = job->stage->channels;
    TRY(team_run_until_stopped(workers, PATCH_FOLDS, add_fold, job));
    job->all.count = 0;
    memset(job->all.sum, 0, channels * sizeof *job->all.sum);
    memset(job->all.squares, 0, channels * channels * sizeof *job->all.squares);
    for (int f = 0; f < PATCH_FOLDS; f++) subtract(&job->all, &job->folds[f], channels, -1);
    TRY(gaussian(job->stage, &job->all));
    find_direction(job->stage, job, PATCH_FOLDS);
    for (int f = 0; f < PATCH_FOLDS && job->apart; f++) {
        bool alone = job->folds[f].count == job->all.count;
        if (!alone) subtract(&job->all, &job->folds[f], channels, 1);
        TRY(gaussian(&job->models[f], &job->all));
        find_direction(&job->models[f], job, (size_t)f);
        if (!alone) subtract(&job->all, &job->folds[f], channels, -1);
    }
    return team_run_until_stopped(workers, PATCH_FOLDS, score_fold, job);
}

static puad_status new_moments(moments *out, arena *memory, size_t channels)
{
    TRY(arena_new(memory, &out->sum, channels, sizeof(double)));
    return arena_new(memory, &out->squares, channels * channels, sizeof(double));
}

/* Subtracts the mean of all patches, for the precision of the sums. */
static puad_status center(double *mean, float *patches, const learning *job)
{
    size_t channels = job->stage->channels;
    for (size_t i = 0; i < job->images; i++)
        for (size_t p = 0; p < job->positions; p++)
            for (size_t c = 0; c < channels; c++)
                mean[c] += (double)patches[i * job->stride + p * channels + c] /
                           (double)(job->images * job->positions);
    for (size_t i = 0; i < job->images; i++)
        for (size_t p = 0; p < job->positions; p++)
            for (size_t c = 0; c < channels; c++)
                patches[i * job->stride + p * channels + c] -= (float)mean[c];
    return PUAD_OK;
}

static puad_status learn_stage(patch_model *model, const patch_shape *shape, size_t index,
                               const patch_images *source, team *workers)
{
    AUTO_ARENA arena scratch = {0};
    patch_stage *stage = &model->stages[index];
    size_t channels = stage->channels, positions = shape->height[index] * shape->width[index],
           images = source->images, usual_images = images - source->anomalies, stride = 2 * model->count;
    float *patches = source->patches;
    learning job = {.stage = stage,
                    .patches = patches + shape->at[index],
                    .images = images,
                    .anomalies = source->anomalies,
                    .stride = shape->floats,
                    .positions = positions};
    uint8_t *kept;
    float *order;
    double *mean;
    TRY(arena_new(&scratch, &mean, channels, sizeof *mean));
    TRY(arena_new(&scratch, &kept, images, 1));
    TRY(arena_new(&scratch, &order, images, sizeof *order));
    TRY(arena_new(&scratch, &job.scores, images, sizeof *job.scores));
    TRY(arena_new(&scratch, &job.outputs, images, sizeof *job.outputs));
    TRY(arena_new(&scratch, &job.products, PATCH_FOLDS * channels * channels, sizeof(float)));
    TRY(arena_new(&scratch, &job.copies, (size_t)2 * PATCH_FOLDS * positions * channels, sizeof(float)));
    TRY(arena_new(&scratch, &job.distances, PATCH_FOLDS * positions, sizeof(float)));
    TRY(arena_new(&scratch, &job.levels, PATCH_FOLDS, sizeof *job.levels));
    TRY(new_moments(&job.all, &scratch, channels));
    for (int f = 0; f < PATCH_FOLDS; f++) {
        TRY(new_moments(&job.folds[f], &scratch, channels));
        job.models[f].channels = channels;
        TRY(arena_new(&scratch, &job.models[f].mean, channels, sizeof(float)));
        TRY(arena_new(&scratch, &job.models[f].factor, channels * channels, sizeof(float)));
        TRY(arena_new(&scratch, &job.models[f].direction, channels, sizeof(float)));
    }
    for (int f = 0; f <= PATCH_FOLDS; f++)
        for (int k = 0; k < 2; k++) TRY(arena_new(&scratch, &job.sides[f][k].sum, channels, sizeof(double)));
    memset(kept, 1, usual_images);
    job.kept = kept;
    TRY(center(mean, patches + shape->at[index], &job));
    add_sides(&job);
    TRY(learn_turn(&job, workers));
    memcpy(order, job.scores, usual_images * sizeof *order);
    sort_floats(order, usual_images);
    float limit = order[usual_images - 1 - (size_t)(PATCHES_TRIM * (double)usual_images)];
    for (size_t i = 0; i < usual_images; i++) kept[i] = job.scores[i] <= limit;
    job.apart = true;
    TRY(learn_turn(&job, workers));
    double level[3] = {0};
    for (int f = 0; f < PATCH_FOLDS; f++)
        for (int k = 0; k < 3; k++) level[k] += job.levels[f][k];
    double usual = level[1] / level[0], variance = level[2] / level[0] - usual * usual;
    stage->level[0] = (float)usual;
    stage->level[1] = (float)sqrt(fmax(variance, 1e-12));
    for (size_t c = 0; c < channels; c++) stage->mean[c] += (float)mean[c];
    for (size_t i = 0; i < images; i++) {
        source->scores[i * stride + index] = job.scores[i];
        source->scores[i * stride + model->count + index] = job.outputs[i];
    }
    return PUAD_OK;
}

puad_status patches_learn(patch_model *model, const patch_shape *shape, const patch_images *images,
                          team *workers)
{
    for (size_t s = 0; s < model->count; s++) TRY(learn_stage(model, shape, s, images, workers));
    model->learned = true;
    return PUAD_OK;
}

typedef struct stored_part { /* a tensor of a stage */
    const char *name;
    float *values;
    size_t count;
} stored_part;

enum { STORED_PARTS = 4 };

static void parts_of(stored_part parts[STORED_PARTS], const patch_stage *stage)
{
    parts[0] = (stored_part){"mean", stage->mean, stage->channels};
    parts[1] = (stored_part){"factor", stage->factor, stage->channels * stage->channels};
    parts[2] = (stored_part){"level", stage->level, 2};
    parts[3] = (stored_part){"direction", stage->direction, stage->channels};
}

static void part_name(char out[300], const char *prefix, size_t stage, const stored_part *part)
{
    snprintf(out, 300, "%spatches.%zu.%s", prefix, stage, part->name);
}

puad_status patches_write(safetensors *file, const patch_model *model, const char *prefix)
{
    stored_part parts[STORED_PARTS];
    char name[300];
    for (size_t s = 0; s < model->count && model->learned; s++) {
        parts_of(parts, &model->stages[s]);
        for (int i = 0; i < STORED_PARTS; i++) {
            part_name(name, prefix, s, &parts[i]);
            TRY(safetensors_add(file, name, TENSOR_F32, parts[i].values, 1, &parts[i].count));
        }
    }
    return PUAD_OK;
}

puad_status patches_read(patch_model *model, const safetensors *file, const char *prefix)
{
    stored_part parts[STORED_PARTS];
    char name[300];
    for (size_t s = 0; s < model->count; s++) {
        parts_of(parts, &model->stages[s]);
        for (int i = 0; i < STORED_PARTS; i++) {
            const stored_tensor *stored;
            part_name(name, prefix, s, &parts[i]);
            if (s == 0 && i == 0 && !safetensors_find(file, name)) return PUAD_OK;
            TRY(safetensors_require(&stored, file, name, TENSOR_F32, 1, &parts[i].count));
            memcpy(parts[i].values, stored->data, stored->bytes);
            for (size_t k = 0; k < parts[i].count; k++)
                if (!isfinite(parts[i].values[k])) FAIL(PUAD_FORMAT, "%s: value %zu is not finite", name, k);
        }
        if (!(model->stages[s].level[1] > 0))
            FAIL(PUAD_FORMAT, "%spatches.%zu.level: the deviation is not above 0", prefix, s);
    }
    model->learned = model->count > 0;
    return PUAD_OK;
}

uint64_t patches_hash(uint64_t hash, const patch_model *model)
{
    stored_part parts[STORED_PARTS];
    for (size_t s = 0; s < model->count && model->learned; s++) {
        parts_of(parts, &model->stages[s]);
        for (int i = 0; i < STORED_PARTS; i++)
            hash = hash_bytes(hash, parts[i].values, parts[i].count * sizeof(float));
    }
    return hash;
}
