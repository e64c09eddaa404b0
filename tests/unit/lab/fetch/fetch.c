/* Fetching from a server that breaks off, sends wrong bytes and ignores ranges: a file in place is always
 * complete and correct. */
#include "lab/fetch/fetch.h"
#include "base/file.h"
#include "lab/fetch/fetch_transfer.h"
#include "lab/fetch/md5.h"
#include "lab/sets/set.h"
#include "test.h"

#include <signal.h>
#include <sys/wait.h>
#include <zlib.h>

enum { SIZE = 5500 };
static char served[256], base[64], digest[33];
static unsigned char content[SIZE];

static const char *md5_of(const void *bytes, size_t size)
{
    static char text[33];
    md5 sum = md5_begin();
    md5_add(&sum, bytes, size);
    md5_end(text, &sum);
    return text;
}

/* Starts the server once; it ends when this program ends and closes its input. */
static bool start_server(void)
{
    static int state; /* 1 runs, -1 cannot */
    if (state) return state > 0;
    state = -1;
    for (size_t i = 0; i < SIZE; i++) content[i] = (unsigned char)(i * i % 251);
    strcpy(digest, md5_of(content, SIZE));
    snprintf(served, sizeof served, "%s/served", test_folder());
    char command[600], path[300];
    snprintf(command, sizeof command, "mkdir %s", served);
    if (system(command) != 0) return false;
    snprintf(path, sizeof path, "%s/set.bin", served);
    if (file_write(path, content, SIZE) != PUAD_OK) return false;
    int to_server[2], from_server[2];
    if (pipe(to_server) != 0 || pipe(from_server) != 0) return false;
    if (fork() == 0) {
        dup2(to_server[0], 0);
        dup2(from_server[1], 1);
        close(to_server[1]);
        execl("/usr/bin/python3", "python3", "tests/helpers/http_server.py", served, NULL);
        _exit(1);
    }
    close(from_server[1]);
    FILE *output = fdopen(from_server[0], "r");
    int port = 0;
    if (!output || fscanf(output, "%d", &port) != 1) return false;
    snprintf(base, sizeof base, "http://127.0.0.1:%d", port);
    state = 1;
    return true;
}

/* A separate data folder for each test. */
static const char *fresh_folder(void)
{
    static char folder[300];
    static int number;
    snprintf(folder, sizeof folder, "%s/data%d", test_folder(), number++);
    return folder;
}

static const char *place(const char *manner)
{
    static char places[4][128];
    static int turn;
    char *text = places[turn++ % 4];
    snprintf(text, sizeof places[0], "%s/%s/", base, manner);
    return text;
}

static const char *in_folder(const char *folder, const char *name)
{
    static char paths[4][400];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/set/%s", folder, name);
    return path;
}

static bool is_whole(const char *path)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    bool whole = file_read(&bytes, &size, path, 1 << 20) == PUAD_OK && size == SIZE &&
                 memcmp(bytes, content, SIZE) == 0;
    free(bytes);
    return whole;
}

static void write_part(const char *folder, const void *bytes, size_t size)
{
    char command[500];
    snprintf(command, sizeof command, "mkdir -p %s/set", folder);
    CHECK_INT(system(command), 0);
    CHECK_INT(file_write(in_folder(folder, "set.bin.part"), bytes, size), PUAD_OK);
}

static char *requests(void)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    char path[300];
    snprintf(path, sizeof path, "%s/requests", served);
    if (file_read(&bytes, &size, path, 1 << 20) != PUAD_OK) return strdup("");
    unlink(path);
    return (char *)bytes;
}

#define SERVER()                                                                                             \
    if (!start_server()) SKIP("/usr/bin/python3 cannot serve here");                                         \
    free(requests())

#define ROW(...)                                                                                             \
    (&(fetch_source){.dataset = "set", .file = "set.bin", .md5 = digest, .places = {__VA_ARGS__}})

