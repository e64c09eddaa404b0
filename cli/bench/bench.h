/* Inside `puad bench`: the clock, the peak, the count of work, and the two benchmarks. */
#ifndef CLI_BENCH_BENCH_H
#define CLI_BENCH_BENCH_H

#include "cli/common/command.h"
#include "nn/network.h"

puad_status bench_step(const invocation *call, team *workers);
puad_status bench_kernels(const invocation *call, team *workers);
puad_status bench_passes(const invocation *call, team *workers); /* the second part of bench_kernels */

double bench_seconds(void); /* a clock that only goes forward */
/* From now on that of the process, which stands still while others have the processor. */
void bench_count_processor_time(bool yes);
double bench_median(double *values, size_t count); /* sorts them */

/* The median time of one call after two that warm up; `repeats` calls are timed. */
double bench_time(void (*call)(void *context), void *context, size_t repeats);

/* Multiplications and additions a second of all threads together in fused instructions: what no loop can
 * exceed. */
double bench_peak(team *workers, const kernels *k);

/* Multiplications and additions of one row in a forward pass of the layer, by real pixels only: taps on the
 * padding are not counted. A convolution after up-sampling counts as the four small ones that are done. The
 * gradients by input and by weights cost the same each. */
double bench_layer_work(const layer *self);

#endif
