/* puad demo: the main job on generated data, a table of payments and a report about it. */
#include "base/file.h"
#include "cli/common/command.h"
#include "cli/common/spinner.h"
#include "cli/demo_table.h"

#include <stdio.h>

static const option options[] = {
    {.name = "output",
     .type = OPTION_TEXT,
     .letter = 'o',
     .standard = "puad-demo/report.html",
     .value = "FILE",
     .help = "the HTML page to write; its folder is created if it is missing"},
    SEED_OPTION("random seed"),
    THREADS_OPTION("threads; 0 for one per processor"),
    {.name = "quiet", .type = OPTION_FLAG, .letter = 'q', .help = "no progress"},
};

static puad_status run(const invocation *call)
{
    const char *path = value_of(call, "output")->text;
    demo_table table = {0};
    TRY(file_make_folder_of(path)); /* fail early, before the work */
    activity_begin("working", is_given(call, "quiet"));
    puad_status status = demo_table_run(&table, call, path);
    if (status == PUAD_OK) status = report_page_write(&table.self, path, "Payments (generated)");
    activity_end();
    if (status == PUAD_OK)
        printf("%zu payments ranked, %zu flagged; data: %s, %s; report: %s\n", table.self.ranked_count,
               report_flagged(&table.self), table.train, table.fresh, path);
    demo_table_free(&table);
    return status;
}

const command command_demo = {
    .name = "demo",
    .summary = "train on generated payments and write a report",
    .usage = "[OPTIONS]",
    .description =
        "Writes two tables of payments, demo-train.csv with a few labeled frauds and demo-new.csv with a "
        "second kind of fraud without labels, and writes the page of 'puad report' about them. The data "
        "are synthetic: the page shows what the program does, not how good it is on your data.",
    .example = "puad demo\npuad demo --seed 1 -o /tmp/demo.html",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_most = 0,
    .run = run,
};
