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

static void add_stop(report *of, double threshold, size_t flagged)
{
    double typed = as_typed(threshold);
    for (size_t i = 0; i < of->stop_count; i++)
        if (of->stops[i].threshold == typed) return;
    of->stops[of->stop_count++] = (report_stop){.threshold = typed, .flagged = flagged};
}

static puad_status make_table(report *of)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL; /* use the model's alpha */
    TRY(puad_options_new(&options));
    TRY(puad_options_set(options, "threads", puad_options_get(of->options, "threads")));
    puad_status status = puad_operating_new(&of->table, of->model, GRID, options);
    if (status == PUAD_MEMORY) return status;
    if (status != PUAD_OK) of->table_lacks = arena_text(&of->memory, puad_last_error());
    return PUAD_OK;
}

/* A decider for the decision that the options ask for, if any. */
static puad_status make_asked(report *of)
{
    static const char *const names[] = {"p_values", "fdr", "flag_rate", "threshold"};
    AUTO_CALL_OPTIONS puad_options *options = NULL; /* alpha belongs to training */
    bool any = false;
    if (report_is_audited(of)) return PUAD_OK; /* --fdr is the rate of the audit */
    TRY(puad_options_new(&options));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!puad_options_entry(of->options, names[i], 0)) continue;
        TRY(puad_options_set(options, names[i], puad_options_get(of->options, names[i])));
        any = true;
    }
    return any ? puad_decider_new(&of->asked, of->model, options) : PUAD_OK;
}

/* Kinds need held-out rows and labeled anomalies; otherwise the decider has only p-values, or does not
 * exist. */
static puad_status make_decider(report *of)
{
    for (int kinds = 1; kinds >= 0; kinds--) {
        AUTO_CALL_OPTIONS puad_options *options = NULL;
        TRY(puad_options_new(&options));
        TRY(puad_options_set(options, "threshold", "0"));
        if (kinds) TRY(puad_options_set(options, "kind", "yes"));
        puad_status status = puad_decider_new(&of->decider, of->model, options);
        of->kinds = status == PUAD_OK && kinds;
        if (status != PUAD_INVALID || !kinds) return status;
    }
    return PUAD_OK;
}

/* The thresholds that are known before the rows are scored; rows are counted for each. */
static puad_status make_stops(report *of)
{
    size_t points = operating_of(of->table).count;
    TRY(arena_new(&of->memory, &of->stops, points + FREE_STOPS + 2, sizeof *of->stops));
    for (size_t i = 0; i < points; i++) {
        size_t before = of->stop_count;
        add_stop(of, operating_point(of->table, i).threshold, 0);
        if (of->stop_count == before) continue;
        report_stop *at = &of->stops[before];
        at->judged = true;
        at->recall = operating_point(of->table, i).recall;
        at->precision = operating_point(of->table, i).precision;
    }
    of->cut = NAN;
    if (decided(of->asked).kind == PUAD_DECIDES_THRESHOLD) {
        of->cut = as_typed(decided(of->asked).threshold);
        of->suggestion = "asked";
    } else if (!of->asked && of->table && !of->answer_count) {
        size_t best = operating_of(of->table).best_f1;
        of->cut = as_typed(operating_point(of->table, best).threshold);
        of->suggestion = "best_f1";
    }
    if (!isnan(of->cut)) add_stop(of, of->cut, 0);
    qsort(of->stops, of->stop_count, sizeof *of->stops, strictest_first);
    return PUAD_OK;
}

/* The score at a rank past the listed rows, from two merged lists. */
static double unlisted_at(const report *of, size_t rank)
{
    size_t novel = 0, more = 0;
    while (novel + more <= rank) {
        bool left = novel < report_top_count(of->novel), right = more < report_top_count(of->more);
        if (!left && !right) return NAN;
        float a = left ? report_top_at(of->novel, novel)->score : -HUGE_VALF,
              b = right ? report_top_at(of->more, more)->score : -HUGE_VALF;
        if (novel + more == rank) return (double)fmaxf(a, b);
        if (a > b)
            novel++;
        else
            more++;
    }
    return NAN;
}

/* The score of the row at a rank, as exactly as it is known. */
static double score_at(const report *of, size_t rank)
{
    size_t listed = report_top_count(of->listed);
    if (rank < listed) return (double)report_top_at(of->listed, rank)->score;
    double score = rank - listed < REPORT_MORE_MAX ? unlisted_at(of, rank - listed) : (double)NAN;
    return isnan(score) ? score_sketch_at(&of->sketch, rank) : score;
}

static size_t count_above(const report *of, double threshold)
{
    size_t count = 0;
    const report_top *const lists[] = {of->listed, of->novel, of->more};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < report_top_count(lists[k]); i++)
            count += (double)report_top_at(lists[k], i)->score >= threshold;
    size_t kept = report_top_count(of->listed) + report_top_count(of->novel) + report_top_count(of->more);
    return count < kept || kept == of->ranked_count ? count : score_sketch_above(&of->sketch, threshold);
}

/* The smallest score that a decision by false-discovery rate flags; infinite if it flags none. */
static puad_status settle(double *out, report *of)
{
    TRY(puad_decider_settle(of->asked));
    size_t flagged = decided(of->asked).flagged;
    *out = flagged ? score_at(of, flagged - 1) : HUGE_VAL;
    return PUAD_OK;
}

/* Without an operating table: log-spaced row counts, from one row to half of them. */
static void add_free_stops(report *of)
{
    double largest = fmax(1, (double)of->ranked_count / 2);
    for (int i = 0; i < FREE_STOPS && of->ranked_count; i++) {
        double threshold = score_at(of, (size_t)(pow(largest, (double)i / (FREE_STOPS - 1)) + 0.5) - 1);
        add_stop(of, threshold, count_above(of, as_typed(threshold)));
    }
}

