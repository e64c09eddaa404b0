/* puad demo: the main job on generated data. */
#include "cli/command.h"

static puad_status run(const invocation *call)
{
    (void)call;
    FAIL(PUAD_INVALID, "the demo is being built");
}

const command command_demo = {
    .name = "demo", .summary = "everything on generated data", .usage = "[OPTIONS]", .description = "", .example = "puad demo",
    .run = run,
};
