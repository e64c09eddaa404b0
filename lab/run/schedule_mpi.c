/* The schedule of an MPI job. Rank 0 writes the ledger, assigns units and receives results; it also runs
 * units, and polls for messages between the batches of its trainings. No rank blocks inside MPI, which
 * would use a whole processor: they sleep and poll. Errors of MPI itself end the job, as MPI's default
 * handler does. */
#include "lab/run/schedule.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TAG_ASK = 1, TAG_UNIT, TAG_RESULT, TAG_FAILED };
enum { NAP_NANOSECONDS = 2000000 };

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP_NANOSECONDS}, NULL);
}

/* A received message of any size. */
typedef struct message {
    int start, tag, size;
    char *bytes; /* on the heap */
} message;

static puad_status look(bool *out_there, message *out, int start)
{
    int there;
    MPI_Status about;
    MPI_Iprobe(start, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &about);
    *out_there = there != 0;
    if (!there) return PUAD_OK;
    *out = (message){.start = about.MPI_SOURCE, .tag = about.MPI_TAG};
    MPI_Get_count(&about, MPI_BYTE, &out->size);
    TRY(memory_new(&out->bytes, (size_t)out->size + 1, 1, "a message"));
    MPI_Recv(out->bytes, out->size, MPI_BYTE, out->start, out->tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return PUAD_OK;
}

static void send_bytes(const void *bytes, size_t size, int to, int tag)
{
    MPI_Request request;
    int sent = 0;
    MPI_Isend(bytes, (int)size, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
        if (sent) return;
        nap();
    }
}

/* The state of rank 0. */
typedef struct keeper {
    const schedule_job *job;
    lab_bench *bench; /* of the job */
    schedule_unit *units;
    size_t unit_count, next;
    size_t *chosen; /* capacity for the experiments of a unit */
    bool *waiting;  /* which ranks are idle */
    int ranks;
    puad_status status; /* of the first failure, with its message */
    char text[512];
    puad_answer (*progress)(void *context, const puad_progress *now); /* the original callback */
    void *progress_context;
} keeper;

static void note_failure(keeper *self, puad_status status)
{
    if (status == PUAD_OK || self->status != PUAD_OK) return;
    self->status = status;
    snprintf(self->text, sizeof self->text, "%s", puad_last_error());
}

/* Claims the experiments of the next unit and writes them to `chosen`; none when all units are assigned. */
static puad_status take_unit(size_t *out_count, keeper *self)
{
    const schedule_job *job = self->job;
    *out_count = 0;
    while (*out_count == 0 && self->next < self->unit_count) {
        const schedule_unit *unit = &self->units[self->next++];
        for (size_t i = 0; i < unit->count; i++) {
            bool run;
            TRY(job->claim(job->context, &run, unit->cells[i]));
            if (run) self->chosen[(*out_count)++] = unit->cells[i];
        }
    }
    return PUAD_OK;
}

static puad_status take_result(keeper *self, const message *source)
{
    AUTO_ARENA arena memory = {0};
    lab_result result;
    size_t cell;
    if ((size_t)source->size < sizeof cell)
        FAIL(PUAD_FORMAT, "rank %d sent a truncated result", source->start);
    memcpy(&cell, source->bytes, sizeof cell);
    if (cell >= self->job->count)
        FAIL(PUAD_FORMAT, "rank %d sent a result of an unknown experiment", source->start);
    if (source->tag == TAG_FAILED) {
        status_fail(PUAD_IO, "rank %d: %s", source->start, source->bytes + sizeof cell);
        self->job->fail(self->job->context, cell);
        return PUAD_IO;
    }
    TRY(lab_result_unpack(&result, source->bytes + sizeof cell, (size_t)source->size - sizeof cell, &memory));
    return self->job->finish(self->job->context, cell, &result);
}

/* Sends the next unit to a rank that has requested one; if there is none, the rank keeps waiting. */
static puad_status hand_out(keeper *self, int rank)
{
    size_t count;
    TRY(take_unit(&count, self));
    self->waiting[rank] = count == 0;
    if (count == 0) return PUAD_OK;
    send_bytes(self->chosen, count * sizeof *self->chosen, rank, TAG_UNIT);
    return PUAD_OK;
}

static puad_status answer(keeper *self, const message *source)
{
    return source->tag == TAG_ASK ? hand_out(self, source->start) : take_result(self, source);
}

static void serve(keeper *self)
{
    bool there = true;
    while (there && self->status == PUAD_OK) {
        message one = {0};
        puad_status status = look(&there, &one, MPI_ANY_SOURCE);
        if (status == PUAD_OK && there) status = answer(self, &one);
        note_failure(self, status);
        free(one.bytes);
    }
}

static puad_answer serve_between_batches(void *context, const puad_progress *now)
{
    keeper *self = context;
    serve(self);
    if (self->status != PUAD_OK) return PUAD_ABORT;
    return self->progress ? self->progress(self->progress_context, now) : PUAD_GO_ON;
}

static puad_status run_own_cell(keeper *self, size_t cell)
{
    const schedule_job *job = self->job;
    AUTO_ARENA arena memory = {0};
    lab_result result;
    job->started(job->context, cell);
    puad_status status = lab_run_cell(&result, &job->cells[cell], self->bench, &memory);
    serve(self);
    if (status != PUAD_OK) {
        job->fail(job->context, cell);
        return status;
    }
    return job->finish(job->context, cell, &result);
}

/* `chosen` is reused for other ranks while the unit runs, so it is copied. */
static puad_status run_own_unit(bool *out_any, keeper *self)
{
    size_t count;
    TRY(take_unit(&count, self));
    *out_any = count > 0;
    AUTO_FREE size_t *cells = NULL;
    TRY(memory_new(&cells, count, sizeof *cells, "a unit of experiments"));
    memcpy(cells, self->chosen, count * sizeof *cells);
    for (size_t i = 0; i < count && self->status == PUAD_OK; i++) TRY(run_own_cell(self, cells[i]));
    return PUAD_OK;
}

static void keep(keeper *self)
{
    const schedule_job *job = self->job;
    bool any = true;
    while (any && self->status == PUAD_OK && job->go_on(job->context)) {
        serve(self);
        if (self->status == PUAD_OK) note_failure(self, run_own_unit(&any, self));
    }
    int waiting = 0;
    while (self->status == PUAD_OK && waiting < self->ranks - 1 && job->go_on(job->context)) {
        serve(self);
        nap();
        waiting = 0;
        for (int i = 1; i < self->ranks; i++) waiting += self->waiting[i];
    }
    if (self->status != PUAD_OK || waiting < self->ranks - 1) return;
    for (int i = 1; i < self->ranks; i++) send_bytes(NULL, 0, i, TAG_UNIT);
}

static puad_status run_keeper(const schedule_job *job, int ranks)
{
    AUTO_ARENA arena memory = {0};
    lab_bench *bench = job->bench;
    keeper self = {.job = job,
                   .bench = bench,
                   .ranks = ranks,
                   .progress = bench->progress,
                   .progress_context = bench->context};
    TRY(arena_new(&memory, &self.waiting, (size_t)ranks, sizeof *self.waiting));
    TRY(arena_new(&memory, &self.chosen, job->count, sizeof *self.chosen));
    TRY(schedule_units(&self.units, &self.unit_count, &memory, job->cells, job->costs, job->count));
    bench->progress = serve_between_batches;
    bench->context = &self;
    keep(&self);
    bench->progress = self.progress;
    bench->context = self.progress_context;
    if (self.status != PUAD_OK) FAIL(self.status, "%s", self.text);
    return PUAD_OK;
}

/* The other ranks. */
static void send_result(size_t cell, const char *bytes, size_t size, int tag, char *buffer)
{
    memcpy(buffer, &cell, sizeof cell);
    memcpy(buffer + sizeof cell, bytes, size);
    send_bytes(buffer, sizeof cell + size, 0, tag);
}

static puad_status run_cell_for_keeper(const schedule_job *job, size_t cell)
{
    AUTO_ARENA arena memory = {0};
    AUTO_FREE char *bytes = NULL, *buffer = NULL;
    lab_result result;
    size_t size = 0;
    job->started(job->context, cell);
    puad_status status = lab_run_cell(&result, &job->cells[cell], job->bench, &memory);
    if (status == PUAD_OK) status = lab_result_pack(&bytes, &size, &result);
    const char *what = status == PUAD_OK ? bytes : puad_last_error();
    if (status != PUAD_OK) size = strlen(what) + 1;
    TRY(memory_new(&buffer, sizeof cell + size, 1, "a message"));
    send_result(cell, what, size, status == PUAD_OK ? TAG_RESULT : TAG_FAILED, buffer);
    return PUAD_OK; /* rank 0 handles failures */
}

static puad_status wait_for_unit(message *out)
{
    for (bool there = false; !there; nap()) TRY(look(&there, out, 0));
    return PUAD_OK;
}

static puad_status run_worker(const schedule_job *job)
{
    for (;;) {
        message unit = {0};
        send_bytes(NULL, 0, 0, TAG_ASK);
        TRY(wait_for_unit(&unit));
        AUTO_FREE char *owned = unit.bytes;
        size_t count = (size_t)unit.size / sizeof(size_t), cell;
        if (count == 0) return PUAD_OK;
        for (size_t i = 0; i < count; i++) {
            memcpy(&cell, owned + i * sizeof cell, sizeof cell);
            if (cell >= job->count)
                FAIL(PUAD_FORMAT, "rank 0 requests an experiment that is not in the plan");
            TRY(run_cell_for_keeper(job, cell));
        }
    }
}

puad_status schedule_run_ranks(const schedule_job *job)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return rank == 0 ? run_keeper(job, ranks) : run_worker(job);
}
