/* Finds columns that separate labeled anomalies from unlabeled rows on their own.
 *
 * A leak is a region of one column (values in an interval, one category, or whether a value is present)
 * that contains nearly all labeled anomalies and hardly any unlabeled row. If the labels are a fair sample
 * of the anomalies, a merely good feature cannot do that, because the hidden anomalies are in the region
 * too. With few labels it can happen by chance: so the region must also be unlikely for rows labeled at
 * random, counting all regions and columns tried.
 *
 * A consequence of the anomaly (a failure flag, the name of the attack, the truth) is set in hidden
 * anomalies too. It differs from the usual value in many labeled anomalies and in few unlabeled rows, by a
 * ratio that features hardly reach: at most 1 / alpha. */
#include "checks/guards_columns.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REGION_ANOMALIES_MIN 0.95 /* minimum fraction of the labeled anomalies in the region */
/* minimum fraction of labeled anomalies among the labeled and unlabeled rows in it */
#define REGION_PURITY_MIN 0.95
#define REGION_UNLABELED_MAX                                                                                 \
    0.05                /* maximum fraction of the unlabeled rows in it; relevant if most rows are labeled */
#define CHANCE_MAX 1e-3 /* maximum probability that random labels do it in any column */
/* maximum fraction of unlabeled rows with the value that all labeled anomalies share */
#define SHARED_MAX 0.03
enum { SHARED_LABELS_MIN = 10, DERIVED_INPUTS_MAX = 8 };
/* Minimum ratio of the rate of unusual values in labeled anomalies to that in unlabeled rows, if nearly
 * all, or only some, labeled anomalies have one. Chosen on the tables of tests/real/test_leaks.py. */
#define RATIO_MIN_NEARLY_ALL 4
#define RATIO_MIN 10
#define UNUSUAL_LABELED_MIN 0.1 /* minimum fraction of labeled anomalies with an unusual value */
/* maximum fraction of unlabeled rows with one; few tables contain more anomalies */
#define UNUSUAL_UNLABELED_MAX 0.1