/* The initial threshold of the page, if it depends on the rows. */
static puad_status choose_cut(report *of)
{
    double cut = NAN;
    if (of->answer_count) {
        of->suggestion = "audit";
        of->cut = isnan(of->audited.threshold) ? HUGE_VAL : of->audited.threshold;
        if (isinf(of->cut)) return PUAD_OK;
        cut = of->cut;
    } else if (decided(of->asked).kind == PUAD_DECIDES_FDR) {
        TRY(settle(&cut, of));
        of->suggestion = isinf(cut) ? "no_row" : "asked";
        of->cut = cut;
        if (isinf(cut)) return PUAD_OK;
    } else {
        double alpha = calibration_of(of->model).alpha;
        bool known = alpha > 0; /* false for NaN */
        size_t rows = (size_t)((known ? alpha : 0.01) * (double)of->ranked_count + 0.5);
        cut = score_at(of, rows ? rows - 1 : 0);
        of->suggestion = known ? "alpha" : "top";
    }
    of->cut = as_typed(cut);
    add_stop(of, of->cut, count_above(of, of->cut));
    return PUAD_OK;
}

static puad_status finish_stops(report *of)
{
    for (size_t i = 1; i < of->stop_count; i++) of->stops[i].flagged += of->stops[i - 1].flagged;
    if (!of->ranked_count) {
        of->stop_count = 0;
        return PUAD_OK;
    }
    if (!of->table) add_free_stops(of);
    if (isnan(of->cut)) {
        TRY(choose_cut(of));
        for (size_t i = 0; i < of->input_count; i++)
            of->inputs[i].flagged = score_sketch_above(&of->inputs[i].sketch, of->cut);
    }
    qsort(of->stops, of->stop_count, sizeof *of->stops, strictest_first);
    of->suggested = 0;
    for (size_t i = 0; i < of->stop_count; i++)
        if (of->stops[i].threshold == of->cut) of->suggested = i;
    return PUAD_OK;
}

bool report_is_declined(const report *of)
{
    return decided(of->decider).has_p && !decided(of->decider).has_probability &&
           calibration_of(of->model).alpha_known;
}

/* Flagged listed rows, or an even sample that can be explained within a few seconds. */
static puad_status make_groups(report *of)
{
    size_t flagged = report_flagged_listed(of), most = EXPLAINED_CELLS / (of->columns + 1);
    most = most > GROUPED_MAX ? GROUPED_MAX : most < GROUPED_MIN ? GROUPED_MIN : most;
    size_t count = flagged < most ? flagged : most;
    if (count < 2 || of->window) return PUAD_OK;
    if (!of->image && !info_of(of->model).column_count) return PUAD_OK;
    AUTO_FREE float *values = NULL;
    TRY(memory_new(&values, count * of->columns, sizeof *values, "groups"));
    TRY(arena_new(&of->memory, &of->grouped, count, sizeof *of->grouped));
    TRY(arena_new(&of->memory, &of->grouped_known, count, 1));
    for (size_t i = 0; i < count; i++) {
        of->grouped[i] = i * flagged / count;
        memcpy(values + i * of->columns, report_listed_row(of, of->grouped[i])->values,
               of->columns * sizeof *values);
    }
    of->grouped_count = count;
    if (of->kinds)
        TRY(puad_decider_known(of->decider, of->grouped_known, of->scorer, values, count, of->columns));
    return puad_groups_find(&of->groups, of->scorer, values, count, of->columns);
}

puad_status report_rank(report *of)
{
    of->image = info_of(of->model).image != 0;
    of->columns = info_of(of->model).columns;
    of->window = info_of(of->model).window;
    TRY(puad_scorer_new(&of->scorer, of->model, of->options));
    TRY(report_top_new(&of->listed, of->top));
    TRY(report_top_new(&of->novel, REPORT_NOVEL_MAX));
    TRY(report_top_new(&of->more, REPORT_MORE_MAX));
    TRY(make_table(of));
    TRY(make_asked(of));
    TRY(make_decider(of));
    TRY(make_stops(of));
    for (size_t i = 0; i < of->input_count; i++) TRY(report_scan(of, &of->inputs[i]));
    of->ranked_count = of->sketch.total;
    report_top_sort(of->listed);
    report_top_sort(of->novel);
    report_top_sort(of->more);
    if (report_is_audited(of)) TRY(report_audit_settle(of));
    TRY(finish_stops(of));
    return make_groups(of);
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

const report_row *report_listed_row(const report *of, size_t rank)
{
    return report_top_at(of->listed, rank);
}

void report_row_name(char *text, size_t room, const report *of, const report_row *row)
{
    const char *path = of->inputs[row->input].path, *slash = strrchr(path, '/');
    if (of->input_count > 1)
        snprintf(text, room, "%s row %zu", slash && slash[1] ? slash + 1 : path, row->row);
    else
        snprintf(text, room, "row %zu", row->row);
}

size_t report_flagged(const report *of)
{
    if (!of->stop_count || isinf(of->cut)) return 0;
    return of->stops[of->suggested].flagged;
}

size_t report_flagged_listed(const report *of)
{
    size_t count = 0;
    while (count < report_top_count(of->listed) && (double)report_top_at(of->listed, count)->score >= of->cut)
        count++;
    return count;
}

const char *report_text(report *of, const char *format, ...)
{
    AUTO_FREE char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) text = NULL;
    const char *kept = text ? arena_text(&of->memory, text) : NULL;
    of->lacks_memory |= !kept;
    return kept ? kept : "";
}

const char *report_count_text(report *of, size_t count)
{
    char digits[32], text[48];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%zu", count), used = 0;
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = 0;
    return report_text(of, "%s", text);
}
