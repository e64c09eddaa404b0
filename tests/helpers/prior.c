/* The classifier and the estimators of alpha on raw files with known truth:
 *
 *     prior VALUES LABELS ROWS COLUMNS SEED THREADS OUTPUT
 *
 * VALUES are floats, LABELS bytes (1 labeled anomaly, 0 unlabeled). Writes the out-of-sample probabilities
 * as floats to OUTPUT and prints the estimate as JSON. */
#include "prior/prior.h"
#include "base/file.h"
#include "prior/pu_classifier.h"

#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static puad_status estimate(const float *values, const int8_t *labels, size_t rows, size_t columns,
                            uint64_t seed, team *workers, const char *output)
{
    AUTO_FREE float *scores = NULL, *anomaly = NULL, *unlabeled = NULL;
    TRY(memory_new(&scores, rows, sizeof *scores, "scores"));
    TRY(memory_new(&anomaly, rows, sizeof *anomaly, "scores"));
    TRY(memory_new(&unlabeled, rows, sizeof *unlabeled, "scores"));
    size_t m = 0, n = 0;
    double begin = seconds();
    TRY(pu_classify(scores,
                    &(prior_rows){.values = values, .labels = labels, .rows = rows, .columns = columns}, seed,
                    workers, NULL));
    double classified = seconds();
    for (size_t i = 0; i < rows; i++) *(labels[i] == 1 ? &anomaly[m++] : &unlabeled[n++]) = scores[i];
    prior_estimate found;
    TRY(prior_from_scores(&found, &(pu_sample){anomaly, m, unlabeled, n}, seed, workers));
    printf("{\"alpha\": %.6f, \"low\": "
           "%.6f, \"high\": %.6f, \"auroc\": %.6f, \"auroc_low\": "
           "%.6f, \"refused\": %s, \"classify_seconds\": %.3f, \"estimate_seconds\": %.3f}\n",
           found.alpha, found.low, found.high, found.auroc, found.auroc_low, found.refused ? "true" : "false",
           classified - begin, seconds() - classified);
    return file_write(output, scores, rows * sizeof *scores);
}

static puad_status run(char **arguments)
{
    AUTO_FREE unsigned char *values = NULL, *labels = NULL;
    size_t size, label_size, rows = strtoul(arguments[3], NULL, 10),
                             columns = strtoul(arguments[4], NULL, 10);
    TRY(file_read(&values, &size, arguments[1], (size_t)1 << 32));
    TRY(file_read(&labels, &label_size, arguments[2], (size_t)1 << 32));
    if (size != rows * columns * sizeof(float) || label_size != rows)
        FAIL(PUAD_FORMAT, "%zu and %zu bytes are not %zu x %zu floats and labels", size, label_size, rows,
             columns);
    team *workers = NULL;
    TRY(team_new(&workers, atoi(arguments[6])));
    puad_status status = estimate((const float *)(const void *)values, (const int8_t *)labels, rows, columns,
                                  strtoul(arguments[5], NULL, 10), workers, arguments[7]);
    team_free(workers);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 8) {
        fprintf(stderr, "usage: prior VALUES LABELS ROWS COLUMNS SEED THREADS OUTPUT\n");
        return 2;
    }
    if (run(argv) == PUAD_OK) return 0;
    fprintf(stderr, "prior: %s\n", puad_last_error());
    return 1;
}
