/* The worker team. */
#include "base/threads.h"
#include "test.h"

#include <pthread.h>
#include <signal.h>
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

static pthread_t handled_by;
static atomic_int handled;

static void note_thread(int number)
{
    (void)number;
    handled_by = pthread_self();
    handled++;
}

TEST(signals_are_left_to_the_threads_of_the_caller)
{
    team *workers = NULL;
    sigset_t one;
    CHECK_OK(team_new(&workers, 4));
    signal(SIGUSR1, note_thread);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    kill(getpid(), SIGUSR1);
    for (int round = 0; round < 50; round++) team_run(workers, 1000, visit, NULL);
    usleep(20000); /* a worker that took the signal would have handled it by now */
    CHECK_INT(handled, 0);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    CHECK_INT(handled, 1);
    CHECK(pthread_equal(handled_by, pthread_self()));
    signal(SIGUSR1, SIG_DFL);
    team_free(workers);
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

TEST(a_pool_lends_its_idle_team_again)
{
    team_pool *pool = NULL;
    team *first = NULL, *second = NULL, *again = NULL;
    CHECK_OK(team_pool_new(&pool));
    CHECK_OK(team_borrow(&first, pool, 2));
    CHECK_OK(team_borrow(&second, pool, 2)); /* the first is in use */
    CHECK(first != second);
    team_free(second);
    CHECK_OK(team_borrow(&again, pool, 2));
    CHECK(again == second);
    team_pool_free(pool); /* the teams outlive it */
    for (int i = 0; i < 1000; i++) visits[i] = 0;
    team_run(again, 1000, visit, NULL);
    for (int i = 0; i < 1000; i++) CHECK_INT(visits[i], 1);
    team_free(first);
    team_free(again);
}

TEST(a_pool_lends_teams_of_the_size_that_is_asked_for)
{
    team_pool *pool = NULL;
    team *two = NULL, *three = NULL;
    CHECK_OK(team_pool_new(&pool));
    CHECK_OK(team_borrow(&two, pool, 2));
    team_free(two);
    CHECK_OK(team_borrow(&three, pool, 3));
    CHECK_INT(team_size(three), 3);
    CHECK_FAILS(team_borrow(&two, pool, -1), PUAD_INVALID, "-1", "1024");
    team_free(three);
    team_pool_free(pool);
}

TEST(a_requested_stop_ends_a_loop_and_is_forgotten_by_the_pool)
{
    team_pool *pool = NULL;
    team *workers = NULL;
    puad_stop *stop = NULL;
    CHECK_OK(puad_stop_new(&stop));
    CHECK_OK(team_pool_new(&pool));
    CHECK_OK(team_borrow(&workers, pool, 2));
    CHECK(team_set_stop(workers, stop) == NULL);
    CHECK_OK(team_run_until_stopped(workers, 10, visit, NULL));
    puad_stop_request(stop);
    for (int i = 0; i < 1000; i++) visits[i] = 0;
    CHECK_FAILS(team_run_until_stopped(workers, 1000, visit, NULL), PUAD_CANCELLED, "");
    CHECK_INT(visits[0] + visits[999], 0);
    CHECK_FAILS(team_check_stop(workers), PUAD_CANCELLED, "");
    CHECK_OK(team_check_stop(NULL));
    team_free(workers);
    CHECK_OK(team_borrow(&workers, pool, 2));
    CHECK_OK(team_check_stop(workers));
    team_free(workers);
    team_pool_free(pool);
    puad_stop_free(stop);
}
