/* A fit from options and a dataset to a model: what to train with, alpha, the rows to hold out, and the
 * checks before and after. The parts of puad_detector_fit and puad_detector_refit. */
#ifndef TRAIN_FIT_JOB_H
#define TRAIN_FIT_JOB_H

#include "checks/guards.h"
#include "decide/calibrate.h"
#include "detector/model_series.h"
#include "input/dataset_api.h"
#include "prior/prior.h"

typedef struct fit_job {
    const puad_options *said; /* by the caller; or NULL */
    puad_options *settled;    /* with those of `from`; owns texts of `options` */
    arena memory;             /* owns texts and rows of numbers */
    const dataset *rows;      /* with the labels to train with; of a time series: its windows */
    windows windows;          /* of a time series */
    const dataset *series;    /* and its rows, with their labels */
    window_plan window;       /* of a time series */
    channel_scale *scales;    /* of its channels, in `memory` */
    const int8_t *labels;     /* those; all of them unlabeled where the dataset has none */
    const int8_t *given;      /* those before any answers */
    const uint8_t *asked; /* ANSWER_... of rows that somebody was asked about; never held out. NULL: none */
    uint8_t *before;      /* rows of CALIBRATION_...: what `from` held out; NULL: nothing known */
    const puad_detector *from; /* the model to go on from, or NULL */
    puad_fit_options options;
    calibration_plan plan;
    bool calibrates;
    bool checks_only; /* nothing will be trained */
    team *workers;
    warning_list *warnings; /* told so far; the model keeps them */
} fit_job;

/* Makes the windows of a time series the rows to train on, where the options ask for it. */
puad_status fit_windows(fit_job *job, const puad_dataset *data);

/* What is usual in the rows of the series, and in the levels and amplitudes of its windows. */
puad_status fit_learn_usual_windows(puad_detector *model, const fit_job *job);

/* The rows to estimate alpha from, with the labels that
 * were given: of a series, windows that share no row. */
puad_status fit_fair_rows(prior_rows *out, fit_job *job);

/* Trains a model of windows with blocks of the series held out, and keeps their scores. *out may be a model
 * that the caller frees where it fails. */
puad_status series_calibrated_fit(puad_detector **out, const fit_job *job);

size_t fit_count(const fit_job *job, puad_label label);

/* Finds the rows that the model to go on from has held out or knows answers for. Fails where answers are
 * missing. */
puad_status fit_recall(fit_job *job, const puad_dataset *data);

/* Says so where other rows are held out than by that model. */
void fit_tell_held(const fit_job *job, const calibration_parts *parts);

/* Keeps in the model which rows were answered. */
puad_status fit_record_answers(puad_detector *model, const fit_job *job);

/* Method, epochs, batch ... as set; what is not set is that of the model to go on from. */
puad_status fit_settle(fit_job *job);

/* alpha as given, or estimated from the rows; and the one for decisions. */
puad_status fit_choose_alpha(fit_job *job);

/* What the labels alone give reason to warn of. Fails where training cannot work. */
puad_status fit_check_labels(const fit_job *job);

/* Adds what to do to the message of a training whose numbers ran away. */
puad_status fit_explain(puad_status status);

/* Collapse and degeneracy, on at most a few thousand of the training rows. Fails for a useless model, unless
 * the option force is set. */
puad_status fit_check(const puad_detector *model, const fit_job *job);

#endif
