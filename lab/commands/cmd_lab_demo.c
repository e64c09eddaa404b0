/* puad-lab demo: the toy set and drawn characters of the paper's experiments, with an HTML page as result. */
#include "base/file.h"
#include "base/threads.h"
#include "cli/common/command.h"
#include "cli/common/progress.h"
#include "lab/demo/lab_demo.h"

#include <stdio.h>

enum { STEPS = 100 };

static const option options[] = {
    {.name = "output",
     .type = OPTION_TEXT,
     .letter = 'o',
     .standard = "puad-demo/laboratory.html",
     .value = "FILE",
     .help = "the HTML page to write; its folder is created if it is missing"},
    SEED_OPTION("random seed"),
    {.name = "epochs",
     .type = OPTION_INTEGER,
     .standard = "8",
     .min = 1,
     .max = 10000,
     .value = "N",
     .help = "epochs of each training on characters, and of pretraining; more is slower and better"},
    {.name = "toy-epochs",
     .type = OPTION_INTEGER,
     .standard = "80",
     .min = 1,
     .max = 100000,
     .value = "N",
     .help = "epochs of each training on the toy set"},
    {.name = "rows",
     .type = OPTION_INTEGER,
     .standard = "1000",
     .min = 100,
     .max = 5000,
     .value = "N",
     .help = "number of training characters"},
    THREADS_OPTION("threads; 0 for one per processor"),
    {.name = "quiet", .type = OPTION_FLAG, .letter = 'q', .help = "no progress"},
};

static void show_progress(void *context, double done, const char *what)
{
    progress_update(context, (size_t)(done * STEPS), "%s", what);
}

/* One line with the result and the path of the page. */
static void print_summary(const demo *what, const char *path)
{
    printf("AUROC on synthetic characters:");
    for (size_t i = 0; i < DEMO_METHODS; i++)
        printf("%s %s %.3f", i ? "," : "", what->methods[i].method, what->methods[i].result.auroc);
    printf("; %.0f s; report: %s\n", what->seconds, path);
}

static puad_status run(const invocation *call)
{
    const char *path = value_of(call, "output")->text;
    bool quiet = is_given(call, "quiet");
    progress bar = progress_begin("demo", STEPS, quiet);
    demo_options given = {.seed = (uint64_t)value_of(call, "seed")->integer,
                          .toy_epochs = (size_t)value_of(call, "toy-epochs")->integer,
                          .epochs = (size_t)value_of(call, "epochs")->integer,
                          .rows = (size_t)value_of(call, "rows")->integer,
                          .progress = show_progress,
                          .context = &bar};
    demo made = {0};
    TRY(file_make_folder_of(path)); /* fail early, before the work */
    TRY(team_new(&given.workers, (int)value_of(call, "threads")->integer));
    puad_status status = demo_run(&made, &given);
    if (status == PUAD_OK) show_progress(&bar, 1, "report");
    progress_end(&bar);
    if (status == PUAD_OK) status = demo_write(&made, path);
    if (status == PUAD_OK) print_summary(&made, path);
    demo_free(&made);
    team_free(given.workers);
    return status;
}

const command command_lab_demo = {
    .name = "demo",
    .summary = "run small experiments on generated data and write an HTML page",
    .usage = "[OPTIONS]",
    .description =
        "Trains four detectors on points in a plane and draws their scores over the plane, then compares "
        "six detectors on a thousand small images of drawn characters, and writes one HTML page with the "
        "figures, the AUROC of each and the training curves. The data are synthetic and the budget is "
        "small.",
    .example = "puad-lab demo\npuad-lab demo --seed 1 -o /tmp/lab-demo.html",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_most = 0,
    .run = run,
};
