/* A container with a checksum is rejected if any bit of its contents is flipped; one without is read. */
#include "io/safetensors.h"

#include "base/file.h"
#include "test.h"

static const float weights[] = {1, 2, 3, 4, 5, 6};
static const uint64_t keys[] = {11, 12};

static void make_sample(const char *path, bool sum)
{
    AUTO_SAFETENSORS safetensors file = {0};
    CHECK_OK(safetensors_add(&file, "weights", TENSOR_F32, weights, 2, (size_t[]){2, 3}));
    CHECK_OK(
        safetensors_add(&file, "keys", TENSOR_U64, keys, 1, (size_t[]){2})); /* lies before the weights */
    CHECK_OK(safetensors_add(&file, "nothing", TENSOR_F32, NULL, 1, (size_t[]){0}));
    CHECK_OK(safetensors_add_text(&file, "method", "ae"));
    if (sum) CHECK_OK(safetensors_add_checksum(&file));
    CHECK_OK(safetensors_write(&file, path, true));
}

TEST(a_whole_file_and_one_without_a_checksum_are_read)
{
    for (int sum = 0; sum < 2; sum++) {
        AUTO_SAFETENSORS safetensors file = {0};
        make_sample(test_path("whole"), sum);
        CHECK_OK(safetensors_open(&file, test_path("whole"), 1 << 20));
        CHECK(!safetensors_text(&file, "checksum") == !sum);
        CHECK_OK(safetensors_check(&file));
    }
}

TEST(a_flipped_bit_of_a_tensor_or_a_text_is_found)
{
    AUTO_FREE unsigned char *bytes = NULL;
    size_t size, found = 0;
    make_sample(test_path("flipped"), true);
    CHECK_OK(file_read(&bytes, &size, test_path("flipped"), 1 << 20));
    size_t data = size - sizeof weights - sizeof keys;
    for (size_t i = data; i < size; i++)
        for (unsigned flip = 1; flip < 256; flip *= 2) {
            bytes[i] ^= (unsigned char)flip;
            AUTO_SAFETENSORS safetensors file = {0};
            CHECK_OK(safetensors_parse(&file, bytes, size, "flipped file"));
            CHECK_FAILS(safetensors_check(&file), PUAD_FORMAT, "checksum");
            bytes[i] ^= (unsigned char)flip;
            found++;
        }
    CHECK_INT(found, 8 * (sizeof weights + sizeof keys));
    char *text = strstr((char *)bytes + 8, "\"ae\"");
    REQUIRE(text);
    text[1] = 'd';
    AUTO_SAFETENSORS safetensors file = {0};
    CHECK_OK(safetensors_parse(&file, bytes, size, "flipped file"));
    CHECK_FAILS(safetensors_check(&file), PUAD_FORMAT, "checksum");
}

TEST(two_tensors_that_changed_places_are_found)
{
    AUTO_SAFETENSORS safetensors first = {0}, second = {0};
    for (int swapped = 0; swapped < 2; swapped++) {
        safetensors *file = swapped ? &second : &first;
        CHECK_OK(safetensors_add(file, swapped ? "b" : "a", TENSOR_F32, weights, 1, (size_t[]){3}));
        CHECK_OK(safetensors_add(file, swapped ? "a" : "b", TENSOR_F32, weights + 3, 1, (size_t[]){3}));
        CHECK_OK(safetensors_add_checksum(file));
    }
    CHECK(strcmp(safetensors_text(&first, "checksum"), safetensors_text(&second, "checksum")) != 0);
}
