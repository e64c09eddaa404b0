/* Converts images to rows in parallel: one thread decodes and resizes an image and runs the backbone. */
#include "input/picture_rows.h"

#include "backbone/backbone.h"
#include "base/rng.h"
#include "dataset/unreadable_images.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_SIDE = 64, /* images up to this size are enlarged to SMALL_TARGET for a backbone */
    /* images from which usual patches are learned, with their patches in memory */
    PATCH_IMAGES_MAX = 500,
    PATCH_IMAGES_MIN = 20,
    PATCH_ANOMALIES_PART = 5, /* a fifth as many labeled anomalies, in addition */
    PATCH_FLOATS_MAX = 24 << 20,
    SMALL_TARGET = 160, /* size at which ImageNet networks work well on small images */
};

typedef struct picture_thread {
    resize *plan;
    float *picture; /* input of the backbone */
    float *patches; /* of the backbone's output */
} picture_thread;

struct picture_rows {
    const transform *encoding;
    team *workers;
    backbone_runner *runner; /* or NULL */
    picture_thread *threads;
    size_t thread_count;
    uint8_t *ready; /* images whose rows are complete, by their index; or NULL */
    unreadable_images damaged;
};

void picture_rows_free(picture_rows *owner)
{
    if (!owner) return;
    for (size_t i = 0; owner->threads && i < owner->thread_count; i++) {
        resize_free(owner->threads[i].plan);
        free(owner->threads[i].picture);
        free(owner->threads[i].patches);
    }
    free(owner->threads);
    free(owner->ready);
    backbone_runner_free(owner->runner);
    free(owner);
}

void picture_rows_cleanup(picture_rows **owner)
{
    picture_rows_free(*owner);
}

static puad_status prepare(picture_rows *job)
{
    const transform *encoding = job->encoding;
    job->thread_count = job->workers ? (size_t)team_size(job->workers) : 1;
    TRY(memory_new(&job->threads, job->thread_count, sizeof *job->threads, "pictures"));
    if (!encoding->backbone) return PUAD_OK;
    TRY(backbone_runner_new(&job->runner, encoding->backbone, encoding->height, job->workers));
    for (size_t i = 0; i < job->thread_count; i++) {
        TRY(memory_new(&job->threads[i].picture, (size_t)encoding->height * (size_t)encoding->width,
                       3 * sizeof(float), "a picture"));
        TRY(memory_new(&job->threads[i].patches, backbone_patch_floats(job->runner) + 1, sizeof(float),
                       "a picture"));
    }
    return PUAD_OK;
}

puad_status picture_rows_new(picture_rows **out, const transform *encoding, team *workers)
{
    picture_rows *job = NULL;
    TRY(memory_new(&job, 1, sizeof *job, "pictures"));
    job->encoding = encoding;
    job->workers = workers;
    puad_status status = prepare(job);
    if (status != PUAD_OK) {
        picture_rows_free(job);
        return status;
    }
    *out = job;
    return PUAD_OK;
}

typedef struct picture_loop {
    picture_rows *job;
    float *values;
    uint8_t *damaged;
    size_t first;
    picture_source *source;
    void *context;
    const uint32_t *sample; /* indices of the images, which then begin at 0; or NULL */
    float *patches;         /* of each item, instead of their scores; or NULL */
    pthread_mutex_t lock;   /* guards the fields below */
    /* index of the first image with a fatal error; damaged_at: of the first damaged one */
    size_t failed_at;
    puad_status status;
    char message[UNREADABLE_MESSAGE_CAPACITY];
    size_t damaged_at;
    unreadable_images damaged_images;
} picture_loop;

/* Copies a gray image to three channels in place, for a backbone. */
static void spread_gray(float *picture, size_t pixels)
{
    for (size_t i = pixels; i-- > 0;) picture[3 * i] = picture[3 * i + 1] = picture[3 * i + 2] = picture[i];
}

static size_t index_of(const picture_loop *loop, size_t item)
{
    return loop->sample ? loop->sample[item] : loop->first + item;
}

