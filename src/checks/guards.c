/* The checks for the warnings of guards.def. */
#include "checks/guards.h"

#include "base/c_locale.h"
#include "base/hash.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCORES_SHARE_MIN 0.1 /* distinct scores per distinct row; trees have few leaves */
#define FOREST_SHARE_MIN 0.02
enum { DISTINCT_ROWS_MIN = 10, ANOMALIES_MIN = 5, LABELED_MIN = 10 };
#define EMBEDDING_SPREAD_MIN 1e-5
#define SCORE_SPREAD_MIN 1e-6 /* of the scores, relative to their size */
/* minimum mean probability that a classifier must give to labeled anomalies */
#define PROBABILITY_MIN 0.1
#define LABELED_AUROC_MIN 0.6
#define LABELED_AUROC_GOOD 0.95
/* With |r| the risk oscillates around 0: in a normal training half of the steps are negative. */
#define NEGATIVE_SHARE_MAX 0.6

typedef struct guard_row {
    const char *label, *format;
    bool fatal;
} guard_row;

static const guard_row rows_of_guards[GUARD_COUNT] = {
#define GUARD(name, fatal, text) {#name, text, fatal},
#include "checks/guards.def"
#undef GUARD
};

const char *guard_label(guard_name name)
{
    return rows_of_guards[name].label;
}

static void write_text(char *out, size_t capacity, guard_name name, va_list figures)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the format is a row of guards.def */
    c_print_list(out, capacity, rows_of_guards[name].format, figures);
#pragma GCC diagnostic pop
}

static void find(guard_report *report, guard_name name, ...)
{
    guard_finding *finding = &report->findings[report->count++];
    finding->name = name;
    finding->fatal = rows_of_guards[name].fatal;
    report->useless |= finding->fatal;
    va_list figures;
    va_start(figures, name);
    write_text(finding->text, sizeof finding->text, name, figures);
    va_end(figures);
}

puad_status guard_warn(const puad_options *options, warning_list *list, const char *column, guard_name name,
                       ...)
{
    char text[1024] = "";
    if (column) snprintf(text, sizeof text / 2, "column '%s': ", column);
    size_t used = strlen(text);
    va_list figures;
    va_start(figures, name);
    write_text(text + used, sizeof text - used, name, figures);
    va_end(figures);
    puad_warning warning = {rows_of_guards[name].label, column, text};
    options_warn(options, &warning);
    return list ? warnings_add(list, &warning) : PUAD_OK;
}

