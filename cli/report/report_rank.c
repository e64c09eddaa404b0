/* Computes the contents of a report: thresholds, scores, kinds and groups. */
#include "cli/library_values.h"
#include "cli/report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 64, FREE_STOPS = 40, GROUPED_MAX = 300, GROUPED_MIN = 40, EXPLAINED_CELLS = 30000 };

/* A threshold with nine digits, which identify the nearest float. */
static double as_typed(double threshold)
{
    return (double)(float)threshold;
}

static int strictest_first(const void *left, const void *right)
{
    const report_stop *a = left, *b = right;
    return (a->threshold < b->threshold) - (a->threshold > b->threshold);
}

static void add_stop(report *self, double threshold, size_t flagged)
{
    double typed = as_typed(threshold);
    for (size_t i = 0; i < self->stop_count; i++)
        if (self->stops[i].threshold == typed) return;
    self->stops[self->stop_count++] = (report_stop){.threshold = typed, .flagged = flagged};
}

static puad_status make_table(report *self)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL; /* use the model's alpha */
    TRY(puad_options_new(&options));
    TRY(puad_options_set(options, "threads", puad_options_get(self->options, "threads")));
    puad_status status = puad_operating_new(&self->table, self->model, GRID, options);
    if (status == PUAD_MEMORY) return status;
    if (status != PUAD_OK) self->table_lacks = arena_text(&self->memory, puad_last_error());
    return PUAD_OK;
}

/* A decider for the decision that the options ask for, if any. */
static puad_status make_asked(report *self)
{
    static const char *const names[] = {"p_values", "fdr", "flag_rate", "threshold"};
    AUTO_CALL_OPTIONS puad_options *options = NULL; /* alpha belongs to training */
    bool any = false;
    if (report_is_audited(self)) return PUAD_OK; /* --fdr is the rate of the audit */
    TRY(puad_options_new(&options));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!puad_options_entry(self->options, names[i], 0)) continue;
        TRY(puad_options_set(options, names[i], puad_options_get(self->options, names[i])));
        any = true;
    }
    return any ? puad_decider_new(&self->asked, self->model, options) : PUAD_OK;
}

/* Kinds need held-out rows and labeled anomalies; otherwise the decider has only p-values, or does not
 * exist. */
static puad_status make_decider(report *self)
{
    for (int kinds = 1; kinds >= 0; kinds--) {
        AUTO_CALL_OPTIONS puad_options *options = NULL;
        TRY(puad_options_new(&options));
        TRY(puad_options_set(options, "threshold", "0"));
        if (kinds) TRY(puad_options_set(options, "kind", "yes"));
        puad_status status = puad_decider_new(&self->decider, self->model, options);
        self->kinds = status == PUAD_OK && kinds;
        if (status != PUAD_INVALID || !kinds) return status;
    }
    return PUAD_OK;
}

/* The thresholds that are known before the rows are scored; rows are counted for each. */
static puad_status make_stops(report *self)
{
    size_t points = operating_of(self->table).count;
    TRY(arena_new(&self->memory, &self->stops, points + FREE_STOPS + 2, sizeof *self->stops));
    for (size_t i = 0; i < points; i++) {
        size_t before = self->stop_count;
        add_stop(self, operating_point(self->table, i).threshold, 0);
        if (self->stop_count == before) continue;
        report_stop *at = &self->stops[before];
        at->judged = true;
        at->recall = operating_point(self->table, i).recall;
        at->precision = operating_point(self->table, i).precision;
    }
    self->cut = NAN;
    if (decided(self->asked).kind == PUAD_DECIDES_THRESHOLD) {
        self->cut = as_typed(decided(self->asked).threshold);
        self->suggestion = "asked";
    } else if (!self->asked && self->table && !self->answer_count) {
        size_t best = operating_of(self->table).best_f1;
        self->cut = as_typed(operating_point(self->table, best).threshold);
        self->suggestion = isnan(operating_of(self->table).alpha.value) ? "best_youden" : "best_f1";
    }
    if (!isnan(self->cut)) add_stop(self, self->cut, 0);
    qsort(self->stops, self->stop_count, sizeof *self->stops, strictest_first);
    return PUAD_OK;
}

