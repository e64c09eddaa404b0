/* puad lab run: runs the cells that are not in the ledger yet, and prints one JSON object for each cell. */
#include "base/json.h"
#include "cli/lab.h"
#include "cli/model_input.h"
#include "cli/progress.h"
#include "lab/plan.h"
#include "lab/run_cell.h"

#include <math.h>
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

/* What the whole run shows and counts. */
typedef struct lab_run {
    const invocation *call;
    ledger *book;
    lab_bench bench;
    progress bar;
    size_t done, cached, busy, total;
    const lab_cell *now;
} lab_run;

static puad_answer show(void *context, const puad_progress *now)
{
    lab_run *run = context;
    progress_update(&run->bar, run->done, "%s %s %s seed %lld: %s %zu/%zu", run->now->dataset,
                    run->now->normal, run->now->method, run->now->seed,
                    now->pretraining ? "pre-training" : "epoch", now->epoch, now->epochs);
    return interrupted ? PUAD_ABORT : PUAD_GO_ON;
}

static void print_cell(const lab_cell *cell, const lab_result *result, bool cached)
{
    cJSON *out = cJSON_CreateObject();
    lab_record record = {*cell, *result};
    size_t count;
    const field *fields = lab_fields(&count);
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)&record + fields[i].offset;
        if (strcmp(fields[i].name, "history") == 0) continue; /* long; the ledger has it */
        if (fields[i].type == FIELD_TEXT)
            cJSON_AddStringToObject(out, fields[i].name, *(const char *const *)at);
        else if (fields[i].type == FIELD_INTEGER)
            cJSON_AddNumberToObject(out, fields[i].name, (double)*(const long long *)at);
        else
            json_add_double(out, fields[i].name, *(const double *)at);
    }
    cJSON_AddBoolToObject(out, "cached", cached);
    char *text = cJSON_PrintUnformatted(out);
    printf("%s\n", text ? text : "{}");
    fflush(stdout);
    free(text);
    cJSON_Delete(out);
}

static puad_status run_one(lab_run *run, const lab_cell *cell, arena *memory)
{
    ledger_state state;
    lab_result result;
    bool found;
    TRY(ledger_claim(&state, run->book, cell, is_given(run->call, "again")));
    if (state == LEDGER_BUSY) {
        run->busy++;
        return PUAD_OK;
    }
    if (state == LEDGER_DONE) {
        TRY(ledger_find(&found, &result, run->book, cell, memory));
        run->cached++;
        progress_clear(&run->bar);
        if (found) print_cell(cell, &result, true);
        return PUAD_OK;
    }
    run->now = cell;
    puad_status status = lab_run_cell(&result, cell, &run->bench, memory);
    if (status != PUAD_OK) {
        status_prefix("cell %s %s %s seed %lld", cell->dataset, cell->normal, cell->method, cell->seed);
        ledger_release(run->book, cell);
        return status;
    }
    TRY(ledger_finish(run->book, cell, &result));
    progress_clear(&run->bar);
    print_cell(cell, &result, false);
    return PUAD_OK;
}

static puad_status run_cells(lab_run *run, const cell_list *cells)
{
    for (size_t i = 0; i < cells->count && !interrupted; i++) {
        AUTO_ARENA arena memory = {0};
        TRY(run_one(run, &cells->cells[i], &memory));
        run->done++;
    }
    if (interrupted)
        FAIL(PUAD_CANCELLED, "stopped; what is done is in the ledger, the same command goes on from there");
    return PUAD_OK;
}

/* One --set NAME=VALUE[,VALUE...]: each variant so far, once with each value. Values of `extra` and `unseen`
 * have commas of their own and are one. */
static puad_status set_option(lab_cell **variants, size_t *count, const char *text, arena *memory)
{
    char name[32];
    size_t length = strcspn(text, "="), values = 1;
    if (text[length] != '=' || length >= sizeof name)
        FAIL(PUAD_INVALID, "--set: '%s' is not NAME=VALUE", text);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const field *which = lab_field(name);
    if (!which || !which->option) FAIL(PUAD_INVALID, "--set: a cell has no option '%s'", name);
    bool one = strcmp(name, "extra") == 0 || strcmp(name, "unseen") == 0;
    char *rest = arena_text(memory, text + length + 1);
    if (!rest) FAIL(PUAD_MEMORY, "no memory for an option");
    for (const char *at = rest; *at && !one; at++) values += *at == ',';
    lab_cell *more = NULL;
    TRY(arena_new(memory, &more, values * *count, sizeof *more));
    for (size_t v = 0; v < values; v++) {
        const char *value = one ? rest : strsep(&rest, ",");
        for (size_t i = 0; i < *count; i++) {
            lab_record record = {.cell = (*variants)[i]};
            TRY(field_set(&record, which, value, memory));
            more[v * *count + i] = record.cell;
        }
    }
    *variants = more;
    *count *= values;
    return PUAD_OK;
}

