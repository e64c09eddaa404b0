/* The list of detectors. */
#include "detector/model/detectors.h"
#include "test.h"

TEST(every_row_names_parts_that_exist)
{
    size_t count = 0;
    for (const detector_kind *kind; (kind = detector_kind_at(count)); count++) {
        CHECK(detector_kind_objective(kind) != NULL);
        CHECK(detector_kind_has_network(kind) == (detector_kind_parts(kind) == 0));
        CHECK(detector_kind_find(kind->name) == kind);
        CHECK(strstr(detector_kind_names(), kind->name) != NULL);
        CHECK(kind->noise == 0 || strcmp(kind->head, "reconstruction") == 0);
    }
    CHECK(count > 30);
    CHECK(detector_kind_find("pusvd") == NULL);
}

TEST(names_read_as_a_list)
{
    CHECK(strncmp(detector_kind_names(), "committee, puforest, nearest, recurrence, if, ", 46) == 0);
}

TEST(detectors_are_head_x_objective)
{
    const detector_kind *kind = detector_kind_find("pusvdd");
    REQUIRE(kind);
    CHECK_TEXT(detector_kind_losses(kind)->name, "distance");
    CHECK_TEXT(detector_kind_objective(kind)->name, "pu_abs");
    CHECK_NEAR(detector_kind_find("pudae")->noise, 0.1, 0);
    CHECK(!detector_kind_has_network(detector_kind_find("if")));
}

TEST(a_detector_reports_labels_that_it_cannot_use)
{
    char text[200];
    CHECK(detector_kind_unused_labels(text, sizeof text, detector_kind_find("if"), 5, 0));
    CHECK_TEXT(text, "if cannot use the 5 labeled anomalies");
    CHECK(!detector_kind_unused_labels(text, sizeof text, detector_kind_find("pnuae"), 5, 5));
    CHECK(!detector_kind_unused_labels(text, sizeof text, detector_kind_find("ae"), 0, 0));
}