/* The score at a rank past the listed rows, from two merged lists. */
static double unlisted_at(const report *self, size_t rank)
{
    size_t novel = 0, more = 0;
    while (novel + more <= rank) {
        bool left = novel < report_top_count(self->novel), right = more < report_top_count(self->more);
        if (!left && !right) return NAN;
        float a = left ? report_top_at(self->novel, novel)->score : -HUGE_VALF,
              b = right ? report_top_at(self->more, more)->score : -HUGE_VALF;
        if (novel + more == rank) return (double)fmaxf(a, b);
        if (a > b)
            novel++;
        else
            more++;
    }
    return NAN;
}

/* The score of the row at a rank, as exactly as it is known. */
static double score_at(const report *self, size_t rank)
{
    size_t listed = report_top_count(self->listed);
    if (rank < listed) return (double)report_top_at(self->listed, rank)->score;
    double score = rank - listed < REPORT_MORE_MAX ? unlisted_at(self, rank - listed) : (double)NAN;
    return isnan(score) ? score_sketch_at(&self->sketch, rank) : score;
}

static size_t count_above(const report *self, double threshold)
{
    size_t count = 0;
    const report_top *const lists[] = {self->listed, self->novel, self->more};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < report_top_count(lists[k]); i++)
            count += (double)report_top_at(lists[k], i)->score >= threshold;
    size_t kept =
        report_top_count(self->listed) + report_top_count(self->novel) + report_top_count(self->more);
    return count < kept || kept == self->ranked_count ? count : score_sketch_above(&self->sketch, threshold);
}

/* The smallest score that a decision by false-discovery rate flags; infinite if it flags none. */
static puad_status settle(double *out, report *self)
{
    TRY(puad_decider_settle(self->asked));
    size_t flagged = decided(self->asked).flagged;
    *out = flagged ? score_at(self, flagged - 1) : HUGE_VAL;
    return PUAD_OK;
}

/* Without an operating table: log-spaced row counts, from one row to half of them. */
static void add_free_stops(report *self)
{
    double largest = fmax(1, (double)self->ranked_count / 2);
    for (int i = 0; i < FREE_STOPS && self->ranked_count; i++) {
        double threshold = score_at(self, (size_t)(pow(largest, (double)i / (FREE_STOPS - 1)) + 0.5) - 1);
        add_stop(self, threshold, count_above(self, as_typed(threshold)));
    }
}

/* The initial threshold of the page, if it depends on the rows. */
static puad_status choose_cut(report *self)
{
    double cut = NAN;
    if (self->answer_count) {
        self->suggestion = "audit";
        self->cut = isnan(self->audited.threshold) ? HUGE_VAL : self->audited.threshold;
        if (isinf(self->cut)) return PUAD_OK;
        cut = self->cut;
    } else if (decided(self->asked).kind == PUAD_DECIDES_FDR) {
        TRY(settle(&cut, self));
        self->suggestion = isinf(cut) ? "no_row" : "asked";
        self->cut = cut;
        if (isinf(cut)) return PUAD_OK;
    } else {
        double alpha = calibration_of(self->model).alpha;
        bool known = alpha > 0; /* false for NaN */
        size_t rows = (size_t)((known ? alpha : 0.01) * (double)self->ranked_count + 0.5);
        cut = score_at(self, rows ? rows - 1 : 0);
        self->suggestion = known ? "alpha" : "top";
    }
    self->cut = as_typed(cut);
    add_stop(self, self->cut, count_above(self, self->cut));
    return PUAD_OK;
}

static puad_status finish_stops(report *self)
{
    for (size_t i = 1; i < self->stop_count; i++) self->stops[i].flagged += self->stops[i - 1].flagged;
    if (!self->ranked_count) {
        self->stop_count = 0;
        return PUAD_OK;
    }
    if (!self->table) add_free_stops(self);
    if (isnan(self->cut)) {
        TRY(choose_cut(self));
        for (size_t i = 0; i < self->input_count; i++)
            self->inputs[i].flagged = score_sketch_above(&self->inputs[i].sketch, self->cut);
    }
    qsort(self->stops, self->stop_count, sizeof *self->stops, strictest_first);
    self->suggested = 0;
    for (size_t i = 0; i < self->stop_count; i++)
        if (self->stops[i].threshold == self->cut) self->suggested = i;
    return PUAD_OK;
}

bool report_is_declined(const report *self)
{
    return decided(self->decider).has_p && !decided(self->decider).has_probability &&
           calibration_of(self->model).alpha_known;
}

