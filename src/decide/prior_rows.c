/* From rows and labels to an estimate of alpha: leaves out labeled normals, classifies, estimates. */
#include "decide/prior.h"

#include "decide/pu_classifier.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLASSIFIED_LEAST = 2 };

static void refuse_few(prior_estimate *out, size_t anomalies, size_t unlabeled)
{
    *out = (prior_estimate){.alpha = NAN, .low = NAN, .high = NAN, .dedpul = NAN, .menon = NAN, .auroc = NAN};
    out->plain = out->auroc_low = out->auroc_high = out->threshold = NAN;
    out->refused = true;
    snprintf(out->reason, sizeof out->reason,
             "alpha cannot be read from %zu labeled anomalies and %zu unlabeled rows: at least %d labels are "
             "needed, and rows that hide anomalies; label more",
             anomalies, unlabeled, PRIOR_LABELS_LEAST);
}

puad_status prior_from_rows(prior_estimate *out, float *probabilities, const float *values,
                            const int8_t *labels, size_t rows, size_t columns, uint64_t seed, team *workers)
{
    AUTO_ARENA arena memory = {0};
    size_t anomalies = 0, normals = 0;
    for (size_t i = 0; i < rows; i++) {
        anomalies += labels[i] == 1;
        normals += labels[i] == -1;
        if (probabilities) probabilities[i] = NAN;
    }
    size_t kept = rows - normals, unlabeled = kept - anomalies, row = 0, cells;
    if (anomalies < CLASSIFIED_LEAST || unlabeled < CLASSIFIED_LEAST) {
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
    if (normals) TRY(arena_new(&memory, &copy, cells, sizeof *copy));
    for (size_t i = 0; i < rows; i++) {
        if (labels[i] == -1) continue;
        marks[row] = labels[i] == 1;
        if (normals) memcpy(copy + row * columns, values + i * columns, columns * sizeof *values);
        row++;
    }
    TRY(pu_classify(scores, normals ? copy : values, marks, kept, columns, seed, workers));
    size_t a = 0, u = anomalies;
    for (row = 0; row < kept; row++) parts[marks[row] ? a++ : u++] = scores[row];
    if (probabilities) {
        row = 0;
        for (size_t i = 0; i < rows; i++)
            if (labels[i] != -1) probabilities[i] = scores[row++];
    }
    return prior_from_scores(out, parts, anomalies, parts + anomalies, unlabeled, seed, workers);
}
