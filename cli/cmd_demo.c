/* puad demo: the main job on generated data, ending in a page to open. */
#include "base/file.h"
#include "base/threads.h"
#include "cli/common/command.h"
#include "cli/common/progress.h"
#include "cli/demo_table.h"
#include "lab/demo/lab_demo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { STEPS = 100 };

static const option options[] = {
    {.name = "output",
     .type = OPTION_TEXT,
     .letter = 'o',
     .standard = "puad-demo/report.html",
     .value = "FILE",
     .help = "the page to write; its folder is made where it is missing"},
    SEED_OPTION("random seed"),
    {.name = "epochs",
     .type = OPTION_INTEGER,
     .standard = "8",
     .min = 1,
     .max = 10000,
     .value = "N",
     .help = "epochs of each training on characters, and of pre-training; more is slower and better"},
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
     .help = "characters to train on"},
    THREADS_OPTION("threads; 0 for one per processor"),
    {.name = "quiet", .type = OPTION_FLAG, .letter = 'q', .help = "no progress"},
};

static void show_progress(void *context, double done, const char *what)
{
    progress_update(context, (size_t)(done * STEPS), "%s", what);
}

/* Makes the folder that a file is to lie in; folders above it must be there. */
static puad_status make_folder_of(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) return PUAD_OK;
    if ((size_t)(slash - path) >= sizeof folder) FAIL(PUAD_INVALID, "%.60s...: the name is too long", path);
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        FAIL(PUAD_IO, "%s: cannot make the folder: %s", folder, strerror(errno));
    if (!file_is_folder(folder)) FAIL(PUAD_IO, "%s: is not a folder", folder);
    return PUAD_OK;
}

/* One line: what came out, and where to read on. */
static void print_summary(const demo *what, const char *path)
{
    printf("AUROC on synthetic characters:");
    for (size_t i = 0; i < DEMO_METHODS; i++)
        printf("%s %s %.3f", i ? "," : "", what->methods[i].method, what->methods[i].result.auroc);
    printf("; %.0f s; report: %s\n", what->seconds, path);
}

static puad_status add_table(page *on, void *context)
{
    demo_table *what = context;
    page_section(on, "A table of payments");
    page_text(on, "3000 payments, a few of them fraud; half of the frauds have been found and are labeled. "
                  "1500 more payments "
                  "have a second kind of fraud that no label shows. The sections up to 'Settings' are what "
                  "this writes:");
    page_code(on, what->of.command);
    return report_add(on, &what->of);
}

static puad_status run(const invocation *call)
{
    const char *path = value_of(call, "output")->text;
    bool quiet = is_given(call, "quiet");
    progress bar = progress_begin("demo", STEPS, quiet);
    demo_options how = {.seed = (uint64_t)value_of(call, "seed")->integer,
                        .toy_epochs = (size_t)value_of(call, "toy-epochs")->integer,
                        .epochs = (size_t)value_of(call, "epochs")->integer,
                        .rows = (size_t)value_of(call, "rows")->integer,
                        .progress = show_progress,
                        .context = &bar};
    demo made = {0};
    demo_table table = {0};
    TRY(make_folder_of(path)); /* before the work, not after it */
    TRY(team_new(&how.workers, (int)value_of(call, "threads")->integer));
    puad_status status = demo_run(&made, &how);
    if (status == PUAD_OK) show_progress(&bar, 1, "report");
    progress_end(&bar);
    if (status == PUAD_OK) status = demo_table_run(&table, call, path);
    if (status == PUAD_OK) status = demo_write(&made, path, add_table, &table);
    demo_table_free(&table);
    if (status == PUAD_OK) print_summary(&made, path);
    demo_free(&made);
    team_free(how.workers);
    return status;
}

const command command_demo = {
    .name = "demo",
    .summary = "everything on generated data in about a minute, ends with a report to open",
    .usage = "[OPTIONS]",
    .description =
        "Writes a table of payments and makes the page of 'puad report' of it; trains four detectors on "
        "points in a plane and draws the score of every place, then compares six "
        "detectors on a thousand small images of drawn characters, and writes one HTML page with what was "
        "done, the figures, the AUROC of each and the training curves. The data are synthetic and the budget "
        "is "
        "small: it shows what the program does, not how good it is on yours.",
    .example = "puad demo\npuad demo --seed 1 -o /tmp/demo.html",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_most = 0,
    .run = run,
};
