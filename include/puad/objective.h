/* Objectives: the loss that a detector minimizes, as a pure function of the scores and labels of a
 * mini-batch.
 *
 * A score head turns a row into one raw score s, larger = more anomalous. A loss pair gives the cost of that
 * score if the row is normal, neg(s), and if it is an anomaly, pos(s). An objective combines the two over a
 * mini-batch of unlabeled rows (U), labeled anomalies (A) and labeled normals (L). It does not depend on a
 * network, so any objective trains any head:
 *
 *     criterion = objective x loss pair x options       scores, labels -> loss, d loss / d score
 *
 * Built-in objectives and loss pairs are found by name. A custom one is a struct of the same type, filled in
 * by the caller and passed to the calls below or to a detector; nothing is registered globally.
 * examples/own_objective.c shows both.
 *
 * Ownership: the structs here belong to the caller and have a fixed layout; pointers in them are borrowed.
 * Threads: evaluation is pure. */
#ifndef PUAD_OBJECTIVE_H
#define PUAD_OBJECTIVE_H

#include <puad/puad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits for the rows that an objective uses, for whether it uses alpha, and for whether it estimates the risk
 * of normal rows from the other rows (the estimate can be negative). */
enum {
    PUAD_USES_UNLABELED = 1,
    PUAD_USES_ANOMALIES = 2,
    PUAD_USES_NORMALS = 4,
    PUAD_USES_ALPHA = 8,
    PUAD_ESTIMATES_RISK = 16
};

/* The costs of one score and their slopes. Built-in pairs always return finite numbers. */
typedef struct puad_losses {
    double neg, pos;             /* as a normal row, as an anomaly */
    double neg_slope, pos_slope; /* d neg / d score, d pos / d score */
} puad_losses;

/* A loss pair. `evaluate` is called once per row, possibly from several threads at the same time. */
typedef struct puad_loss_pair {
    /* its head: "reconstruction", "distance", "logit", or the name of a custom head */
    const char *name;
    const char *title; /* one line for people */
    void (*evaluate)(void *context, puad_losses *out, double score);
    void *context; /* handed to evaluate; NULL for the built-in ones */
} puad_loss_pair;

/* Weight of the labeled class in pu_abs and pu_loe. */
typedef enum puad_weight {
    PUAD_WEIGHT_PRIOR, /* alpha * mean_A pos + |r|: classes as frequent as in the data */
    PUAD_WEIGHT_EQUAL, /* mean_A pos + |r| / (1 - alpha): both classes count equally */
} puad_weight;

/* How semi_supervised averages. */
typedef enum puad_balance {
    PUAD_BALANCE_SEPARATE, /* one mean per kind of row, added */
    PUAD_BALANCE_POOLED,   /* one mean over all rows */
} puad_balance;

#define PUAD_ETA_FROM_VARIANCES (-1.0)

/* Options of objectives. An objective ignores fields that are not in its `options`. */
typedef struct puad_objective_options {
    double alpha; /* fraction of anomalies used in the formulas, 0 <= alpha < 1 */
    puad_weight weight;
    puad_balance balance;
    int soft;   /* loe, soel, pu_loe: presumed anomalies cost (pos + neg) / 2 instead of pos */
    double eta; /* pnu: 0 (labels alone) to 1 (PU alone), or PUAD_ETA_FROM_VARIANCES */
    /* Counts over the whole training set, not the mini-batch; used for eta. */
    size_t training_anomalies, training_normals;
} puad_objective_options;

/* Weights of the two losses of one row: d loss / d neg and d loss / d pos. */
typedef struct puad_loss_weights {
    double neg, pos;
} puad_loss_weights;

/* A mini-batch: the input of an objective, and its result in `weights`. */
typedef struct puad_objective_batch {
    size_t rows;
    const int8_t *labels;                 /* puad_label of each row */
    const puad_losses *losses;            /* of each row */
    size_t unlabeled, anomalies, normals; /* number of rows of each label; may be 0 */
    const puad_objective_options *options;
    puad_loss_weights *weights; /* result, initially zero; the chain rule turns them into d loss / d score */
    void *scratch;              /* rows * scratch_per_row bytes, aligned for any type, uninitialized */
} puad_objective_batch;

/* An objective. `evaluate` returns the loss and fills batch->weights. It must not allocate; a mean over no
 * rows is 0 with gradient 0. It may be called from several threads at the same time. */
typedef struct puad_objective {
    const char *name;
    const char *title;   /* one line for people */
    unsigned labels;     /* PUAD_USES_... */
    const char *options; /* names of the options it uses besides alpha, separated by blanks; "" for none */
    size_t scratch_per_row;
    double (*evaluate)(void *context, const puad_objective_batch *batch);
    void *context; /* handed to evaluate; NULL for the built-in ones */
} puad_objective;

/* An objective, a loss pair and options, which together turn scores and labels into a loss. Pointers are
 * borrowed. */
typedef struct puad_criterion {
    const puad_objective *objective;
    const puad_loss_pair *losses;
    puad_objective_options options;
} puad_criterion;

/* Return a built-in objective or loss pair by name; NULL if there is none. */
PUAD_API const puad_objective *puad_objective_find(const char *name);
PUAD_API const puad_loss_pair *puad_loss_pair_find(const char *name);

/* Returns the defaults: alpha 0.1, weight equal, balance separate, hard, eta from variances, no labels
 * counted. */
PUAD_API puad_objective_options puad_objective_options_standard(void);

/* Returns the bytes of workspace that puad_objective_evaluate needs for up to `rows` rows; 0 if that is too
 * large for this machine. */
PUAD_API size_t puad_objective_workspace(const puad_objective *objective, size_t rows);

/* Writes the loss of a mini-batch and, unless `gradient` is NULL, d loss / d score of each row. Pure: the
 * same input gives the same bits, and nothing is allocated.
 * workspace: puad_objective_workspace bytes, aligned as by malloc.
 * Errors: PUAD_NUMERIC names the first row whose score, loss or gradient is not finite; PUAD_INVALID. */
PUAD_API puad_status puad_objective_evaluate(const puad_criterion *criterion, double *out_loss,
                                             double *gradient, const double *scores, const int8_t *labels,
                                             size_t rows, void *workspace);

#ifdef __cplusplus
}
#endif
#endif
