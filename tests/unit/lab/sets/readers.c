/* The official formats as other tools write them, and invalid files. */
#include "hostile.h"
#include "lab/sets/set_readers.h"

static void write_files(void)
{
    static bool written;
    if (!written) run_python("tests/unit/lab/sets/write_sets.py");
    written = true;
}

static void expect_part(const raw_set *set, const char *name, set_part part)
{
    static const char *const parts[] = {"train", "test"};
    AUTO_FREE unsigned char *pixels = NULL, *classes = NULL;
    size_t pixel_bytes = 0, class_bytes = 0;
    char file[128];
    snprintf(file, sizeof file, "%s.%s.pixels", name, parts[part]);
    CHECK_OK(file_read(&pixels, &pixel_bytes, test_path(file), 1 << 24));
    snprintf(file, sizeof file, "%s.%s.classes", name, parts[part]);
    CHECK_OK(file_read(&classes, &class_bytes, test_path(file), 1 << 24));
    const raw_part *actual = &set->parts[part];
    CHECK_INT(actual->rows, class_bytes / sizeof(int32_t));
    CHECK_INT(actual->rows * raw_set_row_size(set), pixel_bytes);
    CHECK(memcmp(actual->classes, classes, class_bytes) == 0);
    CHECK(memcmp(actual->pixels, pixels, pixel_bytes) == 0);
}

static void expect_set(const char *name, const char *folder)
{
    AUTO_RAW_SET raw_set set = {0};
    const set_row *about = NULL;
    CHECK_OK(set_find(&about, name));
    CHECK(set_is_present(NULL, about, test_path(folder)));
    CHECK_OK(set_read(&set, about, test_path(folder), 0));
    expect_part(&set, name, PART_TRAIN);
    expect_part(&set, name, PART_TEST);
}

TEST(mnist_is_read_plain_and_packed)
{
    write_files();
    expect_set("mnist", "data");
    expect_set("mnist", "other");
}

TEST(svhn_is_read_packed_and_plain_and_label_ten_is_digit_zero)
{
    write_files();
    expect_set("svhn", "data");
    expect_set("svhn", "other");
}

TEST(cifar_is_read_from_a_folder_and_from_an_archive)
{
    write_files();
    expect_set("cifar10", "data");
    expect_set("cifar10", "other");
    expect_set("cifar100", "data");
    expect_set("cifar100", "other");
}

TEST(cifar_may_lie_directly_in_its_folder)
{
    write_files();
    char command[600];
    snprintf(command, sizeof command,
             "mkdir -p %s/bare && cp -r %s/data/cifar10/cifar-10-batches-bin %s/bare/cifar10", test_folder(),
             test_folder(), test_folder());
    REQUIRE(system(command) == 0);
    expect_set("cifar10", "bare");
}

TEST(medmnist_sets_are_read_from_either_folder_without_their_validation_part)
{
    write_files();
    expect_set("pathmnist", "data");
    expect_set("octmnist", "data");
    expect_set("tissuemnist", "data");
    expect_set("chestmnist", "data");
}

static puad_status read_cifar10(const char *path)
{
    AUTO_RAW_SET raw_set set = {0};
    TRY(set_find(&set.about, "cifar10"));
    return cifar10_read(&set, path);
}

static puad_status read_cifar100(const char *path)
{
    AUTO_RAW_SET raw_set set = {0};
    TRY(set_find(&set.about, "cifar100"));
    return cifar100_read(&set, path);
}

static puad_status read_svhn(const char *path)
{
    AUTO_RAW_SET raw_set set = {0};
    TRY(set_find(&set.about, "svhn"));
    return svhn_read(&set, PART_TRAIN, path);
}

TEST(archives_in_pax_and_gnu_form_are_read)
{
    write_files();
    CHECK_OK(read_cifar10(test_path("cifar10.tar")));
    CHECK_OK(read_cifar10(test_path("cifar10_gnu.tar")));
    CHECK_FAILS(read_cifar10(test_path("cifar100.tar")), PUAD_FORMAT, "cifar100.tar", "data_batch_1.bin");
}

