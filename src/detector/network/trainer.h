/* The training loop: pretraining as an autoencoder if the head measures a distance, then the center, then
 * the objective; validation after each epoch, keeping the weights of the best epoch, patience. It works
 * only on floats and labels. Nothing is allocated inside an epoch. */
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
    const bool *left_out;              /* marks rows to leave out of training; NULL for none. Borrowed */
    const struct channel_scale *scale; /* of the channels of windows; NULL: unknown. Borrowed */
    const uint32_t *first;             /* the first row of each window; NULL: unknown. Borrowed */
} train_rows;

typedef enum train_phase { PHASE_PRETRAIN, PHASE_TRAIN } train_phase;

/* The argument of a progress callback, after every batch and (with batch == batches) after every epoch. */
typedef struct train_progress {
    train_phase phase;
    size_t epoch, epochs, batch, batches;
    double train_loss; /* mean over the batches of this epoch so far */
    double valid_loss; /* of this epoch if it has ended, else of the previous one; NaN before the first */
    size_t best_epoch;
    double seconds; /* since the phase began, without interruptions between runs */
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
    size_t depth, width, latent;   /* mlp; 0: derived from the data */
    size_t window;                 /* conv1d */
    const puad_own_head *own_head; /* for HEAD_OWN_...; else NULL */
    puad_criterion criterion;
    augment_kind augment; /* for images, while the objective is trained */
    bool cycle;   /* the rate rises to adam.rate and falls to 0 over all steps; the last weights are kept */
    double noise; /* standard deviation of the noise added to the input in training */
    size_t epochs, pretrain_epochs;
    /* Maximum number of Adam steps in each phase; 0 for no limit. If it is given without patience, the
     * last weights are kept and no rows are held out. */
    size_t steps;
    size_t steps_least; /* epochs are added until there are this many steps; 0 for none */
    /* training ends after this many epochs without a better validation loss; 0 for never */
    size_t patience;
    size_t batch;
    bool sampler_given;
    sampler_kind sampler; /* if given; else chosen by sampler_choose */
    double validation;    /* fraction of the rows, 0.1 */
    uint64_t seed;
    adam_options adam;
    team *workers;
    const puad_ranks *ranks; /* ranks that divide each batch; NULL for none. Borrowed */
    /* Called after a batch; NULL for none. */
    train_answer (*progress)(void *context, const train_progress *now);
    /* Called after an epoch, when the trainer's state is complete, to write a checkpoint. NULL for none. */
    puad_status (*epoch_done)(void *context, struct trainer *state, const train_progress *now);
    void *context;
} train_settings;

/* The defaults; head, criterion and network must be set. */
train_settings train_settings_standard(void);

/* Best weights of a phase so far, and the position in the phase. A checkpoint stores all of it. */
typedef struct train_position {
    train_phase phase;
    size_t epoch; /* epochs completed in this phase */
    size_t best_epoch;
    double best_loss, last_loss;
    double seconds, pretrain_seconds;
    size_t steps, negative_steps; /* of this phase; those with r < 0, see guards.h */
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
    float *centre; /* distance head: one value per value of the embedding */
    /* Buffers for this rank's part of a batch: the network's input, the same without noise, and the
     * gradient. */
    float *inputs, *targets, *output_gradient;
    size_t room; /* capacity of these in rows */
    /* For a whole batch, or the validation part, because an objective needs all of it. */
    float *score_gradient, *scores;
    int8_t *labels;
    void *workspace;
    size_t batch_most;   /* rows of a batch */
    size_t step_count;   /* of this phase, all epochs */
    train_answer answer; /* this rank's answer, which the others have not received yet */
    bool finishing;
    /* the end was requested during pretraining: the result is a model, not a state to continue */
    bool cut_short;
} trainer;

/* Prepares everything without changing weights. `data` and the pointers in `settings` are borrowed during
 * the trainer's lifetime. */
puad_status trainer_new(trainer **out, const train_settings *settings, const train_rows *data);

/* Uses the result of another trainer's pretraining with the same data, network, seed and budget. */
void trainer_adopt_pretraining(trainer *state, const float *parameters, const float *moving, double seconds);

/* Trains from state->at to the end. Afterwards `net` holds the weights of the best epoch. */
puad_status trainer_run(trainer *state);

/* Only the pretraining; the result is in best_parameters and best_state. */
puad_status trainer_pretrain(trainer *state);

/* Scores all rows of `data`, including those left out, with the current network after training. */
puad_status trainer_score(trainer *state, float *scores);

/* Scores other rows of the same shape with the current network; the training state is unchanged. */
void trainer_score_rows(trainer *state, float *scores, const float *values, size_t rows);

void trainer_free(trainer *state); /* NULL is fine */
void trainer_cleanup(trainer **owner);
#define AUTO_TRAINER __attribute__((cleanup(trainer_cleanup)))

#endif
