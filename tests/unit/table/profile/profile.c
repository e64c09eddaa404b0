/* Profiles: types are those of training, numbers of any size have a deviation, and rejected or skipped
 * data are reported. */
#include "table/profile/profile.h"
#include "written.h"

#include <pthread.h>
#include <sys/stat.h>

static void free_profile(profile *owner)
{
    profile_free(owner);
}
#define AUTO_PROFILE __attribute__((cleanup(free_profile)))

static uint64_t count_of(const profile_column *column, const char *text)
{
    uint32_t code = dictionary_find(&column->words, (text_view){text, strlen(text)});
    return code == DICTIONARY_NONE ? 0 : column->words.counts[code];
}

TEST(a_category_lists_its_numbers_too)
{
    AUTO_PROFILE profile found = {0};
    const char *path = write_text("c.csv", "code,v\n7,1\n8,2\n9,3\nA1,4\n7,5\n8,6\nB2,7\n");
    CHECK_OK(profile_read(&found, path, &(data_options){0}));
    CHECK(found.columns[0].category);
    CHECK_INT(found.columns[0].words.count, 5);
    CHECK_INT(count_of(&found.columns[0], "7"), 2);
    CHECK_INT(found.columns[0].texts, 2);
}

TEST(a_column_that_is_said_to_be_a_category_lists_its_values)
{
    AUTO_PROFILE profile found = {0};
    const char *const categorical[] = {"zip"};
    data_options options = {.categorical = categorical, .categorical_count = 1};
    CHECK_OK(profile_read(&found, write_text("z.csv", "zip,v\n10115,1\n20095,2\n10115,3\n"), &options));
    CHECK(found.columns[0].category);
    CHECK_INT(count_of(&found.columns[0], "10115"), 2);
}

/* Types that change late: a file is read again. */
TEST(a_column_whose_later_rows_are_text_lists_all_its_values)
{
    AUTO_PROFILE profile found = {0};
    size_t capacity = 4000000, used;
    char *text = malloc(capacity);
    used = (size_t)snprintf(text, capacity, "v,w,u\n");
    for (int i = 0; i < 120000; i++)
        used += (size_t)snprintf(text + used, capacity - used, i < 60000 ? "%d,x%d,%d\n" : "t%d,%d,%d\n",
                                 i % 5, i < 60000 ? i % 2 : i, i);
    CHECK_OK(profile_read(&found, write_text("turn.csv", text), &(data_options){0}));
    free(text);
    CHECK_INT(found.rows, 120000);
    CHECK(found.columns[0].category);
    CHECK_INT(found.columns[0].words.count, 10);
    CHECK_INT(count_of(&found.columns[0], "4"), 12000);
    CHECK_INT(count_of(&found.columns[0], "t4"), 12000);
    CHECK(found.columns[1].category);
    CHECK_INT(count_of(&found.columns[1], "x1"), 30000);
    CHECK(!found.columns[2].category);
}

TEST(deviations_of_huge_and_tiny_numbers_are_known)
{
    const char *csv = write_text("s.csv", "a,b,c\n1e200,1e-200,1\n2e200,2e-200,1\n3e200,3e-200,1e200\n");
    const double values[] = {1e200, 1e-200, 1, 2e200, 2e-200, 1, 3e200, 3e-200, 1e200};
    const char *paths[] = {csv, write_npy("s.npy", "<f8", "3, 3", values, sizeof values)};
    for (int i = 0; i < 2; i++) {
        AUTO_PROFILE profile found = {0};
        CHECK_OK(profile_read(&found, paths[i], &(data_options){0}));
        CHECK_NEAR(found.columns[0].sd / 1e200, sqrt(2 / 3.0), 1e-12);
        CHECK_NEAR(found.columns[1].sd / 1e-200, sqrt(2 / 3.0), 1e-12);
        CHECK_NEAR(found.columns[2].sd / 1e200, sqrt(2) / 3, 1e-12);
        CHECK_NEAR(found.columns[1].mean / 1e-200, 2, 1e-12);
    }
}

TEST(labels_that_belong_to_no_class_are_counted)
{
    AUTO_PROFILE profile found = {0};
    CHECK_OK(profile_read(&found, write_text("l.csv", "v,k\n1,0\n2,1\n3,2\n4,2\n5,3\n"),
                          &(data_options){.label_column = "k"}));
    CHECK(!found.labeled);
    CHECK_INT(found.odd_labels, 3);
    CHECK_TEXT(found.odd_label, "2");
}

typedef struct feeder {
    const char *path, *text;
} feeder;

static void *feed(void *context)
{
    const feeder *source = context;
    FILE *pipe = fopen(source->path, "w");
    if (pipe) fputs(source->text, pipe);
    if (pipe) fclose(pipe);
    return NULL;
}

/* Reads once: a second open would wait for a writer that never comes. */
TEST(a_fifo_is_read_like_standard_input)
{
    const char *path = test_path("fifo");
    feeder source = {path, "a,b\n1,2\n3,4\n5,7\n"};
    REQUIRE(mkfifo(path, 0600) == 0);
    for (int turn = 0; turn < 2; turn++) {
        AUTO_PROFILE profile found = {0};
        AUTO_DATASET dataset rows = {0};
        pthread_t thread;
        alarm(20); /* ends the program if this hangs */
        REQUIRE(pthread_create(&thread, NULL, feed, &source) == 0);
        CHECK_OK(turn ? data_open(&rows, path, &(data_options){0})
                      : profile_read(&found, path, &(data_options){0}));
        pthread_join(thread, NULL);
        alarm(0);
        CHECK_INT(turn ? rows.rows : found.rows, 3);
    }
    AUTO_DATASET dataset rows = {0};
    const char *named = test_path("fifo.npy");
    REQUIRE(mkfifo(named, 0600) == 0);
    CHECK_FAILS(data_open(&rows, named, &(data_options){0}), PUAD_INVALID, "fifo.npy", "pipe", "CSV");
}
