/* Internal to `puad bench`: clock, peak, operation counts, and the two benchmarks. */
#ifndef CLI_BENCH_BENCH_H
#define CLI_BENCH_BENCH_H

#include "cli/common/command.h"
#include "nn/network.h"

puad_status bench_step(const invocation *call, team *workers);
puad_status bench_kernels(const invocation *call, team *workers);
puad_status bench_passes(const invocation *call, team *workers); /* the second part of bench_kernels */

double bench_seconds(void); /* a monotonic clock */
/* Switches to the process's CPU time, which stops while other processes run. */
void bench_count_processor_time(bool yes);
double bench_median(double *values, size_t count); /* sorts them in place */

/* The median time of one call after two warm-up calls; `repeats` calls are timed. */
double bench_time(void (*call)(void *context), void *context, size_t repeats);

/* Multiplications and additions per second of all threads in fused instructions: the upper limit of any
 * loop. */
double bench_peak(team *workers, const kernels *k);

/* Multiplications and additions of one row in a forward pass of the layer, counting only real pixels: taps
 * on padding are excluded. A convolution after up-sampling counts as the four small ones that are
 * computed. The gradients by input and by weights cost the same each. */
double bench_layer_work(const layer *self);

#endif
