/* Estimates alpha from rows and labels: leaves out labeled normals, classifies, estimates. */
#include "prior/prior.h"

#include "base/rng.h"
#include "prior/pu_classifier.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void refuse_few(prior_estimate *out, size_t anomalies, size_t unlabeled)
{
    *out = (prior_estimate){.alpha = NAN, .low = NAN, .high = NAN, .auroc = NAN};
    out->auroc_low = out->auroc_high = NAN;
    out->refused = true;
    snprintf(out->reason, sizeof out->reason,
             "%zu labeled anomalies and %zu unlabeled rows do not show alpha; at least %d labels are needed",
             anomalies, unlabeled, PRIOR_LABELS_MIN);
}

/* Chooses the rows to use: all labeled anomalies and unlabeled rows, or the caller's maximum of each,
 * evenly drawn; the default is enough for a fraction of one in a thousand. */
static size_t choose_rows(bool *chosen, size_t *out_anomalies, const prior_rows *source, uint64_t seed)
{
    const int8_t *labels = source->labels;
    size_t rows = source->rows;
    size_t max[2] = {source->unlabeled_most ? source->unlabeled_most : PRIOR_ROWS_MAX,
                     source->anomalies_most ? source->anomalies_most : PRIOR_ROWS_MAX / 4};
    size_t pool[2] = {0}, need[2], unlabeled = 0;
    rng draws = rng_make(seed, rng_stream("prior rows", 0));
    for (size_t i = 0; i < rows; i++)
        if (labels[i] != -1) pool[labels[i] == 1]++;
    for (int kind = 0; kind < 2; kind++) need[kind] = pool[kind] < max[kind] ? pool[kind] : max[kind];
    *out_anomalies = need[1];
    unlabeled = need[0];
    for (size_t i = 0; i < rows; i++) {
        int kind = labels[i] == 1;
        if (labels[i] == -1) continue;
        chosen[i] = need[kind] == pool[kind] || rng_below(&draws, pool[kind]) < need[kind];
        need[kind] -= chosen[i];
        pool[kind]--;
    }
    return unlabeled;
}

puad_status prior_from_rows(prior_estimate *out, float *probabilities, const prior_rows *source,
                            uint64_t seed, team *workers, rank_group *all)
{
    const float *values = source->values;
    const int8_t *labels = source->labels;
    size_t rows = source->rows, columns = source->columns;
    AUTO_ARENA arena memory = {0};
    bool *chosen;
    size_t anomalies = 0, row = 0, cells;
    TRY(arena_new(&memory, &chosen, rows, sizeof *chosen));
    size_t unlabeled = choose_rows(chosen, &anomalies, source, seed), kept = anomalies + unlabeled;
    for (size_t i = 0; probabilities && i < rows; i++) probabilities[i] = NAN;
    if (anomalies < PRIOR_LABELS_MIN || unlabeled < PRIOR_LABELS_MIN) {
        refuse_few(out, anomalies, unlabeled);
        return PUAD_OK;
    }
    if (!size_multiply(&cells, kept, columns))
        FAIL(PUAD_MEMORY, "%zu x %zu values are too many", kept, columns);
    float *scores, *parts, *copy = NULL;
    int8_t *marks;
    TRY(arena_new(&memory, &scores, kept, sizeof *scores));
    TRY(arena_new(&memory, &parts, kept, sizeof *parts));
    TRY(arena_new(&memory, &marks, kept, sizeof *marks));
    if (kept < rows) TRY(arena_new(&memory, &copy, cells, sizeof *copy));
    for (size_t i = 0; i < rows; i++) {
        if (!chosen[i]) continue;
        marks[row] = labels[i] == 1;
        if (copy) memcpy(copy + row * columns, values + i * columns, columns * sizeof *values);
        row++;
    }
    TRY(pu_classify(
        scores,
        &(prior_rows){.values = copy ? copy : values, .labels = marks, .rows = kept, .columns = columns},
        seed, workers, all));
    size_t a = 0, u = anomalies;
    for (row = 0; row < kept; row++) parts[marks[row] ? a++ : u++] = scores[row];
    row = 0;
    for (size_t i = 0; probabilities && i < rows; i++)
        if (chosen[i]) probabilities[i] = scores[row++];
    return prior_from_scores(out, &(pu_sample){parts, anomalies, parts + anomalies, unlabeled}, seed,
                             workers);
}
