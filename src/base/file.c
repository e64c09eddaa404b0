/* Whole-file reads and atomic writes. */
#include "base/file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Atomic uint64_t bytes_read;

uint64_t file_bytes_read(void)
{
    return atomic_load_explicit(&bytes_read, memory_order_relaxed);
}

void file_count_read(size_t bytes)
{
    atomic_fetch_add_explicit(&bytes_read, bytes, memory_order_relaxed);
}

bool file_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

bool file_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool file_is_pipe(const char *path)
{
    struct stat info;
    if (strcmp(path, "-") == 0) return true;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool file_is_same(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

puad_status file_size(uint64_t *out_size, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) FAIL(PUAD_IO, "%s: is a folder, expected a file", path);
    *out_size = (uint64_t)info.st_size;
    return PUAD_OK;
}

static void close_stream(FILE **stream)
{
    if (*stream && *stream != stdin) fclose(*stream);
}

puad_status file_read(unsigned char **out_bytes, size_t *out_size, const char *path, size_t limit)
{
    uint64_t expected = 0;
    __attribute__((cleanup(close_stream))) FILE *stream = stdin;
    if (strcmp(path, "-") != 0) {
        TRY(file_size(&expected, path));
        if (expected > limit)
            FAIL(PUAD_FORMAT, "%s: %llu bytes, at most %zu can be read here", path,
                 (unsigned long long)expected, limit);
        stream = fopen(path, "rbe");
        if (!stream) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    }
    AUTO_FREE unsigned char *bytes = NULL;
    size_t used = 0, capacity = (size_t)expected + 1;
    TRY(memory_new(&bytes, capacity, 1, path));
    for (;;) { /* a pipe or a growing file may hold more bytes than stat reported */
        used += fread(bytes + used, 1, capacity - used, stream);
        if (used < capacity) break;
        if (used > limit)
            FAIL(PUAD_FORMAT, "%s: more than %zu bytes, the maximum that can be read here", path, limit);
        capacity = capacity < 65536 ? 65536 : capacity * 2;
        TRY(memory_grow(&bytes, capacity, 1, path));
    }
    if (ferror(stream)) FAIL(PUAD_IO, "%s: at offset %zu: %s", path, used, strerror(errno));
    if (used > limit)
        FAIL(PUAD_FORMAT, "%s: more than %zu bytes, the maximum that can be read here", path, limit);
    bytes[used] = 0;
    *out_bytes = bytes;
    *out_size = used;
    bytes = NULL;
    return PUAD_OK;
}

char *file_join(const char *folder, const char *name)
{
    size_t length = strlen(folder), capacity = length + strlen(name) + 2;
    char *path = malloc(capacity);
    const char *between = length && folder[length - 1] == '/' ? "" : "/";
    if (path) snprintf(path, capacity, "%s%s%s", folder, between, name);
    return path;
}

enum { LINKS_MAX = 40 };

/* Follows symbolic links, so that the target is replaced and not the link. A dangling link creates its
 * target. */
static char *end_of_links(const char *path)
{
    struct stat info;
    char *end = strdup(path);
    for (int i = 0; end && i < LINKS_MAX && lstat(end, &info) == 0 && S_ISLNK(info.st_mode); i++) {
        char target[PATH_MAX];
        ssize_t length = readlink(end, target, sizeof target - 1);
        if (length <= 0) break;
        target[length] = 0;
        char *slash = strrchr(end, '/'), *next = NULL;
        if (target[0] == '/' || !slash)
            next = strdup(target);
        else if (asprintf(&next, "%.*s%s", (int)(slash + 1 - end), end, target) < 0)
            next = NULL;
        free(end);
        end = next;
    }
    return end;
}

/* A replaced file keeps its permissions; other users gain no access. */
static void keep_permissions(FILE *stream, const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && fchmod(fileno(stream), info.st_mode & 0777) != 0)
        return; /* the file system has no permissions */
}

