/* What a report is about: scores, thresholds, kinds and groups. */
#include "cli/report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 64, FREE_STOPS = 40, GROUPED_MOST = 300, GROUPED_LEAST = 40, EXPLAINED_CELLS = 30000 };

static puad_status rank_rows(report *of)
{
    TRY(puad_ranking_new(&of->ranking));
    for (size_t i = 0; i < of->input_count; i++) {
        const puad_dataset *rows = of->inputs[i].rows;
        const int8_t *labels = of->ranks_training ? puad_dataset_labels(rows) : NULL;
        size_t count = puad_dataset_rows(rows);
        AUTO_FREE float *scores = NULL;
        TRY(memory_new(&scores, count, sizeof *scores, "scores"));
        TRY(puad_scorer_run(of->scorer, scores, count, rows));
        TRY(report_find_drift(of, &of->inputs[i], scores));
        TRY(puad_ranking_add(of->ranking, scores, labels, count)); /* labeled anomalies are known */
        if (!of->window) continue;
        of->inputs[i].scores = scores;
        scores = NULL;
    }
    of->ranked_count = puad_ranking_count(of->ranking);
    return PUAD_OK;
}

/* A threshold as people type it: nine digits are read as the same score again. */
static double as_typed(double threshold)
{
    char text[32];
    snprintf(text, sizeof text, "%.9g", threshold);
    return (double)(float)strtod(text, NULL);
}

static void add_stop(report *of, double threshold, const puad_figure *recall, const puad_figure *precision)
{
    double typed = as_typed(threshold);
    report_stop *at = &of->stops[of->stop_count++];
    *at = (report_stop){
        .threshold = typed, .flagged = puad_ranking_above(of->ranking, typed), .judged = recall};
    if (recall) at->recall = *recall;
    if (precision) at->precision = *precision;
}

/* Without an operating table: one row, two, and on to half of them. */
static void add_free_stops(report *of)
{
    size_t rows[FREE_STOPS], count = puad_ranking_steps(rows, FREE_STOPS, of->ranking);
    for (size_t i = 0; i < count; i++) add_stop(of, report_score(of, rows[i] - 1), NULL, NULL);
}

static int strictest_first(const void *left, const void *right)
{
    const report_stop *a = left, *b = right;
    return (a->threshold < b->threshold) - (a->threshold > b->threshold);
}

/* The threshold that the options ask for; NaN where they ask for none, or nothing is flagged by it. */
static puad_status asked_threshold(double *out, const report *of)
{
    static const char *const names[] = {"p_values", "fdr", "flag_rate", "threshold"};
    AUTO_CALL_OPTIONS puad_options *options = NULL; /* alpha is training's */
    puad_decider *asked = NULL;
    bool any = false;
    *out = NAN;
    TRY(puad_options_new(&options));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!puad_options_is_set(of->options, names[i])) continue;
        TRY(puad_options_set(options, names[i], puad_options_get(of->options, names[i])));
        any = true;
    }
    if (!any) return PUAD_OK;
    TRY(puad_decider_new(&asked, of->model, options));
    puad_status status = PUAD_OK;
    if (puad_decider_kind(asked) == PUAD_DECIDES_THRESHOLD) *out = puad_decider_threshold(asked);
    if (puad_decider_kind(asked) == PUAD_DECIDES_FDR) {
        for (size_t i = 0; i < of->ranked_count && status == PUAD_OK; i++)
            status = puad_decider_count(asked, &(float){puad_ranking_score(of->ranking, i)}, 1);
        if (status == PUAD_OK) status = puad_decider_settle(asked);
        for (size_t i = 0; i < of->ranked_count && status == PUAD_OK; i++)
            if (puad_decider_flags(asked, puad_ranking_score(of->ranking, i))) *out = report_score(of, i);
        if (status == PUAD_OK && isnan(*out)) *out = HUGE_VAL;
    }
    puad_decider_free(asked);
    return status;
}

static puad_status make_stops(report *of)
{
    double asked, alpha, suggested = NAN;
    TRY(asked_threshold(&asked, of));
    size_t points = puad_operating_count(of->table);
    TRY(arena_new(&of->memory, &of->stops, points + FREE_STOPS + 1, sizeof *of->stops));
    for (size_t i = 0; i < points; i++) {
        puad_figure recall = puad_operating_at(of->table, i, PUAD_OPERATING_RECALL),
                    precision = puad_operating_at(of->table, i, PUAD_OPERATING_PRECISION);
        add_stop(of, puad_operating_at(of->table, i, PUAD_OPERATING_THRESHOLD).value, &recall, &precision);
    }
    if (!of->table) add_free_stops(of);
    if (isfinite(asked)) {
        suggested = asked;
        of->suggestion = "as the command asked for";
    } else if (isinf(asked)) {
        of->suggestion = "no row can be flagged at the rate asked for; this is the strictest threshold";
    } else if (of->table) {
        size_t best = puad_operating_best_f1(of->table);
        suggested = puad_operating_at(of->table, best, PUAD_OPERATING_THRESHOLD).value;
        of->suggestion = "the best balance of recall and precision (F1)";
    } else {
        bool known = puad_calibration_alpha(of->model, &alpha, NULL, NULL) && alpha > 0;
        size_t rows = (size_t)((known ? alpha : 0.01) * (double)of->ranked_count + 0.5);
        if (rows < 1) rows = 1;
        if (of->ranked_count) suggested = report_score(of, rows - 1);
        of->suggestion =
            known ? "as large a share of the rows as are thought to be anomalies" : "the top 1% of the rows";
    }
    if (!isnan(suggested)) suggested = as_typed(suggested);
    bool there = isnan(suggested);
    for (size_t i = 0; i < of->stop_count; i++) there |= of->stops[i].threshold == suggested;
    if (!there) add_stop(of, suggested, NULL, NULL);
    qsort(of->stops, of->stop_count, sizeof *of->stops, strictest_first);
    for (size_t i = 0; i < of->stop_count; i++)
        if (of->stops[i].threshold == suggested) of->suggested = i;
    return PUAD_OK;
}

