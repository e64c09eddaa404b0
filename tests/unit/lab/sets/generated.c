/* Generated sets: the same bytes everywhere, the toy set as the paper draws it. */
#include "lab/sets/split.h"
#include "test.h"

#include <zlib.h>

static raw_set open_set(const char *name, uint64_t seed)
{
    raw_set set = {0};
    const set_row *about = NULL;
    if (set_find(&about, name) != PUAD_OK || set_read(&set, about, "/nowhere", seed) != PUAD_OK)
        TEST_FAIL("%s", puad_last_error());
    return set;
}

TEST(glyphs_have_the_same_bytes_on_every_machine)
{
    AUTO_RAW_SET raw_set set = open_set("glyphs", 0);
    CHECK_INT(set.parts[PART_TRAIN].rows, 60000);
    CHECK_INT(set.parts[PART_TEST].rows, 10000);
    uint8_t pixels[32 * 32];
    uLong sum = crc32(0, NULL, 0);
    for (int part = 0; part < PART_COUNT; part++)
        for (size_t row = 0; row < 200; row++) {
            raw_set_row(pixels, &set, part, row);
            sum = crc32(sum, pixels, sizeof pixels);
        }
    CHECK_INT(sum, 2097115060);
}

TEST(every_glyph_is_drawn_inside_the_picture_and_no_two_are_equal)
{
    AUTO_RAW_SET raw_set set = open_set("glyphs", 0);
    uint8_t pixels[32 * 32], before[32 * 32] = {0};
    for (size_t row = 0; row < 1000; row++) {
        raw_set_row(pixels, &set, PART_TRAIN, row);
        int ink = 0, border = 0;
        for (int i = 0; i < 32 * 32; i++) {
            ink += pixels[i] > 120;
            border += pixels[i] > 120 && (i % 32 == 0 || i % 32 == 31 || i / 32 == 0 || i / 32 == 31);
        }
        CHECK(ink >= 12 && ink < 450);
        CHECK(border < 40);
        CHECK(memcmp(pixels, before, sizeof pixels) != 0);
        memcpy(before, pixels, sizeof pixels);
    }
}

TEST(the_toy_set_has_the_papers_sizes_and_shape)
{
    AUTO_RAW_SET raw_set set = open_set("toy", 3);
    AUTO_SPLIT split parts = {0};
    split_request request = split_standard(set.about, ONE(1), 3);
    CHECK_OK(split_make(&parts, &set, &request));
    CHECK_INT(parts.plan.train_normal, 900);
    CHECK_INT(parts.plan.train_hidden, 80);
    CHECK_INT(parts.plan.train_labeled, 20);
    CHECK(!parts.train.image);
    CHECK_INT(parts.train.columns, 2);
    CHECK(!parts.plan.reduced);
    double off = 0, off_square = 0, blob = 0, blob_square = 0;
    int sides = 0;
    for (size_t i = 0; i < 1000; i++) {
        double x = parts.train.values[2 * i], y = parts.train.values[2 * i + 1];
        if (parts.plan.train_truth[i] == 0) {
            double row = (double)parts.plan.train_rows[i], place = -M_PI + 2 * M_PI * row / 899;
            off += (x - place) / 0.1;
            off_square += pow((x - place) / 0.1, 2) / 2 + pow((y / 3 - sin(place)) / 0.2, 2) / 2;
        } else {
            double sign = x < 0 ? -1 : 1;
            sides += x < 0;
            blob += (x - sign * M_PI / 2 + y + sign * M_PI / 2) / 2;
            blob_square += pow(x - sign * M_PI / 2, 2) / 2 + pow(y + sign * M_PI / 2, 2) / 2;
        }
    }
    CHECK_NEAR(off / 900, 0, 0.15);
    CHECK_NEAR(off_square / 900, 1, 0.12);
    CHECK_INT(sides, 50);
    CHECK_NEAR(blob / 100, 0, 0.1);
    CHECK_NEAR(blob_square / 100, 0.1, 0.03);
}

TEST(another_seed_gives_another_toy_set_and_the_same_seed_the_same)
{
    AUTO_RAW_SET raw_set first = open_set("toy", 1), same = open_set("toy", 1), other = open_set("toy", 2);
    float a[2], b[2], c[2];
    raw_set_row(a, &first, PART_TRAIN, 5);
    raw_set_row(b, &same, PART_TRAIN, 5);
    raw_set_row(c, &other, PART_TRAIN, 5);
    CHECK(a[0] == b[0] && a[1] == b[1]);
    CHECK(a[0] != c[0]);
}

TEST(titles_of_generated_sets_contain_synthetic)
{
    size_t count;
    const set_row *rows = sets_all(&count);
    for (size_t i = 0; i < count; i++)
        CHECK(rows[i].reader->generated == (strncmp(rows[i].title, "synthetic", 9) == 0));
}

TEST(every_set_has_as_many_names_as_classes_and_its_roles_do_not_overlap)
{
    size_t count;
    const set_row *rows = sets_all(&count);
    for (size_t i = 0; i < count; i++) {
        char name[128];
        set_class_name(name, sizeof name, &rows[i], rows[i].class_count - 1);
        CHECK(name[0]);
        set_class_name(name, sizeof name, &rows[i], rows[i].class_count);
        CHECK_TEXT(name, "");
        CHECK(!((rows[i].normals | rows[i].group) & rows[i].unseen));
        CHECK((rows[i].normals | rows[i].group) != 0);
        CHECK(((rows[i].normals | rows[i].group | rows[i].unseen) & ~SPAN(0, rows[i].class_count - 1)) == 0);
    }
}
