/* puad lab run: runs the experiments that are not in the ledger, and prints one JSON object for each. */
#include "base/json.h"
#include "base/threads.h"
#include "cli/common/job.h"
#include "cli/common/json_line.h"
#include "cli/common/progress.h"
#include "lab/commands/lab_commands.h"
#include "lab/run/schedule.h"
#include "lab/sets/set.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* State and progress of the whole run. */
typedef struct lab_run {
    const invocation *call;
    ledger *book; /* only on rank 0 */
    const cell_list *cells;
    cell_cost *costs;
    double *shares; /* estimated seconds of each experiment, for the remaining time */
    bool *there;    /* experiments that the ledger already holds */
    lab_bench bench;
    progress bar;
    size_t done, cached, busy, claimed;
    double cost, cost_behind; /* estimated seconds of all experiments not done yet, and of those run since */
    const lab_cell *now;
    char what[96];
} lab_run;

static void show_state(lab_run *run)
{
    size_t behind = run->done + run->cached + run->busy, running = run->claimed - run->done;
    run->bar.share = run->cost > 0 ? run->cost_behind / run->cost : 0;
    progress_update(&run->bar, behind, "%zu running, %zu left%s%s", running,
                    run->cells->count - behind - running, run->what[0] ? ": " : "", run->what);
}

static puad_answer show(void *context, const puad_progress *now)
{
    lab_run *run = context;
    snprintf(run->what, sizeof run->what, "%s %s %s seed %lld, %s %zu/%zu", run->now->dataset,
             run->now->normal, run->now->method, run->now->seed, now->pretraining ? "pretraining" : "epoch",
             now->epoch, now->epochs);
    show_state(run);
    return interrupted ? PUAD_ABORT : PUAD_GO_ON;
}

static puad_status print_cell(const lab_cell *cell, const lab_result *result, bool cached)
{
    AUTO_JSON cJSON *out = cJSON_CreateObject();
    lab_record record = {*cell, *result};
    size_t count;
    const field *fields = lab_fields(&count);
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)&record + fields[i].offset;
        if (strcmp(fields[i].name, "history") == 0) continue; /* long; it is in the ledger */
        if (fields[i].type == FIELD_TEXT)
            cJSON_AddStringToObject(out, fields[i].name, *(const char *const *)at);
        else if (fields[i].type == FIELD_INTEGER)
            cJSON_AddNumberToObject(out, fields[i].name, (double)*(const long long *)at);
        else
            json_add_double(out, fields[i].name, *(const double *)at);
    }
    cJSON_AddBoolToObject(out, "cached", cached);
    return json_line(out);
}

static puad_status claim(void *context, bool *out_run, size_t cell)
{
    lab_run *run = context;
    const lab_cell *which = &run->cells->cells[cell];
    AUTO_ARENA arena memory = {0};
    ledger_state state;
    lab_result result;
    bool found;
    bool again = is_given(run->call, "rerun");
    if (is_given(run->call, "curve") && !again) {
        TRY(ledger_find(&found, &result, run->book, which, &memory));
        again = found && !lab_is_whole(&result, run->call);
    }
    TRY(ledger_claim(&state, run->book, which, again));
    *out_run = state == LEDGER_MINE;
    run->claimed += state == LEDGER_MINE;
    run->busy += state == LEDGER_BUSY;
    run->cached += state == LEDGER_DONE;
    if (state != LEDGER_MINE) run->cost -= run->shares[cell];
    if (state != LEDGER_DONE) return PUAD_OK;
    TRY(ledger_find(&found, &result, run->book, which, &memory));
    progress_clear(&run->bar);
    return found ? print_cell(which, &result, true) : PUAD_OK;
}

static void started(void *context, size_t cell)
{
    lab_run *run = context;
    run->now = &run->cells->cells[cell];
}

static puad_status finish(void *context, size_t cell, const lab_result *result)
{
    lab_run *run = context;
    TRY(ledger_finish(run->book, &run->cells->cells[cell], result));
    run->done++;
    run->cost_behind += run->shares[cell];
    progress_clear(&run->bar);
    return print_cell(&run->cells->cells[cell], result, false);
}

