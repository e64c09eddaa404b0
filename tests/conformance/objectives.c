/* Every objective x loss pair x option setting of the lists: gradients against finite differences, any
 * mixture of labels, any order of rows, and scores of any size. New rows of the .def files are covered
 * automatically. */
#include "base/rng.h"
#include "objective/objective.h"
#include "test.h"

enum { ROWS_MAX = 64, SETTINGS = 12 };
static _Alignas(16) unsigned char workspace[ROWS_MAX * 128];

static const double alphas[] = {0, 0.1, 0.35};

/* One of the settings: alpha x {defaults, every option at its other value} x {eta given, from variances}. */
static puad_criterion make_criterion(const puad_objective *objective, const puad_loss_pair *losses,
                                     int setting)
{
    puad_criterion criterion = {objective, losses, puad_objective_options_standard()};
    criterion.options.alpha = alphas[setting % 3];
    criterion.options.weight = PUAD_WEIGHT_PRIOR;
    criterion.options.training_anomalies = 30;
    criterion.options.training_normals = 50;
    if (setting / 3 % 2) {
        criterion.options.weight = PUAD_WEIGHT_EQUAL;
        criterion.options.balance = PUAD_BALANCE_POOLED;
        criterion.options.soft = 1;
    }
    if (setting / 6) criterion.options.eta = 0.4;
    return criterion;
}

/* Scores spread so that no two rows are near a tie and none near a kink; the logit head has both signs. */
static size_t make_batch(double *scores, int8_t *labels, const puad_loss_pair *losses, uint64_t seed)
{
    rng state = rng_make(seed, rng_stream("batch", 0));
    size_t rows = 12 + rng_below(&state, 20);
    bool signs = strcmp(losses->name, "logit") == 0;
    for (size_t i = 0; i < rows; i++) {
        scores[i] = 0.05 + 4 * rng_uniform(&state) + 1e-3 * (double)i - (signs ? 2 : 0);
        labels[i] = (int8_t)((int)rng_below(&state, 3) - 1);
    }
    return rows;
}

#define FOR_EVERY_CRITERION                                                                                  \
    for (size_t o = 0; objective_at(o); o++)                                                                 \
        for (size_t p = 0; loss_pair_at(p); p++)                                                             \
            for (int setting = 0; setting < SETTINGS; setting++)

#define WHERE "%s, %s, setting %d"
#define WHICH objective_at(o)->name, loss_pair_at(p)->name, setting

static double loss_of(const puad_criterion *criterion, const double *scores, const int8_t *labels,
                      size_t rows)
{
    double loss;
    return puad_objective_evaluate(criterion, &loss, NULL, scores, labels, rows, workspace) == PUAD_OK ? loss
                                                                                                       : NAN;
}

TEST(gradients_are_finite_differences_of_the_loss)
{
    size_t checked = 0;
    FOR_EVERY_CRITERION
    {
        puad_criterion criterion = make_criterion(objective_at(o), loss_pair_at(p), setting);
        for (uint64_t seed = 0; seed < 6; seed++) {
            double scores[ROWS_MAX], gradient[ROWS_MAX], loss;
            int8_t labels[ROWS_MAX];
            size_t rows = make_batch(scores, labels, criterion.losses, seed);
            REQUIRE(puad_objective_workspace(criterion.objective, rows) <= sizeof workspace);
            CHECK_OK(puad_objective_evaluate(&criterion, &loss, gradient, scores, labels, rows, workspace));
            bool is_nn = strcmp(criterion.objective->name, "pu_nn") == 0;
            for (size_t i = 0; i < rows; i++) {
                double step = 1e-5, saved = scores[i];
                scores[i] = saved + step;
                double above = loss_of(&criterion, scores, labels, rows);
                scores[i] = saved - step;
                double below = loss_of(&criterion, scores, labels, rows);
                scores[i] = saved;
                double slope = (above - below) / (2 * step);
                if (is_nn) { /* below r = 0 the step is not the gradient of the loss; its own test has the
                                values */
                    puad_criterion unbiased = criterion;
                    unbiased.objective = puad_objective_find("pu_unbiased");
                    if (loss > loss_of(&unbiased, scores, labels, rows) + 1e-12) continue;
                }
                checked++;
                if (!(fabs(slope - gradient[i]) <= 2e-6 * (1 + fabs(slope))))
                    TEST_FAIL(WHERE ", seed %d, row %zu: %.9g, differences give %.9g", WHICH, (int)seed, i,
                              gradient[i], slope);
            }
        }
    }
    CHECK(checked > 20000);
}