TEST(md5_agrees_with_the_rfc)
{
    CHECK_TEXT(md5_of("", 0), "d41d8cd98f00b204e9800998ecf8427e");
    CHECK_TEXT(md5_of("abc", 3), "900150983cd24fb0d6963f7d28e17f72");
    CHECK_TEXT(md5_of("12345678901234567890123456789012345678901234567890123456789012345678901234567890", 80),
               "57edf4a22be3c955ac49da2e2107b67a");
    for (size_t size = 50; size < 70; size++) { /* in one piece and in two: around the block's end */
        unsigned char bytes[70] = {0};
        char whole[33], pieces[33];
        strcpy(whole, md5_of(bytes, size));
        md5 sum = md5_begin();
        md5_add(&sum, bytes, 13);
        md5_add(&sum, bytes + 13, size - 13);
        md5_end(pieces, &sum);
        CHECK_TEXT(pieces, whole);
    }
}

TEST(a_file_comes_whole_and_leaves_no_part)
{
    SERVER();
    const char *folder = fresh_folder();
    CHECK_OK(fetch_files(ROW(place("good")), 1, &(fetch_options){.folder = folder}));
    CHECK(is_whole(in_folder(folder, "set.bin")));
    CHECK(!file_exists(in_folder(folder, "set.bin.part")));
    CHECK_OK(fetch_files(ROW(place("moved")), 1, &(fetch_options){.folder = fresh_folder()}));
}

TEST(an_existing_file_is_not_downloaded)
{
    SERVER();
    const char *folder = fresh_folder();
    CHECK_OK(fetch_files(ROW(place("good")), 1, &(fetch_options){.folder = folder}));
    free(requests());
    CHECK_OK(fetch_files(ROW(place("good")), 1, &(fetch_options){.folder = folder}));
    char *asked = requests();
    CHECK_TEXT(asked, "");
    free(asked);
}

TEST(a_part_is_continued_by_a_range)
{
    SERVER();
    const char *folder = fresh_folder();
    write_part(folder, content, 2000);
    CHECK_OK(fetch_files(ROW(place("good")), 1, &(fetch_options){.folder = folder}));
    CHECK(is_whole(in_folder(folder, "set.bin")));
    char *asked = requests();
    CHECK_TEXT(asked, "/good/set.bin bytes=2000- 206\n");
    free(asked);
}

TEST(a_whole_part_is_only_verified)
{
    SERVER();
    const char *folder = fresh_folder();
    write_part(folder, content, SIZE);
    CHECK_OK(fetch_files(ROW(place("good")), 1, &(fetch_options){.folder = folder}));
    CHECK(is_whole(in_folder(folder, "set.bin")));
}

TEST(a_connection_that_breaks_again_and_again_is_continued)
{
    SERVER();
    const char *folder = fresh_folder();
    CHECK_OK(fetch_files(ROW(place("cut")), 1, &(fetch_options){.folder = folder}));
    CHECK(is_whole(in_folder(folder, "set.bin")));
    char *asked = requests();
    CHECK(strstr(asked, "/cut/set.bin bytes=5000- 206\n") != NULL);
    free(asked);
}

TEST(a_server_without_ranges_sends_all_anew)
{
    SERVER();
    const char *folder = fresh_folder();
    write_part(folder, content, 2000);
    CHECK_OK(fetch_files(ROW(place("plain")), 1, &(fetch_options){.folder = folder}));
    CHECK(is_whole(in_folder(folder, "set.bin")));
}

TEST(a_part_of_another_version_is_thrown_away)
{
    SERVER();
    const char *folder = fresh_folder();
    unsigned char other[SIZE + 900] = {1, 2, 3};
    write_part(folder, other, 2000);
    CHECK_OK(fetch_files(ROW(place("good")), 1, &(fetch_options){.folder = folder}));
    CHECK(is_whole(in_folder(folder, "set.bin")));
    folder = fresh_folder();
    write_part(folder, other, sizeof other); /* longer than the file */
    CHECK_OK(fetch_files(ROW(place("good")), 1, &(fetch_options){.folder = folder}));
    CHECK(is_whole(in_folder(folder, "set.bin")));
}

