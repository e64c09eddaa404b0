/* Scorers in a process that was forked after they were made: its threads are not in the child. */
#include "test.h"
#include "unit/public/fitted.h"

#include <sys/wait.h>

enum { SCORED_ROWS = 400, CHILD_SECONDS = 60 };

/* ThreadSanitizer, which finds only visible functions, otherwise ends a child that starts threads. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

/* Whether a child ends with status 0; an alarm ends one that hangs. */
static bool child_succeeds(int (*child)(void *context), void *context)
{
    fflush(NULL);
    pid_t id = fork();
    if (id == 0) {
        alarm(CHILD_SECONDS);
        _exit(child(context));
    }
    int status = -1;
    return id > 0 && waitpid(id, &status, 0) == id && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

typedef struct scored {
    puad_scorer *scorer;
    puad_dataset *rows;
    float before[SCORED_ROWS];
} scored;

static int free_scorer(void *context)
{
    scored *all = context;
    puad_scorer_free(all->scorer);
    return 0;
}

static int score_again(void *context)
{
    scored *all = context;
    float after[SCORED_ROWS];
    if (puad_scorer_run(all->scorer, after, SCORED_ROWS, all->rows) != PUAD_OK) return 1;
    puad_scorer_free(all->scorer);
    return memcmp(after, all->before, sizeof after) != 0;
}

static int score_in_grandchild(void *context)
{
    scored *all = context;
    float after[SCORED_ROWS];
    if (puad_scorer_run(all->scorer, after, SCORED_ROWS, all->rows) != PUAD_OK) return 1;
    return !child_succeeds(score_again, context);
}

static void check_forks(const char *method)
{
    puad_options *options = OPTIONS("method", method, "epochs", "2"), *threads = OPTIONS("threads", "3");
    puad_dataset *data = NULL;
    puad_detector *model = fitted(&data, options);
    scored all = {0};
    CHECK_OK(puad_scorer_new(&all.scorer, model, threads));
    CHECK_OK(puad_dataset_open(&all.rows, payments("new.csv", SCORED_ROWS, 2, false), model, options));
    CHECK_OK(puad_scorer_run(all.scorer, all.before, SCORED_ROWS, all.rows));
    CHECK(child_succeeds(free_scorer, &all));
    CHECK(child_succeeds(score_again, &all));
    CHECK(child_succeeds(score_in_grandchild, &all));
    float after[SCORED_ROWS];
    CHECK_OK(puad_scorer_run(all.scorer, after, SCORED_ROWS, all.rows));
    CHECK(memcmp(after, all.before, sizeof after) == 0);
    puad_scorer_free(all.scorer);
    puad_dataset_free(all.rows);
    puad_detector_free(model);
    puad_dataset_free(data);
    puad_options_free(options);
    puad_options_free(threads);
}

TEST(a_forest_scores_and_is_freed_in_a_forked_child)
{
    check_forks("if");
}

TEST(a_network_scores_and_is_freed_in_a_forked_child)
{
#ifdef PUAD_TEST_EMULATED
    SKIP("qemu fails when a forked child starts threads");
#endif
    check_forks("puae");
}
