/* puad bench: how fast this build trains and scores on this machine, and how close its convolutions come
 * to the peak. */
#include "cli/bench/bench.h"
#include "cli/common/table_print.h"

#include <string.h>

static const option options[] = {
    {.name = "network",
     .type = OPTION_CHOICE,
     .standard = "conv32",
     .choices = "conv32|mlp",
     .help = "step: which network"},
    {.name = "head",
     .type = OPTION_CHOICE,
     .standard = "reconstruction",
     .choices = "reconstruction|distance|logit",
     .help = "step: which score head"},
    {.name = "batch",
     .type = OPTION_INTEGER,
     .standard = "128",
     .min = 2,
     .max = 65536,
     .value = "N",
     .help = "rows per step"},
    THREADS_OPTION("threads; 0 for one per processor"),
    {.name = "steps",
     .type = OPTION_INTEGER,
     .standard = "12",
     .min = 1,
     .max = 100000,
     .value = "N",
     .help = "number of timings; the median is reported"},
    {.name = "clock",
     .type = OPTION_CHOICE,
     .standard = "wall",
     .choices = "wall|cpu",
     .help = "cpu: measure the processor time of all threads together, for one thread on a busy machine"},
    {.name = "gray", .type = OPTION_FLAG, .help = "step: one channel that represents three equal ones"},
    OUTPUT_OPTION,
    {.name = "json", .type = OPTION_FLAG, .help = "one JSON object per line"},
};

static const struct {
    const char *name;
    puad_status (*run)(const invocation *call, team *workers);
} parts[] = {{"step", bench_step}, {"kernels", bench_kernels}};

static puad_status run(const invocation *call)
{
    const char *part = call->argument_count ? call->arguments[0] : parts[0].name;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strcmp(part, parts[i].name) != 0) continue;
        team *workers = NULL;
        bench_count_processor_time(strcmp(value_of(call, "clock")->text, "cpu") == 0);
        TRY(team_new(&workers, (int)value_of(call, "threads")->integer));
        puad_status status = parts[i].run(call, workers);
        team_free(workers);
        return status;
    }
    FAIL(PUAD_INVALID, "'%s': expected step or kernels", part);
}

const command command_bench = {
    .name = "bench",
    .summary = "measure the speed of this machine and this build",
    .usage = "[step|kernels] [OPTIONS]",
    .description = "step (the default) times a full training step (forward, loss, backward, Adam) and a "
                   "scoring pass on random rows and prints medians.\nkernels times every kernel separately "
                   "in one thread, then each pass of conv32's convolutions with all threads: 'useful' "
                   "counts the multiplications and additions on real pixels by definition, 'done' those "
                   "that the algorithm performs.",
    .example = "puad bench step --head distance --batch 128 --threads 2\npuad bench kernels --threads 2",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints = true,
    .arguments_most = 1,
    .run = run,
};
