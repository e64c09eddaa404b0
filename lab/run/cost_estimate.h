/* How long cells take: what the ledger says of like ones, else a nominal cost scaled to this machine. Used to
 * tell a person how long a run takes and to hand out the largest work first, so only roughly right. */
#ifndef LAB_RUN_COST_ESTIMATE_H
#define LAB_RUN_COST_ESTIMATE_H

#include "base/threads.h"
#include "lab/run/experiment.h"

typedef struct cell_cost {
    double own;         /* seconds without pre-training */
    double pretraining; /* seconds of the pre-training, which cells may share; 0 for none */
} cell_cost;

typedef struct estimate {
    const lab_record *records; /* of the ledger, borrowed */
    size_t count;
    int threads; /* that a run will have */
    /* seconds a unit of nominal cost takes here, where the ledger says nothing; 0: not known */
    double measured;
} estimate;

/* From the records that are most alike: same method and data set, same method, same head, any network. */
cell_cost estimate_cell(const estimate *from, const lab_cell *cell);

/* Whether the ledger tells the speed of trainings of this kind (of images, or of points) at all. */
bool estimate_knows(const estimate *from, const lab_cell *cell);

/* Sets `measured` by a training of half a second or so. */
puad_status estimate_measure(estimate *out, team *workers);

#endif
