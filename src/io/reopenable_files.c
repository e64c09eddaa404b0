/* Keeps one open descriptor per file. */
#include "io/reopenable_files.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kept_files {
    pthread_mutex_t lock; /* guards the list */
    struct {
        char *path;
        int handle;
    } list[KEPT_FILES_MAX];
    size_t count;
    bool pipes; /* copy pipes to a temporary file */
};

static puad_status copy_pipe(int *out, const char *path)
{
    char bytes[65536];
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe"), *to = NULL;
    if (!file) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    puad_status status = file_temporary(&to);
    for (size_t count; status == PUAD_OK && (count = fread(bytes, 1, sizeof bytes, file)) > 0;)
        if (fwrite(bytes, 1, count, to) != count)
            status = status_fail(PUAD_IO, "%s: cannot copy it to a temporary file: %s (is TMPDIR full?)",
                                 path, strerror(errno));
    if (status == PUAD_OK && ferror(file)) status = status_fail(PUAD_IO, "%s: %s", path, strerror(errno));
    if (status == PUAD_OK && fflush(to) != 0)
        status = status_fail(PUAD_IO, "%s: cannot copy it to a temporary file: %s", path, strerror(errno));
    if (status == PUAD_OK && (*out = fcntl(fileno(to), F_DUPFD_CLOEXEC, 0)) < 0)
        status = status_fail(PUAD_IO, "%s: %s", path, strerror(errno));
    if (to) fclose(to);
    if (file != stdin) fclose(file);
    return status;
}

/* Call with the lock held. *out is -1 if the file cannot be kept. */
static puad_status find(int *out, kept_files *kept, const char *path)
{
    for (size_t i = 0; i < kept->count; i++)
        if (strcmp(kept->list[i].path, path) == 0) {
            *out = kept->list[i].handle;
            return PUAD_OK;
        }
    int handle = -1;
    *out = -1;
    bool pipe = file_is_pipe(path);
    if (pipe && !kept->pipes) return PUAD_OK;
    if (kept->count == KEPT_FILES_MAX) {
        if (pipe) FAIL(PUAD_INVALID, "%s: more than %d files and pipes to read again", path, KEPT_FILES_MAX);
        return PUAD_OK;
    }
    char *name = strdup(path);
    if (!name) FAIL(PUAD_MEMORY, "%s: no memory", path);
    puad_status status = PUAD_OK;
    if (pipe)
        status = copy_pipe(&handle, path);
    else if ((handle = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        status = status_fail(PUAD_IO, "%s: %s", path, strerror(errno));
    if (status != PUAD_OK) {
        free(name);
        return status;
    }
    kept->list[kept->count].path = name;
    *out = kept->list[kept->count++].handle = handle;
    return PUAD_OK;
}

puad_status kept_open(int *out, kept_files *kept, const char *path)
{
    pthread_mutex_lock(&kept->lock);
    puad_status status = find(out, kept, path);
    pthread_mutex_unlock(&kept->lock);
    return status;
}

bool read_once(const kept_files *kept, const char *path)
{
    return !(kept && kept->pipes) && file_is_pipe(path);
}

puad_status kept_files_new(kept_files **out, bool pipes)
{
    TRY(memory_new(out, 1, sizeof **out, "files"));
    (*out)->pipes = pipes;
    pthread_mutex_init(&(*out)->lock, NULL);
    return PUAD_OK;
}

void kept_files_cleanup(kept_files **owner)
{
    kept_files_free(*owner);
}

void kept_files_free(kept_files *owner)
{
    if (!owner) return;
    for (size_t i = 0; i < owner->count; i++) {
        close(owner->list[i].handle);
        free(owner->list[i].path);
    }
    pthread_mutex_destroy(&owner->lock);
    free(owner);
}