static void fail(void *context, size_t cell)
{
    lab_run *run = context;
    const lab_cell *which = &run->cells->cells[cell];
    char text[400];
    snprintf(text, sizeof text, "%s", puad_last_error());
    ledger_release(run->book, which);
    status_fail(PUAD_IO, "experiment %s %s %s seed %lld: %s", which->dataset, which->normal, which->method,
                /* the reason of the failed experiment matters more than that of the ledger */
                which->seed, text);
}

static bool go_on(void *context)
{
    lab_run *run = context;
    run->what[0] = 0;
    show_state(run);
    return !interrupted;
}

/* The estimated seconds of each experiment; 0 for those that are done. */
static puad_status estimate_costs(lab_run *run, arena *memory, int threads)
{
    lab_record *records = NULL;
    estimate source = {.threads = threads};
    TRY(arena_new(memory, &run->costs, run->cells->count, sizeof *run->costs));
    TRY(arena_new(memory, &run->there, run->cells->count, sizeof *run->there));
    TRY(ledger_read(&records, &source.count, run->book, memory, false));
    source.records = records;
    for (size_t i = 0; i < run->cells->count; i++) {
        AUTO_ARENA arena scratch = {0};
        lab_result result;
        TRY(lab_is_done(&run->there[i], &result, run->book, &run->cells->cells[i], run->call, &scratch));
        if (!run->there[i]) run->costs[i] = estimate_cell(&source, &run->cells->cells[i]);
    }
    return schedule_shares(&run->shares, &run->cost, memory, run->cells->cells, run->costs,
                           run->cells->count);
}

/* Catches the interrupt key, so that no experiment stays claimed and the message says how to
 * continue. */
static puad_status run_schedule(lab_run *run, int ranks)
{
    schedule_job job = {.cells = run->cells->cells,
                        .costs = run->costs,
                        .count = run->cells->count,
                        .bench = &run->bench,
                        .claim = claim,
                        .started = started,
                        .finish = finish,
                        .fail = fail,
                        .go_on = go_on,
                        .context = run};
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    sigaction(SIGINT, NULL, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGINT, &action, NULL); /* respect 'nohup' and '&' */
#ifdef PUAD_HAS_MPI
    puad_status status = ranks > 1 ? schedule_run_ranks(&job) : schedule_run(&job);
#else
    (void)ranks;
    puad_status status = schedule_run(&job);
#endif
    sigaction(SIGINT, &before, NULL);
    progress_end(&run->bar);
    lab_bench_clear(&run->bench);
    if (interrupted)
        FAIL(PUAD_CANCELLED, "stopped; completed experiments are in the ledger, and the same command "
                             "continues");
    return status;
}

static puad_status run_at(const job_place *place, const invocation *call)
{
    AUTO_CELLS cell_list cells = {0};
    AUTO_TEAM team *workers = NULL;
    AUTO_LEDGER ledger *book = NULL;
    AUTO_FREE char *folder = NULL;
    AUTO_ARENA arena memory = {0};
    int threads = (int)value_of(call, "threads")->integer;
    bool keeper = place->rank == 0, quiet = is_given(call, "quiet") || !keeper;
    TRY(lab_list_cells(&cells, call));
    TRY(team_new(&workers, threads ? threads : place->threads));
    if (is_given(call, "dry-run")) return keeper ? lab_dry_run(&cells, call, workers, place->ranks) : PUAD_OK;
    TRY(sets_folder(&folder, value_of(call, "data-dir")->text));
    if (keeper) TRY(lab_open_ledger(&book, call, LEDGER_CREATE));
    lab_run run = {.call = call, .book = book, .cells = &cells};
    run.bench = (lab_bench){.folder = folder,
                            .workers = workers,
                            .curve = is_given(call, "curve"),
                            .progress = show,
                            .context = &run};
    run.bar = progress_begin("cells", cells.count, quiet);
    if (keeper) TRY(estimate_costs(&run, &memory, team_size(workers)));
    if (keeper) TRY(lab_need_sets(&cells, run.there, call));
    TRY(run_schedule(&run, place->ranks));
    if (!quiet)
        fprintf(stderr, "%zu experiments: %zu run now, %zu already in the ledger, %zu run by others\n",
                cells.count, run.done, run.cached, run.busy);
    return PUAD_OK;
}

puad_status lab_action_run(const invocation *call)
{
    job_place place;
    TRY(job_begin(&place));
    puad_status status = run_at(&place, call);
    fflush(stdout);
    job_end(status);
    return status;
}