static puad_status make_row(picture_loop *loop, float *row, size_t item, int thread)
{
    picture_rows *job = loop->job;
    const transform *encoding = job->encoding;
    picture_thread *own = &job->threads[thread];
    size_t index = index_of(loop, item);
    AUTO_IMAGE image picture = {0};
    TRY(loop->source(loop->context, &picture, index));
    TRY(resize_fit(&own->plan, picture.height, picture.width, picture.channels, encoding->height,
                   encoding->width));
    if (!job->runner) {
        resize_run(own->plan, row, picture.pixels);
        return PUAD_OK;
    }
    resize_run(own->plan, own->picture, picture.pixels);
    if (picture.channels == 1) spread_gray(own->picture, (size_t)encoding->height * (size_t)encoding->width);
    backbone_run(job->runner, row, own->picture, thread);
    float *patches = loop->patches ? loop->patches + item * backbone_patch_floats(job->runner) : own->patches;
    backbone_patches(job->runner, patches, thread);
    if (!loop->patches)
        backbone_patch_scores(job->runner, row + backbone_feature_count(encoding->backbone), patches, thread);
    for (size_t i = 0; i < encoding->encoded; i++)
        if (!isfinite(row[i])) FAIL(PUAD_NUMERIC, "image %zu: feature %zu is not finite", index, i);
    return PUAD_OK;
}

static void one_picture(void *context, size_t item, int thread)
{
    picture_loop *loop = context;
    size_t index = index_of(loop, item), place = loop->sample ? index : item;
    float *row = loop->values + place * loop->job->encoding->encoded;
    if (!loop->sample && loop->job->ready && loop->job->ready[index]) return;
    puad_status status = make_row(loop, row, item, thread);
    if (status == PUAD_OK) return;
    memset(row, 0, loop->job->encoding->encoded * sizeof *row);
    bool skipped = status == PUAD_FORMAT && loop->damaged;
    if (skipped) loop->damaged[place] = 1;
    pthread_mutex_lock(&loop->lock);
    if (skipped && loop->damaged_images.count++ < SIZE_MAX && index <= loop->damaged_at) {
        loop->damaged_at = index;
        snprintf(loop->damaged_images.first, UNREADABLE_MESSAGE_CAPACITY, "%s", puad_last_error());
    }
    if (!skipped && index <= loop->failed_at) {
        loop->failed_at = index;
        loop->status = status;
        snprintf(loop->message, sizeof loop->message, "%s", puad_last_error());
    }
    pthread_mutex_unlock(&loop->lock);
}

static puad_status run_loop(picture_loop *loop, size_t count)
{
    pthread_mutex_init(&loop->lock, NULL);
    loop->failed_at = loop->damaged_at = SIZE_MAX;
    TRY(team_run_until_stopped(loop->job->workers, count, one_picture, loop));
    if (loop->status != PUAD_OK) FAIL(loop->status, "%s", loop->message);
    unreadable_images_add(&loop->job->damaged, &loop->damaged_images);
    return PUAD_OK;
}

puad_status picture_rows_run(picture_rows *job, float *values, uint8_t *damaged, size_t first, size_t count,
                             picture_source *source, void *context)
{
    picture_loop loop = {.job = job,
                         .values = values,
                         .damaged = damaged,
                         .first = first,
                         .source = source,
                         .context = context};
    return run_loop(&loop, count);
}

/* Keeps a random sample of `max` of the indices. */
static void draw_few(uint32_t *sample, size_t *count, size_t max, uint64_t stream)
{
    rng draws = rng_make(0, rng_stream("patches", stream));
    if (*count <= max) return;
    rng_draw_to_front(&draws, sample, max, *count);
    *count = max;
}

/* Images whose patches are learned from: first those that may be usual, which have no label, or else are not
 * labeled anomalies, or else all; then labeled anomalies. */
typedef struct patch_sample {
    uint32_t *images;
    size_t usual, anomalies;
} patch_sample;

