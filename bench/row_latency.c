/* Time to score one row at a time with the default ensemble on 20 columns, one thread: p50 and p99 in
 * microseconds, and calls of the allocator per row. With a prepared row (puad_scorer_run_table), and with rows that are encoded
 * already; after single rows, and after a batch of 10,000 rows.
 * usage: cc -O2 bench/row_latency.c -Iinclude -Lbuild -lpuad -Wl,-rpath,build -o row_latency && ./row_latency LABELS */
#include <puad/advanced.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS = 10000, COLUMNS = 20, ANOMALIES = 500, ODD_COLUMNS = 5, WARM_UP = 100, TURNS = 10000 };
#define DO(call)                                                                                             \
    do {                                                                                                     \
        if ((call) != PUAD_OK) {                                                                             \
            puts(puad_last_error());                                                                         \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static size_t allocations;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    allocations++;
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

static double microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double normal(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += rand() / (double)RAND_MAX;
    return sum - 6;
}

int main(int count, char **arguments)
{
    static double values[ROWS][COLUMNS], row[COLUMNS], times[TURNS];
    static int8_t labels[ROWS];
    static float scores[ROWS];
    const char *names[COLUMNS];
    char text[COLUMNS][8];
    puad_options *options = NULL;
    puad_dataset *data = NULL;
    puad_detector *model = NULL;
    puad_scorer *scorer = NULL;
    puad_table *table = NULL;
    for (size_t c = 0; c < COLUMNS; c++) {
        snprintf(text[c], sizeof text[c], "c%zu", c);
        names[c] = text[c];
    }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t c = 0; c < COLUMNS; c++)
            values[i][c] = normal() + (i < ANOMALIES && c < ODD_COLUMNS ? 2 : 0);
    for (int i = 0; i < (count > 1 ? atoi(arguments[1]) : 100) && i < ANOMALIES; i++)
        labels[i] = PUAD_LABEL_ANOMALY;
    puad_array array = {.struct_size = sizeof array,
                        .values = values[0],
                        .rows = ROWS,
                        .columns = COLUMNS,
                        .names = names,
                        .labels = labels};
    puad_dataset_rows_info encoded = {.struct_size = sizeof encoded};
    DO(puad_options_new(&options));
    DO(puad_options_set(options, "threads", "1"));
    DO(puad_dataset_from_array(&data, &array, NULL, options));
    DO(puad_dataset_info(data, &encoded));
    DO(puad_detector_fit(&model, data, options));
    DO(puad_scorer_new(&scorer, model, options));
    DO(puad_table_new(&table, 1));
    for (size_t c = 0; c < COLUMNS; c++) DO(puad_table_add_doubles(table, names[c], row + c, 0));
    for (int batch = 0; batch < 2; batch++) {
        for (int prepared = 0; prepared < 2; prepared++) {
            size_t before = 0;
            for (int turn = -WARM_UP; turn < TURNS; turn++) {
                size_t i = (size_t)(turn + WARM_UP) % ROWS;
                memcpy(row, values[i], sizeof row);
                if (turn == 0) before = allocations;
                double begin = microseconds();
                if (prepared)
                    DO(puad_scorer_run_table(scorer, scores, 1, table, NULL));
                else
                    DO(puad_scorer_run_encoded(scorer, scores, encoded.values + i * encoded.columns, 1,
                                               encoded.columns));
                if (turn >= 0) times[turn] = microseconds() - begin;
            }
            double each = (double)(allocations - before) / TURNS;
            qsort(times, TURNS, sizeof *times, ascending);
            printf("%s, %s: p50 %.1f us, p99 %.1f us, %.2f allocations per row\n",
                   batch ? "after a batch" : "single rows", prepared ? "prepared row" : "encoded row",
                   times[TURNS / 2], times[TURNS / 100 * 99], each);
        }
        DO(puad_scorer_run(scorer, scores, ROWS, data));
    }
    puad_table_free(table);
    puad_scorer_free(scorer);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
    return 0;
}
