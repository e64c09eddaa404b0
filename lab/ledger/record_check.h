/* Validates records from outside. */
#ifndef LAB_LEDGER_RECORD_CHECK_H
#define LAB_LEDGER_RECORD_CHECK_H

#include "lab/run/experiment.h"

/* Checks every field and normalizes the experiment's options, so that it has the same key as a local run.
 * Strings go into `memory`. The message begins with the name of the invalid field. */
puad_status lab_record_check(lab_record *record, arena *memory);

/* Requirements of every row of a ledger: numbers within their ranges, strings without control characters. */
puad_status lab_record_check_values(const lab_record *record);

#endif
