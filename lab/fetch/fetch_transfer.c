/* Writes FILE.part, by download or by copying. */
#include "lab/fetch/fetch_transfer.h"

#include "base/file.h"
#include "base/memory.h"

#include <ctype.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES_MAX ((uint64_t)8 << 30) /* far above any file of the table; stops a server that never ends */
enum { TRIES_MAX = 8, IDLE_SECONDS = 60, CONNECT_SECONDS = 30 };

puad_status incoming_open(incoming *out, const char *path, bool resume)
{
    size_t capacity = strlen(path) + 6;
    TRY(memory_new(&out->path, capacity, 1, "a file name"));
    snprintf(out->path, capacity, "%s.part", path);
    out->handle = open(out->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (out->handle < 0) FAIL(PUAD_IO, "%s: cannot create: %s", out->path, strerror(errno));
    if (flock(out->handle, LOCK_EX | LOCK_NB) != 0)
        FAIL(PUAD_IO, "%s: another puad fetch is writing it", out->path);
    if (!resume) return incoming_restart(out);
    off_t size = lseek(out->handle, 0, SEEK_END);
    if (size < 0) FAIL(PUAD_IO, "%s: %s", out->path, strerror(errno));
    out->offset = (uint64_t)size;
    return PUAD_OK;
}

static puad_status incoming_append(incoming *to, const void *bytes, size_t size)
{
    const char *source = bytes;
    if (to->offset + size > BYTES_MAX) FAIL(PUAD_FORMAT, "%s: more bytes than any dataset has", to->path);
    while (size > 0) {
        ssize_t written = write(to->handle, source, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            FAIL(PUAD_IO, "%s: cannot write at offset %llu: %s", to->path, (unsigned long long)to->offset,
                 strerror(errno));
        source += written;
        size -= (size_t)written;
        to->offset += (uint64_t)written;
    }
    return PUAD_OK;
}

puad_status incoming_restart(incoming *to)
{
    if (ftruncate(to->handle, 0) != 0 || lseek(to->handle, 0, SEEK_SET) != 0)
        FAIL(PUAD_IO, "%s: %s", to->path, strerror(errno));
    to->offset = 0;
    return PUAD_OK;
}

void incoming_close(incoming *owner)
{
    if (owner->handle >= 0) close(owner->handle);
    free(owner->path);
    *owner = (incoming){.handle = -1};
}

static void tell(incoming *to, uint64_t total)
{
    to->report.state = FETCH_RUNNING;
    to->report.done = to->offset;
    to->report.total = total;
    if (to->options->report) to->options->report(to->options->context, &to->report);
}

/* One request and the state of its callbacks. */
typedef struct request {
    incoming *to;
    CURL *curl;
    bool begun;           /* the body has begun and its offset in the file is known */
    uint64_t range_start; /* from the Content-Range header; UINT64_MAX if there was none */
    puad_status status;   /* of a failure in this program, not in the network */
} request;

static size_t take_header(char *line, size_t size, size_t count, void *context)
{
    request *query = context;
    char text[128];
    snprintf(text, sizeof text, "%.*s", (int)(size * count < 127 ? size * count : 127), line);
    if (strncasecmp(text, "HTTP/", 5) == 0)
        query->range_start = UINT64_MAX; /* a new response after a redirection */
    if (strncasecmp(text, "Content-Range:", 14) == 0) {
        const char *range = text + 14 + strspn(text + 14, " \t");
        if (strncasecmp(range, "bytes ", 6) == 0 && isdigit((unsigned char)range[6]))
            query->range_start = strtoull(range + 6, NULL, 10);
    }
    return size * count;
}

/* Before the first byte: a server that ignores the range sends the whole file. */
static puad_status settle_start(request *query)
{
    long code = 0;
    curl_easy_getinfo(query->curl, CURLINFO_RESPONSE_CODE, &code);
    if (query->to->offset == 0) return PUAD_OK;
    if (code == 206 && query->range_start == query->to->offset) return PUAD_OK;
    if (code == 206) FAIL(PUAD_FORMAT, "the server sent another range than requested");
    return incoming_restart(query->to);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    request *query = context;
    if (!query->begun) query->status = settle_start(query);
    query->begun = true;
    if (query->status == PUAD_OK) query->status = incoming_append(query->to, bytes, size * count);
    return query->status == PUAD_OK ? size * count : 0;
}

static int take_progress(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total,
                         curl_off_t up_now)
{
    request *query = context;
    (void)up_total, (void)up_now;
    if (now > 0 && query->begun) {
        uint64_t before = query->to->offset >= (uint64_t)now ? query->to->offset - (uint64_t)now : 0;
        tell(query->to, total > 0 ? before + (uint64_t)total : 0);
    }
    return 0;
}

const char *transfer_redirects(const char *address)
{
    return strncasecmp(address, "https:", 6) == 0 ? "https" : "http,https";
}

static void set_up(request *query, const char *address, char *range, size_t range_room, char *error)
{
    CURL *curl = query->curl;
    curl_easy_setopt(curl, CURLOPT_URL, address);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, transfer_redirects(address));
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "puad");
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)IDLE_SECONDS);
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, query);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, query);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, take_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, query);
    if (query->to->offset > 0) {
        snprintf(range, range_room, "%llu-", (unsigned long long)query->to->offset);
        curl_easy_setopt(curl, CURLOPT_RANGE, range);
    }
}

