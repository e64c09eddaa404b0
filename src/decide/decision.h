/* Internals of a decider. */
#ifndef DECIDE_DECISION_H
#define DECIDE_DECISION_H

#include "decide/calibrate.h"
#include "decide/conformal.h"
#include "options/options.h"

#include <puad/decision.h>

struct puad_decider {
    arena memory;            /* owns the strings of the report */
    const calibration *held; /* NULL if the model has none */
    conformal calibration;
    conformal_kind p;
    double alpha;       /* in effect: given, or the model's */
    bool alpha_unknown; /* neither */
    bool modeled;       /* p-values come from the anomaly posterior */
    /* they would, but labels do not support it: plain p-values, no probabilities */
    conformal_reason declined;
    puad_decision_kind kind;
    double threshold, rate; /* of PUAD_DECIDES_THRESHOLD, of PUAD_DECIDES_FDR */
    double flag_rate;       /* rate from which the threshold was computed; 0: given */
    bool kinds;
    uint64_t *counts; /* rows at each level */
    size_t rows, flagged, flagged_levels;
};

/* Why labels do not support an alpha estimated from held-out scores, and the name of its warning. */
conformal_reason decision_declines(const conformal *conformal_scores, const calibration *held);
puad_status decision_warn_declined(conformal_reason reason, const conformal *conformal_scores,
                                   const calibration *held, const puad_options *options);

bool decider_has_probability(const puad_decider *decider);

#endif
