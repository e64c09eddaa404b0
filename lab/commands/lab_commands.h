/* The actions of 'puad lab', one function each; the options are in one table in cmd_lab.c. */
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

/* The ledger that --ledger names. */
puad_status lab_open_ledger(ledger **out, const invocation *call, ledger_mode mode);

/* Refuses options and arguments that mean nothing to an action; `takes` as in lab_actions.def. */
puad_status lab_check_options(const invocation *call, const char *action, const char *takes);
puad_status lab_check_arguments(const invocation *call, const char *usage, size_t most);

/* Whether a name is among words separated by blanks. */
bool lab_has_word(const char *words, const char *name);

/* The command as --help of one action shows it; it stays until the program ends. */
const command *lab_narrow(const command *whole, const char *action);

/* What --datasets, --methods and --where choose, in `memory`; fails for names that nothing has. */
puad_status lab_make_query(record_query *out, arena *memory, const invocation *call);

/* Fails with the names of data sets that cells which are not done need and that are not there. */
puad_status lab_need_sets(const cell_list *cells, const bool *done, const invocation *call);

/* Makes the file of --dataset-file the data set of a request, and --classes its normal classes. */
puad_status lab_use_file(plan_request *request, const invocation *call, arena *memory);

/* The tables of ADBench as the data sets of a request, with its shares of labels, seeds and methods where
 * none are given. */
puad_status lab_plan_adbench(plan_request *request, const invocation *call, arena *memory);

/* Whether a result has all that is asked for: with --curve, the AUROC of its epochs. */
bool lab_is_whole(const lab_result *result, const invocation *call);

/* Whether the ledger has a whole result of the cell; never with --rerun. Its texts go into `memory`. */
puad_status lab_is_done(bool *out, lab_result *result, ledger *book, const lab_cell *cell,
                        const invocation *call, arena *memory);

/* The cells that the options mean, and what --dry-run says of them when `ranks` processes share the work. */
puad_status lab_list_cells(cell_list *out, const invocation *call);
puad_status lab_dry_run(const cell_list *cells, const invocation *call, team *workers, int ranks);

#endif
