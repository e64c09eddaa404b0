/* The real public datasets in PUAD_DATA (../shared/data): counts, class counts, every pixel, the splits,
 * and the time to open them. Missing sets are skipped. */
#include "base/file.h"
#include "lab/sets/split.h"
#include "test.h"

#include <stdlib.h>
#include <time.h>

static const char *data_folder(void)
{
    const char *given = getenv("PUAD_DATA");
    return given && *given ? given : "../shared/data";
}

/* Opens a set and, for the pixel check, writes its rows to the test's folder. */
static bool open_set(raw_set *out, const char *name, const char *folder)
{
    const set_row *about = NULL;
    if (set_find(&about, name) != PUAD_OK || !set_is_present(NULL, about, folder)) return false;
    if (set_read(out, about, folder, 0) != PUAD_OK) {
        TEST_FAIL("%s", puad_last_error());
        return false;
    }
    static const char *const parts[] = {"train", "test"};
    for (int part = 0; part < PART_COUNT; part++) {
        char file[100];
        snprintf(file, sizeof file, "%s.%s.pixels", name, parts[part]);
        FILE *pixels = fopen(test_path(file), "wb");
        snprintf(file, sizeof file, "%s.%s.classes", name, parts[part]);
        FILE *classes = fopen(test_path(file), "wb");
        size_t rows = out->parts[part].rows, size = raw_set_row_size(out);
        if (!pixels || !classes || fwrite(out->parts[part].pixels, size, rows, pixels) != rows ||
            fwrite(out->parts[part].classes, sizeof(int32_t), rows, classes) != rows || fclose(pixels) ||
            fclose(classes))
            TEST_FAIL("cannot write %s", file);
    }
    return true;
}

static void expect_counts(const raw_set *set, set_part part, const size_t *expected)
{
    size_t counts[64] = {0}, total = 0;
    for (size_t i = 0; i < set->parts[part].rows; i++) counts[set->parts[part].classes[i]]++;
    for (int class = 0; class < set->about->class_count; class ++) {
        CHECK_INT(counts[class], expected[class]);
        total += expected[class];
    }
    CHECK_INT(set->parts[part].rows, total);
}

/* check_sets.py reads the official files with other tools and compares. */
static void expect_pixels(const char *name, const char *folder)
{
    char command[1000];
    snprintf(command, sizeof command, "/usr/bin/python3 tests/real/check_sets.py %s '%s' %s", name, folder,
             test_folder());
    if (system(command) != 0) TEST_FAIL("%s failed", command);
}

static void expect_standard_splits(const raw_set *set, class_bits normals)
{
    for (int class = 0; class < set->about->class_count; class ++) {
        AUTO_SPLIT_PLAN split_plan plan = {0};
        if (!(normals & ONE(class))) continue;
        split_request request = split_standard(set->about, ONE(class), (uint64_t) class);
        CHECK_OK(split_draw(&plan, set, &request));
        size_t normal = 0, unseen = 0;
        for (size_t i = 0; i < set->parts[PART_TEST].rows; i++) {
            normal += set->parts[PART_TEST].classes[i] == class;
            unseen += set->parts[PART_TEST].classes[i] == 0;
        }
        CHECK(!plan.reduced);
        CHECK_INT(plan.train_normal, 4500);
        CHECK_INT(plan.train_hidden, 250);
        CHECK_INT(plan.train_labeled, 250);
        CHECK_INT(plan.train_count, 5000);
        CHECK_INT(plan.test_rows_of[GROUP_NORMAL], normal < 1000 ? normal : 1000);
        CHECK_INT(plan.test_rows_of[GROUP_SEEN], 500);
        CHECK_INT(plan.test_rows_of[GROUP_UNSEEN], unseen < 500 ? unseen : 500);
        CHECK_NEAR(plan.alpha_u, 250.0 / 4750, 1e-12);
        CHECK_NEAR(plan.alpha_all, 0.1, 1e-12);
    }
}

#define OPEN(set, name, folder)                                                                              \
    AUTO_RAW_SET raw_set set = {0};                                                                          \
    if (!open_set(&set, name, folder)) SKIP("not in the data folder")

TEST(mnist)
{
    OPEN(set, "mnist", data_folder());
    expect_counts(&set, PART_TRAIN, (size_t[]){5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949});
    expect_counts(&set, PART_TEST, (size_t[]){980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009});
    expect_pixels("mnist", data_folder());
    expect_standard_splits(&set, SPAN(1, 9));
}

