/* The design of an audit as a string, and the completed files of its rounds. */
#ifndef AUDIT_AUDIT_FILE_H
#define AUDIT_AUDIT_FILE_H

#include "audit/audit_design.h"

/* "checks=30 rounds=1 round=1 rate=0.1 seed=0 region=204 rows=4000" */
puad_status audit_design_print(const char **out, arena *memory, const audit_design *design, size_t round);

/* The design in the column "audit" of the files, and their last round. All rows must have the same design,
 * and no round may be missing. */
puad_status audit_files_design(audit_design *out, size_t *out_round, const char *const *paths, size_t count);

#endif
