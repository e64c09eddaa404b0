/* Written files are read back; damaged bytes are harmless. tests/parity/test_safetensors.py compares the
 * layout with numpy and tests invalid headers. */
#include "io/safetensors.h"
#include "base/file.h"
#include "test.h"

static const float weights[] = {1, 2, 3, 4, 5, 6};
static const unsigned char marks[] = {9, 8, 7};

static void make_sample(const char *path)
{
    AUTO_SAFETENSORS safetensors file = {0};
    CHECK_OK(safetensors_add(&file, "marks", TENSOR_U8, marks, 1, (size_t[]){3}));
    CHECK_OK(safetensors_add(&file, "weights", TENSOR_F32, weights, 2, (size_t[]){2, 3}));
    CHECK_OK(safetensors_add_text(&file, "method", "ae"));
    CHECK_OK(safetensors_write(&file, path, true));
}

TEST(what_was_written_is_found_by_name)
{
    const char *path = test_path("found");
    make_sample(path);
    AUTO_SAFETENSORS safetensors file = {0};
    CHECK_OK(safetensors_open(&file, path, 1 << 20));
    const stored_tensor *tensor = NULL;
    CHECK_OK(safetensors_require(&tensor, &file, "weights", TENSOR_F32, 2, (size_t[]){2, SIZE_MAX}));
    CHECK_INT(tensor->count, 6);
    CHECK(memcmp(tensor->data, weights, sizeof weights) == 0);
    CHECK_OK(safetensors_require(&tensor, &file, "marks", TENSOR_U8, 1, (size_t[]){3}));
    CHECK(memcmp(tensor->data, marks, sizeof marks) == 0);
    CHECK_TEXT(safetensors_text(&file, "method"), "ae");
    CHECK(safetensors_text(&file, "Method") == NULL && safetensors_find(&file, "mark") == NULL);
}

TEST(a_tensor_that_is_not_as_expected_is_described)
{
    const char *path = test_path("described"), *text;
    make_sample(path);
    AUTO_SAFETENSORS safetensors file = {0};
    CHECK_OK(safetensors_open(&file, path, 1 << 20));
    const stored_tensor *tensor;
    CHECK_FAILS(safetensors_require(&tensor, &file, "weights", TENSOR_F32, 2, (size_t[]){3, SIZE_MAX}),
                PUAD_FORMAT, "'weights'", "F32 [2, 3]", "F32 [3, any]");
    CHECK_FAILS(safetensors_require(&tensor, &file, "weights", TENSOR_F64, 2, (size_t[]){2, 3}), PUAD_FORMAT,
                "F32 [2, 3]", "F64 [2, 3]");
    CHECK_FAILS(safetensors_require(&tensor, &file, "center", TENSOR_F32, 1, (size_t[]){128}), PUAD_FORMAT,
                "'center'", "F32 [128]");
    CHECK_FAILS(safetensors_require_text(&text, &file, "seed"), PUAD_FORMAT, "'seed'");
}

TEST(the_same_content_gives_the_same_bytes)
{
    const char *first = test_path("first"), *second = test_path("second");
    AUTO_FREE unsigned char *a = NULL, *b = NULL;
    size_t a_size, b_size;
    make_sample(first);
    make_sample(second);
    CHECK_OK(file_read(&a, &a_size, first, 1 << 20));
    CHECK_OK(file_read(&b, &b_size, second, 1 << 20));
    CHECK(a_size == b_size && memcmp(a, b, a_size) == 0);
}

TEST(names_are_taken_once)
{
    AUTO_SAFETENSORS safetensors file = {0};
    CHECK_OK(safetensors_add(&file, "x", TENSOR_U8, marks, 1, (size_t[]){3}));
    CHECK_FAILS(safetensors_add(&file, "x", TENSOR_U8, marks, 1, (size_t[]){3}), PUAD_INVALID, "'x'");
    CHECK_FAILS(safetensors_add(&file, "__metadata__", TENSOR_U8, marks, 1, (size_t[]){3}), PUAD_INVALID,
                "'__metadata__'");
    CHECK_FAILS(safetensors_add(&file, "y", TENSOR_F32, marks, 2, (size_t[]){SIZE_MAX / 2, 3}), PUAD_INVALID,
                "'y'");
    CHECK_FAILS(safetensors_add(&file, "y", TENSOR_F32, marks, 9, (size_t[9]){0}), PUAD_INVALID, "'y'", "9",
                "8");
    CHECK_OK(safetensors_add_text(&file, "x", "1"));
    CHECK_FAILS(safetensors_add_text(&file, "x", "2"), PUAD_INVALID, "'x'");
}

TEST(an_empty_container_is_a_file)
{
    const char *path = test_path("empty");
    AUTO_SAFETENSORS safetensors file = {0}, back = {0};
    CHECK_OK(safetensors_write(&file, path, true));
    CHECK_OK(safetensors_open(&back, path, 1 << 20));
    CHECK_INT(back.tensor_count + back.text_count, 0);
}

TEST(every_cut_is_refused_and_no_changed_byte_does_harm)
{
    const char *path = test_path("cut");
    AUTO_FREE unsigned char *bytes = NULL;
    size_t size, refused = 0;
    make_sample(path);
    CHECK_OK(file_read(&bytes, &size, path, 1 << 20));
    for (size_t cut = 0; cut < size; cut++) {
        AUTO_FREE unsigned char *part =
            malloc(cut + 1); /* a separate block, so that a sanitizer sees every overrun */
        memcpy(part, bytes, cut);
        safetensors file;
        CHECK_FAILS(safetensors_parse(&file, part, cut, "cut file"), PUAD_FORMAT, "cut file: ");
    }
    for (size_t i = 0; i < size; i++)
        for (unsigned flip = 1; flip < 256; flip *= 2) {
            bytes[i] ^= (unsigned char)flip;
            AUTO_SAFETENSORS safetensors file = {0};
            refused += safetensors_parse(&file, bytes, size, "changed file") != PUAD_OK;
            bytes[i] ^= (unsigned char)flip;
        }
    CHECK(refused > 500);
}

TEST(a_missing_file_and_one_beyond_the_limit_are_refused)
{
    safetensors file;
    const char *path = test_path("limit");
    make_sample(path);
    CHECK_FAILS(safetensors_open(&file, test_path("absent"), 1 << 20), PUAD_IO, "absent");
    CHECK_FAILS(safetensors_open(&file, path, 100), PUAD_FORMAT, "limit");
}
