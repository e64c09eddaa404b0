/* How long experiments take: from similar ones in the ledger, else a nominal cost scaled to this machine.
 * Used for the remaining time and to start the largest work first, so a rough estimate suffices. */
#ifndef LAB_RUN_COST_ESTIMATE_H
#define LAB_RUN_COST_ESTIMATE_H

#include "base/threads.h"
#include "lab/run/experiment.h"

typedef struct cell_cost {
    double own;         /* seconds without pretraining */
    double pretraining; /* seconds of the pretraining, which experiments may share; 0 for none */
} cell_cost;

typedef struct estimate {
    const lab_record *records; /* of the ledger, borrowed */
    size_t count;
    int threads; /* of the planned run */
    /* seconds per unit of nominal cost on this machine, if the ledger has no records; 0: unknown */
    double measured;
} estimate;

/* From the most similar records: same method and dataset, same method, same head, any network. */
cell_cost estimate_cell(const estimate *source, const lab_cell *cell);

/* Whether the ledger has any record of this kind of training (of images, or of points). */
bool estimate_knows(const estimate *source, const lab_cell *cell);

/* Sets `measured` by a training of about half a second. */
puad_status estimate_measure(estimate *out, team *workers);

#endif
