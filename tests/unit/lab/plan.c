/* From lists to cells. */
#include "lab/plan.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static plan_request request_of(const lab_cell *variant)
{
    return (plan_request){.datasets = "glyphs", .seeds = "0", .variants = variant, .variant_count = 1};
}

TEST(methods_named_again_and_again_are_one)
{
    AUTO_CELLS cell_list once = {0}, often = {0};
    lab_cell standard = lab_cell_standard();
    plan_request request = request_of(&standard);
    request.methods = "puae";
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

TEST(a_list_beside_a_plan_leaves_the_rest_of_the_plan)
{
    AUTO_CELLS cell_list contamination = {0}, alphas = {0};
    lab_cell standard = lab_cell_standard();
    plan_request request = request_of(&standard);
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
