/* Tests whether the labels support a derived column; without support it would only add noise.
 *
 * Binomial tests: how many labeled anomalies are among the unlabeled rows with the lowest and highest values, and
 * among those farthest from the median, for several fractions of the rows. A test counts ties as a whole. The
 * fractions also cover anomalies of which only some stand out. */
#include "table/encoding/derived_rows.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>

static const double FRACTIONS[] = {0.01, 0.05, 0.2, 0.5};
enum { FRACTION_COUNT = sizeof FRACTIONS / sizeof *FRACTIONS, TESTS = 3 * FRACTION_COUNT };

typedef struct labeled_value {
    double value;
    bool labeled;
} labeled_value;

static int compare(const void *a, const void *b)
{
    double x = ((const labeled_value *)a)->value, y = ((const labeled_value *)b)->value;
    return (x > y) - (x < y);
}

/* Logarithm of the probability of at least k of n. */
static double log_binomial_tail(size_t n, size_t k, double p)
{
    double sum = 0, first = 0;
    if (k == 0 || p >= 1) return 0;
    for (size_t i = k; i <= n; i++) {
        double term = log_factorial((double)n) - log_factorial((double)i) - log_factorial((double)(n - i)) +
                      (double)i * log(p) + (double)(n - i) * log1p(-p);
        if (i == k) first = term;
        sum += exp(term - first);
    }
    return fmin(0, first + log(sum));
}

/* The least probable of the counts at the high end of sorted values, or at the low end. */
static double best_tail(const labeled_value *values, size_t count, size_t labeled, bool high)
{
    size_t others = 0, in = 0, unlabeled = count - labeled;
    double best = 0;
    int next = 0;
    for (size_t i = 0; i < count && next < FRACTION_COUNT;) {
        const labeled_value *first = &values[high ? count - 1 - i : i];
        size_t block_others = 0, block_in = 0;
        for (; i < count; i++) {
            const labeled_value *value = &values[high ? count - 1 - i : i];
            if (value->value != first->value) break;
            value->labeled ? block_in++ : block_others++;
        }
        for (; next < FRACTION_COUNT && (double)(others + block_others) > FRACTIONS[next] * (double)unlabeled;
             next++)
            best = fmin(best, log_binomial_tail(labeled, in, ((double)others + 1) / ((double)unlabeled + 1)));
        others += block_others;
        in += block_in;
    }
    return best;
}

puad_status derived_evidence(double *out, const double *values, const bool *labeled, size_t count)
{
    AUTO_FREE labeled_value *list = NULL;
    size_t known = 0;
    TRY(memory_new(&list, count + 1, sizeof *list, "a derived column"));
    for (size_t i = 0; i < count; i++) {
        list[i] = (labeled_value){values[i], labeled[i]};
        known += labeled[i];
    }
    *out = 0;
    if (known == 0 || known == count) return PUAD_OK;
    qsort(list, count, sizeof *list, compare);
    double best = fmin(best_tail(list, count, known, true), best_tail(list, count, known, false)),
           middle = list[count / 2].value;
    for (size_t i = 0; i < count; i++) list[i].value = fabs(list[i].value - middle);
    qsort(list, count, sizeof *list, compare);
    best = fmin(best, best_tail(list, count, known, true));
    *out = fmin(0, best + log(TESTS));
    return PUAD_OK;
}
