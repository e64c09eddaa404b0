/* One descriptor a file, read again and again. */
#include "data/kept_files.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static puad_status copy_pipe(int *out, const char *path)
{
    char bytes[65536];
    FILE *from = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb"), *to = NULL;
    if (!from) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    puad_status status = file_temporary(&to);
    for (size_t count; status == PUAD_OK && (count = fread(bytes, 1, sizeof bytes, from)) > 0;)
        if (fwrite(bytes, 1, count, to) != count)
            status = status_fail(PUAD_IO, "%s: cannot copy it to a temporary file: %s (is TMPDIR full?)",
                                 path, strerror(errno));
    if (status == PUAD_OK && ferror(from)) status = status_fail(PUAD_IO, "%s: %s", path, strerror(errno));
    if (status == PUAD_OK && fflush(to) != 0)
        status = status_fail(PUAD_IO, "%s: cannot copy it to a temporary file: %s", path, strerror(errno));
    if (status == PUAD_OK && (*out = dup(fileno(to))) < 0)
        status = status_fail(PUAD_IO, "%s: %s", path, strerror(errno));
    if (to) fclose(to);
    if (from != stdin) fclose(from);
    return status;
}

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

puad_status kept_open(FILE **out, kept_files *kept, const char *path)
{
    int handle = -1;
    TRY(find(&handle, kept, path));
    int copy = dup(handle);
    *out = copy >= 0 && lseek(copy, 0, SEEK_SET) == 0 ? fdopen(copy, "rb") : NULL;
    if (*out) return PUAD_OK;
    if (copy >= 0) close(copy);
    FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
}

bool read_once(const kept_files *kept, const char *path)
{
    return !kept && file_is_pipe(path);
}

void kept_files_free(kept_files *owner)
{
    for (size_t i = 0; i < owner->count; i++) {
        close(owner->list[i].handle);
        free(owner->list[i].path);
    }
    *owner = (kept_files){0};
}
