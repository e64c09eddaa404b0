/* The worker team: pthreads, one condition variable to start a loop and one to end it, a short spin before
 * sleeping.
 *
 * team_run() does not wait for workers that wake late: the caller drains the remaining items and then bars
 * entry. On a busy machine a late worker therefore does not delay the loop. */
#include "base/threads.h"

#include "base/memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
unsigned flush_to_zero_begin(void)
{
    unsigned saved = _mm_getcsr();
    _mm_setcsr(saved | 0x8040); /* flush results, read denormals as zero */
    return saved;
}
void flush_to_zero_end(unsigned saved)
{
    _mm_setcsr(saved);
}
static void relax(void)
{
    _mm_pause();
}
#elif defined(__aarch64__)
unsigned flush_to_zero_begin(void)
{
    uint64_t saved;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    __asm__ volatile("msr fpcr, %0" ::"r"(saved | 1u << 24));
    return (unsigned)saved;
}
void flush_to_zero_end(unsigned saved)
{
    __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)saved));
}
static void relax(void)
{
    __asm__ volatile("yield");
}
#else
unsigned flush_to_zero_begin(void)
{
    return 0;
}
void flush_to_zero_end(unsigned saved)
{
    (void)saved;
}
static void relax(void) {}
#endif

enum { SPINS = 2000 };
enum { INSIDE = 0xffff, OPEN = 0x10000, ROUND = 17 };

struct team {
    int size;
    pid_t process;      /* process that created the threads; a forked child has none of them */
    pthread_t *threads; /* size - 1 of them */
    struct worker *members;
    pthread_mutex_t lock;
    pthread_cond_t start, finish;
    /* loop number (from bit ROUND), whether workers may enter (OPEN), and how many are active */
    atomic_ulong gate;
    atomic_size_t next; /* first item not assigned yet */
    atomic_bool quit;
    size_t items;
    team_work *work;
    void *context;
    const puad_stop *stop; /* borrowed; NULL for none */
    team_pool *pool;       /* it was borrowed from; NULL for none */
    int asked;             /* the argument of team_new */
};

/* Freed with its last owner: who made it, and each team that is borrowed. */
struct team_pool {
    _Atomic(team *) idle;
    atomic_int owners;
};

struct worker {
    team *workers;
    int thread;
};

static void take_items(team *workers, int thread)
{
    for (;;) {
        size_t item = atomic_fetch_add_explicit(&workers->next, 1, memory_order_relaxed);
        if (item >= workers->items) return;
        workers->work(workers->context, item, thread);
    }
}

/* Waits until the loop number differs from that in `seen`, and returns the new gate. */
static unsigned long await_round(team *workers, unsigned long seen)
{
    for (int spin = 0; spin < SPINS && atomic_load(&workers->gate) >> ROUND == seen; spin++) relax();
    if (atomic_load(&workers->gate) >> ROUND == seen) {
        pthread_mutex_lock(&workers->lock);
        while (atomic_load(&workers->gate) >> ROUND == seen)
            pthread_cond_wait(&workers->start, &workers->lock);
        pthread_mutex_unlock(&workers->lock);
    }
    return atomic_load(&workers->gate);
}

static void leave(team *workers)
{
    unsigned long before = atomic_fetch_sub(&workers->gate, 1);
    if ((before & INSIDE) != 1 || (before & OPEN))
        return; /* only the last worker of a closed loop wakes the caller */
    pthread_mutex_lock(&workers->lock);
    pthread_cond_signal(&workers->finish);
    pthread_mutex_unlock(&workers->lock);
}

static void *worker_main(void *argument)
{
    struct worker *self = argument;
    team *workers = self->workers;
    unsigned long seen = 0;
    flush_to_zero_begin();
    for (;;) {
        unsigned long gate = await_round(workers, seen);
        seen = gate >> ROUND;
        if (atomic_load(&workers->quit)) return NULL;
        while ((gate & OPEN) && gate >> ROUND == seen)
            if (atomic_compare_exchange_weak(&workers->gate, &gate, gate + 1)) {
                take_items(workers, self->thread);
                leave(workers);
                break;
            }
    }
}

static void begin_round(team *workers)
{
    pthread_mutex_lock(&workers->lock);
    unsigned long round = (atomic_load(&workers->gate) >> ROUND) + 1;
    atomic_store(&workers->gate, round << ROUND | OPEN);
    pthread_cond_broadcast(&workers->start);
    pthread_mutex_unlock(&workers->lock);
}

/* Closes the gate, then waits for active workers to leave. */
static void end_round(team *workers)
{
    atomic_fetch_and(&workers->gate, ~(unsigned long)OPEN);
    for (int spin = 0; spin < SPINS && (atomic_load(&workers->gate) & INSIDE); spin++) relax();
    if (!(atomic_load(&workers->gate) & INSIDE)) return;
    pthread_mutex_lock(&workers->lock);
    while (atomic_load(&workers->gate) & INSIDE) pthread_cond_wait(&workers->finish, &workers->lock);
    pthread_mutex_unlock(&workers->lock);
}