static double log_choose(double n, double k)
{
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/* A region with this many of the labeled anomalies and of the unlabeled rows. */
static bool is_leak(const column_look *look, size_t anomalies, size_t unlabeled, size_t tried)
{
    double in = (double)(anomalies + unlabeled), a = (double)anomalies;
    double all_a = (double)look->anomaly_count, all = all_a + (double)look->unlabeled_count;
    if (a < REGION_ANOMALIES_MIN * all_a || a < REGION_PURITY_MIN * in ||
        (double)unlabeled > REGION_UNLABELED_MAX * (double)look->unlabeled_count)
        return false;
    double chance = log_choose(in, a) + log_choose(all - in, all_a - a) - log_choose(all, all_a);
    return chance + log((double)tried * (double)look->rows->transform->column_count) < log(CHANCE_MAX);
}

/* Whether having a value, or having none, is such a region. */
static puad_status check_presence(column_look *look, const transform_column *column, bool *out_leaks)
{
    size_t with[2] = {0}; /* unlabeled rows and labeled anomalies that have a value */
    if (!column->indicator) return PUAD_OK;
    for (size_t i = 0; i < look->rows->rows; i++)
        if (look->labels[i] >= 0) with[look->labels[i]] += !is_missing(cells_of(look, i, column), column);
    size_t without[2] = {look->unlabeled_count - with[0], look->anomaly_count - with[1]};
    const size_t *region = is_leak(look, with[1], with[0], 2)         ? with
                           : is_leak(look, without[1], without[0], 2) ? without
                                                                      : NULL;
    *out_leaks = region != NULL;
    if (region)
        WARN(look, column, GUARD_leaking_missing, (double)region[1], (double)look->anomaly_count,
             (double)region[0], (double)look->unlabeled_count);
    return PUAD_OK;
}

typedef struct interval {
    float low, high;
    size_t anomalies, unlabeled;
} interval;

/* Three intervals that hold the minimum number of labeled anomalies for a leak: the shortest, the lowest
 * and the highest. */
static size_t propose(interval out[3], const float *sorted, size_t count, size_t min)
{
    if (count < min || min == 0) return 0;
    size_t best = 0;
    for (size_t i = 0; i + min <= count; i++)
        if (sorted[i + min - 1] - sorted[i] < sorted[best + min - 1] - sorted[best]) best = i;
    size_t first[3] = {best, 0, count - min};
    for (int k = 0; k < 3; k++)
        out[k] = (interval){.low = sorted[first[k]], .high = sorted[first[k] + min - 1]};
    return 3;
}

static puad_status check_values(column_look *look, const transform_column *column, guard_name warning,
                                bool *out_leaks)
{
    size_t count = 0, min = (size_t)ceil(REGION_ANOMALIES_MIN * (double)look->anomaly_count);
    interval regions[3];
    for (size_t i = 0; i < look->anomaly_count; i++) {
        const float *cells = cells_of(look, look->anomalies[i], column);
        if (!is_missing(cells, column)) look->sorted[count++] = cells[0];
    }
    qsort(look->sorted, count, sizeof *look->sorted, floats_rising);
    size_t tried = propose(regions, look->sorted, count, min);
    for (size_t i = 0; tried && i < look->rows->rows; i++) {
        const float *cells = cells_of(look, i, column);
        if (look->labels[i] < 0 || is_missing(cells, column)) continue;
        for (size_t k = 0; k < tried; k++)
            if (cells[0] >= regions[k].low && cells[0] <= regions[k].high)
                look->labels[i] ? regions[k].anomalies++ : regions[k].unlabeled++;
    }
    for (size_t k = 0; k < tried && !*out_leaks; k++) {
        if (!is_leak(look, regions[k].anomalies, regions[k].unlabeled, look->rows->rows)) continue;
        *out_leaks = true;
        WARN(look, column, warning, (double)regions[k].anomalies, (double)look->anomaly_count,
             (double)regions[k].unlabeled, (double)look->unlabeled_count);
    }
    return PUAD_OK;
}

static puad_status check_categories(column_look *look, const transform_column *column, bool *out_leaks)
{
    size_t categories = column->width - column->indicator;
    for (size_t k = 0; k < categories && !*out_leaks; k++) {
        size_t in[2] = {0};
        for (size_t i = 0; i < look->rows->rows; i++)
            if (look->labels[i] >= 0) in[look->labels[i]] += cells_of(look, i, column)[k] != 0;
        if (!is_leak(look, in[1], in[0], categories)) continue;
        *out_leaks = true;
        WARN(look, column, GUARD_leaking_column, (double)in[1], (double)look->anomaly_count, (double)in[0],
             (double)look->unlabeled_count);
    }
    return PUAD_OK;
}

static bool same_cells(const float *a, const float *b, const transform_column *column)
{
    for (size_t k = 0; k < column->width; k++)
        if (a[k] != b[k]) return false;
    return true;
}

/* Whether the value is a clipped one, which represents different numbers. */
static bool is_bound(const transform_column *column, double encoded)
{
    double held = held_number(column, encoded), close = 1e-5 * (column->high - column->low);
    return column->type == COLUMN_NUMBER && (held >= column->high - close || held <= column->low + close);
}

static puad_status check_shared(column_look *look, const transform_column *column)
{
    size_t shared = 0, count = look->anomaly_count;
    if (count < SHARED_LABELS_MIN) return PUAD_OK;
    const float *value = cells_of(look, look->anomalies[0], column);
    if (is_bound(column, (double)value[0])) return PUAD_OK;
    for (size_t i = 1; i < count; i++)
        if (!same_cells(value, cells_of(look, look->anomalies[i], column), column)) return PUAD_OK;
    for (size_t i = 0; i < look->rows->rows; i++)
        shared +=
            look->labels[i] == PUAD_LABEL_UNLABELED && same_cells(value, cells_of(look, i, column), column);
    double share = (double)shared / (double)look->unlabeled_count;
    double chance =
        (double)count * log(fmax(share, 1e-300)) + log((double)look->rows->transform->column_count);
    if (share > SHARED_MAX || chance > log(CHANCE_MAX)) return PUAD_OK;
    WARN(look, column, GUARD_constant_in_labeled, (double)count, 100 * share);
    return PUAD_OK;
}

/* The cells that most unlabeled rows have, or else those of any row (Boyer and Moore's majority vote). */
static const float *majority_cells(const column_look *look, const transform_column *column)
{
    const float *usual = cells_of(look, 0, column);
    size_t votes = 0;
    for (size_t i = 0; i < look->rows->rows; i++) {
        if (look->labels[i] != PUAD_LABEL_UNLABELED) continue;
        const float *cells = cells_of(look, i, column);
        if (votes == 0) usual = cells;
        votes += same_cells(usual, cells, column) ? 1 : (size_t)-1;
    }
    return usual;
}

/* Log probability of at least k successes in n trials. */
static double log_tail(size_t n, size_t k, double p)
{
    double sum = 0, first = 0;
    if (p >= 1 || k == 0) return 0;
    for (size_t i = k; i <= n; i++) {
        double term = log_choose((double)n, (double)i) + (double)i * log(p) + (double)(n - i) * log1p(-p);
        if (i == k) first = term;
        sum += exp(term - first);
    }
    return first + log(sum);
}

/* Counts labeled anomalies and unlabeled rows with another value than most rows or, if all values differ,
 * with no value. */
static void count_unusual(size_t out[2], const column_look *look, const transform_column *column)
{
    const float *usual = majority_cells(look, column);
    size_t differ[2] = {0}, missing[2] = {0};
    for (size_t i = 0; i < look->rows->rows; i++) {
        const float *cells = cells_of(look, i, column);
        if (look->labels[i] < 0) continue;
        differ[look->labels[i]] += !same_cells(usual, cells, column);
        missing[look->labels[i]] += is_missing(cells, column);
    }
    memcpy(out, 2 * differ[0] > look->unlabeled_count ? missing : differ, sizeof differ);
}

static puad_status check_unusual(column_look *look, const transform_column *column, bool *out_leaks)
{
    size_t in[2];
    count_unusual(in, look, column);
    double labeled = (double)in[1] / (double)look->anomaly_count,
           others = ((double)in[0] + 1) / ((double)look->unlabeled_count + 1),
           ratio = labeled >= REGION_ANOMALIES_MIN ? RATIO_MIN_NEARLY_ALL : RATIO_MIN,
           chance = log_tail(look->anomaly_count, in[1], ratio * others);
    if (labeled < UNUSUAL_LABELED_MIN || others > UNUSUAL_UNLABELED_MAX ||
        chance + log((double)look->rows->transform->column_count) > log(CHANCE_MAX))
        return PUAD_OK;
    *out_leaks = true;
    others = (double)in[0] / (double)look->unlabeled_count;
    WARN(look, column, GUARD_likely_leak, 100 * labeled, 100 * others, (1 + labeled - others) / 2);
    return PUAD_OK;
}

static bool is_known_leak(const column_look *look, const char *source)
{
    for (size_t i = 0; i < look->leak_count; i++)
        if (strcmp(look->leaks[i], source) == 0) return true;
    return false;
}

puad_status leaks_check_column(column_look *look, const transform_column *column)
{
    bool leaks = false, number = column->type == COLUMN_NUMBER;
    if (!look->anomaly_count || !look->unlabeled_count || is_known_leak(look, column->source)) return PUAD_OK;
    TRY(check_presence(look, column, &leaks));
    if (!leaks && number) TRY(check_values(look, column, GUARD_leaking_column, &leaks));
    if (!leaks && !number) TRY(check_categories(look, column, &leaks));
    if (!leaks) TRY(check_unusual(look, column, &leaks));
    if (leaks) look->leaks[look->leak_count++] = column->source;
    return leaks ? PUAD_OK : check_shared(look, column);
}

/* The input columns of a derived column, whose sources may be derived too. */
static void list_inputs(const char *out[DERIVED_INPUTS_MAX], size_t *count, const transform *encoding,
                        size_t index)
{
    const derived_column *derived = &encoding->derived.columns[index];
    size_t sources[2] = {derived->first, derived->second};
    for (int k = derived->kind == DERIVED_COUNT; k < 2; k++) {
        if (sources[k] >= encoding->input_count)
            list_inputs(out, count, encoding, sources[k] - encoding->input_count);
        else if (*count < DERIVED_INPUTS_MAX)
            out[(*count)++] = encoding->columns[sources[k]].source;
    }
}

puad_status leaks_check_derived(column_look *look, size_t index)
{
    const transform *encoding = look->rows->transform;
    transform_column column = encoding->columns[encoding->input_count + index];
    const char *inputs[DERIVED_INPUTS_MAX];
    size_t count = 0;
    bool leaks = false;
    if (!look->anomaly_count || !look->unlabeled_count || column.type != COLUMN_NUMBER) return PUAD_OK;
    list_inputs(inputs, &count, encoding, index);
    for (size_t i = 0; i < count; i++)
        if (is_known_leak(look, inputs[i])) return PUAD_OK;
    column.source = inputs[0];
    TRY(check_values(look, &column, GUARD_leaking_derived, &leaks));
    if (leaks) look->leaks[look->leak_count++] = inputs[0];
    return PUAD_OK;
}
