/* Finds suspects and trains without them. */
#include "detector/network/retrain_without_suspects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fraction of alpha that is used with the distance head. The correction overshoots most there, because a
 * squared distance is unbounded; the other heads use all of alpha. Chosen on ten tables
 * (docs/research/table-networks.md). */
#define LEFT_DISTANCE 0.1

/* Limit of the magnification of a column that varies little without the suspects. */
#define FACTOR_MAX 10

typedef struct ranked {
    float score;
    uint32_t row;
} ranked;

static int highest_first(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

puad_status suspects_mark(bool **out, size_t *out_count, trainer *state, double alpha)
{
    const train_rows *rows = &state->data;
    size_t unlabeled = 0;
    AUTO_FREE float *scores = NULL;
    AUTO_FREE ranked *order = NULL;
    AUTO_FREE bool *marked = NULL;
    TRY(memory_new(&scores, rows->rows, sizeof *scores, "suspects"));
    TRY(memory_new(&order, rows->rows, sizeof *order, "suspects"));
    TRY(memory_new(&marked, rows->rows, sizeof *marked, "suspects"));
    TRY(trainer_score(state, scores));
    for (size_t i = 0; i < rows->rows; i++)
        if (rows->labels[i] == PUAD_LABEL_UNLABELED) order[unlabeled++] = (ranked){scores[i], (uint32_t)i};
    qsort(order, unlabeled, sizeof *order, highest_first);
    *out_count = (size_t)llround(alpha * (double)unlabeled);
    for (size_t i = 0; i < *out_count; i++) marked[order[i].row] = true;
    *out = marked;
    marked = NULL;
    return PUAD_OK;
}

/* Variance of one column over the rows that are not marked (NULL: over all). */
static double variance(const train_rows *rows, size_t column, const bool *marked)
{
    size_t columns = shape_size(rows->in);
    double sum = 0, squares = 0, count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        if (marked && marked[i]) continue;
        double x = (double)rows->values[i * columns + column];
        sum += x;
        squares += x * x;
        count++;
    }
    return count > 0 ? squares / count - sum / count * (sum / count) : 0;
}

/* Columns in which mostly the suspects differ would have little effect on a network trained without them:
 * each column is scaled back to the deviation it had with them. */
static puad_status magnify(float **out, float *factors, const train_rows *rows, const bool *marked)
{
    size_t columns = shape_size(rows->in);
    TRY(memory_new(out, rows->rows * columns, sizeof **out, "rows without suspects"));
    for (size_t j = 0; j < columns; j++) {
        double all = variance(rows, j, NULL), kept = variance(rows, j, marked);
        factors[j] = kept > 0 && all > kept ? (float)fmin(FACTOR_MAX, sqrt(all / kept)) : 1;
    }
    for (size_t i = 0; i < rows->rows * columns; i++) (*out)[i] = rows->values[i] * factors[i % columns];
    return PUAD_OK;
}

/* Converts a network for magnified rows to one for original rows: folds the factors into the first layer. */
static void take_in(network *net, const float *factors, size_t columns)
{
    size_t units = shape_size(net->layers[0].out);
    for (size_t i = 0; i < columns * units; i++) net->parameters[i] *= factors[i / units];
    network_weights_changed(net);
}

/* A reconstruction is compared with the row itself, which must then stay unchanged. */
static bool may_magnify(const recipe *config)
{
    return strcmp(config->network, "mlp") == 0 &&
           (config->head == HEAD_DISTANCE || head_is_logit(config->head));
}

puad_status suspects_train_again(trainer **state, const train_settings *settings, const train_rows *rows,
                                 const bool *marked)
{
    size_t columns = shape_size(rows->in);
    AUTO_FREE float *values = NULL, *factors = NULL;
    train_position first = (*state)->at;
    trainer_free(*state);
    *state = NULL;
    train_rows kept = *rows;
    kept.left_out = marked;
    train_settings again = *settings;
    if (settings->config.head == HEAD_DISTANCE) again.config.objective.alpha *= LEFT_DISTANCE;
    if (may_magnify(&settings->config)) {
        TRY(memory_new(&factors, columns, sizeof *factors, "rows without suspects"));
        TRY(magnify(&values, factors, rows, marked));
        kept.values = values;
    }
    TRY(trainer_new(state, &again, &kept));
    puad_status status = trainer_run(*state);
    if (factors) take_in((*state)->net, factors, columns);
    (*state)->data = *rows; /* restore the original rows after the second training */
    (*state)->at.seconds += first.seconds;
    (*state)->at.pretrain_seconds += first.pretrain_seconds;
    return status;
}