/* Signals of the process are handled by the threads of the caller; those that report a fault of the thread
 * itself are not blocked. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, before);
}

/* Starts up to `count` threads; fewer if the system refuses. */
static void start_threads(team *workers, int count)
{
    sigset_t before;
    block_signals(&before); /* new threads inherit the mask */
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->start, NULL);
    pthread_cond_init(&workers->finish, NULL);
    atomic_store(&workers->gate, 0);
    workers->process = getpid();
    workers->size = 1;
    for (int i = 1; i < count; i++) {
        workers->members[i] = (struct worker){workers, i};
        if (pthread_create(&workers->threads[i - 1], NULL, worker_main, &workers->members[i]) != 0) break;
        workers->size++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

puad_status team_new(team **out, int asked)
{
    if (asked < 0 || asked > 1024) FAIL(PUAD_INVALID, "%d threads: expected 0 to 1024", asked);
    int count = asked ? asked : threads_available();
    if (count > 1024) count = 1024;
    AUTO_FREE team *workers = NULL;
    TRY(memory_new(&workers, 1, sizeof *workers, "threads"));
    workers->asked = asked;
    TRY(memory_new(&workers->threads, (size_t)count, sizeof(pthread_t), "threads"));
    if (memory_new(&workers->members, (size_t)count, sizeof *workers->members, "threads") != PUAD_OK) {
        free(workers->threads);
        return PUAD_MEMORY;
    }
    start_threads(workers, count);
    *out = workers;
    workers = NULL;
    return PUAD_OK;
}

static void destroy(team *workers)
{
    if (!workers) return;
    /* in a forked child there is no thread to join, and destroying the condition could block */
    if (workers->process == getpid()) {
        atomic_store(&workers->quit, true);
        begin_round(workers);
        for (int i = 1; i < workers->size; i++) pthread_join(workers->threads[i - 1], NULL);
        pthread_mutex_destroy(&workers->lock);
        pthread_cond_destroy(&workers->start);
        pthread_cond_destroy(&workers->finish);
    }
    free(workers->threads);
    free(workers->members);
    free(workers);
}

puad_status team_pool_new(team_pool **out)
{
    TRY(memory_new(out, 1, sizeof **out, "threads"));
    atomic_init(&(*out)->owners, 1);
    return PUAD_OK;
}

void team_pool_free(team_pool *pool)
{
    if (!pool || atomic_fetch_sub(&pool->owners, 1) > 1) return;
    destroy(atomic_load(&pool->idle));
    free(pool);
}

puad_status team_borrow(team **out, team_pool *pool, int threads)
{
    team *workers = pool ? atomic_exchange(&pool->idle, NULL) : NULL;
    if (workers && workers->asked != threads) {
        destroy(workers);
        workers = NULL;
    }
    if (!workers) TRY(team_new(&workers, threads));
    if (pool) atomic_fetch_add(&pool->owners, 1);
    workers->pool = pool;
    *out = workers;
    return PUAD_OK;
}

void team_free(team *workers)
{
    team_pool *pool = workers ? workers->pool : NULL;
    if (pool) {
        workers->pool = NULL;
        workers->stop = NULL;
        workers = atomic_exchange(&pool->idle, workers);
    }
    destroy(workers);
    team_pool_free(pool);
}

void team_cleanup(team **owner)
{
    team_free(*owner);
}

int team_size(const team *workers)
{
    return workers ? workers->size : 1;
}

void team_run(team *workers, size_t items, team_work *work, void *context)
{
    unsigned saved = flush_to_zero_begin();
    if (!workers || workers->size == 1 || items <= 1) {
        for (size_t item = 0; item < items; item++) work(context, item, 0);
        flush_to_zero_end(saved);
        return;
    }
    if (workers->process != getpid()) start_threads(workers, workers->size);
    workers->items = items;
    workers->work = work;
    workers->context = context;
    atomic_store(&workers->next, 0);
    begin_round(workers);
    take_items(workers, 0);
    end_round(workers);
    flush_to_zero_end(saved);
}

struct puad_stop {
    atomic_bool requested; /* lock-free, because a signal handler sets it */
};
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "puad_stop_request must be async-signal-safe");

puad_status puad_stop_new(puad_stop **out)
{
    NEED(out);
    *out = NULL;
    return memory_new(out, 1, sizeof **out, "a stop token");
}

void puad_stop_request(puad_stop *stop)
{
    if (stop) atomic_store(&stop->requested, true);
}

void puad_stop_free(puad_stop *stop)
{
    free(stop);
}

static bool requested(const puad_stop *stop)
{
    return atomic_load_explicit(&stop->requested, memory_order_relaxed);
}

const puad_stop *team_set_stop(team *workers, const puad_stop *stop)
{
    if (!workers) return NULL;
    const puad_stop *before = workers->stop;
    workers->stop = stop;
    return before;
}

puad_status team_check_stop(const team *workers)
{
    if (workers && workers->stop && requested(workers->stop))
        FAIL(PUAD_CANCELLED, "stopped at the caller's request");
    return PUAD_OK;
}

typedef struct stoppable {
    team_work *work;
    void *context;
    const puad_stop *stop;
} stoppable;

static void run_item(void *context, size_t item, int thread)
{
    const stoppable *job = context;
    if (!requested(job->stop)) job->work(job->context, item, thread);
}

puad_status team_run_until_stopped(team *workers, size_t items, team_work *work, void *context)
{
    stoppable job = {work, context, workers ? workers->stop : NULL};
    if (!job.stop) {
        team_run(workers, items, work, context);
        return PUAD_OK;
    }
    team_run(workers, items, run_item, &job);
    return team_check_stop(workers);
}
