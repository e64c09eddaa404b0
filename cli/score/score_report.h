/* The summary of a run of 'puad score', as JSON for another program. */
#ifndef CLI_SCORE_SCORE_REPORT_H
#define CLI_SCORE_SCORE_REPORT_H

#include "cli/common/command.h"

#include <puad/audit.h>
#include <puad/decision.h>

/* Writes {"model", "input", "rows", "flagged", "notes", "warnings"} to the file; "flagged" is null if
 * nothing is decided. */
puad_status score_report_write(const char *path, const invocation *call, puad_decider *decisions,
                               const puad_audit_result *audited); /* NULL without --answers */

#endif