TEST(any_mixture_of_labels_gives_a_finite_loss_and_no_gradient_to_unused_rows)
{
    static const int8_t mixtures[][4] = {{0, 0, 0, 0},  {1, 1, 1, 1},  {-1, -1, -1, -1}, {0, 0, 1, 1},
                                         {0, -1, 0, 0}, {1, 1, -1, 1}, {0, 1, -1, 0}};
    static const unsigned bit[] = {PUAD_USES_NORMALS, PUAD_USES_UNLABELED, PUAD_USES_ANOMALIES};
    FOR_EVERY_CRITERION
    {
        puad_criterion criterion = make_criterion(objective_at(o), loss_pair_at(p), setting);
        for (size_t m = 0; m < sizeof mixtures / sizeof *mixtures; m++) {
            double scores[] = {0.3, 1.2, 0.7, 2.5}, gradient[4], loss;
            CHECK_OK(puad_objective_evaluate(&criterion, &loss, gradient, scores, mixtures[m], 4, workspace));
            for (size_t i = 0; i < 4; i++)
                if (!(criterion.objective->labels & bit[mixtures[m][i] + 1]) && gradient[i] != 0)
                    TEST_FAIL(WHERE ", mixture %zu: row %zu is not used but has a gradient", WHICH, m, i);
        }
    }
}

TEST(an_empty_batch_has_no_loss)
{
    FOR_EVERY_CRITERION
    {
        puad_criterion criterion = make_criterion(objective_at(o), loss_pair_at(p), setting);
        double loss = 1, gradient = 1, score = 1;
        int8_t label = 0;
        CHECK_OK(puad_objective_evaluate(&criterion, &loss, &gradient, &score, &label, 0, workspace));
        if (loss != 0) TEST_FAIL(WHERE ": %g", WHICH, loss);
    }
}

TEST(the_order_of_rows_does_not_matter)
{
    FOR_EVERY_CRITERION
    {
        puad_criterion criterion = make_criterion(objective_at(o), loss_pair_at(p), setting);
        double scores[ROWS_MAX], moved[ROWS_MAX], gradient[ROWS_MAX], moved_gradient[ROWS_MAX], loss,
            moved_loss;
        int8_t labels[ROWS_MAX], moved_labels[ROWS_MAX];
        uint32_t order[ROWS_MAX];
        size_t rows = make_batch(scores, labels, criterion.losses, 17);
        rng state = rng_make(5, 0);
        rng_permutation(&state, order, rows);
        for (size_t i = 0; i < rows; i++) moved[i] = scores[order[i]], moved_labels[i] = labels[order[i]];
        CHECK_OK(puad_objective_evaluate(&criterion, &loss, gradient, scores, labels, rows, workspace));
        CHECK_OK(puad_objective_evaluate(&criterion, &moved_loss, moved_gradient, moved, moved_labels, rows,
                                         workspace));
        CHECK_NEAR(moved_loss, loss, 1e-12 * (1 + fabs(loss)));
        for (size_t i = 0; i < rows; i++) CHECK_NEAR(moved_gradient[i], gradient[order[i]], 0);
    }
}