/* Terminals, pipes and /dev/null are written in place: they cannot be replaced by a rename. */
static bool is_device(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* The descriptor that a path such as /dev/stdout names, or -1. That file is never truncated. */
static int descriptor_of(const char *path)
{
    static const char folder[] = "/dev/fd/";
    char *end;
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    if (strncmp(path, folder, strlen(folder)) != 0) return -1;
    long number = strtol(path + strlen(folder), &end, 10);
    return *end || end == path + strlen(folder) || number < 0 || number > INT_MAX ? -1 : (int)number;
}

/* Appends to an open descriptor. */
static FILE *open_descriptor(int number)
{
    if (number == STDOUT_FILENO) fflush(stdout);
    int copy = fcntl(number, F_DUPFD_CLOEXEC, 0);
    FILE *stream = copy >= 0 ? fdopen(copy, "wb") : NULL;
    if (!stream && copy >= 0) close(copy);
    return stream;
}

/* Temporary files being written, for file_remove_unfinished. A signal handler may read the list at any
 * time. */
enum { UNFINISHED_MAX = 8 };
static struct {
    atomic_int state; /* 0 free, 1 being filled, 2 filled */
    char name[PATH_MAX];
} unfinished[UNFINISHED_MAX];

/* Lists a name; returns its place from 1 on, which belongs to the caller, or 0 if there is none. */
static int note_unfinished(const char *name)
{
    size_t size = strlen(name) + 1;
    if (size > sizeof unfinished[0].name) return 0;
    for (int i = 0; i < UNFINISHED_MAX; i++) {
        int is_free = 0;
        if (!atomic_compare_exchange_strong(&unfinished[i].state, &is_free, 1)) continue;
        memcpy(unfinished[i].name, name, size);
        atomic_store(&unfinished[i].state, 2);
        return i + 1;
    }
    return 0;
}

static void forget_unfinished(int *place)
{
    if (*place) atomic_store(&unfinished[*place - 1].state, 0);
    *place = 0;
}

void file_remove_unfinished(void)
{
    for (int i = 0; i < UNFINISHED_MAX; i++)
        if (atomic_load(&unfinished[i].state) == 2) unlink(unfinished[i].name);
}

enum { NEIGHBOURS_MAX = 10000 };

/* Creates a temporary file in the folder of out->path. The name is unique: another thread may save to the
 * same path, and an earlier process with the same id may have left a file. On failure errno has the
 * reason. */
static FILE *create_neighbor(file_output *out)
{
    static atomic_uint turn;
    int handle = -1;
    for (int i = 0; i < NEIGHBOURS_MAX && handle < 0; i++) {
        free(out->temporary);
        out->temporary = NULL;
        unsigned number = atomic_fetch_add(&turn, 1);
        if (asprintf(&out->temporary, "%s.%ld.%u.part", out->path, (long)getpid(), number) < 0) {
            out->temporary = NULL;
            errno = ENOMEM;
            return NULL;
        }
        out->place = note_unfinished(out->temporary); /* before the file exists: a signal may arrive now */
        handle = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (handle < 0) {
            forget_unfinished(&out->place);
            if (errno != EEXIST) return NULL;
        }
    }
    FILE *stream = handle >= 0 ? fdopen(handle, "wb") : NULL;
    if (!stream && handle >= 0) {
        int reason = errno;
        close(handle);
        unlink(out->temporary);
        forget_unfinished(&out->place);
        errno = reason;
    }
    return stream;
}

puad_status file_create(file_output *out, const char *path)
{
    *out = (file_output){.path = end_of_links(path)};
    if (!out->path) FAIL(PUAD_MEMORY, "%s: no memory", path);
    int descriptor = descriptor_of(path);
    if (descriptor >= 0) {
        out->hasty = true;
        out->stream = open_descriptor(descriptor);
    } else if (is_device(path)) {
        out->hasty = true;
        out->stream = fopen(path, "wbe");
    } else {
        out->stream = create_neighbor(out);
        if (out->stream) keep_permissions(out->stream, out->path);
    }
    if (!out->stream) {
        int reason = errno;
        free(out->temporary);
        out->temporary = NULL;
        file_abandon(out);
        FAIL(reason == ENOMEM ? PUAD_MEMORY : PUAD_IO, "%s: cannot create: %s", path, strerror(reason));
    }
    return PUAD_OK;
}

/* The rename itself must survive a power cut, so the folder is synced too. */
static void sync_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    AUTO_FREE char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int handle = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (handle >= 0) {
        fsync(handle);
        close(handle);
    }
}

/* Flushes, syncs and closes the stream; returns 0 or the errno of the first failure. */
static int close_written(file_output *out)
{
    int reason = 0, before = errno;
    if (fflush(out->stream) != 0 || (!out->hasty && fsync(fileno(out->stream)) != 0))
        reason = errno;
    else if (ferror(out->stream)) /* an earlier write failed; this is the last known errno */
        reason = before ? before : EIO;
    if (fclose(out->stream) != 0 && !reason) reason = errno;
    out->stream = NULL;
    return reason;
}

puad_status file_commit(file_output *out)
{
    int reason = close_written(out);
    if (!reason && out->temporary && rename(out->temporary, out->path) != 0) reason = errno;
    if (reason) {
        status_fail(PUAD_IO, "%s: cannot write: %s", out->path, strerror(reason));
        file_abandon(out);
        return PUAD_IO;
    }
    if (!out->hasty) sync_folder_of(out->path);
    forget_unfinished(&out->place);
    free(out->temporary);
    out->temporary = NULL;
    file_abandon(out);
    return PUAD_OK;
}

void file_abandon(file_output *out)
{
    if (out->stream) fclose(out->stream);
    if (out->temporary) unlink(out->temporary);
    forget_unfinished(&out->place);
    free(out->temporary);
    free(out->path);
    *out = (file_output){0};
}

puad_status file_temporary(FILE **out)
{
    const char *folder = getenv("TMPDIR");
    AUTO_FREE char *name = file_join(folder && *folder ? folder : "/tmp", "puad-XXXXXX");
    if (!name) FAIL(PUAD_MEMORY, "no memory for a temporary file");
    int handle = mkostemp(name, O_CLOEXEC);
    if (handle < 0) FAIL(PUAD_IO, "%s: cannot create a temporary file: %s", name, strerror(errno));
    unlink(name);
    *out = fdopen(handle, "w+b");
    if (!*out) {
        close(handle);
        FAIL(PUAD_MEMORY, "no memory for a temporary file");
    }
    return PUAD_OK;
}

puad_status file_write(const char *path, const void *bytes, size_t size)
{
    AUTO_OUTPUT file_output out = {0};
    TRY(file_create(&out, path));
    fwrite(bytes, 1, size, out.stream); /* file_commit checks ferror, so short writes are noticed */
    return file_commit(&out);
}

puad_status file_make_folder_of(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) return PUAD_OK;
    if ((size_t)(slash - path) >= sizeof folder) FAIL(PUAD_INVALID, "%.60s...: the name is too long", path);
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        FAIL(PUAD_IO, "%s: cannot create the folder: %s", folder, strerror(errno));
    if (!file_is_folder(folder)) FAIL(PUAD_IO, "%s: is not a folder", folder);
    return PUAD_OK;
}
