/* Settings of the trees of a PU forest and their weights. */
#include "detector/forest/tree_growth.h"

#include "base/sort.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLE_MIN = 256, SAMPLE_MAX = 1024, SAMPLE_FACTOR = 64, NAME_MAX = 64 };
#define FRACTION_MIN 0.2 /* settings with a smaller fraction get no trees */

static const struct {
    const char *name;
    double sample; /* relative to the usual number of unlabeled rows per tree */
    size_t leaf;
    bool between_rows;
    double first; /* fraction of the trees without evidence */
} growths[TREE_GROWTHS] = {
    {"", 1, 1, false, 0.8}, {", small samples", 0.25, 1, true, 0.15}, {", large leaves", 1, 5, true, 0.05}};

/* Unlabeled rows per tree. More labels allow finer trees. At most a quarter of the rows, so that hidden
 * anomalies are absent from most trees of a small table, and every row is out of bag for some trees. */
static size_t sample_size(size_t anomalies, size_t unlabeled)
{
    double wanted = fmax(SAMPLE_MIN, SAMPLE_FACTOR * sqrt((double)anomalies));
    size_t max = unlabeled < 4 ? 1 : unlabeled / 4;
    if (max > SAMPLE_MAX) max = SAMPLE_MAX;
    return wanted < (double)max ? (size_t)wanted : max;
}

void tree_growth_apply(trees_plan *plan, size_t growth, char *name)
{
    double wanted = growths[growth].sample * (double)sample_size(plan->positive_count, plan->negative_count);
    plan->sample = wanted < 1 ? 1 : (size_t)wanted;
    plan->leaf = growths[growth].leaf;
    plan->between_rows = growths[growth].between_rows;
    snprintf(name, NAME_MAX, "%s%s", plan->stream, growths[growth].name);
    plan->stream = name;
}

puad_status tree_growth_evidence(double *out, const float *labeled, size_t labels, const float *unlabeled,
                                 size_t count)
{
    AUTO_FREE float *sorted = NULL;
    size_t known = 0;
    TRY(memory_new(&sorted, count + 1, sizeof *sorted, "scores of unlabeled rows"));
    for (size_t i = 0; i < count; i++)
        if (!isnan(unlabeled[i])) sorted[known++] = unlabeled[i];
    sort_floats(sorted, known);
    *out = 0;
    for (size_t i = 0; i < labels; i++) {
        size_t below[2];
        if (isnan(labeled[i])) continue;
        for (int equal = 0; equal < 2; equal++) { /* number of smaller values, and of smaller or equal ones */
            size_t low = 0, high = known;
            while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (sorted[middle] < labeled[i] || (equal && sorted[middle] == labeled[i]))
                    low = middle + 1;
                else
                    high = middle;
            }
            below[equal] = low;
        }
        double above = (double)known - ((double)below[0] + (double)below[1]) / 2;
        *out -= log((above + 0.5) / ((double)known + 1));
    }
    return PUAD_OK;
}

void tree_growth_fractions(double out[TREE_GROWTHS], const double evidence[TREE_GROWTHS])
{
    double best = evidence[0], sum = 0, kept = 0;
    for (int g = 1; g < TREE_GROWTHS; g++) best = fmax(best, evidence[g]);
    for (int g = 0; g < TREE_GROWTHS; g++) sum += out[g] = growths[g].first * exp(evidence[g] - best);
    for (int g = 0; g < TREE_GROWTHS; g++) {
        if (out[g] < FRACTION_MIN * sum) out[g] = 0;
        kept += out[g];
    }
    for (int g = 0; g < TREE_GROWTHS; g++) out[g] /= kept;
}