TEST(scores_of_any_size_stay_finite)
{
    static const double sizes[] = {0,   1e-45, 1e-30, 1e-7, 1e-6, 0.69, 88,   89,
                                   104, 200,   709,   710,  746,  1e4,  1e30, 3e38};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    FOR_EVERY_CRITERION
    {
        puad_criterion criterion = make_criterion(objective_at(o), loss_pair_at(p), setting);
        for (size_t a = 0; a < SIZES; a++)
            for (size_t b = 0; b < SIZES; b++) {
                double scores[] = {sizes[a], sizes[b], sizes[a], sizes[b], -sizes[a], sizes[b]}, gradient[6],
                       loss;
                float narrow[6], narrow_gradient[6];
                static const int8_t labels[] = {0, 0, 1, 1, 0, -1};
                for (size_t i = 0; i < 6; i++) narrow[i] = (float)scores[i];
                puad_status wide =
                    puad_objective_evaluate(&criterion, &loss, gradient, scores, labels, 6, workspace);
                puad_status step =
                    objective_step(&loss, narrow_gradient, &criterion, narrow, labels, 6, workspace);
                if (wide != PUAD_OK || step != PUAD_OK)
                    TEST_FAIL(WHERE ": scores %g and %g: %s", WHICH, sizes[a], sizes[b], puad_last_error());
            }
    }
}

TEST(floats_give_what_doubles_give)
{
    FOR_EVERY_CRITERION
    {
        puad_criterion criterion = make_criterion(objective_at(o), loss_pair_at(p), setting);
        double scores[ROWS_MAX], gradient[ROWS_MAX], loss, step_loss;
        float narrow[ROWS_MAX], step[ROWS_MAX];
        int8_t labels[ROWS_MAX];
        size_t rows = make_batch(scores, labels, criterion.losses, 3);
        for (size_t i = 0; i < rows; i++) scores[i] = (double)(narrow[i] = (float)scores[i]);
        CHECK_OK(puad_objective_evaluate(&criterion, &loss, gradient, scores, labels, rows, workspace));
        CHECK_OK(objective_step(&step_loss, step, &criterion, narrow, labels, rows, workspace));
        CHECK_NEAR(step_loss, loss, 0);
        for (size_t i = 0; i < rows; i++) CHECK_NEAR((double)step[i], (double)(float)gradient[i], 0);
    }
}

TEST(every_option_an_objective_names_is_in_the_table_and_changes_something)
{
    for (size_t o = 0; objective_at(o); o++) {
        const puad_objective *objective = objective_at(o);
        size_t named = 0;
        for (size_t i = 0; i < objective_option_count; i++) {
            const option *row = &objective_options[i];
            puad_criterion criterion = {objective, puad_loss_pair_find("distance"),
                                        puad_objective_options_standard()};
            criterion.options.alpha = 0.3;
            static const double scores[] = {0.3, 1.2, 0.7, 2.5, 1.9, 0.2, 0.4};
            static const int8_t labels[] = {0, 0, 0, 0, 0, 1, -1};
            double before = loss_of(&criterion, scores, labels, 7);
            const char *second = row->type == OPTION_CHOICE ? strchr(row->choices, '|') + 1 : NULL,
                       *other = "0.25";
            if (second)
                other = strncmp(row->standard, second, strlen(row->standard)) == 0 ? row->choices : second;
            char word[32];
            snprintf(word, sizeof word, "%.*s", (int)strcspn(other, "|"), other);
            puad_status status = objective_option_set(&criterion.options, objective, row->name, word);
            if (!objective_takes(objective, row->name)) {
                CHECK_INT(status, PUAD_INVALID);
                continue;
            }
            named++;
            CHECK_INT(status, PUAD_OK);
            if (loss_of(&criterion, scores, labels, 7) == before)
                TEST_FAIL("%s: %s=%s changes nothing", objective->name, row->name, word);
        }
        size_t words = *objective->options != 0;
        for (const char *c = objective->options; *c; c++) words += *c == ' ';
        CHECK_INT(named, words);
    }
}
