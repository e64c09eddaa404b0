/* Audits: the design is reconstructed from its string, the guarantee holds for any labels, and bounds
 * agree with exact distributions. */
#include "audit/audit.h"
#include "base/rng.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000 };

static puad_audit *audit_of(const float *scores, size_t rows, size_t checks, size_t rounds, uint64_t seed)
{
    puad_audit *audit = NULL; /* stays NULL after a failure, which puad_audit_count and others take */
    puad_audit_plan plan = {.struct_size = sizeof plan,
                            .checks = checks,
                            .rounds = rounds,
                            .rate = 0.1,
                            .flag_rate = 0.08,
                            .seed = seed};
    CHECK(puad_audit_new(&audit, scores, rows, &plan) == PUAD_OK);
    return audit;
}

/* Row i has rank i. */
static void falling(float *scores, size_t rows)
{
    for (size_t i = 0; i < rows; i++) scores[i] = -(float)i;
}

static void answer_all(puad_audit *audit, const int8_t *truth)
{
    for (size_t i = 0; i < puad_audit_count(audit); i++) {
        puad_audit_row row = {.struct_size = sizeof row};
        CHECK_OK(puad_audit_get(audit, i, &row));
        CHECK_OK(puad_audit_answer(audit, &row.row, &truth[row.row], 1));
    }
}

static double false_fraction(puad_audit *audit, const int8_t *truth, size_t rows, double *out_limit)
{
    puad_audit_result result = {.struct_size = sizeof result};
    answer_all(audit, truth);
    CHECK(puad_audit_decide(audit, 0, 0, &result) == PUAD_OK);
    size_t flagged = 0, normal = 0;
    for (size_t i = 0; i < rows; i++) {
        if (!puad_audit_flags(audit, i)) continue;
        flagged++;
        normal += truth[i] == PUAD_LABEL_NORMAL;
    }
    CHECK_INT(result.flagged, flagged);
    if (out_limit) *out_limit = result.limit;
    return flagged ? (double)normal / (double)flagged : 0;
}

TEST(the_expected_false_fraction_is_bounded_for_any_labels)
{
    enum { DRAWS = 40 };
    /* A fraction of normal rows in the first ranks, and another after them. */
    static const struct {
        size_t first;
        double above, below;
    } worlds[] = {{1000, 0.12, 0.12}, {1000, 0.3, 0.3}, {40, 0, 1},
                  {80, 0.05, 0.4},    {20, 0.9, 0.05},  {60, 0.1, 0.2}};
    float scores[ROWS];
    int8_t truth[ROWS];
    falling(scores, ROWS);
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++)
        for (size_t checks = 10; checks <= 100; checks = checks == 10 ? 30 : checks == 30 ? 100 : 101) {
            rng draws = rng_make(w, 7);
            for (size_t i = 0; i < ROWS; i++)
                truth[i] =
                    rng_uniform(&draws) < (i < worlds[w].first ? worlds[w].above : worlds[w].below) ? -1 : 1;
            double sum = 0, squares = 0;
            size_t over = 0;
            for (uint64_t seed = 0; seed < DRAWS; seed++) {
                puad_audit *audit = audit_of(scores, ROWS, checks, 1, seed);
                double limit = 0, fraction = false_fraction(audit, truth, ROWS, &limit);
                sum += fraction;
                squares += fraction * fraction;
                over += fraction > limit + 1e-12;
                puad_audit_free(audit);
            }
            double mean = sum / DRAWS, error = sqrt((squares / DRAWS - mean * mean) / DRAWS);
            if (mean > 0.1 + 3 * error || over > 0.1 * DRAWS + 8)
                printf("world %zu, %zu checks: mean %g, over the limit %zu\n", w, checks, mean, over);
            CHECK(mean <= 0.1 + 3 * error);
            CHECK((double)over <= 0.1 * DRAWS + 8);
        }
}

TEST(pure_rows_are_flagged_with_ten_checks)
{
    float scores[ROWS];
    int8_t truth[ROWS];
    falling(scores, ROWS);
    for (size_t i = 0; i < ROWS; i++) truth[i] = i < 100 ? 1 : -1;
    size_t flagging = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        puad_audit *audit = audit_of(scores, ROWS, 10, 1, seed);
        puad_audit_result result = {.struct_size = sizeof result};
        answer_all(audit, truth);
        CHECK_OK(puad_audit_decide(audit, 0, 0, &result));
        flagging += result.flagged > 10;
        puad_audit_free(audit);
    }
    CHECK_INT(flagging, 20);
}

/* Every sample of `sampled` of `outer` rows, of which the first m1 and m2 rows after `inner` are normal. */
static double mean_of_all_samples(const audit_even *rule, size_t m1, size_t m2)
{
    double sum = 0;
    size_t samples = 0;
    for (uint32_t set = 0; set < 1U << rule->outer; set++) {
        if ((size_t)__builtin_popcount(set) != rule->sampled) continue;
        size_t c1 = (size_t)__builtin_popcount(set & ((1U << m1) - 1));
        size_t c2 = (size_t)__builtin_popcount(set >> rule->inner & ((1U << m2) - 1));
        samples++;
        if ((long)(c1 + c2) <= rule->outer_max)
            sum += (double)(m1 + m2 - c1 - c2) / (double)(rule->outer - c1 - c2);
        else if ((long)c1 <= rule->inner_max && rule->inner)
            sum += (double)(m1 - c1) / (double)(rule->inner - c1);
    }
    return sum / (double)samples;
}

