/* Objectives: what a detector is trained to do, as a pure function of the scores and labels of a mini-batch.
 *
 * A score head turns a row into one raw score s, larger = more anomalous. A loss pair says what that score
 * costs if the row is normal, neg(s), and if it is an anomaly, pos(s). An objective combines the two over a
 * mini-batch of unlabeled rows (U), labeled anomalies (A) and labeled normals (L). It knows no network, so
 * any objective trains any head:
 *
 *     criterion = objective x loss pair x options       scores, labels -> loss, d loss / d score
 *
 * The built-in ones are found by name. An own one is a struct of the same type, filled in by the caller and
 * handed to the calls below or to a detector; nothing is registered globally. examples/own_objective.c shows
 * both.
 *
 * Ownership: the structs here are the caller's and have a fixed layout; pointers in them are borrowed.
 * Threads: evaluating is pure. Texts are UTF-8. */
#ifndef PUAD_OBJECTIVE_H
#define PUAD_OBJECTIVE_H

#include <puad/puad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which rows an objective uses, whether alpha, and whether it estimates the risk of normal rows from those of
 * the others, which can come out negative; a set of bits. */
enum {
    PUAD_USES_UNLABELED = 1,
    PUAD_USES_ANOMALIES = 2,
    PUAD_USES_NORMALS = 4,
    PUAD_USES_ALPHA = 8,
    PUAD_ESTIMATES_RISK = 16
};

/* What one score costs either way, and the slopes of both costs. Always finite for the built-in pairs. */
typedef struct puad_losses {
    double neg, pos;             /* as a normal row, as an anomaly */
    double neg_slope, pos_slope; /* d neg / d score, d pos / d score */
} puad_losses;

/* A loss pair. `evaluate` is called once per row, possibly from several threads at a time. */
typedef struct puad_loss_pair {
    /* the head it belongs to: "reconstruction", "distance", "logit", or a name of your own */
    const char *name;
    const char *title; /* one line for people */
    void (*evaluate)(void *context, puad_losses *out, double score);
    void *context; /* handed to evaluate; NULL for the built-in ones */
} puad_loss_pair;

/* How much the labeled class weighs in pu_abs and pu_loe. */
typedef enum puad_weight {
    PUAD_WEIGHT_PRIOR, /* alpha * mean_A pos + |r|: classes as frequent as in the data */
    PUAD_WEIGHT_EQUAL, /* mean_A pos + |r| / (1 - alpha): both classes count the same */
} puad_weight;

/* How semi_supervised averages. */
typedef enum puad_balance {
    PUAD_BALANCE_SEPARATE, /* one mean per kind of row, added */
    PUAD_BALANCE_POOLED,   /* one mean over all rows */
} puad_balance;

#define PUAD_ETA_FROM_VARIANCES (-1.0)

/* What an objective may be told. Fields it does not list in its `options` do not matter to it. */
typedef struct puad_objective_options {
    double alpha; /* fraction of anomalies put into the formulas, 0 <= alpha < 1 */
    puad_weight weight;
    puad_balance balance;
    int soft;   /* loe, soel, pu_loe: presumed anomalies cost (pos + neg) / 2 instead of pos */
    double eta; /* pnu: 0 (labels alone) to 1 (PU alone), or PUAD_ETA_FROM_VARIANCES */
    /* Counts over the whole training set, not the mini-batch; used for eta. */
    size_t training_anomalies, training_normals;
} puad_objective_options;

/* What an objective makes of one row's losses: d loss / d neg and d loss / d pos. */
typedef struct puad_loss_weights {
    double neg, pos;
} puad_loss_weights;

/* A mini-batch as an objective sees it. */
typedef struct puad_objective_batch {
    size_t rows;
    const int8_t *labels;                 /* puad_label of each row */
    const puad_losses *losses;            /* of each row */
    size_t unlabeled, anomalies, normals; /* how many rows of each label; any may be 0 */
    const puad_objective_options *options;
    puad_loss_weights *weights; /* out, zero at the start; by the chain rule they become d loss / d score */
    void *scratch;              /* rows * scratch_per_row bytes, aligned for any type, contents open */
} puad_objective_batch;

/* An objective. `evaluate` returns the loss and fills batch->weights; it must not allocate, and a mean over
 * no rows is 0 without gradient. It may be called from several threads at a time. */
typedef struct puad_objective {
    const char *name;
    const char *title;   /* one line for people */
    unsigned labels;     /* PUAD_USES_... */
    const char *options; /* names of the options it takes besides alpha, separated by blanks; "" for none */
    size_t scratch_per_row;
    double (*evaluate)(void *context, const puad_objective_batch *batch);
    void *context; /* handed to evaluate; NULL for the built-in ones */
} puad_objective;

/* Everything that turns scores and labels into a loss. The pointers are borrowed. */
typedef struct puad_criterion {
    const puad_objective *objective;
    const puad_loss_pair *losses;
    puad_objective_options options;
} puad_criterion;

/* The built-in ones by name, or by position; NULL when there is no such name or position. */
PUAD_API const puad_objective *puad_objective_find(const char *name);
PUAD_API const puad_objective *puad_objective_at(size_t index);
PUAD_API const puad_loss_pair *puad_loss_pair_find(const char *name);
PUAD_API const puad_loss_pair *puad_loss_pair_at(size_t index);

/* alpha 0.1, weight equal, balance separate, hard, eta from variances, no labels counted. */
PUAD_API puad_objective_options puad_objective_options_standard(void);

/* Sets one option from text, checked against the option table; PUAD_INVALID, with a message that says what
 * was expected, for an option the objective does not take and for a value it cannot have. */
PUAD_API puad_status puad_objective_option_set(puad_objective_options *options,
                                               const puad_objective *objective, const char *name,
                                               const char *text);

/* Bytes of workspace puad_objective_evaluate needs for up
 * to `rows` rows; 0 when that is beyond this machine. */
PUAD_API size_t puad_objective_workspace(const puad_objective *objective, size_t rows);

/* The loss of a mini-batch and, where `gradient` is not NULL, d loss / d score of each row. Pure: the same
 * input gives the same bits, nothing is allocated, nothing is kept. `workspace` has
 * puad_objective_workspace() bytes, aligned as malloc's are. PUAD_NUMERIC names the first row whose score,
 * loss or gradient is not finite. */
PUAD_API puad_status puad_objective_evaluate(double *out_loss, double *gradient,
                                             const puad_criterion *criterion, const double *scores,
                                             const int8_t *labels, size_t rows, void *workspace);

#ifdef __cplusplus
}
#endif
#endif