/* Flagged listed rows, or an even sample that can be explained within a few seconds. */
static puad_status make_groups(report *self)
{
    size_t flagged = report_flagged_listed(self), max = EXPLAINED_CELLS / (self->columns + 1);
    max = max > GROUPED_MAX ? GROUPED_MAX : max < GROUPED_MIN ? GROUPED_MIN : max;
    size_t count = flagged < max ? flagged : max;
    if (count < 2 || self->window) return PUAD_OK;
    if (!self->image && !info_of(self->model).column_count) return PUAD_OK;
    AUTO_FREE float *values = NULL;
    TRY(memory_new(&values, count * self->columns, sizeof *values, "groups"));
    TRY(arena_new(&self->memory, &self->grouped, count, sizeof *self->grouped));
    TRY(arena_new(&self->memory, &self->grouped_known, count, 1));
    for (size_t i = 0; i < count; i++) {
        self->grouped[i] = i * flagged / count;
        memcpy(values + i * self->columns, report_listed_row(self, self->grouped[i])->values,
               self->columns * sizeof *values);
    }
    self->grouped_count = count;
    if (self->kinds)
        TRY(puad_decider_known(self->decider, self->grouped_known, self->scorer, values, count,
                               self->columns));
    return puad_groups_find(&self->groups, self->scorer, values, count, self->columns);
}

puad_status report_rank(report *self)
{
    self->image = info_of(self->model).image != 0;
    self->columns = info_of(self->model).columns;
    self->window = info_of(self->model).window;
    TRY(puad_scorer_new(&self->scorer, self->model, self->options));
    TRY(report_top_new(&self->listed, self->top));
    TRY(report_top_new(&self->novel, REPORT_NOVEL_MAX));
    TRY(report_top_new(&self->more, REPORT_MORE_MAX));
    TRY(make_table(self));
    TRY(make_asked(self));
    TRY(make_decider(self));
    TRY(make_stops(self));
    for (size_t i = 0; i < self->input_count; i++) TRY(report_scan(self, &self->inputs[i]));
    self->ranked_count = self->sketch.total;
    report_top_sort(self->listed);
    report_top_sort(self->novel);
    report_top_sort(self->more);
    if (report_is_audited(self)) TRY(report_audit_settle(self));
    TRY(finish_stops(self));
    return make_groups(self);
}

void report_free(report *owner)
{
    for (size_t i = 0; i < owner->input_count; i++) {
        puad_dataset_free(owner->inputs[i].data);
        free(owner->inputs[i].scores);
        free(owner->inputs[i].sample);
        score_sketch_free(&owner->inputs[i].sketch);
    }
    report_top_free(owner->listed);
    report_top_free(owner->novel);
    report_top_free(owner->more);
    score_sketch_free(&owner->sketch);
    puad_groups_free(owner->groups);
    puad_decider_free(owner->decider);
    puad_decider_free(owner->asked);
    puad_operating_free(owner->table);
    puad_scorer_free(owner->scorer);
    puad_audit_free(owner->audit);
    score_list_free(&owner->audit_scores);
    arena_free(&owner->memory);
}

const report_row *report_listed_row(const report *self, size_t rank)
{
    return report_top_at(self->listed, rank);
}

void report_row_name(char *text, size_t capacity, const report *self, const report_row *row)
{
    const char *path = self->inputs[row->input].path, *slash = strrchr(path, '/');
    if (self->input_count > 1)
        snprintf(text, capacity, "%s row %zu", slash && slash[1] ? slash + 1 : path, row->row);
    else
        snprintf(text, capacity, "row %zu", row->row);
}

size_t report_flagged(const report *self)
{
    if (!self->stop_count || isinf(self->cut)) return 0;
    return self->stops[self->suggested].flagged;
}

size_t report_flagged_listed(const report *self)
{
    size_t count = 0;
    while (count < report_top_count(self->listed) &&
           (double)report_top_at(self->listed, count)->score >= self->cut)
        count++;
    return count;
}

const char *report_text(report *self, const char *format, ...)
{
    AUTO_FREE char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) text = NULL;
    const char *kept = text ? arena_text(&self->memory, text) : NULL;
    self->lacks_memory |= !kept;
    return kept ? kept : "";
}

const char *report_count_text(report *self, size_t count)
{
    char digits[32], text[48];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%zu", count), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = 0;
    return report_text(self, "%s", text);
}