TEST(the_fraction_under_even_sampling_is_the_worst_of_all_labels)
{
    static const audit_even rules[] = {{4, 12, 0, 0, -1}, {4, 12, 0, 1, -1}, {4, 12, 7, 1, 0},
                                       {5, 14, 9, 2, 1},  {3, 10, 6, 0, 0},  {6, 13, 4, 0, 1}};
    AUTO_ARENA arena memory = {0};
    double *table;
    CHECK_OK(audit_log_factorials(&table, &memory, 100000));
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        double worst = 0;
        for (size_t m1 = 0; m1 <= rules[i].inner; m1++)
            for (size_t m2 = 0; m2 <= rules[i].outer - rules[i].inner; m2++)
                worst = fmax(worst, mean_of_all_samples(&rules[i], m1, m2));
        CHECK_NEAR(audit_even_fraction(&rules[i], table), worst * 1.002, 1e-9);
    }
    static const double of_ten[] = {0.035, 0.082, 0.136};
    for (long c = 0; c < 3; c++) {
        const audit_even many = {.sampled = 10, .outer = 100000, .outer_max = c, .inner_max = -1};
        CHECK_NEAR(audit_even_fraction(&many, table), of_ten[c], 0.0005);
    }
}

TEST(ten_checks_may_find_a_normal_row)
{
    float scores[ROWS];
    int8_t truth[ROWS];
    falling(scores, ROWS);
    for (size_t i = 0; i < ROWS; i++) truth[i] = i < 70 ? 1 : -1; /* the region has 80 rows */
    size_t flagging = 0;
    double sum = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        puad_audit *audit = audit_of(scores, ROWS, 10, 1, seed);
        puad_audit_result result = {.struct_size = sizeof result};
        sum += false_fraction(audit, truth, ROWS, NULL);
        CHECK_OK(puad_audit_decide(audit, 0, 0, &result));
        flagging += result.flagged > 40;
        puad_audit_free(audit);
    }
    CHECK(flagging > 80);
    CHECK(sum / 100 <= 0.1);
}

TEST(weights_of_equal_rates_are_those_of_a_simple_random_sample)
{
    audit_design design = {.rows = 50, .strata = 2, .region_strata = 2, .ends = {20, 50}, .rates = {1, 1}};
    audit_law law;
    const audit_arrival last = {.time = 0.3, .rank = 49, .row = 49};
    CHECK_OK(audit_law_of(&law, &design, &last, 12));
    CHECK_NEAR(law.weight[0], (49.0 - 12) / 13, 1e-9);
    CHECK_NEAR(law.weight[1], (49.0 - 12) / 13, 1e-9);
    size_t max;
    /* Hypergeometric: with 12 of 49 rows drawn and none of them normal, m normal rows have C(49 - m, 12) /
     * C(49, 12). */
    CHECK_OK(audit_normals_max(&max, &design, &law, 1, 0, 0.1));
    double chance = 1;
    size_t expected = 0;
    for (size_t m = 1; m < 40; m++) {
        chance *= (double)(49 - m + 1 - 12) / (double)(49 - m + 1);
        if (chance > 0.1) expected = m;
    }
    CHECK_INT(max, expected);
}

TEST(rounds_continue_the_same_draw)
{
    float scores[ROWS];
    falling(scores, ROWS);
    puad_audit *one = audit_of(scores, ROWS, 20, 3, 5), *two = audit_of(scores, ROWS, 20, 3, 5);
    CHECK_OK(puad_audit_continue(two));
    CHECK_INT(puad_audit_count(two), 40);
    for (size_t i = 0; i < 20; i++) {
        puad_audit_row a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
        CHECK_OK(puad_audit_get(one, i, &a));
        CHECK_OK(puad_audit_get(two, i, &b));
        CHECK_INT(a.row, b.row);
        CHECK_INT(b.round, 1);
        CHECK(b.probability > a.probability);
    }
    CHECK_OK(puad_audit_continue(two));
    CHECK_INT(puad_audit_continue(two), PUAD_INVALID);
    puad_audit_free(one);
    puad_audit_free(two);
}

TEST(checks_are_denser_at_the_top)
{
    float scores[ROWS];
    falling(scores, ROWS);
    puad_audit *audit = audit_of(scores, ROWS, 100, 1, 0);
    double before = 2;
    for (size_t stratum = 0; stratum < audit->design.strata; stratum++)
        for (size_t i = 0; i < 100; i++) {
            puad_audit_row row = {.struct_size = sizeof row};
            CHECK_OK(puad_audit_get(audit, i, &row));
            if (row.stratum != stratum) continue;
            CHECK(row.probability <= before);
            before = row.probability;
        }
    puad_audit_free(audit);
}