static puad_status set_options(plan_request *request, const lab_cell *common, const invocation *call,
                               arena *memory)
{
    const option_value *given = value_of(call, "set");
    lab_cell *variants = NULL;
    TRY(arena_new(memory, &variants, 1, sizeof *variants));
    *variants = *common;
    request->variant_count = 1;
    for (size_t i = 0; i < given->list_count; i++)
        TRY(set_option(&variants, &request->variant_count, given->list[i], memory));
    request->variants = variants;
    return PUAD_OK;
}

/* "0,1,...,n-1" or the list as given; NULL for the standard. */
static puad_status seed_list(const char **out, const invocation *call, arena *memory)
{
    const option_value *count = value_of(call, "seeds"), *list = value_of(call, "seed-list");
    *out = list->text;
    if (list->given || !count->given || count->integer == 0) return PUAD_OK;
    char *text = NULL;
    TRY(arena_new(memory, &text, (size_t)count->integer * 5 + 1, 1));
    for (long long i = 0, used = 0; i < count->integer; i++)
        used += sprintf(text + used, "%s%lld", i ? "," : "", i);
    *out = text;
    return PUAD_OK;
}

static puad_status list_cells(cell_list *out, const invocation *call)
{
    plan_request request = {.datasets = value_of(call, "datasets")->text,
                            .methods = value_of(call, "methods")->text,
                            .normals = value_of(call, "normal")->text,
                            .alphas = value_of(call, "alphas")->text,
                            .hidden = value_of(call, "contamination")->text,
                            .true_alpha = is_given(call, "contamination") && !is_given(call, "alphas")};
    lab_cell common = lab_cell_standard();
    common.epochs = value_of(call, "epochs")->integer;
    common.pretrain_epochs =
        is_given(call, "pretrain-epochs") ? value_of(call, "pretrain-epochs")->integer : common.epochs;
    common.patience = value_of(call, "patience")->integer;
    TRY(set_options(&request, &common, call, &out->memory));
    TRY(seed_list(&request.seeds, call, &out->memory));
    if (is_given(call, "plan")) return plan_paper(out, value_of(call, "plan")->text, &request);
    return plan_expand(out, &request);
}

/* What would be run, with an estimate from the seconds that cells of the same method and budget took before.
 */
static puad_status dry_run(const cell_list *cells, const invocation *call)
{
    AUTO_LEDGER ledger *book = NULL;
    AUTO_ARENA arena memory = {0};
    lab_record *records = NULL;
    size_t record_count = 0, left = 0, unknown = 0;
    double seconds = 0;
    TRY(lab_open_ledger(&book, call, true));
    TRY(ledger_read(&records, &record_count, book, &memory, false));
    for (size_t i = 0; i < cells->count; i++) {
        const lab_cell *cell = &cells->cells[i];
        lab_result result;
        bool found;
        TRY(ledger_find(&found, &result, book, cell, &memory));
        double sum = 0, like = 0;
        for (size_t j = 0; j < record_count; j++)
            if (strcmp(records[j].cell.method, cell->method) == 0 && records[j].cell.epochs == cell->epochs) {
                sum += records[j].result.seconds;
                like++;
            }
        printf("%s normal %s %s seed %lld alpha %g hidden %lld epochs %lld+%lld%s\n", cell->dataset,
               cell->normal, cell->method, cell->seed, cell->alpha, cell->hidden, cell->pretrain_epochs,
               cell->epochs, found ? " (done)" : "");
        left += !found;
        unknown += !found && like == 0;
        if (!found && like > 0) seconds += sum / like;
    }
    fprintf(stderr, "%zu cells, %zu left, about %.0f minutes", cells->count, left, seconds / 60);
    if (unknown) fprintf(stderr, " and %zu whose time is not known yet", unknown);
    fprintf(stderr, "\n");
    return PUAD_OK;
}

puad_status lab_action_run(const invocation *call)
{
    AUTO_CELLS cell_list cells = {0};
    AUTO_TEAM team *workers = NULL;
    AUTO_LEDGER ledger *book = NULL;
    AUTO_FREE char *folder = NULL;
    TRY(list_cells(&cells, call));
    if (is_given(call, "dry-run")) return dry_run(&cells, call);
    TRY(sets_folder(&folder, value_of(call, "data-dir")->text));
    TRY(team_new(&workers, (int)value_of(call, "threads")->integer));
    TRY(lab_open_ledger(&book, call, true));
    lab_run run = {.call = call, .book = book, .total = cells.count};
    run.bench = (lab_bench){.folder = folder, .workers = workers, .progress = show, .context = &run};
    run.bar = progress_begin("cells", cells.count, is_given(call, "quiet"));
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    sigaction(SIGINT, &action, &before);
    puad_status status = run_cells(&run, &cells);
    sigaction(SIGINT, &before, NULL);
    progress_end(&run.bar);
    lab_bench_clear(&run.bench);
    if (status == PUAD_OK && !is_given(call, "quiet"))
        fprintf(stderr, "%zu cells: %zu run now, %zu were there, %zu are being run by others\n", run.total,
                run.done - run.cached - run.busy, run.cached, run.busy);
    return status;
}
