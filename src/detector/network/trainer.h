/* The training loop of SPEC section 4: pre-training as an autoencoder where the head measures a distance, the
 * centre, then the objective; validation after each epoch, the weights of the best epoch kept, patience. It
 * works on floats and labels alone; files, models and messages are made elsewhere. Nothing is allocated
 * inside an epoch. */
#ifndef DETECTOR_NETWORK_TRAINER_H
#define DETECTOR_NETWORK_TRAINER_H

#include "detector/network/augment.h"
#include "detector/network/head.h"
#include "detector/network/sampler.h"
#include "nn/ranks.h"

#include <puad/detector.h>

typedef struct train_rows {
    const float *values; /* rows x shape_size(in), borrowed */
    const int8_t *labels;
    size_t rows;
    shape in;
    const bool *left_out;              /* marks rows that are not trained on; NULL for none. Borrowed */
    const struct channel_scale *scale; /* of the channels of windows; NULL: not known. Borrowed */
    const uint32_t *first;             /* the first row of each window; NULL: not known. Borrowed */
} train_rows;

typedef enum train_phase { PHASE_PRETRAIN, PHASE_TRAIN } train_phase;

/* What a progress callback sees, after every batch and (with batch == batches) after every epoch. */
typedef struct train_progress {
    train_phase phase;
    size_t epoch, epochs, batch, batches;
    double train_loss; /* mean over the batches of this epoch so far */
    double valid_loss; /* of this epoch where it has ended, else of the one before; NaN before the first */
    size_t best_epoch;
    double seconds; /* since the phase began, pauses between runs not counted */
} train_progress;

typedef enum train_answer {
    TRAIN_GO_ON,
    TRAIN_FINISH, /* end after this epoch and keep the best weights so far */
    TRAIN_ABORT,  /* end now with PUAD_CANCELLED */
} train_answer;

struct trainer;

typedef struct train_settings {
    const char *network; /* "conv32", "conv1d", "mlp" */
    head_kind head;
    bool linear_code;              /* distance head of conv32: see architecture.h */
    size_t depth, width, latent;   /* mlp; 0 from the data */
    size_t window;                 /* conv1d */
    const puad_own_head *own_head; /* for HEAD_OWN_...; else NULL */
    puad_criterion criterion;
    augment_kind augment; /* of images, while the objective is trained */
    bool cycle;   /* the rate rises to adam.rate and falls to 0 over all steps; the last weights are kept */
    double noise; /* sd of what is added to the input in training */
    size_t epochs, pretrain_epochs;
    /* Steps of Adam in each phase, at most; 0 for no limit. Where it is given without patience the weights at
     * the end are kept and no rows are held out. */
    size_t steps;
    size_t steps_least; /* epochs are added until there are as many steps; 0 for none */
    size_t patience;    /* epochs without a better validation loss before training ends; 0 for never */
    size_t batch;
    bool sampler_given;
    sampler_kind sampler; /* where given; else chosen by sampler_choose */
    double validation;    /* share of the rows, 0.1 */
    uint64_t seed;
    adam_options adam;
    team *workers;
    const puad_ranks *ranks; /* that divide each batch among them; NULL for none. Borrowed */
    /* After a batch; NULL for none. */
    train_answer (*progress)(void *context, const train_progress *now);
    /* After an epoch, when the trainer's state is whole; to write a checkpoint. NULL for none. */
    puad_status (*epoch_done)(void *context, struct trainer *state, const train_progress *now);
    void *context;
} train_settings;

/* Defaults of SPEC section 4; head, criterion and network must be set. */
train_settings train_settings_standard(void);

/* Best weights of a phase so far, and where it stands. All of it travels in a checkpoint. */
typedef struct train_position {
    train_phase phase;
    size_t epoch; /* epochs done in this phase */
    size_t best_epoch;
    double best_loss, last_loss;
    double seconds, pretrain_seconds;
    size_t steps, negative_steps; /* of this phase; with r < 0, see guards.h */
    bool done;
} train_position;

typedef struct trainer {
    arena memory;
    train_settings settings;
    train_rows data;
    validation_split split;
    architecture plan;
    network *net;
    rank_group ranks;
    train_position at;
    float *best_parameters, *best_state;
    float *centre; /* distance head: one value per output of the code */
    /* Room for this rank's part of a batch: the rows as they enter the network, the same without noise, and
     * what flows back. */
    float *inputs, *targets, *output_gradient;
    size_t room; /* rows of these */
    /* Of a whole batch, or of the validation part: an objective needs all of it. */
    float *score_gradient, *scores;
    int8_t *labels;
    void *workspace;
    size_t batch_most;   /* rows of a batch */
    size_t step_count;   /* of this phase, all epochs */
    train_answer answer; /* of this rank, which the others do not know yet */
    bool finishing;
    bool cut_short; /* asked to end while pre-training: what follows is a model, not a state to go on from */
} trainer;

/* Plans everything; no weight has moved yet. `data` and what `settings` points to are borrowed for the
 * trainer's life. */
puad_status trainer_new(trainer **out, const train_settings *settings, const train_rows *data);

/* Takes the result of another trainer's pre-training with the same data, network, seed and budget instead of
 * doing it. */
void trainer_adopt_pretraining(trainer *state, const float *parameters, const float *moving, double seconds);

/* Trains from state->at to the end. Afterwards net holds the weights of the best epoch. */
puad_status trainer_run(trainer *state);

/* Only the pre-training; the result is in best_parameters and best_state. */
puad_status trainer_pretrain(trainer *state);

/* Scores of all rows of `data`, those left out too, by the network as it is after training. */
puad_status trainer_score(trainer *state, float *scores);

/* Scores of other rows of the same shape by the network as it stands; training goes on as if nothing had
 * happened. */
void trainer_score_rows(trainer *state, float *scores, const float *values, size_t rows);

void trainer_free(trainer *state); /* NULL is fine */

#endif
