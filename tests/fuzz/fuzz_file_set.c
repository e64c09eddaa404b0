/* Any bytes as a user's labeled file for the laboratory (first byte even: a table, odd: an NPZ archive):
 * rejected, or each row has a class, classes are in order, and both ways to split the rows respect them
 * and give finite values. */
#include "fuzz_file.h"
#include "lab/sets/adbench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64, PATH_CAPACITY = 64 };

static char folder[] = "/tmp/puad-fuzz-XXXXXX";
static char archive[PATH_CAPACITY];

static void require(bool condition)
{
    if (!condition) abort();
}

static void clean_up(void)
{
    unlink(archive);
    rmdir(folder);
}

/* A name with the extension of an archive. */
static const char *archive_path(const char *file)
{
    if (*archive) return archive;
    require(mkdtemp(folder) != NULL);
    snprintf(archive, sizeof archive, "%s/f.npz", folder);
    require(symlink(file, archive) == 0);
    atexit(clean_up);
    return archive;
}

static void check_classes(const file_set *files)
{
    size_t all = 0;
    int count = files->about.class_count;
    require(count >= 2 && count <= FILE_CLASSES_MAX);
    for (int i = 0; i < count; i++) {
        require(files->class_rows[i] > 0 && files->class_names[i][0]);
        all += files->class_rows[i];
        for (int k = 0; k < i; k++) require(strcmp(files->class_names[i], files->class_names[k]) != 0);
    }
    require(all == files->rows.rows);
    for (size_t i = 0; i < all; i++) require(files->classes[i] >= 0 && files->classes[i] < count);
}

static void check_rows(const dataset *part, size_t rows)
{
    require(part->rows == rows);
    for (size_t i = 0; i < rows * part->columns; i++) require(isfinite(part->values[i]));
}

static void check_split(const split *made, size_t rows)
{
    for (size_t i = 0; i < made->plan.train_count; i++) require(made->plan.train_rows[i] < rows);
    for (size_t i = 0; i < made->plan.test_count; i++) require(made->plan.test_rows[i] < rows);
    require(made->plan.alpha_u >= 0 && made->plan.alpha_u <= 1);
    check_rows(&made->train, made->plan.train_count);
    check_rows(&made->test, made->plan.test_count);
}

static void divide(file_set *files)
{
    split_request request = {.normal = ONE(0),
                             .unseen = files->about.class_count > 2 ? ONE(1) : 0,
                             .train_normal = 2,
                             .train_hidden = 1,
                             .train_labeled = 1,
                             .test_rows = {10, 10, 10},
                             .seed = 1,
                             .side = 32};
    AUTO_SPLIT split made = {0}, few = {0};
    if (file_set_split(&made, files, &request) == PUAD_OK) check_split(&made, files->rows.rows);
    if (files->rows.image) return;
    adbench_request shares = {.normal = ONE(0), .share = 0.1, .seed = 1};
    if (adbench_split(&few, files, &shares) == PUAD_OK) check_split(&few, files->rows.rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1) return 0;
    const char *path = fuzz_file(bytes + 1, size - 1);
    if (!path) return 0;
    char name[PATH_CAPACITY];
    snprintf(name, sizeof name, "%s", bytes[0] % 2 ? archive_path(path) : path);
    file_choice what = {.path = name};
    file_set read = {.about = {.name = "fuzz", .reader = &set_reader_file}, .path = name};
    if (file_set_read(&read, &what) == PUAD_OK) {
        check_classes(&read);
        if (read.rows.columns <= COLUMNS_MAX) divide(&read);
    }
    dataset_free(&read.rows);
    arena_free(&read.memory);
    return 0;
}
