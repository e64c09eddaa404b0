/* AUROC on the test part after each epoch of one training, stored with the losses in a result's history.
 * It is only recorded: nothing is chosen by it, and the training result has the same bits. */
#ifndef LAB_RUN_EPOCH_CURVE_H
#define LAB_RUN_EPOCH_CURVE_H

#include "base/json.h"
#include "detector/network/trainer.h"
#include "lab/results/paper.h"
#include "lab/sets/split.h"

enum {
    CURVE_KINDS = 3,     /* of anomalies: all, seen, unseen */
    CURVE_AVERAGED = 10, /* number of epochs whose weights are averaged */
};

/* After an epoch: with the current weights, and with their average over the last CURVE_AVERAGED epochs (or
 * fewer at the beginning). */
typedef struct curve_point {
    double plain[CURVE_KINDS], averaged[CURVE_KINDS];
} curve_point;

/* Set parts; zero the rest. */
typedef struct lab_curve {
    const split *parts;
    curve_point *points; /* of epochs 0, 1, ... */
    size_t count, capacity;
    float *scores, *kept, *before; /* kept: weights of the last epochs, consecutively */
    size_t weights;
} lab_curve;

void curve_free(lab_curve *owner); /* {0} is fine */
#define AUTO_CURVE __attribute__((cleanup(curve_free)))

/* The watch callback of fit_options; `watcher` is a lab_curve. */
puad_status curve_watch(void *watcher, trainer *state, size_t epoch);

/* As lists in the history's JSON: auroc, auroc_seen, auroc_unseen, averaged, averaged_seen ... */
puad_status curve_to_json(cJSON *history, const lab_curve *curve);

/* The AUROC after each epoch; *out_count is 0 if a history has no curve. In `memory`. An invalid list is
 * PUAD_FORMAT. */
puad_status curve_from_json(double **out, size_t *out_count, arena *memory, const cJSON *history,
                            anomalies which, bool averaged);

/* Whether a history has a valid curve. */
bool curve_is_there(const char *history);

/* Metrics of scores on the test part of a split: normal rows against the requested anomalies. `auprc` may
 * be NULL. */
puad_status judge_scores(double *auroc, double *auprc, const float *scores, const split *parts,
                         anomalies which);

#endif
