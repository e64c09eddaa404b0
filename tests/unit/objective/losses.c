/* The loss pairs at given values. */
#include "objective/objective.h"
#include "test.h"

static puad_losses losses_at(const char *name, double score)
{
    puad_losses out = {NAN, NAN, NAN, NAN};
    const puad_loss_pair *pair = puad_loss_pair_find(name);
    if (pair) pair->evaluate(pair->context, &out, score);
    return out;
}

TEST(reconstruction_at_zero_is_finite)
{
    puad_losses at = losses_at("reconstruction", 0);
    CHECK_NEAR(at.neg, 0, 0);
    CHECK_NEAR(at.neg_slope, 1, 0);
    CHECK_NEAR(at.pos, 13.815511057964274, 1e-12); /* -log(-expm1(-1e-6)) */
    CHECK_NEAR(at.pos_slope, -999999.5000000833, 1e-6);
}

TEST(reconstruction_at_ordinary_and_large_scores)
{
    puad_losses at = losses_at("reconstruction", 1);
    CHECK_NEAR(at.pos, -log(1 - exp(-1.000001)), 1e-14);
    CHECK_NEAR(at.pos_slope, -1 / (exp(1.000001) - 1), 1e-14);
    at = losses_at("reconstruction", 50); /* 1 - exp(-50) is 1 in double; the loss is not 0 */
    CHECK_NEAR(at.pos / exp(-50.000001), 1, 1e-14);
    CHECK(at.pos_slope < 0);
    at = losses_at("reconstruction", 1000);
    CHECK_NEAR(at.pos, 0, 0);
    CHECK_NEAR(at.pos_slope, 0, 0);
}

TEST(reconstruction_is_smooth_where_its_two_forms_meet)
{
    double meet = M_LN2 - 1e-6;
    puad_losses below = losses_at("reconstruction", nextafter(meet, 0)),
                above = losses_at("reconstruction", meet + 1e-15);
    CHECK_NEAR(below.pos, above.pos, 1e-14);
    CHECK_NEAR(below.pos_slope, above.pos_slope, 1e-13);
}

TEST(distance_at_stated_scores)
{
    puad_losses at = losses_at("distance", 0);
    CHECK_NEAR(at.neg, 0, 0);
    CHECK_NEAR(at.pos, 1e6, 1e-9);
    CHECK_NEAR(at.pos_slope / -1e12, 1, 1e-14);
    at = losses_at("distance", 4);
    CHECK_NEAR(at.neg, 4, 0);
    CHECK_NEAR(at.pos, 1 / 4.000001, 1e-15);
    CHECK_NEAR(at.pos_slope, -1 / (4.000001 * 4.000001), 1e-15);
}

TEST(logit_at_stated_scores)
{
    puad_losses at = losses_at("logit", 0);
    CHECK_NEAR(at.neg, 0.5, 0);
    CHECK_NEAR(at.pos, 0.5, 0);
    CHECK_NEAR(at.neg_slope, 0.25, 0);
    CHECK_NEAR(at.pos_slope, -0.25, 0);
    at = losses_at("logit", -3);
    CHECK_NEAR(at.neg, 1 / (1 + exp(3)), 1e-16);
    CHECK_NEAR(at.pos, 1 / (1 + exp(-3)), 1e-15);
    at = losses_at("logit", -1e30);
    CHECK_NEAR(at.neg, 0, 0);
    CHECK_NEAR(at.pos, 1, 0);
    CHECK_NEAR(at.neg_slope, 0, 0);
}

TEST(a_negative_score_has_the_anomaly_loss_of_zero)
{
    CHECK_NEAR(losses_at("distance", -5).pos, losses_at("distance", 0).pos, 0);
    CHECK_NEAR(losses_at("reconstruction", -5).pos_slope, losses_at("reconstruction", 0).pos_slope, 0);
}

TEST(an_unknown_head_has_no_losses)
{
    CHECK(puad_loss_pair_find("reconstruct") == NULL);
}
