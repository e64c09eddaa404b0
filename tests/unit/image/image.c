/* Images as written by Pillow, resizing compared with Pillow and PyTorch, folders of classes, and damaged
 * files. */
#include "image/image.h"
#include "hostile.h"

#include <stdint.h>

static void write_files(void)
{
    static bool written;
    if (!written) run_python("tests/unit/image/write_images.py");
    written = true;
}

TEST(pixels_are_those_that_pillow_reads)
{
    write_files();
    FILE *listing = fopen(test_path("listing"), "r");
    REQUIRE(listing);
    char name[100], expected_name[120];
    int files = 0;
    while (fscanf(listing, "%99s", name) == 1) {
        AUTO_IMAGE image picture = {0}, header = {0};
        AUTO_FREE unsigned char *expected = NULL;
        size_t size = 0;
        snprintf(expected_name, sizeof expected_name, "%s.expected", name);
        CHECK_OK(file_read(&expected, &size, test_path(expected_name), 1 << 24));
        CHECK_OK(image_read(&picture, test_path(name), 0));
        CHECK_OK(image_probe(&header, test_path(name)));
        const int32_t *shape = (const int32_t *)expected;
        REQUIRE(picture.height == shape[0] && picture.width == shape[1] && picture.channels == shape[2]);
        CHECK(header.height == shape[0] && header.width == shape[1] && header.channels == shape[2]);
        size_t wrong = 0;
        for (size_t i = 0; i < size - 12; i++) wrong += picture.pixels[i] != expected[12 + i];
        if (wrong) TEST_FAIL("%s: %zu pixels differ", name, wrong);
        files++;
    }
    fclose(listing);
    CHECK_INT(files, 59);
}

TEST(a_header_behind_a_long_comment_is_found)
{
    write_files();
    image header = {0};
    CHECK_OK(image_probe(&header, test_path("late_header.jpg")));
    CHECK(header.height == 40 && header.width == 30 && header.channels == 3);
}

TEST(channels_are_converted_on_demand)
{
    write_files();
    AUTO_IMAGE image gray = {0}, color = {0}, made_gray = {0}, made_color = {0}, inks = {0};
    CHECK_OK(image_read(&gray, test_path("gray.png"), 1));
    CHECK_OK(image_read(&made_color, test_path("gray.png"), 3));
    CHECK_INT(made_color.channels, 3);
    for (int i = 0; i < 9 * 7 * 3; i++) CHECK_INT(made_color.pixels[i], gray.pixels[i / 3]);
    CHECK_OK(image_read(&color, test_path("color.png"), 3));
    CHECK_OK(image_read(&made_gray, test_path("color.png"), 1));
    CHECK_INT(made_gray.channels, 1);
    for (int i = 0; i < 9 * 7; i++) {
        const uint8_t *c = color.pixels + 3 * i;
        CHECK_NEAR(made_gray.pixels[i], 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2], 0.51);
    }
    CHECK_OK(image_read(&inks, test_path("inks.jpg"), 0));
    CHECK_INT(inks.channels, 3);
}

TEST(resizing_agrees_with_pillow_and_pytorch)
{
    write_files();
    FILE *file = fopen(test_path("resizes"), "rb");
    REQUIRE(file);
    static uint8_t pixels[1 << 16];
    static float actual[32 * 32 * 3], expected[32 * 32 * 3];
    resize *plan = NULL;
    int32_t shape[4];
    int cases = 0;
    while (fread(shape, sizeof shape, 1, file) == 1) {
        size_t count = (size_t)(32 * 32 * shape[2]);
        REQUIRE(fread(pixels, (size_t)(shape[0] * shape[1] * shape[2]), 1, file) == 1);
        CHECK_OK(resize_fit(&plan, shape[0], shape[1], shape[2], 32, 32));
        resize_run(plan, actual, pixels);
        for (int answer = 0; answer < shape[3]; answer++) {
            REQUIRE(fread(expected, count * sizeof(float), 1, file) == 1);
            double worst = 0;
            for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs((double)actual[i] - expected[i]));
            if (!(worst < 1e-5))
                TEST_FAIL("%d x %d x %d, answer %d: off by %g", shape[0], shape[1], shape[2], answer, worst);
        }
        cases++;
    }
    resize_free(plan);
    fclose(file);
    CHECK_INT(cases, 7);
}

