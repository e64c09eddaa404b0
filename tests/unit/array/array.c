/* NPY, NPZ and IDX as written by NumPy, zipfile and gzip, and invalid ones. */
#include "array/array.h"
#include "hostile.h"

enum { LIMIT = 1 << 24 };

static void write_files(void)
{
    static bool written;
    if (!written) run_python("tests/unit/array/write_arrays.py");
    written = true;
}

static void expect_elements(const array *actual, const char *name)
{
    char expected_name[128];
    snprintf(expected_name, sizeof expected_name, "%s.expected", name);
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_OK(file_read(&bytes, &size, test_path(expected_name), LIMIT));
    const double *expected = (const double *)bytes;
    CHECK_INT(actual->count, size / sizeof(double));
    size_t wrong = 0;
    for (size_t i = 0; i < actual->count && i < size / sizeof(double); i++)
        wrong += array_get(actual, i) != expected[i];
    if (wrong) TEST_FAIL("%s: %zu of %zu elements are wrong", name, wrong, actual->count);
    free(bytes);
}

TEST(every_numeric_type_byte_order_and_memory_order_is_read)
{
    write_files();
    FILE *listing = fopen(test_path("listing"), "r");
    REQUIRE(listing);
    char name[100];
    int dimensions, files = 0;
    while (fscanf(listing, "%99s %d", name, &dimensions) == 2) {
        AUTO_ARRAY array actual = {0};
        size_t shape[8] = {0};
        for (int d = 0; d < dimensions; d++) REQUIRE(fscanf(listing, "%zu", &shape[d]) == 1);
        if (!strchr(name, '.')) continue; /* a member of the archives */
        CHECK_OK((strstr(name, ".npy") ? npy_read : idx_read)(&actual, test_path(name), LIMIT));
        CHECK_INT(actual.dimensions, dimensions);
        for (int d = 0; d < dimensions; d++) CHECK_INT(actual.shape[d], shape[d]);
        expect_elements(&actual, name);
        files++;
    }
    fclose(listing);
    CHECK_INT(files, 21 * 2 * 4 + 5 + 13);
}

TEST(archives_of_every_kind_give_their_arrays)
{
    write_files();
    const char *const archives[] = {"stored.npz", "packed.npz", "piped.npz", "large.npz", "many.npz"};
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++) {
        AUTO_ARRAY array x = {0}, y = {0};
        CHECK_OK(npz_read(&x, test_path(archives[i]), "X", LIMIT));
        CHECK_OK(npz_read(&y, test_path(archives[i]), "y", LIMIT));
        expect_elements(&x, "X");
        expect_elements(&y, "y");
        char **names = NULL;
        size_t count = 0;
        CHECK_OK(npz_members(&names, &count, test_path(archives[i])));
        CHECK_INT(count, i == 4 ? 11 : 2);
        CHECK_TEXT(names[0], i == 4 ? "0" : "X");
        CHECK_TEXT(names[count - 1], "y");
        free(names);
    }
}

TEST(a_missing_array_is_named_with_the_existing_ones)
{
    write_files();
    AUTO_ARRAY array x = {0};
    CHECK_FAILS(npz_read(&x, test_path("packed.npz"), "Z", LIMIT), PUAD_FORMAT, "packed.npz", "Z", "X, y");
    CHECK_FAILS(npz_read(&x, test_path("lzma.npz"), "X", LIMIT), PUAD_FORMAT, "lzma.npz", "14");
}

TEST(elements_that_are_not_numbers_are_refused_by_name)
{
    write_files();
    AUTO_ARRAY array x = {0};
    CHECK_FAILS(npy_read(&x, test_path("text.npy"), LIMIT), PUAD_FORMAT, "'<U2'");
    CHECK_FAILS(npy_read(&x, test_path("complex.npy"), LIMIT), PUAD_FORMAT, "'<c16'");
    CHECK_FAILS(npy_read(&x, test_path("objects.npy"), LIMIT), PUAD_FORMAT, "'|O'");
    CHECK_FAILS(npy_read(&x, test_path("records.npy"), LIMIT), PUAD_FORMAT, "records.npy", "records");
}

static void expect_texts(const char *name, const char *const *expected, size_t count)
{
    AUTO_ARRAY array y = {0};
    char buffer[ARRAY_TEXT_CAPACITY];
    CHECK_OK(npy_read_labels(&y, test_path(name), LIMIT));
    CHECK_INT(y.count, count);
    for (size_t i = 0; i < count && i < y.count; i++) CHECK_TEXT(array_text(buffer, &y, i), expected[i]);
}

TEST(labels_may_be_texts_of_either_kind_and_order)
{
    write_files();
    expect_texts("text.npy", (const char *const[]){"a", "bc"}, 2);
    expect_texts("big_text.npy",
                 (const char *const[]){"dent", "odd \xc3\xa9", "",
                                       "a\xef\xbf\xbd"
                                       "b"},
                 4);
    expect_texts("bytes.npy", (const char *const[]){"dent", "\xc3\xa9", "\xc3\xa9", ""}, 4);
}

TEST(labels_of_other_kinds_are_refused_with_what_is_expected)
{
    write_files();
    AUTO_ARRAY array y = {0};
    CHECK_FAILS(npy_read_labels(&y, test_path("long_text.npy"), LIMIT), PUAD_FORMAT, "long_text.npy",
                "'<U256'", "255");
    CHECK_FAILS(npy_read_labels(&y, test_path("objects.npy"), LIMIT), PUAD_FORMAT, "objects.npy", "'|O'",
                "astype()");
    CHECK_FAILS(npy_read_labels(&y, test_path("complex.npy"), LIMIT), PUAD_FORMAT, "'<c16'");
}

