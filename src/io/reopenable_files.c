/* Each file is opened once; each reader of it has its own offset. */
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
    } list[KEPT_FILES_MOST];
    size_t count;
};

static puad_status copy_pipe(int *out, const char *path)
{
    char bytes[65536];
    FILE *from = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe"), *to = NULL;
    if (!from) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    puad_status status = file_temporary(&to);
    for (size_t count; status == PUAD_OK && (count = fread(bytes, 1, sizeof bytes, from)) > 0;)
        if (fwrite(bytes, 1, count, to) != count)
            status = status_fail(PUAD_IO, "%s: cannot copy it to a temporary file: %s (is TMPDIR full?)",
                                 path, strerror(errno));
    if (status == PUAD_OK && ferror(from)) status = status_fail(PUAD_IO, "%s: %s", path, strerror(errno));
    if (status == PUAD_OK && fflush(to) != 0)
        status = status_fail(PUAD_IO, "%s: cannot copy it to a temporary file: %s", path, strerror(errno));
    if (status == PUAD_OK && (*out = fcntl(fileno(to), F_DUPFD_CLOEXEC, 0)) < 0)
        status = status_fail(PUAD_IO, "%s: %s", path, strerror(errno));
    if (to) fclose(to);
    if (from != stdin) fclose(from);
    return status;
}

/* The lock is held. */
static puad_status find(int *out, kept_files *kept, const char *path)
{
    for (size_t i = 0; i < kept->count; i++)
        if (strcmp(kept->list[i].path, path) == 0) {
            *out = kept->list[i].handle;
            return PUAD_OK;
        }
    int handle = -1;
    if (kept->count == KEPT_FILES_MOST)
        FAIL(PUAD_INVALID, "%s: more than %d files at a time", path, KEPT_FILES_MOST);
    char *name = strdup(path);
    if (!name) FAIL(PUAD_MEMORY, "%s: no memory", path);
    puad_status status = PUAD_OK;
    if (file_is_pipe(path))
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

/* A reader of a kept file, with an offset that belongs to it alone. */
typedef struct reader {
    int handle;
    off_t offset;
} reader;

static ssize_t read_at_offset(void *cookie, char *out, size_t size)
{
    reader *from = cookie;
    ssize_t count = pread(from->handle, out, size, from->offset);
    if (count > 0) from->offset += count;
    return count;
}

static int free_reader(void *cookie)
{
    free(cookie);
    return 0;
}

puad_status kept_open(FILE **out, int *out_handle, kept_files *kept, const char *path)
{
    int handle = -1;
    pthread_mutex_lock(&kept->lock);
    puad_status status = find(&handle, kept, path);
    pthread_mutex_unlock(&kept->lock);
    if (status != PUAD_OK) return status;
    reader *from = NULL;
    TRY(memory_new(&from, 1, sizeof *from, path));
    from->handle = handle;
    *out = fopencookie(from, "r", (cookie_io_functions_t){.read = read_at_offset, .close = free_reader});
    *out_handle = handle;
    if (*out) return PUAD_OK;
    free(from);
    FAIL(PUAD_MEMORY, "%s: no memory", path);
}

bool read_once(const kept_files *kept, const char *path)
{
    return !kept && file_is_pipe(path);
}

puad_status kept_files_new(kept_files **out)
{
    TRY(memory_new(out, 1, sizeof **out, "files"));
    pthread_mutex_init(&(*out)->lock, NULL);
    return PUAD_OK;
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