TEST(a_folder_per_class_gives_sorted_names_with_classes)
{
    write_files();
    AUTO_IMAGE_NAMES image_names list = {0};
    CHECK_OK(image_list(&list, test_path("classes")));
    CHECK_INT(list.class_count, 2);
    CHECK_TEXT(list.class_names[0], "cat");
    CHECK_TEXT(list.class_names[1], "dog");
    CHECK_INT(list.count, 4);
    const char *const names[] = {"cat/10.png", "cat/9.png", "dog/a.PNG", "dog/b.png"};
    for (int i = 0; i < 4; i++) {
        CHECK_TEXT(list.names[i], names[i]);
        CHECK_INT(list.classes[i], i / 2);
    }
}

static void read_row(float *out, resize **plan, const char *name, int channels)
{
    AUTO_IMAGE image picture = {0};
    CHECK_OK(image_read(&picture, test_path(name), channels));
    CHECK_OK(resize_fit(plan, picture.height, picture.width, channels, 16, 16));
    resize_run(*plan, out, picture.pixels);
}

TEST(a_flat_folder_has_no_classes_and_its_pictures_become_rows_of_one_size)
{
    write_files();
    AUTO_IMAGE_NAMES image_names list = {0};
    CHECK_OK(image_list(&list, test_path("flat")));
    CHECK_INT(list.count, 2);
    CHECK(list.classes == NULL);
    float row[16 * 16 * 3];
    resize *plan = NULL;
    read_row(row, &plan, "flat/1.png", 3);
    for (size_t i = 0; i < 16 * 16; i++) CHECK(row[3 * i] == row[3 * i + 2]);
    read_row(row, &plan, "flat/2.jpg", 1);
    resize_free(plan);
}

TEST(folders_without_pictures_or_with_two_layouts_are_refused)
{
    write_files();
    AUTO_IMAGE_NAMES image_names list = {0};
    CHECK_FAILS(image_list(&list, test_path("no_pictures")), PUAD_FORMAT, "no_pictures", ".png");
    CHECK_FAILS(image_list(&list, test_path("both")), PUAD_FORMAT, "deep");
    CHECK_FAILS(image_list(&list, "/nowhere"), PUAD_IO, "/nowhere");
}

static puad_status read_picture(const char *path)
{
    AUTO_IMAGE image picture = {0};
    return image_read(&picture, path, 0);
}

TEST(missing_empty_cut_and_changed_pictures_are_survived)
{
    write_files();
    expect_missing_empty_and_folder_refused(read_picture, "none.png");
    expect_cuts_refused(read_picture, test_path("gray.png"), 400);
    expect_cuts_refused(read_picture, test_path("palette.png"), 100);
    expect_cuts_refused(read_picture, test_path("color.jpg"), 700);
    expect_cuts_refused(read_picture, test_path("progressive.jpeg"), 300);
    expect_cuts_refused(read_picture, test_path("gray.bmp"), 1400);
    expect_cuts_refused(read_picture, test_path("gray.lzw.tif"), 300);
    expect_cuts_refused(read_picture, test_path("palette.deflate.tif"), 500);
    expect_changes_survived(read_picture, test_path("gray.png"), 200);
    expect_changes_survived(read_picture, test_path("palette.bmp"), 300);
    expect_changes_survived(read_picture, test_path("gray.lzw.tif"), 500);
    expect_changes_survived(read_picture, test_path("gray.bits.tiff"), 500);
    expect_changes_survived(read_picture, test_path("sixteen.deflate.tif"), 300);
    expect_changes_survived(read_picture, test_path("color.jpg"), 800);
    expect_changes_survived(read_picture, test_path("progressive.jpeg"), 400);
}

TEST(a_huge_image_is_rejected_before_allocation)
{
    write_files();
    unsigned char *bytes = NULL;
    size_t size = 0;
    CHECK_OK(file_read(&bytes, &size, test_path("color.jpg"), 1 << 20));
    for (size_t i = 0; i + 9 < size; i++)
        if (bytes[i] == 0xff && bytes[i + 1] == 0xc0) { /* start of frame: height and width follow */
            memcpy(bytes + i + 5, "\xff\xdc\x04\x00", 4);
            break;
        }
    CHECK_OK(file_write(test_path("huge.jpg"), bytes, size));
    free(bytes);
    CHECK_FAILS(read_picture(test_path("huge.jpg")), PUAD_FORMAT, "huge.jpg");
}
