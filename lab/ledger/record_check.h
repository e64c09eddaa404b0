/* Whether a record that comes from outside can be believed. */
#ifndef LAB_LEDGER_RECORD_CHECK_H
#define LAB_LEDGER_RECORD_CHECK_H

#include "lab/run/experiment.h"

/* Checks every member and brings the cell into the form in which a run would write it, so that it has the
 * same key. Texts go into `memory`. The message begins with the name of the member that is wrong. */
puad_status lab_record_check(lab_record *record, arena *memory);

/* What every row of a ledger must fulfil, whoever wrote it: numbers in their ranges, texts without control
 * characters. */
puad_status lab_record_check_values(const lab_record *record);

#endif