TEST(wrong_bytes_are_refused_and_leave_nothing)
{
    SERVER();
    const char *folder = fresh_folder();
    CHECK_FAILS(fetch_files(ROW(place("wrong")), 1, &(fetch_options){.folder = folder}), PUAD_FORMAT, digest);
    CHECK(!file_exists(in_folder(folder, "set.bin")));
    CHECK(!file_exists(in_folder(folder, "set.bin.part")));
    CHECK_OK(fetch_files(ROW(place("wrong"), place("good")), 1, &(fetch_options){.folder = folder}));
    CHECK(is_whole(in_folder(folder, "set.bin")));
}

TEST(a_missing_file_and_a_dead_server_leave_nothing)
{
    SERVER();
    const char *folder = fresh_folder();
    CHECK_FAILS(fetch_files(ROW(place("nowhere")), 1, &(fetch_options){.folder = folder}), PUAD_IO,
                "/nowhere/set.bin", "404");
    CHECK_FAILS(fetch_files(ROW(place("dead")), 1, &(fetch_options){.folder = folder}), PUAD_IO,
                "/dead/set.bin");
    CHECK_FAILS(fetch_files(ROW("http://127.0.0.1:1/"), 1, &(fetch_options){.folder = folder}), PUAD_IO,
                "127.0.0.1");
    CHECK_FAILS(fetch_files(ROW("file:///etc/"), 1, &(fetch_options){.folder = folder}), PUAD_IO, "file:");
    CHECK(!file_exists(in_folder(folder, "set.bin")));
    CHECK(!file_exists(in_folder(folder, "set.bin.part")));
}

TEST(a_partial_download_is_kept_if_a_later_attempt_fails)
{
    SERVER();
    const char *folder = fresh_folder();
    write_part(folder, content, 2000);
    CHECK_FAILS(fetch_files(ROW(place("shifted")), 1, &(fetch_options){.folder = folder}), PUAD_FORMAT);
    CHECK_FAILS(fetch_files(ROW(place("nowhere")), 1, &(fetch_options){.folder = folder}), PUAD_IO, "404");
    uint64_t size = 0;
    CHECK_OK(file_size(&size, in_folder(folder, "set.bin.part")));
    CHECK_INT(size, 2000);
    CHECK(!file_exists(in_folder(folder, "set.bin")));
}

TEST(an_incorrect_file_is_replaced_only_on_request)
{
    SERVER();
    const char *folder = fresh_folder();
    write_part(folder, "x", 1);
    CHECK_OK(file_write(in_folder(folder, "set.bin"), "mine", 4));
    CHECK_FAILS(fetch_files(ROW(place("good")), 1, &(fetch_options){.folder = folder}), PUAD_FORMAT,
                "--replace");
    CHECK_OK(fetch_files(ROW(place("good")), 1, &(fetch_options){.folder = folder, .again = true}));
    CHECK(is_whole(in_folder(folder, "set.bin")));
}

TEST(a_file_without_a_known_digest_needs_trust_and_is_never_continued)
{
    SERVER();
    const char *folder = fresh_folder();
    fetch_source row = {.dataset = "set", .file = "set.bin", .places = {place("good")}};
    CHECK_FAILS(fetch_files(&row, 1, &(fetch_options){.folder = folder}), PUAD_INVALID, "--trust");
    write_part(folder, "abcdefgh", 8);
    CHECK_OK(fetch_files(&row, 1, &(fetch_options){.folder = folder, .trust = true}));
    CHECK(is_whole(in_folder(folder, "set.bin")));
}

