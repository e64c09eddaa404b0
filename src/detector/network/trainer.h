/* The training loop: pretraining as an autoencoder if the head measures a distance, then the center, then
 * the objective; validation after each epoch, keeping the weights of the best epoch, patience. It works
 * only on floats and labels. Nothing is allocated inside an epoch. */
#ifndef DETECTOR_NETWORK_TRAINER_H
#define DETECTOR_NETWORK_TRAINER_H

#include "detector/model/recipe.h"
#include "nn/ranks.h"

#include <puad/detector.h>

typedef struct train_rows {
    const float *values; /* rows x shape_size(in), borrowed */
    const int8_t *labels;
    size_t rows;
    shape in;
    const uint8_t *asked;                   /* labeled_rows; NULL for none. Borrowed */
    const bool *left_out;                   /* marks rows to leave out of training; NULL for none. Borrowed */
    const struct channel_scale *scale;      /* of the channels of windows; NULL: unknown. Borrowed */
    const uint32_t *first;                  /* the first row of each window; NULL: unknown. Borrowed */
    const struct evidence_weights *weights; /* fit_options */
} train_rows;

typedef enum train_phase { PHASE_PRETRAIN, PHASE_TRAIN } train_phase;

struct trainer;

typedef struct train_settings {
    recipe config;
    const puad_own_head *own_head; /* for HEAD_OWN_...; else NULL */
    team *workers;
    const puad_ranks *ranks; /* ranks that divide each batch; NULL for none. Borrowed */
    /* Called after every batch and, with batch == batches, after every epoch; NULL for none. */
    puad_progress_call *progress;
    void *progress_context;
    /* Called after an epoch, when the trainer's state is complete, to write a checkpoint. NULL for none. */
    puad_status (*epoch_done)(void *context, struct trainer *state, const puad_progress *now);
    void *context;
} train_settings;

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
    turn_set turns; /* of the unlabeled images that serve as anomalies */
    architecture plan;
    network *net;
    rank_group ranks;
    train_position at;
    float *best_parameters, *best_state;
    float *center; /* distance head: one value per value of the embedding */
    /* Buffers for this rank's part of a batch: the network's input, the same without noise, and the
     * gradient. */
    float *inputs, *targets, *output_gradient;
    size_t capacity; /* capacity of these in rows */
    /* For a whole batch, or the validation part, because an objective needs all of it. */
    float *score_gradient, *scores;
    int8_t *labels;
    void *workspace;
    size_t batch_most;  /* rows of a batch */
    size_t step_count;  /* of this phase, all epochs */
    puad_answer answer; /* this rank's answer, which the others have not received yet */
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
