/* Scores a file of any length with a model, a block at a time, in constant memory.
 *
 *     cc score_stream.c $(pkg-config --cflags --libs puad) -o score_stream
 *     ./score_stream model.safetensors new.csv
 *     ./score_stream                                   makes a model and a file first
 *
 * A stream belongs to one thread; several may share the detector. */
#include <puad/advanced.h>
#include <stdio.h>
#include <stdlib.h>

static void stop(void)
{
    fprintf(stderr, "score_stream: %s\n", puad_last_error());
    exit(1);
}

/* Points on a line; one in ten lies off it, and half of these are labeled. */
static void make_file(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) exit(1);
    fputs("x,y,label\n", file);
    for (int i = 0; i < 600; i++) {
        double x = i * 37 % 100 / 50.0 - 1;
        fprintf(file, "%g,%g,%d\n", x, i % 10 == 0 ? 3 - x : 2 * x, i % 20 == 0);
    }
    if (fclose(file) != 0) exit(1);
}

static void make_model(const char *path, const char *data_path)
{
    puad_options *options = NULL;
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    if (puad_options_new(&options) != PUAD_OK ||
        puad_options_set(options, "label_column", "label") != PUAD_OK ||
        puad_options_set(options, "method", "puae") != PUAD_OK ||
        puad_options_set(options, "epochs", "60") != PUAD_OK)
        stop();
    if (puad_dataset_open(&data, data_path, NULL, options) != PUAD_OK) stop();
    if (puad_detector_fit(&model, data, options) != PUAD_OK || puad_detector_save(model, path) != PUAD_OK)
        stop();
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
}

int main(int argc, char **argv)
{
    const char *path = argc > 2 ? argv[1] : "score_stream.safetensors",
               *input = argc > 2 ? argv[2] : "stream.csv";
    if (argc < 3) make_file(input);
    if (argc < 3) make_model(path, input);
    puad_detector *model = NULL;
    puad_stream *stream = NULL;
    puad_options *options = NULL;
    puad_decider *decider = NULL;
    size_t flagged = 0;
    double sums[2] = {0};
    if (puad_detector_load(&model, path) != PUAD_OK) stop();
    puad_model_info info = {.struct_size = sizeof info};
    if (puad_detector_info(model, &info) != PUAD_OK) stop();
    fprintf(stderr, "%s: %s\n", path, info.title);
    if (puad_options_new(&options) != PUAD_OK || puad_options_set(options, "threshold", "0.5") != PUAD_OK ||
        puad_decider_new(&decider, model, options) != PUAD_OK)
        stop();
    if (puad_stream_open(&stream, model, input, NULL) != PUAD_OK) stop();
    for (;;) {
        puad_block block = {.struct_size = sizeof block};
        if (puad_stream_next(stream) != PUAD_OK || puad_stream_block(stream, &block) != PUAD_OK) stop();
        size_t rows = block.rows, first = block.first_row;
        if (rows == 0) break;
        for (size_t i = 0; i < rows; i++) {
            flagged += (size_t)puad_decider_flags(decider, block.scores[i]);
            printf("%zu,%.9g\n", first + i, (double)block.scores[i]);
            sums[(first + i) % 10 == 0] += block.scores[i] / ((first + i) % 10 == 0 ? 60.0 : 540.0);
        }
    }
    fprintf(stderr, "%zu rows score 0.5 or more\n", flagged);
    puad_stream_free(stream);
    puad_decider_free(decider);
    puad_options_free(options);
    puad_detector_free(model);
    if (argc > 2) return 0;
    fprintf(stderr, "mean score of points on the line %.3f, of others %.3f\n", sums[0], sums[1]);
    return !(sums[1] > 2 * sums[0]);
}