TEST(more_bytes_than_the_limit_are_refused)
{
    write_files();
    AUTO_ARRAY array x = {0};
    CHECK_FAILS(npz_read(&x, test_path("packed.npz"), "X", 30 * 4 * 8 - 1), PUAD_FORMAT, "packed.npz", "959");
    CHECK_OK(npz_read(&x, test_path("packed.npz"), "X", 30 * 4 * 8));
}

static puad_status read_npy_header(const char *text)
{
    char file[256] = "\x93NUMPY\1\0";
    size_t length = strlen(text);
    file[8] = (char)length;
    memcpy(file + 10, text, length);
    AUTO_ARRAY array x = {0};
    if (file_write(test_path("header.npy"), file, 10 + length) != PUAD_OK) return PUAD_OK;
    return npy_read(&x, test_path("header.npy"), SIZE_MAX);
}

TEST(false_headers_are_rejected_before_allocation)
{
    CHECK_FAILS(read_npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 100000), }"),
                PUAD_FORMAT, "header.npy", "800000000000");
    CHECK_FAILS(
        read_npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"),
        PUAD_FORMAT, "header.npy", "18446744073709551615");
    CHECK_FAILS(
        read_npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }"),
        PUAD_FORMAT, "offset 80");
    CHECK_FAILS(read_npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }"),
                PUAD_FORMAT, "header.npy", "8");
    CHECK_FAILS(read_npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"), PUAD_FORMAT,
                "offset 61");
    CHECK_FAILS(read_npy_header("{'descr': '<f8', 'fortran_order': False}"), PUAD_FORMAT, "descr",
                "fortran_order", "shape");
    CHECK_FAILS(read_npy_header("{'descr': '<f8', 'fortran_order': Maybe, 'shape': ()}"), PUAD_FORMAT,
                "offset 44");
    CHECK_FAILS(read_npy_header("{'descr': '<f8"), PUAD_FORMAT, "offset 20");
    const unsigned char idx[] = {0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    AUTO_ARRAY array x = {0};
    CHECK_OK(file_write(test_path("lying.idx"), idx, sizeof idx));
    CHECK_FAILS(idx_read(&x, test_path("lying.idx"), SIZE_MAX), PUAD_FORMAT, "lying.idx",
                "18446744073709551615");
    CHECK_OK(file_write(test_path("lying.idx"), "\0\0\x08\1\0\0\0\2ab!", 11));
    CHECK_FAILS(idx_read(&x, test_path("lying.idx"), LIMIT), PUAD_FORMAT, "offset 10");
    CHECK_OK(file_write(test_path("lying.idx"), "\0\0\x0a\1\0\0\0\2ab", 10));
    CHECK_FAILS(idx_read(&x, test_path("lying.idx"), LIMIT), PUAD_FORMAT, "offset 2", "0x0a");
}

static puad_status read_npy(const char *path)
{
    AUTO_ARRAY array x = {0};
    return npy_read(&x, path, LIMIT);
}

static puad_status read_npz(const char *path)
{
    AUTO_ARRAY array x = {0};
    AUTO_FREE char **names = NULL;
    size_t count;
    TRY(npz_members(&names, &count, path));
    return npz_read(&x, path, "X", LIMIT);
}

static puad_status read_idx(const char *path)
{
    AUTO_ARRAY array x = {0};
    return idx_read(&x, path, LIMIT);
}

TEST(missing_empty_cut_and_changed_files_are_survived)
{
    write_files();
    expect_missing_empty_and_folder_refused(read_npy, "none.npy");
    expect_missing_empty_and_folder_refused(read_npz, "none.npz");
    expect_missing_empty_and_folder_refused(read_idx, "none.idx");
    expect_cuts_refused(read_npy, test_path("version1.npy"), 200);
    expect_cuts_refused(read_npy, test_path("version2.npy"), 200);
    expect_cuts_refused(read_npz, test_path("stored.npz"), 400);
    expect_cuts_refused(read_npz, test_path("packed.npz"), 400);
    expect_cuts_refused(read_npz, test_path("piped.npz"), 400);
    expect_cuts_refused(read_idx, test_path("idx8.idx"), 200);
    expect_cuts_refused(read_idx, test_path("idx8.idx.gz"), 200);
    expect_changes_survived(read_npy, test_path("version1.npy"), 200);
    expect_changes_survived(read_npz, test_path("piped.npz"), 4000);
    expect_changes_survived(read_idx, test_path("idx14.idx"), 40);
    expect_changes_survived(read_idx, test_path("idx8.idx.gz"), 200);
}

TEST(a_changed_byte_of_a_packed_array_is_noticed)
{
    write_files();
    const char *const archives[] = {"stored.npz", "packed.npz"};
    for (size_t i = 0; i < 2; i++) {
        unsigned char *bytes = NULL;
        size_t size = 0;
        CHECK_OK(file_read(&bytes, &size, test_path(archives[i]), LIMIT));
        bytes[300] ^= 1; /* within the elements of X */
        CHECK_OK(file_write(test_path("changed.npz"), bytes, size));
        free(bytes);
        expect_refused(read_npz, test_path("changed.npz"));
    }
}
