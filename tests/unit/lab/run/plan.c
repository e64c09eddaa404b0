/* From lists of choices to experiments. */
#include "lab/run/plan.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static lab_cell common;

static plan_request request_of(const char *set, const char *method)
{
    common = lab_cell_standard();
    return (plan_request){.datasets = set,
                          .methods = method,
                          .normals = "1",
                          .seeds = "0",
                          .variants = &common,
                          .variant_count = 1};
}

static puad_status expand(size_t *out_count, const plan_request *request)
{
    AUTO_CELLS cell_list cells = {0};
    TRY(plan_expand(&cells, request));
    *out_count = cells.count;
    return PUAD_OK;
}

TEST(numbers_in_lists_are_whole_where_they_count_something)
{
    static const char *const wrong[] = {"1.7", "1e3", "-1", "x", "99999999999999999999"};
    size_t count;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        plan_request request = request_of("glyphs", "pusvdd");
        request.seeds = wrong[i];
        CHECK_FAILS(expand(&count, &request), PUAD_INVALID, wrong[i]);
        request.seeds = "0";
        request.hidden = wrong[i];
        CHECK_FAILS(expand(&count, &request), PUAD_INVALID, wrong[i]);
    }
    plan_request request = request_of("glyphs", "pusvdd");
    request.seeds = "1,7";
    request.hidden = "0,12";
    request.alphas = "0.1,0.25";
    CHECK_OK(expand(&count, &request));
    CHECK_INT(count, 8);
}

TEST(sizes_that_no_set_can_have_are_refused)
{
    plan_request request = request_of("glyphs", "pusvdd");
    size_t count;
    common.normals = 9223372036854775807;
    CHECK_FAILS(expand(&count, &request), PUAD_INVALID, "9223372036854775807");
    common.normals = 4500;
    common.labeled = -1;
    CHECK_FAILS(expand(&count, &request), PUAD_INVALID, "-1");
    common.labeled = 250;
    request.hidden = "4750";
    CHECK_FAILS(expand(&count, &request), PUAD_INVALID, "4750", "250", "5000", "--contamination");
}

TEST(a_list_that_is_given_names_something)
{
    plan_request request = request_of(",", "pusvdd");
    size_t count;
    CHECK_FAILS(expand(&count, &request), PUAD_INVALID, "','");
    request = request_of("glyphs", "pusvdd");
    request.alphas = ",,";
    CHECK_FAILS(expand(&count, &request), PUAD_INVALID, "',,'");
}

TEST(a_class_has_one_name_and_one_role)
{
    plan_request request = request_of("glyphs", "if");
    size_t count;
    request.normals = "bar,1,BAR";
    CHECK_OK(expand(&count, &request));
    CHECK_INT(count, 1);
    request.normals = NULL;
    CHECK_OK(expand(&count, &request));
    CHECK_INT(count, 9);
    common.unseen = "wave";
    CHECK_FAILS(expand(&count, &request), PUAD_INVALID, "'9'", "glyphs");
    request = request_of("cifar100", "if");
    request.normals = "nature,Nature";
    CHECK_OK(expand(&count, &request));
    CHECK_INT(count, 1);
}

TEST(options_with_a_list_are_not_varied)
{
    static const char *const listed[][2] = {{"method=ae", "--methods"},
                                            {"dataset=mnist", "--datasets"},
                                            {"seed=3", "--seed-list"},
                                            {"normal=3", "--normal-class"},
                                            {"alpha=0.3", "--alphas"}};
    AUTO_ARENA arena memory = {0};
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        lab_cell cell = lab_cell_standard(), *variants = &cell;
        size_t count = 1;
        CHECK_FAILS(plan_vary(&variants, &count, listed[i][0], &memory), PUAD_INVALID, listed[i][1]);
    }
    lab_cell cell = lab_cell_standard(), *variants = &cell;
    size_t count = 1;
    CHECK_OK(plan_vary(&variants, &count, "weight=prior,equal", &memory));
    CHECK_INT(count, 2);
    CHECK_FAILS(plan_vary(&variants, &count, "hidden=2.5", &memory), PUAD_FORMAT, "2.5");
}

TEST(methods_named_again_and_again_are_one)
{
    AUTO_CELLS cell_list once = {0}, often = {0};
    plan_request request = request_of("glyphs", "puae");
    CHECK_OK(plan_paper(&once, "ablation", &request));
    char *names = calloc(1000, sizeof "puae,");
    REQUIRE(names);
    for (int i = 0; i < 1000; i++) strcat(names, "puae,");
    request.methods = names;
    CHECK_OK(plan_paper(&often, "ablation", &request));
    CHECK(once.count > 0);
    CHECK_INT(often.count, once.count);
    free(names);
}

TEST(a_list_replaces_only_its_part_of_a_plan)
{
    AUTO_CELLS cell_list contamination = {0}, alphas = {0};
    plan_request request = request_of("glyphs", NULL);
    request.hidden = "0,250";
    request.alpha_from = ALPHA_FROM_ALL;
    CHECK_OK(plan_paper(&contamination, "contamination", &request));
    CHECK_INT(contamination.count, 8); /* deepsad, soel, pusvdd and pusvdd at the other alpha */
    size_t unlabeled = 0;
    for (size_t i = 0; i < contamination.count; i++)
        unlabeled += strcmp(lab_alpha_kind(&contamination.cells[i]), "alpha_U") == 0;
    CHECK_INT(unlabeled, 2);
    request.hidden = "500";
    CHECK_OK(plan_paper(&alphas, "alpha", &request));
    CHECK_INT(alphas.count, 12); /* two methods, six alphas */
}