TEST(errors_in_a_dataset_are_named)
{
    write_files();
    const set_row *path = NULL, *oct = NULL;
    AUTO_RAW_SET raw_set set = {0};
    CHECK_OK(set_find(&path, "pathmnist"));
    CHECK_OK(set_find(&oct, "octmnist"));
    CHECK_FAILS(set_read(&set, path, test_path("other"), 0), PUAD_FORMAT, "pathmnist.npz", "label 9",
                "row 0");
    CHECK_FAILS(set_read(&set, oct, test_path("other"), 0), PUAD_FORMAT, "octmnist.npz", "float32", "uint8");
    CHECK_FAILS(set_read(&set, oct, "/nowhere", 0), PUAD_IO, "/nowhere", "octmnist/octmnist.npz",
                "medmnist/octmnist.npz");
    CHECK(!set_is_present(NULL, oct, "/nowhere"));
    CHECK_FAILS(set_find(&oct, "minst"), PUAD_INVALID, "'minst'");
    CHECK_FAILS(read_svhn(test_path("svhn_wrong_type.mat")), PUAD_FORMAT, "svhn_wrong_type.mat", "X",
                "uint8");
    CHECK_FAILS(read_svhn(test_path("svhn_wrong_rank.mat")), PUAD_FORMAT, "svhn_wrong_rank.mat", "X", "3",
                "4");
    CHECK_FAILS(read_svhn(test_path("svhn_no_labels.mat")), PUAD_FORMAT, "svhn_no_labels.mat", " y ");
    CHECK_FAILS(read_svhn(test_path("svhn_few_labels.mat")), PUAD_FORMAT, "svhn_few_labels.mat", "3", "8");
    CHECK_FAILS(read_svhn(test_path("svhn_version4.mat")), PUAD_FORMAT, "svhn_version4.mat");
}

TEST(missing_empty_cut_and_changed_files_are_survived)
{
    write_files();
    expect_missing_empty_and_folder_refused(read_svhn, "none.mat");
    expect_cuts_refused(read_svhn, test_path("data/svhn/test_32x32.mat"), 300);
    expect_cuts_refused(read_svhn, test_path("other/svhn/test_32x32.mat"), 300);
    expect_changes_survived(read_svhn, test_path("other/svhn/test_32x32.mat"), 360);
    expect_changes_survived(read_svhn, test_path("data/svhn/test_32x32.mat"), 200);
    expect_missing_empty_and_folder_refused(read_cifar100, "none.tar");
    expect_cuts_refused(read_cifar100, test_path("other/cifar100/cifar-100-binary.tar.gz"), 300);
    expect_changes_survived(read_cifar100, test_path("cifar100_gnu.tar"), 700);
    expect_changes_survived(read_cifar100, test_path("cifar100.tar"), 600);
}

TEST(an_archive_that_ends_before_its_last_member_is_refused)
{
    write_files();
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_OK(file_read(&bytes, &size, test_path("cifar100_gnu.tar"), 1 << 24));
    for (size_t cut = 0; cut < 512 * 30; cut += 97) {
        expect_refused(read_cifar100, memory_file(bytes, cut));
    }
    free(bytes);
}

TEST(a_cut_batch_file_is_refused_with_its_size)
{
    write_files();
    const char *path = test_path("data/cifar100/cifar-100-binary/test.bin");
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_OK(file_read(&bytes, &size, path, 1 << 24));
    CHECK_OK(file_write(path, bytes, size - 1));
    CHECK_FAILS(read_cifar100(test_path("data/cifar100/cifar-100-binary")), PUAD_FORMAT, "test.bin",
                "offset 6147", "3074");
    bytes[0] = 20;
    CHECK_OK(file_write(path, bytes, size));
    CHECK_FAILS(read_cifar100(test_path("data/cifar100/cifar-100-binary")), PUAD_FORMAT, "test.bin",
                "label 20", "19");
    bytes[0] = 1;
    CHECK_OK(file_write(path, bytes, size));
    CHECK_OK(read_cifar100(test_path("data/cifar100/cifar-100-binary")));
    free(bytes);
}
