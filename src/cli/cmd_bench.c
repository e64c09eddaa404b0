#include "cli/command.h"

static puad_status run(const invocation *call)
{
    (void)call;
    FAIL(PUAD_INVALID, "bench is being built");
}

const command command_bench = {
    .name = "bench", .summary = "speed of this machine and this build", .usage = "step|kernels", .description = "", .example = "puad bench step",
    .arguments_least = 1, .arguments_most = 1, .run = run,
};
