/* The actions of 'puad lab', one function each; the options are in one table in cmd_lab.c. */
#ifndef CLI_LAB_H
#define CLI_LAB_H

#include "base/threads.h"
#include "cli/command.h"
#include "lab/ledger.h"
#include "lab/plan.h"

#define ACTION(name, usage, help) puad_status lab_action_##name(const invocation *call);
#include "cli/lab_actions.def"
#undef ACTION

/* The ledger that --ledger names. */
puad_status lab_open_ledger(ledger **out, const invocation *call, ledger_mode mode);

/* The parts of a text between commas, in `memory`; none for NULL or "". */
puad_status lab_split(const char *const **out, size_t *out_count, arena *memory, const char *text);

/* The cells that the options mean, and what --dry-run says of them when `ranks` processes share the work. */
puad_status lab_list_cells(cell_list *out, const invocation *call);
puad_status lab_dry_run(const cell_list *cells, const invocation *call, team *workers, int ranks);

#endif
