/* Times an isolation forest on a raw file of floats, for comparisons with another implementation:
 *
 *     forest FILE ROWS COLUMNS SEED THREADS OUTPUT
 *
 * fits on all rows, scores them, writes the scores as raw floats to OUTPUT and prints {"fit": s, "score":
 * s}. */
#include "base/file.h"
#include "detector/forest/isolation_forest.h"

#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static puad_status run(char **arguments)
{
    AUTO_FREE unsigned char *bytes = NULL;
    AUTO_FREE float *scores = NULL;
    AUTO_FOREST isolation_forest forest = {0};
    size_t size, rows = strtoul(arguments[2], NULL, 10), columns = strtoul(arguments[3], NULL, 10);
    TRY(file_read(&bytes, &size, arguments[1], (size_t)1 << 32));
    if (size != rows * columns * sizeof(float))
        FAIL(PUAD_FORMAT, "%s: %zu bytes are not %zu x %zu floats", arguments[1], size, rows, columns);
    TRY(memory_new(&scores, rows, sizeof *scores, "scores"));
    team *workers = NULL;
    TRY(team_new(&workers, atoi(arguments[5])));
    double begin = seconds();
    puad_status status =
        isolation_forest_fit(&forest, (const float *)(const void *)bytes, rows, columns, FOREST_TREES,
                             FOREST_SAMPLE, strtoul(arguments[4], NULL, 10), workers);
    double fitted = seconds();
    if (status == PUAD_OK)
        isolation_forest_score(scores, &forest, (const float *)(const void *)bytes, rows, workers);
    double scored = seconds();
    team_free(workers);
    TRY(status);
    printf("{\"fit\": %.6f, \"score\": %.6f}\n", fitted - begin, scored - fitted);
    return file_write(arguments[6], scores, rows * sizeof *scores);
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: forest FILE ROWS COLUMNS SEED THREADS OUTPUT\n");
        return 2;
    }
    if (run(argv) == PUAD_OK) return 0;
    fprintf(stderr, "forest: %s\n", puad_last_error());
    return 1;
}
