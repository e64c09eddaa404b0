/* Joins several files of one table. Each may be compressed in its own way. If the first line of the first
 * file is a header, the other files must begin with the same line; it is delivered once. */
#include "io/stream_makers.h"

#include "base/file.h"
#include "base/memory.h"
#include "io/csv_dialect.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEAD = 256 * 1024, FILES_MAX = 1 << 20 };

typedef struct joined {
    char **paths;
    size_t count, capacity, at; /* index of the next file to open */
    struct kept_files *kept;    /* or NULL */
    stream current;
    bool open, header;
    char last;          /* last byte delivered */
    char *head, *first; /* the first bytes of the current file; the first line of the first one */
    size_t head_at, head_used, first_length;
    uint64_t lines; /* delivered so far */
    struct joined_part {
        uint64_t before, cut; /* lines delivered before this file, and lines of this file that were skipped */
    } * parts;
    size_t started; /* number of files started; stream_join_line reads it while another thread reads on */
} joined;

static bool is_table_name(const char *name)
{
    static const char *const packed[] = {".gz", ".zst", ".xz"}, *const kinds[] = {".csv", ".tsv", ".txt",
                                                                                  ".xlsx"};
    size_t length = strlen(name);
    if (name[0] == '.') return false;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (length > strlen(packed[i]) && strcasecmp(name + length - strlen(packed[i]), packed[i]) == 0)
            length -= strlen(packed[i]);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t ending = strlen(kinds[i]);
        if (length > ending && strncasecmp(name + length - ending, kinds[i], ending) == 0) return true;
    }
    return false;
}

static void close_folder(DIR **folder)
{
    if (*folder) closedir(*folder);
}

static bool is_picture_name(const char *name)
{
    static const char *const kinds[] = {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
        if (strcasecmp(dot, kinds[i]) == 0) return true;
    return false;
}

/* True for a folder of tables; false for one of images, which may also contain a CSV file about them. */
static bool holds_tables(const char *path)
{
    __attribute__((cleanup(close_folder))) DIR *folder = opendir(path);
    bool tables = false;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (is_picture_name(entry->d_name)) return false;
        tables |= is_table_name(entry->d_name);
    }
    return tables;
}

bool stream_is_joined(const char *path)
{
    return path[0] == '\n' || (file_is_folder(path) && holds_tables(path));
}

static puad_status add_path(joined *to, char *path)
{
    if (path && to->count == to->capacity) {
        size_t capacity = to->capacity ? 2 * to->capacity : 16;
        if (to->count >= FILES_MAX ||
            memory_grow(&to->paths, capacity, sizeof *to->paths, "files") != PUAD_OK) {
            free(path);
            FAIL(PUAD_MEMORY, "no memory for the names of files");
        }
        to->capacity = capacity;
    }
    if (!path) FAIL(PUAD_MEMORY, "no memory for the names of files");
    to->paths[to->count++] = path;
    return PUAD_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static puad_status list_folder(joined *to, const char *path)
{
    __attribute__((cleanup(close_folder))) DIR *folder = opendir(path);
    size_t before = to->count;
    if (!folder) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(folder);
        if (!entry && errno) FAIL(PUAD_IO, "%s: cannot be read to its end: %s", path, strerror(errno));
        if (!entry) break;
        if (is_table_name(entry->d_name)) TRY(add_path(to, file_join(path, entry->d_name)));
    }
    if (to->count == before) FAIL(PUAD_FORMAT, "%s: a folder without CSV files", path);
    qsort(to->paths + before, to->count - before, sizeof *to->paths, by_bytes);
    return PUAD_OK;
}

/* The next name of a list: a line feed precedes each name, and line feeds in names are doubled. */
static char *next_name(const char **list)
{
    const char *source = *list + 1;
    char *name = malloc(strlen(source) + 1), *to = name;
    for (; name && *source && (source[0] != '\n' || source[1] == '\n'); source++) {
        *to++ = *source;
        if (*source == '\n') source++;
    }
    if (name) *to = 0;
    *list = source;
    return name;
}

static puad_status list_paths(joined *to, const char *paths)
{
    if (*paths != '\n') return list_folder(to, paths);
    while (*paths) {
        AUTO_FREE char *path = next_name(&paths);
        if (!path) FAIL(PUAD_MEMORY, "no memory for the names of files");
        if (!*path) continue;
        if (strcmp(path, "-") == 0 || file_is_pipe(path))
            FAIL(PUAD_INVALID, "%s: standard input and pipes cannot be combined with other files", path);
        if (file_is_folder(path))
            TRY(list_folder(to, path));
        else
            TRY(add_path(to, strdup(path)));
    }
    if (to->count == 0) FAIL(PUAD_INVALID, "no files");
    return PUAD_OK;
}

/* The length of the first line without its end; line feeds in quotes belong to it. */
static size_t line_length(const char *text, size_t size)
{
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        quoted ^= text[i] == '"';
        if (text[i] == '\n' && !quoted) return i > 0 && text[i - 1] == '\r' ? i - 1 : i;
    }
    return size;
}