TEST(a_folder_is_a_mirror_compressed_or_not)
{
    if (!start_server()) SKIP("/usr/bin/python3 cannot serve here");
    const char *folder = fresh_folder();
    fetch_source packed = {
        .dataset = "set", .file = "set.bin.gz", .digest_of = FETCH_DIGEST_CONTENT, .md5 = digest};
    CHECK_OK(fetch_files(&packed, 1, &(fetch_options){.folder = folder, .source = served}));
    CHECK(is_whole(in_folder(folder, "set.bin"))); /* it was stored uncompressed */
    gzFile out = gzopen(test_path("served/set.bin.gz"), "wb1");
    CHECK_INT(gzwrite(out, content, SIZE), SIZE);
    gzclose(out);
    folder = fresh_folder();
    CHECK_OK(fetch_files(&packed, 1, &(fetch_options){.folder = folder, .source = served}));
    CHECK(file_exists(in_folder(folder, "set.bin.gz")));
    CHECK(truncate(test_path("served/set.bin.gz"), 60) == 0);
    folder = fresh_folder();
    CHECK_FAILS(fetch_files(&packed, 1, &(fetch_options){.folder = folder, .source = served}), PUAD_FORMAT,
                "set.bin.gz");
    CHECK(!file_exists(in_folder(folder, "set.bin.gz")) &&
          !file_exists(in_folder(folder, "set.bin.gz.part")));
    CHECK_FAILS(fetch_files(ROW(NULL), 1, &(fetch_options){.folder = folder, .source = "/nowhere"}),
                PUAD_INVALID, "--from", "'/nowhere'", "'npm'");
}

/* A file that a reader of the set rejects must not count as verified, and --replace must replace it. */
TEST(bytes_after_the_compressed_data_are_not_verified)
{
    if (!start_server()) SKIP("/usr/bin/python3 cannot serve here");
    fetch_source packed = {
        .dataset = "set", .file = "tail.gz", .digest_of = FETCH_DIGEST_CONTENT, .md5 = digest};
    gzFile out = gzopen(test_path("served/tail.gz"), "wb1");
    CHECK_INT(gzwrite(out, content, SIZE), SIZE);
    gzclose(out);
    const char *folder = fresh_folder();
    fetch_options options = {.folder = folder, .source = served};
    CHECK_OK(fetch_files(&packed, 1, &options));
    FILE *there = fopen(in_folder(folder, "tail.gz"), "ab");
    REQUIRE(there);
    fputs("puad fetch: a message\n", there);
    fclose(there);
    CHECK_FAILS(fetch_files(&packed, 1, &options), PUAD_FORMAT, "--replace", "tail.gz");
    options.again = true;
    CHECK_OK(fetch_files(&packed, 1, &options));
    uint64_t size = 0, expected = 1;
    CHECK_OK(file_size(&size, in_folder(folder, "tail.gz")));
    CHECK_OK(file_size(&expected, test_path("served/tail.gz")));
    CHECK_INT(size, expected);
}

TEST(every_row_of_the_table_is_complete)
{
    size_t count;
    const fetch_source *all = fetch_sources(&count);
    for (size_t i = 0; i < count; i++) {
        CHECK(all[i].places[0] && strncmp(all[i].places[0], "http", 4) == 0);
        CHECK(all[i].places[0][strlen(all[i].places[0]) - 1] == '/');
        if (all[i].md5) CHECK_INT(strspn(all[i].md5, "0123456789abcdef"), 32);
        for (size_t j = i + 1; j < count; j++)
            CHECK(strcmp(all[i].dataset, all[j].dataset) != 0 || strcmp(all[i].file, all[j].file) != 0);
    }
}

TEST(every_public_set_has_a_source_and_every_source_a_set)
{
    size_t set_count, count;
    const set_row *sets = sets_all(&set_count), *found;
    const fetch_source *all = fetch_sources(&count);
    for (size_t i = 0; i < count; i++) CHECK_INT(set_find(&found, all[i].dataset), PUAD_OK);
    for (size_t s = 0; s < set_count; s++) {
        size_t files = 0;
        for (size_t i = 0; i < count; i++) files += strcmp(all[i].dataset, sets[s].name) == 0;
        if ((files > 0) == sets[s].reader->generated) TEST_FAIL("%s has %zu files", sets[s].name, files);
    }
}

TEST(an_encrypted_address_never_redirects_to_a_plain_one)
{
    CHECK_TEXT(transfer_redirects("https://example.org/x"), "https");
    CHECK_TEXT(transfer_redirects("HTTPS://example.org/x"), "https");
    CHECK_TEXT(transfer_redirects("http://example.org/x"), "http,https");
}
