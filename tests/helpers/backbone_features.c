/* Runs a backbone on images of raw floats (side x side x 3, in [0, 1]) and writes their features as raw
 * floats: backbone_features BACKBONE SIDE THREADS PICTURES FEATURES [REPEATS]. Prints seconds per image. */
#include "backbone/backbone.h"
#include "base/clock.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    backbone_runner *runner;
    const float *pictures;
    float *features, *buffer; /* room: a picture of each thread */
    size_t picture_size, feature_count;
} job;

static void run_one(void *context, size_t item, int thread)
{
    job *all = context;
    float *own = all->buffer + (size_t)thread * all->picture_size;
    memcpy(own, all->pictures + item * all->picture_size, all->picture_size * sizeof *own);
    backbone_run(all->runner, all->features + item * all->feature_count, own, thread);
}

static puad_status run(char **argv, int repeats)
{
    AUTO_TEAM team *workers = NULL;
    AUTO_BACKBONE backbone *source = NULL;
    AUTO_BACKBONE_RUNNER backbone_runner *runner = NULL;
    AUTO_FREE unsigned char *bytes = NULL;
    AUTO_FREE float *features = NULL;
    AUTO_FREE float *buffer = NULL;
    size_t size, side = strtoul(argv[2], NULL, 10);
    TRY(team_new(&workers, atoi(argv[3])));
    TRY(backbone_open(&source, argv[1]));
    TRY(backbone_runner_new(&runner, source, (int)side, workers));
    TRY(file_read(&bytes, &size, argv[4], (size_t)1 << 31));
    size_t picture = side * side * 3, count = size / (picture * sizeof(float));
    size_t columns = backbone_feature_count(source);
    TRY(memory_new(&features, count * columns, sizeof *features, "features"));
    TRY(memory_new(&buffer, picture * (size_t)team_size(workers), sizeof *buffer, "pictures"));
    job all = {runner, (const float *)(const void *)bytes, features, buffer, picture, columns};
    double best = 1e9;
    for (int i = 0; i < repeats; i++) {
        double begin = seconds_now();
        team_run(workers, count, run_one, &all);
        double taken = (seconds_now() - begin) / (double)count;
        if (taken < best) best = taken;
    }
    printf("%.6f\n", best);
    return file_write(argv[5], features, count * columns * sizeof *features);
}

int main(int argc, char **argv)
{
    if (argc < 6) return 2;
    if (run(argv, argc > 6 ? atoi(argv[6]) : 1) == PUAD_OK) return 0;
    fprintf(stderr, "%s\n", puad_last_error());
    return 1;
}
