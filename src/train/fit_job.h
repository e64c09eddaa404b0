/* A fit from options and a dataset to a model: training settings, alpha, held-out rows, and the checks
 * before and after. Internals of puad_detector_fit and puad_detector_refit. */
#ifndef TRAIN_FIT_JOB_H
#define TRAIN_FIT_JOB_H

#include "checks/guards.h"
#include "decide/calibrate.h"
#include "detector/model_series.h"
#include "input/dataset_api.h"
#include "prior/prior.h"

typedef struct fit_job {
    const puad_options *request; /* the caller's options; or NULL */
    puad_options *settled;       /* merged with those of `source`; owns strings of `options` */
    arena memory;                /* owns strings and rows of numbers */
    const dataset *rows;         /* with the labels to train with; for a time series: its windows */
    windows windows;             /* for a time series */
    const dataset *series;       /* and its rows, with their labels */
    window_plan window;          /* for a time series */
    channel_scale *scales;       /* of its channels, in `memory` */
    const int8_t *labels;        /* those labels; all unlabeled if the dataset has none */
    const int8_t *given;         /* the labels before any answers */
    const uint8_t *asked; /* ANSWER_... of rows that a reviewer was asked about; never held out. NULL: none */
    uint8_t *before;      /* per row CALIBRATION_...: held out by `source`; NULL: unknown */
    const puad_detector *source; /* the model to continue, or NULL */
    fit_options options;
    calibration_plan plan;
    bool calibrates;
    bool checks_only; /* nothing will be trained */
    team *workers;
    warning_list *warnings; /* warnings so far; stored in the model */
} fit_job;

/* Replaces the training rows by the windows of a time series, if the options ask for it. */
puad_status fit_windows(fit_job *job, const puad_dataset *data);

/* Learns typical values of the rows of the series, and of the levels and amplitudes of its windows. */
puad_status fit_learn_usual_windows(puad_detector *model, const fit_job *job);

/* The rows from which to estimate alpha, with the given labels; for a series, non-overlapping windows. */
puad_status fit_fair_rows(prior_rows *out, fit_job *job);

/* Trains a model of windows with blocks of the series held out, and stores their scores. *out may be a
 * model that the caller frees on failure. */
puad_status series_calibrated_fit(puad_detector **out, const fit_job *job);

size_t fit_count(const fit_job *job, puad_label label);

/* Finds the rows that the earlier model held out or has answers for. Fails if answers are missing. */
puad_status fit_recall(fit_job *job, const puad_dataset *data);

/* Notes if other rows are held out than in the earlier model. */
void fit_tell_held(const fit_job *job, const calibration_parts *parts);

/* Records in the model which rows were answered. */
puad_status fit_record_answers(puad_detector *model, const fit_job *job);

/* Resolves method, epochs, batch ...: options that are not set come from the earlier model. */
puad_status fit_settle(fit_job *job);

/* Resolves alpha, given or estimated from the rows; and the one for decisions. */
puad_status fit_choose_alpha(fit_job *job);

/* Warns about labels. Fails if training cannot work. */
puad_status fit_check_labels(const fit_job *job);

/* Adds advice to the message of a training that diverged. */
puad_status fit_explain(puad_status status);

/* Checks for collapse and degeneracy on at most a few thousand training rows. Fails for a useless model,
 * unless the option force is set. */
puad_status fit_check(const puad_detector *model, const fit_job *job);

#endif
