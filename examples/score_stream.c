/* Scores rows of numbers from standard input with a model file, a block at a time.
 *
 *     cc score_stream.c $(pkg-config --cflags --libs puad) -o score_stream
 *     ./score_stream model.safetensors < rows.txt      one row a line, as the network takes them
 *     ./score_stream                                   makes a model first, and scores rows of its own
 *
 * A scorer belongs to one thread and owns all memory that a pass needs, so scoring allocates nothing.
 * Programs with several threads make one scorer each; the detector is shared. */
#include <puad/puad.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 64, ROWS = 400, COLUMNS = 3 };

static void stop(void)
{
    fprintf(stderr, "score_stream: %s\n", puad_last_error());
    exit(1);
}

static float uniform(void) /* in [-1, 1], the same on every run */
{
    static unsigned state = 1;
    return (float)((state = state * 1664525u + 1013904223u) >> 8) / (1 << 23) - 1;
}

/* Normal rows lie on a line in space, anomalies anywhere. */
static void make_row(float *row, int anomaly)
{
    float along = uniform();
    for (int i = 0; i < COLUMNS; i++)
        row[i] = anomaly ? 2 * uniform() : along * (float)(i + 1) / 2 + 0.05f * uniform();
}

/* Trains on rows of which 1 in 20 is a labeled anomaly and as many are hidden ones. */
static void make_model(const char *path)
{
    static float values[ROWS * COLUMNS];
    static int8_t labels[ROWS];
    for (int i = 0; i < ROWS; i++) {
        make_row(values + i * COLUMNS, i % 10 == 0);
        labels[i] = i % 20 == 0 ? PUAD_LABEL_ANOMALY : PUAD_LABEL_UNLABELED;
    }
    puad_rows rows = {values, labels, ROWS, 1, 1, COLUMNS};
    puad_fit_options options = puad_fit_options_standard();
    options.method = "puae";
    options.epochs = 60;
    options.learning_rate = 1e-3;
    options.threads = 1;
    puad_detector *model = NULL;
    if (puad_detector_fit(&model, &rows, &options) != PUAD_OK) stop();
    if (puad_detector_save(model, path) != PUAD_OK) stop();
    puad_detector_free(model);
}

/* Reads up to BLOCK rows; how many came. */
static size_t read_block(float *values, size_t columns)
{
    size_t count = 0;
    while (count < BLOCK * columns && scanf("%f", &values[count]) == 1) count++;
    return count / columns;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "score_stream.safetensors";
    if (argc < 2) make_model(path);

    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    if (puad_detector_load(&model, path) != PUAD_OK) stop();
    if (puad_scorer_new(&scorer, model, 1, NULL) != PUAD_OK) stop();
    puad_facts facts = puad_detector_facts(model);
    size_t columns = facts.height * facts.width * facts.channels;
    fprintf(stderr, "%s: %s, rows of %zu numbers\n", path, facts.title, columns);

    float *values = malloc(BLOCK * columns * sizeof *values), scores[BLOCK];
    double sums[2] = {0};
    if (!values) return 1;
    for (size_t rows = 1; rows > 0;) {
        if (argc < 2) { /* rows of our own: every other one is an anomaly */
            for (rows = 0; rows < BLOCK; rows++) make_row(values + rows * COLUMNS, rows % 2);
        } else {
            rows = read_block(values, columns);
        }
        if (puad_scorer_run(scorer, scores, values, rows) != PUAD_OK) stop();
        for (size_t i = 0; i < rows; i++) {
            printf("%.9g\n", scores[i]);
            sums[i % 2] += scores[i] / (BLOCK / 2.0);
        }
        if (argc < 2) break;
    }
    free(values);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    if (argc > 1) return 0;
    fprintf(stderr, "mean score of normal rows %.3f, of anomalies %.3f\n", sums[0], sums[1]);
    return !(sums[1] > 2 * sums[0]);
}
