/* Tests whether the labels support a derived column; without support it would only add noise.
 *
 * Compares labeled anomalies with a sample of the unlabeled rows: Mann-Whitney tests on the values and on
 * their distances from the median, and binomial tests of the tails, for anomalies of which only some are
 * extreme. */
#include "table/encoding/derived_rows.h"

#include <math.h>
#include <stdlib.h>

enum { LABELS_MIN = 8 }; /* with fewer labels the tests are skipped */
#define RANK_Z_MIN 2.0   /* in standard deviations under random labels */
#define TAIL_CHANCE_MAX 0.005

typedef struct labeled_value {
    double value;
    bool labeled;
} labeled_value;

static int compare(const void *a, const void *b)
{
    double x = ((const labeled_value *)a)->value, y = ((const labeled_value *)b)->value;
    return (x > y) - (x < y);
}

/* The z-score of the rank sum of the labeled values; sorts them. */
static double rank_z(labeled_value *values, size_t count, size_t labeled)
{
    double m = (double)labeled, n = (double)(count - labeled), total = (double)count, sum = 0, ties = 0;
    qsort(values, count, sizeof *values, compare);
    for (size_t i = 0, end; i < count; i = end) {
        double here = 0;
        for (end = i; end < count && values[end].value == values[i].value; end++) here += values[end].labeled;
        double same = (double)(end - i);
        sum += here * ((double)(i + end + 1) / 2);
        ties += same * same * same - same;
    }
    double variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)));
    return variance > 0 ? fabs(sum - m * (total + 1) / 2) / sqrt(variance) : 0;
}

/* P(at least k of n). */
static double binomial_tail(size_t n, size_t k, double p)
{
    double sum = 0;
    for (size_t i = k; i <= n; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
                   (double)i * log(p) + (double)(n - i) * log1p(-p));
    return sum;
}

/* Whether labeled values are overrepresented in a tail; `values` are sorted. */
static bool fills_tail(const labeled_value *values, size_t count, size_t labeled)
{
    static const double tails[] = {0.01, 0.05};
    for (int k = 0; k < 4; k++) {
        size_t others = 0, in = 0, most = (size_t)(tails[k / 2] * (double)(count - labeled));
        for (size_t i = 0; i < count; i++) {
            const labeled_value *value = &values[k % 2 ? i : count - 1 - i];
            if (!value->labeled && others++ == most) break;
            in += value->labeled;
        }
        double fraction = ((double)most + 1) / ((double)(count - labeled) + 1);
        if (in > 1 && binomial_tail(labeled, in, fraction) < TAIL_CHANCE_MAX) return true;
    }
    return false;
}

puad_status derived_supported(bool *out, const double *values, const bool *labeled, size_t count)
{
    AUTO_FREE labeled_value *list = NULL;
    size_t known = 0;
    TRY(memory_new(&list, count + 1, sizeof *list, "a derived column"));
    for (size_t i = 0; i < count; i++) {
        list[i] = (labeled_value){values[i], labeled[i]};
        known += labeled[i];
    }
    *out = true;
    if (known < LABELS_MIN || known == count) return PUAD_OK;
    if (rank_z(list, count, known) >= RANK_Z_MIN || fills_tail(list, count, known)) return PUAD_OK;
    double middle = list[count / 2].value;
    for (size_t i = 0; i < count; i++) list[i].value = fabs(list[i].value - middle);
    *out = rank_z(list, count, known) >= RANK_Z_MIN || fills_tail(list, count, known);
    return PUAD_OK;
}
