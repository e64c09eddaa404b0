/* Which runs belong to a sweep: a ledger has other runs at the same value, which would distort the curve. */
#ifndef LAB_RUN_SWEEP_H
#define LAB_RUN_SWEEP_H

#include "lab/run/experiment.h"

typedef enum sweep_rule { SWEEP_ANY_ALPHA, SWEEP_TRUE_ALPHA } sweep_rule; /* see sweeps.def */

/* The sweep's option first, then those that change with it. */
typedef struct sweep {
    const char *option, *label;
    sweep_rule rule;
    const char *const *swept;
    size_t swept_count;
} sweep;

/* For "alpha" or "hidden"; NULL for others. */
const sweep *sweep_find(const char *option);

/* Records for which another record differs only in the swept option and those that change with it. Copies,
 * in `memory`. */
puad_status sweep_records(lab_record **out, size_t *out_count, arena *memory, const lab_record *records,
                          size_t count, const sweep *over);

#endif
