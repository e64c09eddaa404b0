/* The actions of 'puad lab', one function each; cmd_lab.c has the table of options. */
#ifndef LAB_COMMANDS_LAB_COMMANDS_H
#define LAB_COMMANDS_LAB_COMMANDS_H

#include "base/threads.h"
#include "cli/common/command.h"
#include "lab/ledger/ledger.h"
#include "lab/ledger/record_filter.h"
#include "lab/run/plan.h"

#define ACTION(name, usage, arguments, takes, help) puad_status lab_action_##name(const invocation *call);
#include "lab/commands/lab_actions.def"
#undef ACTION

/* The ledger named by --ledger. */
puad_status lab_open_ledger(ledger **out, const invocation *call, ledger_mode mode);

/* Rejects options and arguments that an action does not use; `takes` as in lab_actions.def. */
puad_status lab_check_options(const invocation *call, const char *action, const char *takes);
puad_status lab_check_arguments(const invocation *call, const char *usage, size_t max);

/* Whether a name is one of the words separated by blanks. */
bool lab_has_word(const char *words, const char *name);

/* The command as --help of one action shows it; valid until the program ends. */
const command *lab_narrow(const command *whole, const char *action);

/* The records selected by --datasets, --methods and --where, in `memory`; fails for unknown names. */
puad_status lab_make_query(record_query *out, arena *memory, const invocation *call);

/* Fails if datasets of experiments that are not done are missing; the message names them. */
puad_status lab_need_sets(const cell_list *cells, const bool *done, const invocation *call);

/* Makes the file of --dataset-file the dataset of a request, and --classes its normal classes. */
puad_status lab_use_file(plan_request *request, const invocation *call, arena *memory);

/* Makes the tables of ADBench the datasets of a request, with its label fractions, seeds and methods as
 * defaults. */
puad_status lab_plan_adbench(plan_request *request, const invocation *call, arena *memory);

/* Whether a result has everything requested: with --curve, the AUROC of its epochs. */
bool lab_is_whole(const lab_result *result, const invocation *call);

/* Whether the ledger has a complete result of the experiment; always false with --rerun. Its strings go
 * into `memory`. */
puad_status lab_is_done(bool *out, lab_result *result, ledger *book, const lab_cell *cell,
                        const invocation *call, arena *memory);

/* The experiments that the options select, and the output of --dry-run for `ranks` processes. */
puad_status lab_list_cells(cell_list *out, const invocation *call);
puad_status lab_dry_run(const cell_list *cells, const invocation *call, team *workers, int ranks);

#endif
