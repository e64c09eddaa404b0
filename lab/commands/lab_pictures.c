/* Trainings and data for figures, from the options of 'puad lab'. */
#include "lab/commands/lab_pictures.h"

#include "base/threads.h"
#include "cli/common/progress.h"
#include "lab/run/plan.h"

#include <stdio.h>

enum { STEPS = 100 };

static void show_progress(void *context, double done, const char *what)
{
    progress_update(context, (size_t)(done * STEPS), "%s", what);
}

/* The single seed of --seed-list. */
static puad_status toy_seed(long long *out, const invocation *call)
{
    const char *given = value_of(call, "seed-list")->text;
    *out = 0;
    if (!given || plan_whole(out, given, 0, PLAN_SEED_MAX) == PUAD_OK) return PUAD_OK;
    status_prefix("--seed-list of the toy set");
    return PUAD_INVALID;
}

puad_status lab_run_toy(toy_study *out, const invocation *call)
{
    AUTO_TEAM team *workers = NULL;
    long long seed;
    TRY(toy_seed(&seed, call));
    progress bar = progress_begin("training", STEPS, is_given(call, "quiet"));
    toy_options options = {.seed = (uint64_t)seed,
                           .epochs = (size_t)value_of(call, "epochs")->integer,
                           .progress = show_progress,
                           .context = &bar};
    TRY(team_new(&workers, (int)value_of(call, "threads")->integer));
    options.workers = workers;
    puad_status status = toy_run(out, &options);
    progress_end(&bar);
    return status;
}

puad_status lab_draw_examples(plot_panel *out, arena *memory, const invocation *call, const char *set)
{
    AUTO_FREE char *folder = NULL;
    AUTO_CELLS cell_list cells = {0};
    lab_bench bench = {.test_most = 64};
    char name[96];
    lab_cell common = lab_cell_standard();
    plan_request request = {.datasets = set,
                            .methods = "if",
                            .normals = value_of(call, "normal-class")->text,
                            .seeds = "0",
                            .variants = &common,
                            .variant_count = 1};
    TRY(plan_expand(&cells, &request));
    if (request.normals && cells.count > 1)
        FAIL(PUAD_INVALID, "--normal-class: examples have one normal class, not '%s'", request.normals);
    TRY(sets_folder(&folder, value_of(call, "data-dir")->text));
    bench.folder = folder;
    snprintf(name, sizeof name, "%s %s", cells.cells[0].dataset, cells.cells[0].normal);
    puad_status status = lab_bench_load(&bench, &cells.cells[0]);
    if (status == PUAD_OK) status = examples_panels(out, memory, &bench.parts, name);
    lab_bench_clear(&bench);
    return status;
}
