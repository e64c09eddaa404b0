/* Latent outlier exposure: the floor(alpha * n + 1e-6) of the n unlabeled rows with the largest neg - pos
 * are presumed anomalous and contribute pos (hard) or (pos + neg) / 2 (soft), the others neg; the mean
 * over U. Ties go to the earlier row. */
#include "objective/means.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Whether row a is presumed anomalous before row b: a total order, so the choice is the same on every
 * machine. */
static bool comes_before(const puad_objective_batch *batch, size_t a, size_t b)
{
    double key_a = batch->losses[a].neg - batch->losses[a].pos;
    double key_b = batch->losses[b].neg - batch->losses[b].pos;
    return key_a != key_b ? key_a > key_b : a < b;
}

/* Restores the heap from heap[0] down; the top is the row that would be replaced first. */
static void sink(const puad_objective_batch *batch, size_t *heap, size_t size)
{
    for (size_t parent = 0;;) {
        size_t child = 2 * parent + 1;
        if (child >= size) return;
        if (child + 1 < size && comes_before(batch, heap[child], heap[child + 1])) child++;
        if (comes_before(batch, heap[child], heap[parent])) return;
        size_t row = heap[parent];
        heap[parent] = heap[child];
        heap[child] = row;
        parent = child;
    }
}

static void rise(const puad_objective_batch *batch, size_t *heap, size_t at)
{
    for (; at > 0 && comes_before(batch, heap[(at - 1) / 2], heap[at]); at = (at - 1) / 2) {
        size_t row = heap[at];
        heap[at] = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = row;
    }
}

/* One mark per row, after the heap in the scratch memory: 1 if the row is presumed anomalous. */
static unsigned char *marks_of(const puad_objective_batch *batch)
{
    return (unsigned char *)((size_t *)batch->scratch + batch->rows);
}

/* Marks the rows presumed anomalous, with a heap of the current candidates: n log k steps for any scores. */
static void presume(const puad_objective_batch *batch)
{
    size_t *heap = batch->scratch, size = 0;
    unsigned char *marks = marks_of(batch);
    size_t max = (size_t)floor(batch->options->alpha * (double)batch->unlabeled + 1e-6);
    memset(marks, 0, batch->rows);
    for (size_t i = 0; i < batch->rows && max > 0; i++) {
        if (batch->labels[i] != PUAD_LABEL_UNLABELED) continue;
        if (size < max) {
            heap[size] = i;
            rise(batch, heap, size++);
        } else if (comes_before(batch, i, heap[0])) {
            heap[0] = i;
            sink(batch, heap, size);
        }
    }
    for (size_t i = 0; i < size; i++) marks[heap[i]] = 1;
}

double loe_mean(const puad_objective_batch *batch)
{
    if (batch->unlabeled == 0) return 0;
    presume(batch);
    const unsigned char *marks = marks_of(batch);
    double sum = 0;
    for (size_t i = 0; i < batch->rows; i++) {
        if (batch->labels[i] != PUAD_LABEL_UNLABELED) continue;
        double neg = batch->losses[i].neg, pos = batch->losses[i].pos;
        sum += !marks[i] ? neg : batch->options->soft ? 0.5 * (pos + neg) : pos;
    }
    return sum / (double)batch->unlabeled;
}

void loe_weigh(const puad_objective_batch *batch, double factor)
{
    if (batch->unlabeled == 0) return;
    const unsigned char *marks = marks_of(batch);
    double weight = factor / (double)batch->unlabeled;
    double share = batch->options->soft ? 0.5 : 1; /* weight of pos for a presumed anomaly */
    for (size_t i = 0; i < batch->rows; i++) {
        if (batch->labels[i] != PUAD_LABEL_UNLABELED) continue;
        batch->weights[i].pos += marks[i] ? share * weight : 0;
        batch->weights[i].neg += marks[i] ? (1 - share) * weight : weight;
    }
}

double objective_loe(void *context, const puad_objective_batch *batch)
{
    (void)context;
    double loss = loe_mean(batch);
    loe_weigh(batch, 1);
    return loss;
}
