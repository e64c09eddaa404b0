/* What can be enumerated: options, methods, networks, versions; and figures of <puad/metrics.h>. */
#include "fitted.h"

TEST(every_option_tells_its_type_bounds_default_and_group)
{
    size_t epochs = puad_option_find("epochs"), calibrate = puad_option_find("calibrate");
    CHECK_INT(puad_option_type_of(epochs), PUAD_OPTION_INTEGER);
    CHECK(strcmp(puad_option_default(epochs), "200") == 0);
    CHECK_NEAR(puad_option_least(epochs), 0, 0);
    CHECK_NEAR(puad_option_most(epochs), 1e6, 0);
    CHECK_INT(puad_option_group_of(epochs), PUAD_GROUP_FIT);
    CHECK(strcmp(puad_option_value(epochs), "N") == 0 && puad_option_bare(epochs) == NULL);
    CHECK(puad_option_bare(calibrate) != NULL); /* it may be named without a value */
    for (size_t i = 0; i < puad_option_count(); i++) {
        CHECK_INT(puad_option_find(puad_option_name(i)), i);
        CHECK(puad_option_help(i)[0] != 0);
        CHECK(puad_option_type_of(i) != PUAD_OPTION_CHOICE || strchr(puad_option_choices(i), '|'));
    }
    size_t none = puad_option_count();
    CHECK(!puad_option_name(none) && !puad_option_help(none) && !puad_option_default(none) &&
          !puad_option_value(none) && !puad_option_bare(none));
    CHECK_NEAR(puad_option_least(none), 0, 0);
    CHECK_NEAR(puad_option_most(none), 0, 0);
}

TEST(flags_are_set_and_taken_back)
{
    puad_options *options = NULL;
    CHECK_OK(puad_options_new(&options));
    CHECK_OK(puad_options_set_flag(options, "force", 1));
    CHECK(puad_options_is_set(options, "force"));
    CHECK_OK(puad_options_set_flag(options, "force", 0));
    CHECK(!puad_options_is_set(options, "force"));
    CHECK_FAILS(puad_options_set_flag(options, "epochs", 1), PUAD_INVALID, "epochs");
    puad_options_free(options);
}

TEST(methods_and_networks_have_names_and_titles)
{
    size_t methods = 0, networks = 0;
    bool found = false;
    for (; puad_method_name(methods); methods++) {
        CHECK(puad_method_title(methods)[0] != 0);
        CHECK(puad_method_head(methods) && puad_method_objective(methods));
        if (strcmp(puad_method_name(methods), "pusvdd") != 0) continue;
        found = true;
        CHECK(strcmp(puad_method_head(methods), "distance") == 0);
        CHECK(strcmp(puad_method_objective(methods), "pu_abs") == 0);
    }
    for (; puad_network_name(networks); networks++) CHECK(puad_network_title(networks)[0] != 0);
    CHECK(found && methods >= 15 && networks >= 2);
    CHECK(!puad_method_title(methods) && !puad_method_head(methods) && !puad_method_objective(methods));
    CHECK(!puad_network_title(networks));
}

TEST(the_version_is_that_of_the_header)
{
    CHECK(strcmp(puad_version(), PUAD_VERSION_TEXT) == 0);
    CHECK_INT(puad_version_number(), PUAD_VERSION_NUMBER);
    CHECK(strcmp(puad_status_name(PUAD_FORMAT), "PUAD_FORMAT") == 0);
}

TEST(a_curve_by_hand)
{
    const float scores[] = {4, 3, 3, 2, 1, 0};
    const int8_t truth[] = {1, 1, 0, 0, 1, 0};
    puad_roc *curve = NULL;
    CHECK_OK(puad_roc_new(&curve, scores, truth, 6));
    CHECK_INT(puad_roc_anomalies(curve), 3);
    CHECK_INT(puad_roc_normals(curve), 3);
    CHECK_NEAR(puad_roc_auroc(curve), (3 + 2.5 + 1) / 9, 1e-12);
    CHECK_NEAR(puad_roc_average_precision(curve), (1 + 2.0 / 3 + 3.0 / 5) / 3, 1e-12);
    CHECK_NEAR(puad_roc_tpr_at_fpr(curve, 0.01), 1.0 / 3, 1e-12);
    CHECK_NEAR(puad_roc_tpr_at_fpr(curve, 0.4), 2.0 / 3, 1e-12);
    CHECK_INT(puad_roc_points(curve), 6); /* nothing, and five different scores */
    CHECK(isinf(puad_roc_threshold(curve, 0)) && puad_roc_threshold(curve, 2) == 3);
    CHECK_NEAR(puad_roc_fpr(curve, 2), 1.0 / 3, 1e-12);
    CHECK_NEAR(puad_roc_tpr(curve, 2), 2.0 / 3, 1e-12);
    CHECK_NEAR(puad_roc_tpr(curve, 5), 1, 0);
    puad_roc_free(curve);
    CHECK_FAILS(puad_roc_new(&curve, (const float[]){NAN}, truth, 1), PUAD_NUMERIC, "row 0");
}
