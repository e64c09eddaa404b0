/* Runs one fit on the processes of an MPI job. */
#include "cli/fit_ranks.h"

#include "base/memory.h"
#include "cli/program/exec_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* prepared before the signal handler is set, which writes it */
static char last_words[1024];

/* Launchers send SIGTERM to the other processes of a job when one is lost. */
static void on_end(int number)
{
    (void)number;
    ssize_t written = write(STDERR_FILENO, last_words, strlen(last_words));
    _exit(written < 0 ? 2 : 1);
}

static puad_status fall_silent(fit_ranks *all)
{
    all->speech = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (all->speech < 0 || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
        dup2(nowhere, STDERR_FILENO) < 0)
        FAIL(PUAD_IO, "/dev/null: cannot write to it: %s", strerror(errno));
    close(nowhere);
    return PUAD_OK;
}

puad_status fit_ranks_begin(fit_ranks *out, const invocation *call)
{
    *out = (fit_ranks){.speech = -1};
    TRY(exec_under_mpi(call->words)); /* returns only if it is not needed */
    TRY(job_begin(&out->place));
    TRY(job_ranks(&out->ranks));
    if (!out->ranks) return PUAD_OK;
    if (out->place.rank > 0) TRY(fall_silent(out));
    if (strcmp(call->arguments[0], "-") == 0)
        FAIL(PUAD_INVALID, "only one of the %d processes can read standard input: name a file",
             out->place.ranks);
    return PUAD_OK;
}

puad_status fit_ranks_share(const fit_ranks *all, puad_options *options, const invocation *call,
                            const char *checkpoint)
{
    if (!all->ranks) return PUAD_OK;
    puad_options_set_ranks(options, all->ranks);
    if (!is_given(call, "threads")) TRY(puad_options_set_number(options, "threads", all->place.threads));
    if (all->place.rank > 0) {
        puad_options_set_warning(options, NULL, NULL); /* only rank 0 handles --strict */
        puad_options_set_note(options, NULL, NULL);
        return PUAD_OK;
    }
    snprintf(last_words, sizeof last_words,
             "\npuad fit: ended by the launcher, which happens if one of the %d processes is lost; no "
             "model is written. If %s exists, it contains the last completed epoch: --resume continues "
             "from it, with any number of processes\n",
             all->place.ranks, checkpoint);
    struct sigaction action = {.sa_handler = on_end};
    sigaction(SIGTERM, &action, NULL);
    return PUAD_OK;
}

void fit_ranks_end(fit_ranks *all, const invocation *call, puad_status status)
{
    if (status != PUAD_OK && all->speech >= 0) {
        /* If all ranks fail, rank 0 prints the message and ends the job while this rank sleeps. */
        char message[SPOKEN_CAPACITY];
        nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
        dprintf(all->speech, "puad %s: rank %d: %s\n", call->command->name, all->place.rank,
                speak(message, call->command, puad_last_error()));
    }
    if (all->speech >= 0) close(all->speech);
    fflush(stdout);
    job_end(status);
}