TEST(intervals_of_recall_and_alpha_contain_the_truth)
{
    enum { DRAWS = 60 };
    float scores[ROWS];
    int8_t truth[ROWS];
    falling(scores, ROWS);
    rng draws = rng_make(3, 3);
    size_t all = 0;
    for (size_t i = 0; i < ROWS; i++) {
        truth[i] = rng_uniform(&draws) < (i < 60 ? 0.95 : i < 200 ? 0.3 : 0.02) ? 1 : -1;
        all += truth[i] == 1;
    }
    size_t outside[3] = {0};
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        puad_audit *audit = audit_of(scores, ROWS, 100, 1, seed);
        puad_audit_result result = {.struct_size = sizeof result};
        answer_all(audit, truth);
        CHECK_OK(puad_audit_decide(audit, 0, 0, &result));
        size_t right = 0;
        for (size_t i = 0; i < ROWS; i++) right += puad_audit_flags(audit, i) && truth[i] == 1;
        double recall = (double)right / (double)all, alpha = (double)all / ROWS;
        double precision = (double)right / (double)result.flagged;
        outside[0] += recall < result.recall.low || recall > result.recall.high;
        outside[1] += alpha < result.alpha.low || alpha > result.alpha.high;
        outside[2] += precision < result.precision.low || precision > result.precision.high;
        puad_audit_free(audit);
    }
    for (int k = 0; k < 3; k++) CHECK(outside[k] <= DRAWS / 10 + 8);
}

TEST(a_wrong_plan_is_refused)
{
    float scores[3] = {1, 2, NAN};
    puad_audit *audit = NULL;
    puad_audit_plan plan = {.struct_size = sizeof plan, .checks = 5};
    CHECK_INT(puad_audit_new(&audit, scores, 3, &plan), PUAD_NUMERIC);
    CHECK_INT(puad_audit_new(&audit, scores, 0, &plan), PUAD_INVALID);
    plan.checks = 0;
    CHECK_INT(puad_audit_new(&audit, scores, 2, &plan), PUAD_INVALID);
    plan.checks = 5;
    CHECK_OK(puad_audit_new(&audit, scores, 2, &plan)); /* all rows are checked */
    CHECK_INT(puad_audit_count(audit), 2);
    const size_t row = 1, other = 7;
    const int8_t label = 1;
    CHECK_OK(puad_audit_answer(audit, &row, &label, 1));
    CHECK_INT(puad_audit_answer(audit, &other, &label, 1), PUAD_INVALID);
    puad_audit_result result = {.struct_size = sizeof result};
    CHECK_OK(puad_audit_decide(audit, 0, 0, &result));
    CHECK_INT(result.flagged, 1);
    CHECK_INT(puad_audit_flags(audit, 0), 0);
    CHECK_INT(puad_audit_flags(audit, 1), 1);
    puad_audit_free(audit);
}

static void write_answers(const char *path, const puad_audit *audit)
{
    FILE *file = fopen(path, "w");
    fprintf(file, "row,label,audit\n");
    for (size_t i = 0; i < puad_audit_count(audit); i++) {
        puad_audit_row row = {.struct_size = sizeof row};
        CHECK(puad_audit_get(audit, i, &row) == PUAD_OK);
        fprintf(file, "%zu,%d,%s\n", row.row, row.row < 100 ? 1 : -1, puad_audit_text(audit));
    }
    fclose(file);
}

TEST(an_audit_is_read_from_its_file)
{
    const char *const path = "test-audit.csv";
    float scores[ROWS];
    int8_t truth[ROWS];
    falling(scores, ROWS);
    for (size_t i = 0; i < ROWS; i++) truth[i] = i < 100 ? 1 : -1;
    puad_audit *audit = audit_of(scores, ROWS, 30, 1, 9), *again = NULL;
    puad_audit_result a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
    puad_audit_point point = {.struct_size = sizeof point};
    write_answers(path, audit);
    answer_all(audit, truth);
    CHECK_OK(puad_audit_decide(audit, 0, 0, &a));
    CHECK_OK(puad_audit_read(&again, scores, ROWS, &path, 1));
    CHECK_OK(puad_audit_decide(again, 0, 0, &b));
    CHECK_INT(a.flagged, b.flagged);
    CHECK_INT(puad_audit_flags(again, 0), 1);
    CHECK_INT(puad_audit_check_labels(again, NULL, NULL), PUAD_INVALID);
    CHECK(b.point_count > 2);
    CHECK_INT(puad_audit_point_get(again, b.point_count, 0, &point), PUAD_INVALID);
    CHECK_OK(puad_audit_point_get(again, 0, 0, &point));
    CHECK(point.flagged < a.flagged && point.rate < 0.1 && point.limit < 1);
    puad_audit_free(again);
    CHECK_INT(puad_audit_read(&again, scores, ROWS - 1, &path, 1), PUAD_INVALID);
    for (size_t i = 0; i < ROWS; i++) /* other scores draw other rows */
        scores[i] = (float)((i * 377) % ROWS);
    CHECK_INT(puad_audit_read(&again, scores, ROWS, &path, 1), PUAD_INVALID);
    puad_audit_free(audit);
    remove(path);
}
