/* The list of objectives, and evaluation: losses of every row, the objective's weights, and the chain rule
 * back to the scores. */
#include "objective/objective.h"

#include "base/memory.h"
#include "objective/means.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define U PUAD_USES_UNLABELED
#define A PUAD_USES_ANOMALIES
#define L PUAD_USES_NORMALS
#define ALPHA PUAD_USES_ALPHA
#define RISK PUAD_ESTIMATES_RISK
static const puad_objective objectives[] = {
#define OBJECTIVE(name, title, labels, options, scratch)                                                     \
    {#name, title, labels, options, scratch, objective_##name, NULL},
#include "objective/objectives.def"
#undef OBJECTIVE
};
#undef U
#undef A
#undef L
#undef ALPHA
#undef RISK
enum { OBJECTIVE_COUNT = sizeof objectives / sizeof *objectives };

const puad_objective *objective_at(size_t index)
{
    return index < OBJECTIVE_COUNT ? &objectives[index] : NULL;
}

const puad_objective *puad_objective_find(const char *name)
{
    for (size_t i = 0; name && i < OBJECTIVE_COUNT; i++)
        if (strcmp(objectives[i].name, name) == 0) return &objectives[i];
    return NULL;
}

/* The workspace: losses, weights, then the objective's scratch; the first two are multiples of 16 bytes
 * per row. */
size_t puad_objective_workspace(const puad_objective *objective, size_t rows)
{
    size_t per_row, bytes;
    if (!objective) return 0;
    if (!size_add(&per_row, sizeof(puad_losses) + sizeof(puad_loss_weights), objective->scratch_per_row) ||
        !size_multiply(&bytes, per_row, rows) || !size_add(&bytes, bytes, 16))
        return 0;
    return bytes;
}

/* Counts the labels of the batch. */
static puad_status count_labels(puad_objective_batch *batch)
{
    for (size_t i = 0; i < batch->rows; i++) {
        int8_t label = batch->labels[i];
        if (label < PUAD_LABEL_NORMAL || label > PUAD_LABEL_ANOMALY)
            FAIL(PUAD_INVALID, "row %zu has label %d, expected 1, 0 or -1", i, label);
        batch->anomalies += label == PUAD_LABEL_ANOMALY;
        batch->unlabeled += label == PUAD_LABEL_UNLABELED;
        batch->normals += label == PUAD_LABEL_NORMAL;
    }
    return PUAD_OK;
}

/* Computes the losses of every row, the objective and its weights. Each row's score is stored in place of
 * its neg loss. */
static puad_status evaluate(double *out_loss, const puad_criterion *criterion, puad_objective_batch *batch,
                            puad_losses *losses)
{
    const puad_loss_pair *pair = criterion->losses;
    puad_loss_weights *weights = (puad_loss_weights *)(losses + batch->rows);
    TRY(objective_options_check(&criterion->options));
    TRY(count_labels(batch));
    for (size_t i = 0; i < batch->rows; i++) {
        double score = losses[i].neg;
        if (!isfinite(score)) FAIL(PUAD_NUMERIC, "the score of row %zu of the batch is %g", i, score);
        pair->evaluate(pair->context, &losses[i], score);
    }
    memset(weights, 0, batch->rows * sizeof *weights);
    batch->options = &criterion->options;
    batch->losses = losses;
    batch->weights = weights;
    batch->scratch = weights + batch->rows;
    *out_loss = criterion->objective->evaluate(criterion->objective->context, batch);
    if (!isfinite(*out_loss)) FAIL(PUAD_NUMERIC, "the loss %s is %g", criterion->objective->name, *out_loss);
    return PUAD_OK;
}

static double slope_of(const puad_objective_batch *batch, size_t row)
{
    return batch->weights[row].neg * batch->losses[row].neg_slope +
           batch->weights[row].pos * batch->losses[row].pos_slope;
}

static puad_status refuse_gradient(const puad_criterion *criterion, size_t row, double slope)
{
    FAIL(PUAD_NUMERIC, "the gradient of %s at row %zu of the batch is %g", criterion->objective->name, row,
         slope);
}

puad_status puad_objective_evaluate(const puad_criterion *criterion, double *out_loss, double *gradient,
                                    const double *scores, const int8_t *labels, size_t rows, void *workspace)
{
    puad_objective_batch batch = {.rows = rows, .labels = labels};
    puad_losses *losses = workspace;
    NEED(out_loss);
    NEED(criterion);
    NEED(criterion->objective);
    NEED(criterion->losses);
    if (rows) {
        NEED(scores);
        NEED(labels);
        NEED(workspace);
    }
    for (size_t i = 0; i < rows; i++) losses[i].neg = scores[i];
    TRY(evaluate(out_loss, criterion, &batch, losses));
    for (size_t i = 0; gradient && i < rows; i++) {
        gradient[i] = slope_of(&batch, i);
        if (!isfinite(gradient[i])) return refuse_gradient(criterion, i, gradient[i]);
    }
    return PUAD_OK;
}

puad_status objective_step(double *out_loss, float *gradient, const puad_criterion *criterion,
                           const float *scores, const int8_t *labels, size_t rows, void *workspace)
{
    puad_objective_batch batch = {.rows = rows, .labels = labels};
    puad_losses *losses = workspace;
    for (size_t i = 0; i < rows; i++) losses[i].neg = (double)scores[i];
    TRY(evaluate(out_loss, criterion, &batch, losses));
    for (size_t i = 0; gradient && i < rows; i++) {
        gradient[i] = (float)slope_of(&batch, i);
        if (!isfinite(gradient[i])) return refuse_gradient(criterion, i, (double)gradient[i]);
    }
    return PUAD_OK;
}

unsigned objective_unused_labels(char *text, size_t capacity, const char *who,
                                 const puad_objective *objective, size_t anomalies, size_t normals)
{
    unsigned given = (anomalies ? PUAD_USES_ANOMALIES : 0) | (normals ? PUAD_USES_NORMALS : 0);
    unsigned unused = given & ~objective->labels;
    char first[64] = "", second[64] = "";
    if (unused & PUAD_USES_ANOMALIES) snprintf(first, sizeof first, "the %zu labeled anomalies", anomalies);
    if (unused & PUAD_USES_NORMALS) snprintf(second, sizeof second, "the %zu labeled normals", normals);
    if (unused)
        snprintf(text, capacity, "%s cannot use %s%s%s", who, first, *first && *second ? " and " : "",
                 second);
    else if (capacity)
        *text = 0;
    return unused;
}
