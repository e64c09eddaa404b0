/* The processes of an MPI job, and sums over them. MPI_Allreduce may add in any order, and on some
 * networks the order varies; here values are always added in pairs, (0 + 1) + (2 + 3), once for all ranks,
 * so the same number of ranks gives the same bits on every rank and in every run.
 *
 * Few values: all ranks receive all values and add. Many: each rank receives one part of the values from
 * all ranks, adds them, and distributes the sums; this sends as many bytes as the best algorithms. Errors
 * of MPI itself end the job, as MPI's default handler does. */
#include "cli/common/job.h"

#include "base/memory.h"
#include "base/threads.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    GATHERED_BYTES_MAX = 1 << 20, /* total of all ranks up to which every rank adds */
    VALUES_A_ROUND = 1 << 28,     /* MPI counts are int */
    SHARE_MULTIPLE = 16,          /* whole cache lines */
};

typedef struct rank_sums {
    puad_ranks public;
    void *buffer; /* values received from other ranks */
    size_t room_bytes;
    int *counts, *places, *from_counts, *from_places; /* of the ranks' parts */
} rank_sums;

static puad_status need_room(rank_sums *self, size_t bytes)
{
    if (bytes <= self->room_bytes) return PUAD_OK;
    TRY(memory_grow(&self->buffer, bytes, 1, "sums over processes"));
    self->room_bytes = bytes;
    return PUAD_OK;
}

/* The offset of a rank's part of `count` values. */
static size_t share_begin(const rank_sums *self, size_t rank, size_t count)
{
    size_t size = (size_t)self->public.size, lines = count / SHARE_MULTIPLE;
    return rank == size ? count : lines * rank / size * SHARE_MULTIPLE;
}