static int rising_words(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static size_t count_distinct(uint64_t *words, size_t count)
{
    size_t distinct = count > 0;
    qsort(words, count, sizeof *words, rising_words);
    for (size_t i = 1; i < count; i++) distinct += words[i] != words[i - 1];
    return distinct;
}

/* Identifies rows by a hash of their bits; among many millions a few collisions do not change the result. */
static uint64_t hash_row(const float *values, size_t columns)
{
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < columns; i++) {
        float value = values[i] == 0 ? 0 : values[i]; /* 0 and -0 are equal */
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The probability that a labeled anomaly scores above a row of the sample; ties count half. */
static double labeled_auroc(const guard_evidence *evidence)
{
    double wins = 0;
    for (size_t i = 0; i < evidence->labeled; i++)
        for (size_t k = 0; k < evidence->rows; k++)
            wins += evidence->labeled_scores[i] > evidence->scores[k]    ? 1
                    : evidence->labeled_scores[i] == evidence->scores[k] ? 0.5
                                                                         : 0;
    return wins / ((double)evidence->labeled * (double)evidence->rows);
}

/* A forest of clean data needs few distinct scores: that is not a collapse if labeled anomalies are
 * separated. */
static bool tells_apart(const guard_evidence *evidence)
{
    return !evidence->network && evidence->labeled >= LABELED_MIN &&
           labeled_auroc(evidence) >= LABELED_AUROC_GOOD;
}

static void check_scores(guard_report *out, const guard_evidence *evidence, uint64_t *words,
                         size_t distinct_rows)
{
    size_t bad = 0;
    double min = INFINITY, max = -INFINITY;
    for (size_t i = 0; i < evidence->rows; i++) {
        if (!isfinite(evidence->scores[i])) bad++;
        min = fmin(min, (double)evidence->scores[i]);
        max = fmax(max, (double)evidence->scores[i]);
        uint32_t bits;
        memcpy(&bits, &evidence->scores[i], sizeof bits);
        words[i] = bits;
    }
    if (bad) {
        find(out, GUARD_not_finite, (double)bad, (double)evidence->rows);
        return;
    }
    size_t distinct = count_distinct(words, evidence->rows);
    double share = evidence->network ? SCORES_SHARE_MIN : FOREST_SHARE_MIN;
    bool few = (double)distinct < share * (double)distinct_rows || (distinct < 2 && distinct_rows > 1);
    bool narrow = distinct_rows > 1 && max - min <= SCORE_SPREAD_MIN * fmax(fabs(min), fabs(max));
    if ((few || narrow) && !tells_apart(evidence))
        find(out, evidence->network ? GUARD_scores_collapsed : GUARD_scores_equal, (double)distinct,
             (double)distinct_rows);
}

/* Root of the mean variance of the columns, and of the mean square. */
static void spread_and_size(double *out_spread, double *out_size, const float *values, size_t rows,
                            size_t columns)
{
    double variance = 0, square = 0;
    for (size_t column = 0; column < columns; column++) {
        double sum = 0, squares = 0, first = (double)values[column];
        for (size_t row = 0; row < rows; row++) {
            double value = (double)values[row * columns + column];
            sum += value - first;
            squares += (value - first) * (value - first);
            square += value * value / (double)rows;
        }
        variance += fmax(0, squares / (double)rows - sum / (double)rows * (sum / (double)rows));
    }
    *out_spread = sqrt(variance / (double)columns);
    *out_size = sqrt(square / (double)columns);
}

static void check_embedding(guard_report *out, const guard_evidence *evidence)
{
    double spread, size;
    spread_and_size(&spread, &size, evidence->embeddings, evidence->rows, evidence->embedding_columns);
    if (!(spread > EMBEDDING_SPREAD_MIN * size)) find(out, GUARD_embedding_collapsed, spread, size);
}

/* Whether the model scores the labeled anomalies as it was trained to. */
static void check_labeled(guard_report *out, const guard_evidence *evidence)
{
    size_t labeled = evidence->labeled;
    double probability = 0;
    if (labeled < LABELED_MIN || !evidence->scores || !evidence->rows) return;
    for (size_t i = 0; i < labeled; i++)
        probability += 1 / (1 + exp(-(double)evidence->labeled_scores[i])) / (double)labeled;
    double auroc = labeled_auroc(evidence);
    if (evidence->classifier && probability < PROBABILITY_MIN)
        find(out, GUARD_everything_normal, (double)labeled, probability);
    else if (auroc < LABELED_AUROC_MIN)
        find(out, GUARD_labels_not_learned, (double)labeled, auroc);
}

guard_report guards_check_labels(const guard_labels *labels)
{
    guard_report report = {0};
    double all = (double)(labels->unlabeled + labels->anomalies + labels->normals);
    double anomalies = (double)labels->anomalies;
    if (labels->needs_unlabeled && labels->unlabeled == 0 && all > 0)
        find(&report, GUARD_no_unlabeled, all, anomalies);
    if (!labels->uses_anomalies) return report;
    if (labels->anomalies > labels->unlabeled && labels->unlabeled)
        find(&report, GUARD_many_anomalies, anomalies, all);
    if (labels->few_are_enough) return report;
    if (labels->anomalies == 0)
        find(&report, GUARD_no_anomalies, all, (double)labels->normals);
    else if (labels->anomalies < ANOMALIES_MIN)
        find(&report, GUARD_few_anomalies, anomalies, all);
    if (labels->uses_alpha && labels->anomalies && labels->alpha == 0)
        find(&report, GUARD_alpha_zero, 0.0, anomalies);
    return report;
}

puad_status guards_check(guard_report *out, const guard_evidence *evidence)
{
    guard_report report = {0};
    AUTO_FREE uint64_t *words = NULL;
    size_t rows = evidence->rows, distinct_rows = rows;
    TRY(memory_new(&words, rows, sizeof *words, "checks"));
    if (evidence->inputs && rows) {
        for (size_t i = 0; i < rows; i++)
            words[i] = hash_row(evidence->inputs + i * evidence->columns, evidence->columns);
        distinct_rows = count_distinct(words, rows);
        if (distinct_rows < 2)
            find(&report, GUARD_constant_input, (double)distinct_rows, (double)rows);
        else if (distinct_rows < DISTINCT_ROWS_MIN && rows > 2 * distinct_rows)
            find(&report, GUARD_few_rows, (double)distinct_rows, (double)rows);
    }
    if (evidence->scores && rows) check_scores(&report, evidence, words, distinct_rows);
    if (evidence->embeddings && rows > 1 && distinct_rows > 1) check_embedding(&report, evidence);
    if (!report.useless) check_labeled(&report, evidence);
    if (evidence->network && evidence->epochs == 0) find(&report, GUARD_not_trained, 0.0, (double)rows);
    if (evidence->epochs > 1 && evidence->best_epoch == 0 && evidence->best_loss >= evidence->first_loss)
        find(&report, GUARD_never_improved, (double)evidence->best_epoch, (double)evidence->epochs);
    if (evidence->steps && (double)evidence->negative_steps > NEGATIVE_SHARE_MAX * (double)evidence->steps)
        find(&report, GUARD_negative_risk, 100.0 * (double)evidence->negative_steps / (double)evidence->steps,
             (double)evidence->steps);
    *out = report;
    return PUAD_OK;
}