/* One attempt. *out_again: the connection broke, and another attempt may help. */
static puad_status try_once(incoming *to, const char *address, bool *out_again)
{
    char error[CURL_ERROR_SIZE] = "", range[32];
    request query = {.to = to, .curl = curl_easy_init(), .range_start = UINT64_MAX};
    *out_again = false;
    if (!query.curl) FAIL(PUAD_MEMORY, "no memory for a download");
    set_up(&query, address, range, sizeof range, error);
    CURLcode result = curl_easy_perform(query.curl);
    long code = 0;
    curl_easy_getinfo(query.curl, CURLINFO_RESPONSE_CODE, &code);
    curl_easy_cleanup(query.curl);
    if (query.status != PUAD_OK) return query.status;
    if (result == CURLE_OK) return PUAD_OK;
    /* no bytes after those present: the file may be complete */
    if (code == 416 && to->offset > 0) return PUAD_OK;
    if (result == CURLE_HTTP_RETURNED_ERROR)
        FAIL(PUAD_IO, "%s: the server returned status %ld", address, code);
    *out_again = result == CURLE_PARTIAL_FILE || result == CURLE_RECV_ERROR ||
                 result == CURLE_OPERATION_TIMEDOUT || result == CURLE_HTTP2_STREAM ||
                 result == CURLE_GOT_NOTHING;
    FAIL(PUAD_IO, "%s: %s", address, error[0] ? error : curl_easy_strerror(result));
}

static void start_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

puad_status transfer_download(incoming *to, const char *address)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_curl);
    for (int try = 0;; try++) {
        bool again;
        uint64_t before = to->offset;
        puad_status status = try_once(to, address, &again);
        if (status == PUAD_OK || !again || to->offset <= before || try == TRIES_MAX) return status;
    }
}

puad_status transfer_copy(incoming *to, const char *path)
{
    uint64_t total;
    TRY(file_size(&total, path));
    TRY(incoming_restart(to));
    FILE *file = fopen(path, "rbe");
    if (!file) FAIL(PUAD_IO, "%s: %s", path, strerror(errno));
    static _Thread_local char buffer[1 << 16];
    puad_status status = PUAD_OK;
    size_t size;
    while (status == PUAD_OK && (size = fread(buffer, 1, sizeof buffer, file)) > 0) {
        status = incoming_append(to, buffer, size);
        tell(to, total);
    }
    if (status == PUAD_OK && ferror(file))
        status = status_fail(PUAD_IO, "%s: at offset %llu: %s", path, (unsigned long long)to->offset,
                             strerror(errno));
    fclose(file);
    return status;
}