/* For float and double: add_..., gather_... and sum_... */
#define SUMS(type, mpi_type)                                                                                 \
    static void add_##type(type *to, type *parts, size_t ranks, size_t count)                                \
    {                                                                                                        \
        for (size_t apart = 1; apart < ranks; apart *= 2)                                                    \
            for (size_t rank = 0; rank + apart < ranks; rank += 2 * apart)                                   \
                for (size_t i = 0; i < count; i++)                                                           \
                    parts[rank * count + i] += parts[(rank + apart) * count + i];                            \
        memcpy(to, parts, count * sizeof *to);                                                               \
    }                                                                                                        \
    static puad_status gather_##type(rank_sums *self, type *values, size_t count)                            \
    {                                                                                                        \
        size_t size = (size_t)self->public.size;                                                             \
        TRY(need_room(self, size *count * sizeof *values));                                                  \
        MPI_Allgather(values, (int)count, mpi_type, self->buffer, (int)count, mpi_type, MPI_COMM_WORLD);     \
        add_##type(values, self->buffer, size, count);                                                       \
        return PUAD_OK;                                                                                      \
    }                                                                                                        \
    static puad_status share_##type(rank_sums *self, type *values, size_t count)                             \
    {                                                                                                        \
        size_t size = (size_t)self->public.size, rank = (size_t)self->public.rank;                           \
        size_t begin = share_begin(self, rank, count), own = share_begin(self, rank + 1, count) - begin;     \
        TRY(need_room(self, size *own * sizeof *values));                                                    \
        for (size_t i = 0; i < size; i++) {                                                                  \
            self->places[i] = (int)share_begin(self, i, count);                                              \
            self->counts[i] = (int)(share_begin(self, i + 1, count) - share_begin(self, i, count));          \
            self->from_counts[i] = (int)own;                                                                 \
            self->from_places[i] = (int)(i * own);                                                           \
        }                                                                                                    \
        MPI_Alltoallv(values, self->counts, self->places, mpi_type, self->buffer, self->from_counts,         \
                      self->from_places, mpi_type, MPI_COMM_WORLD);                                          \
        add_##type(values + begin, self->buffer, size, own);                                                 \
        MPI_Allgatherv(MPI_IN_PLACE, 0, mpi_type, values, self->counts, self->places, mpi_type,              \
                       MPI_COMM_WORLD);                                                                      \
        return PUAD_OK;                                                                                      \
    }                                                                                                        \
    static puad_status sum_##type(void *context, type *values, size_t count)                                 \
    {                                                                                                        \
        rank_sums *self = context;                                                                           \
        for (size_t first = 0; first < count; first += VALUES_A_ROUND) {                                     \
            size_t now = count - first < VALUES_A_ROUND ? count - first : VALUES_A_ROUND;                    \
            bool few = now * (size_t)self->public.size * sizeof *values <= GATHERED_BYTES_MAX;               \
            TRY((few ? gather_##type : share_##type)(self, values + first, now));                            \
        }                                                                                                    \
        return PUAD_OK;                                                                                      \
    }

SUMS(float, MPI_FLOAT)
SUMS(double, MPI_DOUBLE)

static puad_status broadcast(void *context, void *bytes, size_t size)
{
    (void)context;
    for (size_t first = 0; first < size; first += VALUES_A_ROUND) {
        size_t now = size - first < VALUES_A_ROUND ? size - first : VALUES_A_ROUND;
        MPI_Bcast((char *)bytes + first, (int)now, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    return PUAD_OK;
}

const bool job_is_mpi = true;

static bool in_job; /* whether MPI was initialized */

/* Ranks bound to separate processors of this machine use all of them; ranks that may run on the same
 * processors share them. */
static puad_status fair_threads(int *out)
{
    MPI_Comm neighbors;
    int size, sharing = 0;
    cpu_set_t own;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own) != 0) CPU_SET(0, &own);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbors);
    MPI_Comm_size(neighbors, &size);
    AUTO_FREE cpu_set_t *all = NULL;
    TRY(memory_new(&all, (size_t)size, sizeof *all, "the processors of the ranks"));
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, neighbors);
    MPI_Comm_free(&neighbors);
    for (int i = 0; i < size; i++) {
        cpu_set_t both;
        CPU_AND(&both, &own, &all[i]);
        sharing += CPU_COUNT(&both) > 0;
    }
    *out = CPU_COUNT(&own) / (sharing > 0 ? sharing : 1);
    if (*out < 1) *out = 1;
    return PUAD_OK;
}

puad_status job_begin(job_place *out)
{
    int given;
    in_job = job_launched() > 1;
    if (!in_job) {
        *out = (job_place){.rank = 0, .ranks = 1, .threads = threads_available()};
        return PUAD_OK;
    }
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS)
        FAIL(PUAD_IO, "MPI cannot be started");
    MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &out->ranks);
    if (out->ranks == 1 && tasks && strtol(tasks, NULL, 10) > 1)
        FAIL(PUAD_INVALID,
             "srun started %s tasks, but MPI sees one; use srun --mpi=pmix, or one of 'srun "
             "--mpi=list'",
             tasks);
    return fair_threads(&out->threads);
}

void job_end(puad_status with)
{
    if (in_job && with == PUAD_OK) MPI_Finalize();
}

puad_status job_ranks(const puad_ranks **out)
{
    static rank_sums job; /* there is one job for the lifetime of the process */
    *out = NULL;
    if (!in_job) return PUAD_OK;
    MPI_Comm_rank(MPI_COMM_WORLD, &job.public.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.public.size);
    if (job.public.size == 1) return PUAD_OK;
    size_t size = (size_t)job.public.size;
    if (!job.counts) TRY(memory_new(&job.counts, 4 * size, sizeof *job.counts, "the ranks"));
    job.places = job.counts + size;
    job.from_counts = job.places + size;
    job.from_places = job.from_counts + size;
    job.public.sum_floats = sum_float;
    job.public.sum_doubles = sum_double;
    job.public.broadcast = broadcast;
    job.public.context = &job;
    *out = &job.public;
    return PUAD_OK;
}