TEST(fashion_mnist)
{
    OPEN(set, "fashion_mnist", data_folder());
    expect_counts(&set, PART_TRAIN, (size_t[]){6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000});
    expect_counts(&set, PART_TEST, (size_t[]){1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000});
    expect_pixels("fashion_mnist", data_folder());
    expect_standard_splits(&set, SPAN(1, 9));
}

TEST(cifar10)
{
    OPEN(set, "cifar10", data_folder());
    size_t whole[10] = {1005, 5000, 1032, 1016, 5000, 937, 1030, 1001, 1025, 981};
    expect_counts(&set, PART_TRAIN, whole);
    expect_counts(&set, PART_TEST, (size_t[]){1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000});
    expect_pixels("cifar10", data_folder());
    expect_standard_splits(&set, ONE(1) | ONE(4));
    AUTO_SPLIT_PLAN split_plan plan = {0};
    split_request request = split_standard(set.about, ONE(2), 0); /* 1032 of 4500 normal rows */
    CHECK_OK(split_draw(&plan, &set, &request));
    CHECK(plan.reduced);
    CHECK_INT(plan.train_normal, 1032);
    CHECK_INT(plan.train_hidden, 250 * 1032 / 4500);
    CHECK_INT(plan.train_labeled, 250 * 1032 / 4500);
}

TEST(cifar100)
{
    OPEN(set, "cifar100", data_folder());
    size_t train[20], test[20];
    for (int class = 0; class < 20; class ++) {
        train[class] = class == 2 || class == 18 ? 2500 : 50;
        test[class] = class == 2 || class == 18 ? 500 : 50;
    }
    expect_counts(&set, PART_TRAIN, train);
    expect_counts(&set, PART_TEST, test);
    expect_pixels("cifar100", data_folder());
}

TEST(svhn)
{
    OPEN(set, "svhn", data_folder());
    expect_counts(&set, PART_TRAIN, (size_t[]){207, 581, 467, 345, 289, 271, 224, 227, 201, 188});
    expect_counts(&set, PART_TEST, (size_t[]){64, 204, 144, 103, 107, 103, 79, 79, 52, 65});
    expect_pixels("svhn", data_folder());
}

TEST(pneumoniamnist)
{
    OPEN(set, "pneumoniamnist", data_folder());
    expect_counts(&set, PART_TRAIN, (size_t[]){1214, 3494});
    expect_counts(&set, PART_TEST, (size_t[]){234, 390});
    expect_pixels("pneumoniamnist", data_folder());
}

TEST(pathmnist_with_changed_contrast)
{
    char source[600];
    snprintf(source, sizeof source, "%s/medmnist_enhanced/pathmnist.npz", data_folder());
    AUTO_FREE char *full = realpath(source, NULL);
    if (!full) SKIP("not in the data folder");
    char command[1200];
    snprintf(command, sizeof command, "mkdir -p %s/medmnist && ln -sf '%s' %s/medmnist/pathmnist.npz",
             test_folder(), full, test_folder());
    REQUIRE(system(command) == 0);
    OPEN(set, "pathmnist", test_folder());
    expect_counts(&set, PART_TRAIN, (size_t[]){250, 250, 250, 250, 250, 250, 250, 250, 1500});
    expect_counts(&set, PART_TEST, (size_t[]){100, 100, 100, 100, 100, 100, 100, 100, 100});
    expect_pixels("pathmnist", test_folder());
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

TEST(opening_mnist_takes_at_most_three_times_as_long_as_zcat)
{
    const set_row *about = NULL;
    CHECK_OK(set_find(&about, "mnist"));
    if (!set_is_present(NULL, about, data_folder())) SKIP("not in the data folder");
    char command[700];
    snprintf(command, sizeof command, "zcat '%s'/mnist/*.gz >/dev/null", data_folder());
    double best_zcat = INFINITY, best_open = INFINITY;
    for (int turn = 0; turn < 7; turn++) {
        double start = now();
        if (system(command) != 0) SKIP("the files are not packed");
        double middle = now();
        AUTO_RAW_SET raw_set set = {0};
        CHECK_OK(set_read(&set, about, data_folder(), 0));
        double end = now();
        best_zcat = fmin(best_zcat, middle - start);
        best_open = fmin(best_open, end - middle);
    }
    printf("zcat %.3f s, opening %.3f s, ratio %.2f\n", best_zcat, best_open, best_open / best_zcat);
    CHECK(best_open <= 3 * best_zcat);
}
