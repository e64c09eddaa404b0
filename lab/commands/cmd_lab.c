/* puad lab: runs experiments and keeps their results in one ledger. */
#include "lab/commands/lab_commands.h"
#include "lab/results/result_table.h"

#include <string.h>

static const option options[] = {
    {.name = "ledger",
     .type = OPTION_TEXT,
     .standard = "lab.db",
     .value = "FILE",
     .help = "the ledger, a SQLite file on a local disk"},
    {.name = "datasets",
     .type = OPTION_TEXT,
     .value = "NAMES",
     .help = "only these, separated by commas, in this order"},
    {.name = "methods", .type = OPTION_TEXT, .value = "NAMES", .help = "only these, separated by commas"},
    {.name = "where",
     .type = OPTION_LIST,
     .value = "NAME=VALUE",
     .help = "table, figure, report: only experiments with this option, and those whose method does not use "
             "it: embedding=linear, epochs=20 ...; may be given more than once"},
    {.name = "on",
     .type = OPTION_CHOICE,
     .standard = "all",
     .choices = "all|seen|unseen",
     .value = "KIND",
     .help = "table, figure: the anomalies of the test part that the AUROC is about"},
    {.name = "seeds",
     .type = OPTION_INTEGER,
     .standard = "0",
     .min = 0,
     .max = 1000,
     .value = "N",
     .help = "run: seeds 0 to N-1, default 5; table: runs per normal class in a complete table, 0 for the "
             "ledger's number of seeds"},
    {.name = "format",
     .type = OPTION_CHOICE,
     .standard = "terminal",
     .choices = TABLE_FORMATS,
     .value = "FORM",
     .help = "table: output format"},
    {.name = "paper",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "table: the paper's results from this file (columns anomalies, dataset, method, auroc_mean, "
             "auroc_std, best) instead of the built-in ones; 'none' for none"},
    {.name = "by",
     .type = OPTION_CHOICE,
     .standard = "set",
     .choices = "set|share",
     .value = "WHAT",
     .help = "table: a block per dataset, or the experiments of --plan adbench by label fraction, AUROC / "
             "average precision over tables and seeds"},
    {.name = "published",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help =
         "table: with --by share, published results for the same tables from this CSV file (columns table, "
         "metric, labeled_anomaly_pct, dataset, model, value)"},
    {.name = "output",
     .type = OPTION_TEXT,
     .letter = 'o',
     .value = "FILE",
     .help = "write to FILE instead of standard output"},
    {.name = "replace",
     .type = OPTION_FLAG,
     .help = "import: results that differ from those in the ledger replace them"},
#include "lab/commands/lab_run_options.def"
    {.name = "quiet", .type = OPTION_FLAG, .letter = 'q', .help = "no messages except errors"},
};

static const struct {
    const char *name, *usage;
    size_t arguments;
    const char *takes;
    puad_status (*run)(const invocation *call);
} actions[] = {
#define ACTION(name, usage, arguments, takes, help) {#name, usage, arguments, takes, lab_action_##name},
#include "lab/commands/lab_actions.def"
#undef ACTION
};

puad_status lab_open_ledger(ledger **out, const invocation *call, ledger_mode mode)
{
    return ledger_open(out, value_of(call, "ledger")->text, mode);
}

static puad_status run(const invocation *call)
{
    const char *name = call->arguments[0];
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(actions[i].name, name) != 0) continue;
        TRY(lab_check_arguments(call, actions[i].usage, actions[i].arguments));
        if (actions[i].takes) TRY(lab_check_options(call, name, actions[i].takes));
        return actions[i].run(call);
    }
    FAIL(PUAD_INVALID, "'%s' is not an action; 'puad lab --help' lists them", name);
}

#define ACTION(name, usage, arguments, takes, help) "\n\n" #name usage ": " help "."
#define FIGURE(name, needs, takes, shows) "\n\nfigure " #name ": " shows "."
const command command_lab = {
    .name = "lab",
    .summary = "the experiments of the paper, on a ledger that survives kill -9",
    .usage = "ACTION [FILE...]",
    .description = "A ledger holds experiments: one dataset, normal class, method, seed and set of options "
                   "each. Actions:"
#include "lab/commands/lab_actions.def"
#include "lab/commands/lab_figures.def"
    ,
    .example =
        "puad lab run --datasets glyphs --normal-class 1 --seeds 1 --epochs 5\n"
        "puad lab run --dataset-file digits.npz --classes 1,2,3/0 --set normals=400 --set hidden=20 --set "
        "labeled=20 --epochs 20\n"
        "puad lab run --plan adbench --set share=0.01,0.05\n"
        "puad lab table --by share --format markdown\n"
        "puad lab table --ledger lab.db --datasets mnist,fashion_mnist\n"
        "puad lab table --on unseen --format markdown -o unseen.md\n"
        "puad lab figure alpha --methods pusvdd,soel -o alpha.svg\n"
        "puad lab figure examples --datasets glyphs --normal-class 3 -o examples.png\n"
        "puad lab report -o report.html\n"
        "puad lab export results.csv\npuad lab import results.csv other.csv",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_least = 1,
    .arguments_most = COMMAND_ARGUMENTS_MAX,
    .argument_choices = "run|table|figure|report|export|import",
    .narrow = lab_narrow,
    .run = run,
};
#undef ACTION
#undef FIGURE
