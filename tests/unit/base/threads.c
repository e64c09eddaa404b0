/* The worker team. */
#include "base/threads.h"
#include "test.h"

#include <stdatomic.h>

static atomic_int visits[1000];
static atomic_int denormal_kept;

static void visit(void *context, size_t item, int thread)
{
    (void)context;
    (void)thread;
    visits[item]++;
    volatile float tiny = 1e-38f;
    if (tiny * 0.01f != 0) denormal_kept++;
}

TEST(every_item_runs_once_for_any_number_of_threads)
{
    for (int threads = 1; threads <= 5; threads++) {
        team *workers = NULL;
        CHECK_OK(team_new(&workers, threads));
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < 1000; i++) visits[i] = 0;
            team_run(workers, 1000, visit, NULL);
            for (int i = 0; i < 1000; i++)
                if (visits[i] != 1) TEST_FAIL("item %d ran %d times", i, visits[i]);
        }
        team_free(workers);
    }
}

TEST(denormals_are_zero_inside_a_loop_and_come_back_after_it)
{
    if (getenv("PUAD_VALGRIND")) SKIP("valgrind does not flush denormals");
    denormal_kept = 0;
    team *workers = NULL;
    CHECK_OK(team_new(&workers, 3));
    team_run(workers, 1000, visit, NULL);
    CHECK_INT(denormal_kept, 0);
    team_free(workers);
    volatile float tiny = 1e-38f;
    CHECK(tiny * 0.01f != 0);
}

TEST(no_items_and_no_team_are_fine)
{
    team_run(NULL, 0, visit, NULL);
    team_free(NULL);
    team *workers = NULL;
    CHECK_FAILS(team_new(&workers, -1), PUAD_INVALID, "-1", "threads", "1024");
}
