/* The largest expected fraction of false alarms under even sampling, and rules that keep a rate. */
#include "audit/audit_even.h"

#include <math.h>

enum { GRID = 48 };
/* The fraction is a smooth function of the normal rows. Its largest value is searched on a grid and then
 * between the points of the grid; this covers minima that the search may miss. */
#define SEARCH_MARGIN 1.002

puad_status audit_log_factorials(double **out, arena *memory, size_t max)
{
    TRY(arena_new(memory, out, max + 1, sizeof **out));
    for (size_t i = 1; i <= max; i++) (*out)[i] = (*out)[i - 1] + log((double)i);
    return PUAD_OK;
}

static double log_choose(const double *log_factorials, size_t total, size_t some)
{
    return some > total ? -INFINITY
                        : log_factorials[total] - log_factorials[some] - log_factorials[total - some];
}

/* With m1 and m2 normal rows. */
static double fraction_of(const audit_even *rule, const double *table, size_t m1, size_t m2)
{
    size_t k = rule->outer, k1 = rule->inner, draws = rule->sampled + 1;
    double all = log_choose(table, k, draws), sum = 0;
    size_t top = (size_t)(rule->outer_max > rule->inner_max ? rule->outer_max : rule->inner_max) + 1;
    for (size_t i = 0; i <= top && i <= m1 && i <= draws; i++) {
        double left = log_choose(table, m1, i) - all, few = 0;
        for (size_t j = 0; j <= m2 && i + j <= draws && (long)(i + j) <= rule->outer_max + 1; j++) {
            double chance =
                exp(left + log_choose(table, m2, j) + log_choose(table, k - m1 - m2, draws - i - j));
            few += chance;
            sum += chance * (double)(i + j) / (double)(k + 1 - i - j);
        }
        if (i == 0 || (long)i > rule->inner_max + 1 || k1 == 0) continue;
        double chance = exp(left + log_choose(table, k - m1, draws - i));
        sum += fmax(0, chance - few) * (double)i / (double)(k1 + 1 - i);
    }
    return sum * (double)(k - rule->sampled) / (double)draws;
}

static size_t clamp(double value, size_t max)
{
    return (size_t)fmin((double)max, fmax(0, value));
}

double audit_even_fraction(const audit_even *rule, const double *log_factorials)
{
    size_t most1 = rule->inner, most2 = rule->outer - rule->inner, best1 = 0, best2 = 0;
    double best = 0;
    if (rule->sampled >= rule->outer || (rule->outer_max < 0 && rule->inner_max < 0)) return 0;
    for (size_t a = 0; a <= (most1 ? GRID : 0); a++)
        for (size_t b = 0; b <= GRID; b++) {
            size_t m1 = a * most1 / GRID, m2 = b * most2 / GRID;
            double here = fraction_of(rule, log_factorials, m1, m2);
            if (here > best) {
                best = here;
                best1 = m1;
                best2 = m2;
            }
        }
    for (double step = 0.5 / GRID; step * (double)rule->outer >= 0.5; step /= 2) {
        size_t from1 = best1, from2 = best2;
        for (int a = -1; a <= 1; a++)
            for (int b = -1; b <= 1; b++) {
                size_t m1 = clamp((double)from1 + a * ceil(step * (double)most1), most1);
                size_t m2 = clamp((double)from2 + b * ceil(step * (double)most2), most2);
                double here = fraction_of(rule, log_factorials, m1, m2);
                if (here > best) {
                    best = here;
                    best1 = m1;
                    best2 = m2;
                }
            }
    }
    return fmin(1, best * SEARCH_MARGIN);
}

/* The largest threshold that is at most `rank`; 0 if there is none. */
static size_t threshold_below(const size_t *thresholds, size_t count, double rank)
{
    size_t found = 0;
    for (size_t i = 0; i < count && (double)thresholds[i] <= rank; i++) found = thresholds[i];
    return found;
}

void audit_even_choose(audit_even *rule, double rate, const size_t *thresholds, size_t count,
                       const double *log_factorials)
{
    audit_even made = {.sampled = rule->sampled,
                       .outer = count ? thresholds[count - 1] : 0,
                       .outer_max = -1,
                       .inner_max = -1};
    audit_even next = made;
    for (next.outer_max = 0; next.outer_max < (long)made.sampled; next.outer_max++) {
        if (audit_even_fraction(&next, log_factorials) > rate) break;
        made.outer_max = next.outer_max;
    }
    next = made;
    next.inner_max = made.outer_max > 0 ? made.outer_max - 1 : 0;
    for (int part = 95; part >= 30 && made.outer_max >= 0; part -= 5) {
        next.inner = threshold_below(thresholds, count, part / 100.0 * (double)made.outer);
        if (next.inner == 0 || audit_even_fraction(&next, log_factorials) > rate) break;
        made.inner = next.inner;
        made.inner_max = next.inner_max;
    }
    *rule = made;
}