static puad_status make_table(report *of)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL; /* alpha is the model's own */
    TRY(puad_options_new(&options));
    TRY(puad_options_set(options, "threads", puad_options_get(of->options, "threads")));
    puad_status status = puad_operating_new(&of->table, of->model, GRID, options);
    if (status == PUAD_MEMORY) return status;
    if (status != PUAD_OK) of->table_lacks = arena_text(&of->memory, puad_last_error());
    return PUAD_OK;
}

/* Kinds need rows held out and labeled anomalies; without them there are p-values, or nothing. */
static puad_status make_decider(report *of)
{
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    char text[32];
    if (!of->stop_count) return PUAD_OK;
    snprintf(text, sizeof text, "%.9g", of->stops[of->suggested].threshold);
    TRY(puad_options_new(&options));
    TRY(puad_options_set(options, "threshold", text));
    TRY(puad_options_set(options, "kind", "yes"));
    puad_status status = puad_decider_new(&of->decider, of->model, options);
    of->kinds = status == PUAD_OK;
    if (status == PUAD_INVALID) {
        puad_options_free(options);
        options = NULL;
        TRY(puad_options_new(&options));
        TRY(puad_options_set(options, "threshold", text));
        status = puad_decider_new(&of->decider, of->model, options);
    }
    return status;
}

bool report_is_declined(const report *of)
{
    return puad_decider_has_p(of->decider) && !puad_decider_has_probability(of->decider) &&
           puad_calibration_alpha(of->model, NULL, NULL, NULL);
}

/* Flagged rows, or as many of them as can be explained in a few seconds, taken evenly. */
static puad_status make_groups(report *of)
{
    size_t flagged = report_flagged(of), most = EXPLAINED_CELLS / (of->columns + 1);
    most = most > GROUPED_MOST ? GROUPED_MOST : most < GROUPED_LEAST ? GROUPED_LEAST : most;
    size_t count = flagged < most ? flagged : most;
    if (count < 2 || of->window) return PUAD_OK;
    if (!of->image && !puad_detector_column_count(of->model)) return PUAD_OK;
    AUTO_FREE float *values = NULL;
    TRY(memory_new(&values, count * of->columns, sizeof *values, "groups"));
    TRY(arena_new(&of->memory, &of->grouped, count, sizeof *of->grouped));
    TRY(arena_new(&of->memory, &of->grouped_known, count, 1));
    for (size_t i = 0; i < count; i++) {
        of->grouped[i] = i * flagged / count;
        memcpy(values + i * of->columns, report_values(of, of->grouped[i]), of->columns * sizeof *values);
    }
    of->grouped_count = count;
    if (of->kinds)
        TRY(puad_decider_known(of->decider, of->grouped_known, of->scorer, values, count, of->columns));
    return puad_groups_find(&of->groups, of->scorer, values, count, of->columns);
}

puad_status report_rank(report *of)
{
    of->image = puad_detector_number(of->model, "image") != 0;
    of->columns = (size_t)puad_detector_number(of->model, "columns");
    of->window = (size_t)puad_detector_number(of->model, "window");
    TRY(puad_scorer_new(&of->scorer, of->model, of->options));
    TRY(rank_rows(of));
    TRY(make_table(of));
    TRY(make_stops(of));
    TRY(make_decider(of));
    return make_groups(of);
}

void report_free(report *owner)
{
    for (size_t i = 0; i < owner->input_count; i++) {
        puad_dataset_free(owner->inputs[i].rows);
        free(owner->inputs[i].scores);
    }
    puad_groups_free(owner->groups);
    puad_ranking_free(owner->ranking);
    puad_decider_free(owner->decider);
    puad_operating_free(owner->table);
    puad_scorer_free(owner->scorer);
    arena_free(&owner->memory);
}

double report_score(const report *of, size_t rank)
{
    return (double)puad_ranking_score(of->ranking, rank);
}

const float *report_values(const report *of, size_t rank)
{
    const puad_dataset *rows = of->inputs[puad_ranking_part(of->ranking, rank)].rows;
    return puad_dataset_values(rows) + puad_ranking_row(of->ranking, rank) * of->columns;
}

void report_row_name(char *text, size_t room, const report *of, size_t rank)
{
    size_t row = puad_ranking_row(of->ranking, rank);
    const char *path = of->inputs[puad_ranking_part(of->ranking, rank)].path, *slash = strrchr(path, '/');
    if (of->input_count > 1)
        snprintf(text, room, "%s row %zu", slash && slash[1] ? slash + 1 : path, row);
    else
        snprintf(text, room, "row %zu", row);
}

const char *report_id(const report *of, size_t rank)
{
    return puad_dataset_id(of->inputs[puad_ranking_part(of->ranking, rank)].rows,
                           puad_ranking_row(of->ranking, rank));
}

size_t report_listed(const report *of)
{
    return of->ranked_count < of->top ? of->ranked_count : of->top;
}

size_t report_flagged(const report *of)
{
    return of->stop_count ? of->stops[of->suggested].flagged : 0;
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

const char *report_percent(report *of, double share)
{
    if (isnan(share)) return "\u2013";
    return report_text(of, share < 0.0995 ? "%.1f%%" : "%.0f%%", 100 * share);
}
