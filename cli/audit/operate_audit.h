/* puad operate MODEL INPUT --answers FILE: the operating table from rows that a reviewer has checked. */
#ifndef CLI_AUDIT_OPERATE_AUDIT_H
#define CLI_AUDIT_OPERATE_AUDIT_H

#include "cli/common/command.h"

puad_status operate_audit(const invocation *call);

#endif
