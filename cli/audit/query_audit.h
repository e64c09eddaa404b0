/* puad query --audit: rows to check, sampled at random by score. */
#ifndef CLI_AUDIT_QUERY_AUDIT_H
#define CLI_AUDIT_QUERY_AUDIT_H

#include "cli/common/command.h"
#include "cli/score/score_sink.h"

puad_status query_audit(const invocation *call);

/* Standard output in the format of --format and --json. */
puad_status query_sink(score_sink *out, const invocation *call);

#endif
