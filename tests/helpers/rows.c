/* Learns from one input, then reads the rows of another in blocks as scoring does:
 *
 *     rows TRAIN INPUT ROWS_PER_BLOCK THREADS
 *
 * prints {"rows": n, "sum": s, "peak_kib": k, "grown_kib": g}: k is the process's peak memory, g its
 * growth after the first hundred blocks. */
#include "base/threads.h"
#include "input/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static long peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static puad_status run(char **arguments)
{
    AUTO_DATASET dataset train = {0};
    data_options options = {0};
    row_source *source = NULL;
    row_block block;
    size_t rows = 0, blocks = 0;
    double sum = 0;
    long early = 0;
    TRY(team_new(&options.workers, atoi(arguments[4])));
    TRY(data_open(&train, arguments[1], &options));
    TRY(row_source_open(&source, arguments[2], train.transform, &options));
    for (;;) {
        TRY(row_source_next(&block, source, strtoul(arguments[3], NULL, 10)));
        if (block.rows == 0) break;
        for (size_t i = 0; i < block.rows * train.columns; i++) sum += (double)block.values[i];
        rows += block.rows;
        if (++blocks == 100) early = peak();
    }
    printf("{\"rows\": %zu, \"sum\": %.17g, \"peak_kib\": %ld, \"grown_kib\": %ld}\n", rows, sum, peak(),
           early ? peak() - early : 0);
    row_source_free(source);
    team_free(options.workers);
    return PUAD_OK;
}

int main(int count, char **arguments)
{
    if (count != 5) return 2;
    puad_status status = run(arguments);
    if (status != PUAD_OK) fprintf(stderr, "%s\n", puad_last_error());
    return status != PUAD_OK;
}
