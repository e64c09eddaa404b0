/* Lists: options, methods, networks, versions; and metrics of <puad/metrics.h>. */
#include "cli/library_values.h"
#include "fitted.h"

TEST(every_option_has_type_bounds_default_and_group)
{
    size_t epochs = puad_option_find("epochs"), calibrate = puad_option_find("calibrate");
    CHECK_INT(option_at(epochs).type, PUAD_OPTION_INTEGER);
    CHECK(strcmp(option_at(epochs).standard, "200") == 0);
    CHECK_NEAR(option_at(epochs).min, 0, 0);
    CHECK_NEAR(option_at(epochs).max, 1e6, 0);
    CHECK_INT(option_at(epochs).group, PUAD_GROUP_FIT);
    CHECK(strcmp(option_at(epochs).value_name, "N") == 0 && option_at(epochs).bare == NULL);
    CHECK(option_at(calibrate).bare != NULL); /* its value may be omitted */
    for (size_t i = 0; i < puad_option_count(); i++) {
        CHECK_INT(puad_option_find(option_at(i).name), i);
        CHECK(option_at(i).help[0] != 0);
        CHECK(option_at(i).type != PUAD_OPTION_CHOICE || strchr(option_at(i).choices, '|'));
    }
    puad_option past = {.struct_size = sizeof past};
    puad_network network = {.struct_size = sizeof network};
    CHECK_FAILS(puad_option_at(&past, puad_option_count()), PUAD_INVALID, "option");
    CHECK_FAILS(puad_network_at(&network, 99), PUAD_INVALID, "99");
}

TEST(flags_are_set_and_taken_back)
{
    puad_options *options = NULL;
    CHECK_OK(puad_options_new(&options));
    CHECK_OK(puad_options_set(options, "force", "yes"));
    CHECK(puad_options_entry(options, "force", 0));
    CHECK_OK(puad_options_set(options, "force", NULL));
    CHECK(!puad_options_entry(options, "force", 0));
    puad_options_free(options);
}

TEST(methods_and_networks_have_names_and_titles)
{
    size_t methods = 0, networks = 0;
    bool found = false;
    for (; method_at(methods).name; methods++) {
        CHECK(method_at(methods).title[0] != 0);
        CHECK(method_at(methods).head && method_at(methods).objective);
        if (strcmp(method_at(methods).name, "pusvdd") != 0) continue;
        found = true;
        CHECK(strcmp(method_at(methods).head, "distance") == 0);
        CHECK(strcmp(method_at(methods).objective, "pu_abs") == 0);
    }
    for (; network_at(networks).name; networks++) CHECK(network_at(networks).title[0] != 0);
    CHECK(found && methods >= 15 && networks >= 2);
    CHECK(!method_at(methods).title && !method_at(methods).head && !method_at(methods).objective);
    CHECK(!network_at(networks).title);
}

TEST(the_version_is_that_of_the_header)
{
    CHECK(strcmp(puad_version(), PUAD_VERSION_TEXT) == 0);
    CHECK_TEXT(puad_version(), PUAD_VERSION_TEXT);
    CHECK(strcmp(puad_status_name(PUAD_FORMAT), "PUAD_FORMAT") == 0);
}

TEST(a_curve_by_hand)
{
    const float scores[] = {4, 3, 3, 2, 1, 0};
    const int8_t truth[] = {1, 1, 0, 0, 1, 0};
    puad_roc *curve = NULL;
    CHECK_OK(puad_roc_new(&curve, scores, truth, 6));
    CHECK_INT(roc_metrics(curve).anomalies, 3);
    CHECK_INT(roc_metrics(curve).normals, 3);
    CHECK_NEAR(roc_metrics(curve).auroc, (3 + 2.5 + 1) / 9, 1e-12);
    CHECK_NEAR(roc_metrics(curve).average_precision, (1 + 2.0 / 3 + 3.0 / 5) / 3, 1e-12);
    CHECK_NEAR(puad_roc_tpr_at_fpr(curve, 0.01), 1.0 / 3, 1e-12);
    CHECK_NEAR(puad_roc_tpr_at_fpr(curve, 0.4), 2.0 / 3, 1e-12);
    CHECK_INT(roc_metrics(curve).points, 6); /* nothing, and five different scores */
    CHECK(isinf(roc_point(curve, 0).threshold) && roc_point(curve, 2).threshold == 3);
    CHECK_NEAR(roc_point(curve, 2).fpr, 1.0 / 3, 1e-12);
    puad_roc_point past = {.struct_size = sizeof past};
    CHECK_FAILS(puad_roc_at(curve, &past, roc_metrics(curve).points), PUAD_INVALID, "point");
    CHECK_NEAR(roc_point(curve, 2).tpr, 2.0 / 3, 1e-12);
    CHECK_NEAR(roc_point(curve, 5).tpr, 1, 0);
    puad_roc_free(curve);
    CHECK_FAILS(puad_roc_new(&curve, (const float[]){NAN}, truth, 1), PUAD_NUMERIC, "row 0");
}
