/* Becoming puad-mpi. */
#include "cli/common/exec_program.h"

#include "base/file.h"
#include "lab/run/schedule.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many processes the launcher says it has started; 1 without a launcher, and where PUAD_MPI=0 says that
 * they have nothing to do with each other. */
static int launched_processes(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    const char *wish = getenv("PUAD_MPI");
    if (wish && strcmp(wish, "0") == 0) return 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text && atoi(text) > 1) return atoi(text);
    }
    return 1;
}

puad_status launch_under_mpi(const invocation *call)
{
    static const char *const places[] = {"puad-mpi", "../libexec/puad/puad-mpi"};
    char folder[PATH_MAX], path[PATH_MAX + 64];
    int processes = launched_processes();
    if (schedule_is_mpi || processes == 1) return PUAD_OK;
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length <= 0) FAIL(PUAD_IO, "/proc/self/exe: cannot read: %s", strerror(errno));
    folder[length] = 0;
    *strrchr(folder, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, places[i]);
        if (!file_exists(path)) continue;
        execv(path, call->words);
        FAIL(PUAD_IO, "%s: cannot start: %s", path, strerror(errno));
    }
    FAIL(
        PUAD_IO,
        "started as one of %d processes, but this puad was built without MPI: there is no puad-mpi in %s or "
        "%s/../libexec/puad; build it where MPI is installed (Debian: libopenmpi-dev), or start one process; "
        "PUAD_MPI=0 in the environment says that the processes have nothing to do with each other",
        processes, folder, folder);
}
