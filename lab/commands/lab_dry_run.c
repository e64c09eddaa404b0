/* puad lab run --dry-run: which experiments would be run, and how long that takes. */
#include "lab/commands/lab_commands.h"
#include "lab/run/schedule.h"

#include <stdio.h>
#include <sys/stat.h>

/* "40 seconds", "12 minutes", "3.4 hours" */
static void print_duration(FILE *out, double seconds)
{
    if (seconds < 100)
        fprintf(out, "%.0f seconds", seconds);
    else if (seconds < 100 * 60)
        fprintf(out, "%.0f minutes", seconds / 60);
    else
        fprintf(out, "%.1f hours", seconds / 3600);
}

static void print_cell(const lab_cell *cell, bool done)
{
    printf("%s normal %s %s seed %lld alpha %g hidden %lld epochs %lld+%lld", cell->dataset, cell->normal,
           cell->method, cell->seed, cell->alpha, cell->hidden, cell->pretrain_epochs, cell->epochs);
    const char *const options[][2] = {{"embedding", cell->embedding},
                                      {"weight", cell->weight},
                                      {"balance", cell->balance},
                                      {"objective", cell->objective}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i][1][0]) printf(" %s=%s", options[i][0], options[i][1]);
    static const char *const others[] = {"normals", "labeled", "patience", "network", "sampler", "extra"};
    lab_record record = {.cell = *cell};
    char buffer[FIELD_CAPACITY];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const field *which = lab_field(others[i]);
        if (!field_is_standard(cell, which)) printf(" %s=%s", others[i], field_text(buffer, &record, which));
    }
    if (!lab_unseen_is_own(cell)) printf(" unseen=%s", cell->unseen);
    printf(done ? " (done)\n" : "\n");
}

/* The records of a ledger; none if it does not exist. */
static puad_status read_ledger(ledger **out, estimate *source, const invocation *call, arena *memory)
{
    lab_record *records = NULL;
    struct stat info;
    if (stat(value_of(call, "ledger")->text, &info) != 0 || info.st_size == 0) return PUAD_OK;
    TRY(lab_open_ledger(out, call, LEDGER_READ));
    TRY(ledger_read(&records, &source->count, *out, memory, false));
    source->records = records;
    return PUAD_OK;
}

puad_status lab_dry_run(const cell_list *cells, const invocation *call, team *workers, int ranks)
{
    AUTO_LEDGER ledger *book = NULL;
    AUTO_ARENA arena memory = {0};
    estimate source = {.threads = team_size(workers)};
    cell_cost *costs;
    schedule_unit *units;
    size_t unit_count, left = 0;
    double seconds;
    bool *done;
    TRY(read_ledger(&book, &source, call, &memory));
    TRY(arena_new(&memory, &costs, cells->count, sizeof *costs));
    TRY(arena_new(&memory, &done, cells->count, sizeof *done));
    for (size_t i = 0; i < cells->count; i++) {
        lab_result result;
        if (book) TRY(lab_is_done(&done[i], &result, book, &cells->cells[i], call, &memory));
        if (!done[i] && !(source.measured > 0) && !estimate_knows(&source, &cells->cells[i]))
            TRY(estimate_measure(&source, workers));
        if (!done[i]) costs[i] = estimate_cell(&source, &cells->cells[i]);
        left += !done[i];
        print_cell(&cells->cells[i], done[i]);
    }
    fflush(stdout); /* keep the order if both go to one place */
    TRY(schedule_units(&units, &unit_count, &memory, cells->cells, costs, cells->count));
    TRY(schedule_seconds(&seconds, units, unit_count, ranks));
    if (lab_need_sets(cells, done, call) != PUAD_OK) fprintf(stderr, "%s\n", puad_last_error());
    fprintf(stderr, "%zu experiments, %zu left, about ", cells->count, left);
    print_duration(stderr, seconds);
    fprintf(stderr, ", %s\n",
            source.measured > 0 ? "from a short measurement"
            : source.count      ? "from experiments in the ledger"
                                : "a rough guess");
    return PUAD_OK;
}
