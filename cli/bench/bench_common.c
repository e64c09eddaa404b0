/* The clock, the machine's peak and the operation counts. */
#include "cli/bench/bench.h"

#include "base/clock.h"
#include "base/sort.h"

#include <stdlib.h>
#include <time.h>

static bool counts_processor_time;

void bench_count_processor_time(bool yes)
{
    counts_processor_time = yes;
}

double bench_seconds(void)
{
    struct timespec now;
    if (!counts_processor_time) return seconds_now();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_median(double *values, size_t count)
{
    sort_doubles(values, count);
    return values[count / 2];
}

double bench_time(void (*call)(void *context), void *context, size_t repeats)
{
    double *times = calloc(repeats, sizeof *times);
    for (int i = 0; i < 2; i++) call(context);
    for (size_t i = 0; times && i < repeats; i++) {
        double begin = bench_seconds();
        call(context);
        times[i] = bench_seconds() - begin;
    }
    double middle = times ? bench_median(times, repeats) : 0;
    free(times);
    return middle;
}

typedef struct peak_job {
    const kernels *k;
    double work[1024]; /* per thread's item */
} peak_job;

static void peak_item(void *context, size_t item, int thread)
{
    (void)thread;
    peak_job *job = context;
    job->work[item] = job->k->fused_rate(200000); /* long enough for the scheduler to spread the threads */
}

double bench_peak(team *workers, const kernels *k)
{
    double best = 0;
    size_t threads = (size_t)team_size(workers);
    peak_job job = {.k = k};
    for (int round = 0; round < 7; round++) {
        double begin = bench_seconds(), work = 0;
        team_run(workers, threads, peak_item, &job);
        double time = bench_seconds() - begin;
        for (size_t i = 0; i < threads; i++) work += job.work[i];
        if (work / time > best) best = work / time;
    }
    return best;
}

double bench_layer_work(const layer *self)
{
    if (self->type == &layer_dense) return 2.0 * (double)shape_size(self->in) * (double)shape_size(self->out);
    if (self->type != &layer_convolution) return 0;
    size_t taps = self->upsample ? 3 : self->taps, pad = taps / 2, rows = 0, columns = 0;
    for (size_t k = 0; k < taps; k++) {
        size_t cut = k < pad ? pad - k : k - pad;
        rows += cut < self->in.height ? self->in.height - cut : 0;
        columns += cut < self->in.width ? self->in.width - cut : 0;
    }
    return 2.0 * (double)(rows * columns * self->in.channels * self->out.channels) * (self->upsample ? 4 : 1);
}
