/* The parts of `puad fit`: what to train with, alpha, the checks afterwards, and going on from a model. */
#ifndef CLI_FIT_H
#define CLI_FIT_H

#include "base/json.h"
#include "cli/command.h"
#include "data/input.h"
#include "decide/calibrate.h"
#include "detector/model.h"


typedef struct fit_job {
    const invocation *call;
    arena memory;   /* owns texts and `given` */
    dataset rows;   /* with the labels to train with */
    int8_t *given;  /* the labels of INPUT alone, before those of --labels */
    uint8_t *asked; /* QUERY_... of the rows that --labels speaks of; never held out. NULL without --labels */
    uint8_t *before;     /* rows of CALIBRATION_...: what the model of --from held out; NULL: nothing known */
    puad_detector *from; /* the model of --from, or NULL */
    puad_fit_options options;
    calibration_plan plan;
    bool calibrates;
    team *workers;
} fit_job;

/* Is the option given on the command line, not by default? */
#define FIT_GIVEN(job, name) is_given((job)->call, name)

/* Finds the rows that the model of --from has held out or knows answers for. Fails where answers are missing.
 */
puad_status fit_recall(fit_job *job, const data_options *data);

/* Says so where other rows are held out than by the model of --from. */
void fit_tell_held(const fit_job *job, const calibration_parts *parts);

/* Keeps in the model which rows were answered. */
puad_status fit_record_answers(puad_detector *model, const fit_job *job);

/* Method, epochs, batch ... from the command line; with --from, what is not given is the model's. */
puad_status fit_settle(fit_job *job);

/* alpha as given, or estimated from the rows; and the one for decisions. */
puad_status fit_choose_alpha(fit_job *job);

/* What the labels alone give reason to warn of. Fails where training cannot work. */
puad_status fit_check_labels(const fit_job *job);

/* Adds what to do to the message of a training whose numbers ran away. */
puad_status fit_explain(puad_status status);

/* Collapse and degeneracy, on at most a few thousand of the training rows. Fails for a useless model, unless
 * --force. */
puad_status fit_check(const puad_detector *model, const fit_job *job);

/* What --from changed: alpha, and what the operating tables say; as text, or into a JSON object. */
puad_status fit_print_moves(const puad_detector *model, const fit_job *job);
puad_status fit_add_moves(cJSON *object, const puad_detector *model, const fit_job *job);

#endif