static puad_status draw_sample(patch_sample *out, arena *memory, const int8_t *labels, size_t count,
                               size_t max)
{
    size_t found = 0, anomalies = 0;
    uint32_t *sample;
    TRY(arena_new(memory, &sample, 2 * count, sizeof *sample));
    for (int pass = 0; pass < 3 && !found; pass++)
        for (size_t i = 0; i < count; i++) {
            int label = labels ? labels[i] : PUAD_LABEL_UNLABELED;
            if (pass == 2 || label == PUAD_LABEL_UNLABELED || (pass == 1 && label != PUAD_LABEL_ANOMALY))
                sample[found++] = (uint32_t)i;
        }
    bool mixed = !labels || labels[sample[0]] != PUAD_LABEL_ANOMALY;
    draw_few(sample, &found, max, 0);
    for (size_t i = 0; i < count && labels && mixed; i++)
        if (labels[i] == PUAD_LABEL_ANOMALY) sample[found + anomalies++] = (uint32_t)i;
    draw_few(sample + found, &anomalies, max / PATCH_ANOMALIES_PART, 1);
    *out = (patch_sample){sample, found, anomalies};
    return PUAD_OK;
}

puad_status picture_rows_learn(picture_rows *job, float *values, uint8_t *damaged, const int8_t *labels,
                               size_t count, picture_source *source, void *context)
{
    AUTO_ARENA arena scratch = {0};
    backbone *features = job->encoding->backbone;
    if (!features || backbone_patches_learned(features) || !backbone_patch_count(features)) return PUAD_OK;
    size_t floats = backbone_patch_floats(job->runner), max = PATCH_FLOATS_MAX / floats, kept = 0, usual = 0;
    if (max < PATCH_IMAGES_MIN) max = PATCH_IMAGES_MIN;
    if (max > PATCH_IMAGES_MAX) max = PATCH_IMAGES_MAX;
    size_t stride = backbone_patch_count(features), pooled = backbone_feature_count(features);
    picture_loop loop = {
        .job = job, .values = values, .damaged = damaged, .source = source, .context = context};
    patch_sample drawn;
    float *scores;
    TRY(draw_sample(&drawn, &scratch, labels, count, max));
    size_t taken = drawn.usual + drawn.anomalies;
    uint32_t *sample = drawn.images;
    TRY(arena_new(&scratch, &loop.patches, taken, floats * sizeof(float)));
    TRY(arena_new(&scratch, &scores, taken, stride * sizeof *scores));
    loop.sample = sample;
    TRY(run_loop(&loop, taken));
    TRY(memory_new(&job->ready, count, 1, "pictures"));
    for (size_t i = 0; i < taken; i++) {
        job->ready[sample[i]] = 1;
        if (damaged && damaged[sample[i]]) continue;
        memmove(loop.patches + kept * floats, loop.patches + i * floats, floats * sizeof(float));
        usual += i < drawn.usual;
        sample[kept++] = sample[i];
    }
    if (!kept) FAIL(PUAD_FORMAT, "%s", job->damaged.first);
    patch_images images = {loop.patches, scores, kept, usual ? kept - usual : 0};
    TRY(backbone_learn_patches(features, job->runner, &images, job->workers));
    for (size_t i = 0; i < kept; i++)
        memcpy(values + sample[i] * job->encoding->encoded + pooled, scores + i * stride,
               stride * sizeof *scores);
    return PUAD_OK;
}

const unreadable_images *picture_rows_damaged(const picture_rows *job)
{
    return &job->damaged;
}

puad_status picture_transform(transform **out, const data_options *options, int channels, int longest)
{
    AUTO_BACKBONE backbone *features = NULL;
    int side = options->side;
    if (options->backbone) TRY(backbone_open(&features, options->backbone));
    if (!side && features) {
        int usual = backbone_side(features);
        side = longest && longest <= SMALL_SIDE && SMALL_TARGET < usual ? SMALL_TARGET : usual;
    }
    if (!side) side = IMAGE_SIDE;
    transform *made = NULL;
    TRY(transform_new(&made, 0));
    made->image = true;
    made->height = made->width = side;
    made->channels = channels;
    made->divisor = 255;
    made->encoded = features ? backbone_feature_count(features) + backbone_patch_count(features)
                             : (size_t)side * (size_t)side * (size_t)channels;
    made->backbone = features;
    features = NULL;
    *out = made;
    return PUAD_OK;
}

puad_status picture_shape(dataset *out, const transform *encoding)
{
    bool pixels = !encoding->backbone;
    out->image = pixels;
    out->height = pixels ? encoding->height : 1;
    out->width = pixels ? encoding->width : 1;
    out->channels = pixels ? encoding->channels : (int)encoding->encoded;
    out->columns = encoding->encoded;
    return pixels ? PUAD_OK : transform_names(&out->column_names, &out->memory, encoding);
}
