/* puad query --audit: rows to check, sampled at random by score. */
#ifndef CLI_AUDIT_QUERY_AUDIT_H
#define CLI_AUDIT_QUERY_AUDIT_H

#include "cli/common/command.h"

puad_status query_audit(const invocation *call);

#endif