static uint64_t count_lines(const char *text, size_t size)
{
    uint64_t lines = 0;
    for (const char *at = text, *end = text + size; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        lines++;
    return lines;
}

static puad_status keep_first(joined *all)
{
    csv_dialect dialect;
    csv_settings settings = {0};
    const char *text = all->head + all->head_at;
    size_t size = all->head_used - all->head_at;
    const char *end = memrchr(text, '\n', size);
    if (end) size = (size_t)(end - text) + 1;
    TRY(csv_dialect_guess(&dialect, text, size, &settings));
    all->header = dialect.header;
    all->first_length = line_length(text, size);
    TRY(memory_new(&all->first, all->first_length + 1, 1, "a header"));
    memcpy(all->first, text, all->first_length);
    return PUAD_OK;
}

static puad_status open_next(joined *all)
{
    const char *path = all->paths[all->at];
    if (!all->head) TRY(memory_new(&all->head, HEAD, 1, path));
    TRY(stream_open_kept(&all->current, path, all->kept));
    all->open = true;
    all->head_at = 0;
    TRY(stream_read_some(&all->current, all->head, HEAD, &all->head_used));
    if (all->head_used >= 3 && memcmp(all->head, "\xef\xbb\xbf", 3) == 0) all->head_at = 3;
    const char *text = all->head + all->head_at;
    size_t size = all->head_used - all->head_at, length = line_length(text, size);
    struct joined_part *part = &all->parts[all->at];
    part->before = all->lines;
    if (all->at++ == 0) {
        __atomic_store_n(&all->started, all->at, __ATOMIC_RELEASE);
        return keep_first(all);
    }
    if (length == all->first_length && memcmp(text, all->first, length) == 0) {
        while (all->head_at < all->head_used && all->head[all->head_at] != '\n') all->head_at++;
        if (length < size) all->head_at = (size_t)(text - all->head) + length;
        if (all->head_at < all->head_used && all->head[all->head_at] == '\r') all->head_at++;
        all->head_at += all->head_at < all->head_used;
        part->cut = count_lines(text, (size_t)(all->head + all->head_at - text));
    } else if (all->header && size > 0) {
        FAIL(PUAD_FORMAT,
             "%s: line 1: begins with '%.*s', but %s with '%.*s'; files of one table have equal columns",
             path, (int)(length < 80 ? length : 80), text, all->paths[0],
             (int)(all->first_length < 80 ? all->first_length : 80), all->first);
    }
    __atomic_store_n(&all->started, all->at, __ATOMIC_RELEASE);
    return PUAD_OK;
}

static puad_status read_joined(stream *source, unsigned char *out, size_t size, size_t *out_count)
{
    joined *all = source->made.state;
    size_t done = 0;
    while (done < size && !source->ended) {
        size_t count = 0;
        if (!all->open) {
            if (all->at == all->count) {
                source->ended = true;
                break;
            }
            if (all->at > 0 && all->last != '\n' && all->last) {
                out[done++] = '\n'; /* the last line of a file may lack its line feed */
                all->last = '\n';
                all->lines++;
                continue;
            }
            TRY(open_next(all));
        }
        if (all->head_at < all->head_used) {
            count = all->head_used - all->head_at < size - done ? all->head_used - all->head_at : size - done;
            memcpy(out + done, all->head + all->head_at, count);
            all->head_at += count;
        } else {
            TRY(stream_read_some(&all->current, out + done, size - done, &count));
            if (count == 0) {
                TRY(stream_expect_end(&all->current));
                stream_close(&all->current);
                all->open = false;
            }
        }
        all->lines += count_lines((const char *)out + done, count);
        done += count;
        if (count) all->last = (char)out[done - 1];
    }
    *out_count = done;
    return PUAD_OK;
}

static void end_joined(stream *source)
{
    joined *all = source->made.state;
    for (size_t i = 0; i < all->count; i++) free(all->paths[i]);
    if (all->open) stream_close(&all->current);
    free(all->paths);
    free(all->parts);
    free(all->head);
    free(all->first);
    free(all);
}

puad_status stream_join(stream *out, const char *path, struct kept_files *kept)
{
    joined *all = NULL;
    TRY(memory_new(&all, 1, sizeof *all, "files"));
    all->kept = kept;
    out->kind = STREAM_MADE;
    out->packed_left = UINT64_MAX;
    out->made = (stream_maker){read_joined, end_joined, all, 0};
    TRY(list_paths(all, path));
    TRY(memory_new(&all->parts, all->count, sizeof *all->parts, "files"));
    size_t capacity = strlen(all->paths[0]) + 40;
    TRY(memory_new(&out->name, capacity, 1, "a name"));
    if (file_is_folder(path) || all->count == 1)
        snprintf(out->name, capacity, "%s",
                 file_is_folder(path) && strlen(path) < capacity ? path : all->paths[0]);
    else
        snprintf(out->name, capacity, "%s and %zu more", all->paths[0], all->count - 1);
    return PUAD_OK;
}

stream_place stream_join_line(const stream *source, uint64_t line)
{
    const joined *all = source->made.state;
    size_t part = __atomic_load_n(&all->started, __ATOMIC_ACQUIRE);
    while (part > 1 && all->parts[part - 1].before >= line) part--;
    if (part == 0) return (stream_place){source->name, line};
    return (stream_place){all->paths[part - 1],
                          line - all->parts[part - 1].before + all->parts[part - 1].cut};
}

bool stream_reads_joined(const stream *source)
{
    return source->kind == STREAM_MADE && source->made.read == read_joined;
}
