/* Finds and starts the other programs of the package. */
#include "cli/program/exec_program.h"

#include "base/file.h"
#include "cli/common/job.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

puad_status exec_program(const char *name, char *const *words, const char *advice)
{
    static const char *const places[] = {"", "../libexec/puad/"};
    char folder[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length <= 0) FAIL(PUAD_IO, "/proc/self/exe: cannot read: %s", strerror(errno));
    folder[length] = 0;
    *strrchr(folder, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s%s", folder, places[i], name);
        if (!file_exists(path)) continue;
        file_remove_unfinished(); /* the other program creates its outputs itself */
        execv(path, words);
        FAIL(PUAD_IO, "%s: cannot start: %s", path, strerror(errno));
    }
    FAIL(PUAD_IO, "%s is not in %s or %s/../libexec/puad; %s", name, folder, folder, advice);
}

puad_status exec_under_mpi(char *const *words)
{
    if (job_is_mpi || job_launched() == 1) return PUAD_OK;
    return exec_program("puad-mpi", words,
                        "build puad where MPI is installed (Debian: "
                        "libopenmpi-dev), or set PUAD_MPI=0 if the processes are independent");
}
