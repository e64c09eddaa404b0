/* Implements <puad/query.h>: rows to review, among those that a model has scored. */
#include "checks/guards.h"
#include "decide/query.h"
#include "detector/known_rows.h"
#include "detector/model/model_input_options.h"
#include "detector/model_series.h"
#include "input/dataset_api.h"
#include "prior/prior.h"

#include <puad/query.h>
#include <stdlib.h>
#include <string.h>

enum { PRIOR_COLUMNS_MAX = 1024, PRIOR_UNLABELED_MAX = 4000 }; /* for an estimate within seconds */
enum { ROWS_A_STEP = 4096 };                                   /* rows between two checks of the stop flag */

/* The embeddings of all rows of the dataset. */
typedef struct seen_rows {
    float *codes;
    uint8_t *asked;
    size_t columns;
    known_rows known;
} seen_rows;

static puad_status see_all(seen_rows *seen, puad_scorer *scorer, puad_dataset *data)
{
    const dataset *rows = &data->data;
    size_t cells;
    if (rows->rows == 0) FAIL(PUAD_INVALID, "there are no rows to choose from");
    uint64_t encoding;
    TRY(scorer_encoding(&encoding, scorer, false));
    if (data->encoding != encoding)
        FAIL(PUAD_INVALID, "the rows are not encoded for this model: pass the model to puad_dataset_open");
    /* windows have embeddings, rows do not: see_windows */
    bool series = model_is_series(scorer_model(scorer));
    seen->columns = scorer_code_columns(scorer);
    if (!size_multiply(&cells, rows->rows, seen->columns) && !series)
        FAIL(PUAD_MEMORY, "%zu rows are too many", rows->rows);
    if (!series) TRY(memory_new(&seen->codes, cells, sizeof *seen->codes, "codes"));
    TRY(memory_new(&seen->asked, rows->rows, 1, "rows"));
    free(data->scores);
    data->scores = NULL;
    TRY(memory_new(&data->scores, rows->rows, sizeof *data->scores, "scores"));
    if (series) TRY(series_run(scorer, data->scores, rows->values, rows->breaks, rows->rows));
    for (size_t first = 0; !series && first < rows->rows; first += ROWS_A_STEP) {
        size_t count = rows->rows - first < ROWS_A_STEP ? rows->rows - first : ROWS_A_STEP;
        const float *values = rows->values + first * rows->columns;
        TRY(team_check_stop(scorer_team(scorer)));
        TRY(scorer_run(scorer, data->scores + first, values, count));
        TRY(scorer_codes(scorer, seen->codes + first * seen->columns, values, count));
    }
    TRY(known_rows_add(&seen->known, rows->values, rows->columns, rows->rows));
    for (size_t i = 0; i < rows->rows; i++) {
        seen->asked[i] = data->asked ? data->asked[i] : QUERY_FREE;
        if (rows->labels && rows->labels[i] != PUAD_LABEL_UNLABELED) seen->asked[i] = QUERY_ASKED;
    }
    return PUAD_OK;
}

/* Rows with answers that the model was trained with are not proposed again. */
static puad_status bar_answered(seen_rows *seen, const puad_detector *model, size_t rows,
                                const puad_options *options)
{
    AUTO_FREE uint8_t *open = NULL;
    AUTO_ARENA arena memory = {0};
    const char *files;
    size_t missing, gone;
    if (model->answer_count == 0) return PUAD_OK;
    TRY(memory_new(&open, rows, 1, "rows"));
    TRY(known_rows_answers(&missing, &gone, open, &seen->known, model, seen->asked));
    for (size_t i = 0; i < rows; i++)
        if (open[i]) seen->asked[i] = QUERY_ASKED;
    if (missing == 0) return PUAD_OK;
    TRY(model_label_files(&files, model, options, &memory));
    options_tell(options, PUAD_NOTE,
                 "%zu earlier answers, %zu of them not in option 'answers'%s%s%s, are not proposed again",
                 model->answer_count, missing, *files ? " (" : "", files, *files ? ")" : "");
    return PUAD_OK;
}

/* Rows that the model held out stay unlabeled, so that they remain a fair sample for the next training. */
static puad_status bar_held_out(seen_rows *seen, const puad_detector *model, const puad_options *options)
{
    const calibration *held = &model->held_out;
    AUTO_FREE size_t *places = NULL;
    size_t all, barred = 0;
    if (held->unlabeled_count == 0) return PUAD_OK;
    TRY(memory_new(&places, held->unlabeled_count + held->anomaly_count, sizeof *places, "rows"));
    TRY(known_rows_held(places, &all, &seen->known, held, seen->asked));
    for (size_t i = 0; i < held->unlabeled_count; i++) {
        if (places[i] == SIZE_MAX) continue;
        seen->asked[places[i]] = QUERY_BARRED;
        barred++;
    }
    if (barred < held->unlabeled_count)
        return guard_warn(options, NULL, NULL, GUARD_held_out_not_found,
                          (double)(held->unlabeled_count - barred), (double)held->unlabeled_count);
    return PUAD_OK;
}

static query_goal goal_of(const puad_options *options)
{
    const char *goal = OPTION_TEXT_OF(options, goal);
    return strcmp(goal, "learn") == 0 ? QUERY_LEARN : QUERY_FIND;
}

/* The fraction of anomalies, as given to the model or estimated. */
static double share_of(const puad_detector *model)
{
    const calibration *held = &model->held_out;
    return held->unlabeled_count && !held->alpha_unknown ? held->alpha : model->config.objective.alpha;
}

/* To learn, the rank where anomalies end matters. Without calibration, alpha is estimated from the rows and
 * their labels, as if rows with an answer were unlabeled: they were chosen by score. */
static puad_status share_to_learn(double *out, const puad_detector *model, const puad_dataset *data,
                                  const puad_options *options, team *workers)
{
    const dataset *rows = &data->data;
    AUTO_FREE int8_t *labels = NULL;
    prior_estimate found;
    size_t anomalies = 0;
    *out = share_of(model);
    bool known = model->held_out.unlabeled_count && !model->held_out.alpha_unknown;
    if (known || goal_of(options) != QUERY_LEARN || !rows->labels || rows->columns > PRIOR_COLUMNS_MAX)
        return PUAD_OK;
    TRY(memory_new(&labels, rows->rows, 1, "labels"));
    for (size_t i = 0; i < rows->rows; i++) {
        bool answered = data->asked && data->asked[i] != QUERY_FREE;
        labels[i] = answered ? PUAD_LABEL_UNLABELED : rows->labels[i];
        anomalies += labels[i] == PUAD_LABEL_ANOMALY;
    }
    if (anomalies < PRIOR_LABELS_MIN) return PUAD_OK;
    prior_rows source = {rows->values,           labels, rows->rows, rows->columns, PRIOR_UNLABELED_MAX,
                         PRIOR_UNLABELED_MAX / 4};
    TRY(prior_from_rows(&found, NULL, &source, (uint64_t)OPTION_INTEGER_OF(options, seed), workers, NULL));
    if (found.alpha > 0 && found.alpha < 1) *out = found.alpha;
    return PUAD_OK;
}

/* Non-overlapping windows of a series in place of rows: the middle row represents the window, with the
 * largest score and the labels of any of its rows. */
typedef struct seen_windows {
    size_t *rows;
    float *codes, *scores;
    uint8_t *asked;
    size_t count;
} seen_windows;

static puad_status see_windows(seen_windows *out, arena *memory, puad_scorer *scorer, const seen_rows *seen,
                               const puad_dataset *data)
{
    const dataset *rows = &data->data;
    window_plan plan = model_windows(scorer_model(scorer));
    size_t max = rows->rows / plan.length + 1, first, end,
           middle = plan.stride > plan.length / 2 ? plan.stride - 1 : plan.length / 2;
    float *window, *buffer;
    TRY(arena_new(memory, &out->rows, max, sizeof *out->rows));
    TRY(arena_new(memory, &out->scores, max, sizeof *out->scores));
    TRY(arena_new(memory, &out->asked, max, 1));
    TRY(arena_new(memory, &out->codes, max * seen->columns, sizeof *out->codes));
    TRY(arena_new(memory, &window, window_columns(&plan), sizeof *window));
    TRY(arena_new(memory, &buffer, plan.length * plan.channels, sizeof *buffer));
    for (size_t i = 0, begin = 0; i < rows->rows; i++) {
        if (i == 0 || (rows->breaks && rows->breaks[i])) begin = i;
        if ((i - begin + 1) % plan.length) continue;
        size_t row = i + 1 - plan.length + middle, k = out->count++;
        window_place(&first, &end, &plan, rows->breaks, rows->rows, row);
        window_around(window, &plan, rows->values, rows->breaks, rows->rows, row, buffer);
        TRY(scorer_codes(scorer, out->codes + k * seen->columns, window, 1));
        out->rows[k] = row;
        out->scores[k] = data->scores[first];
        for (size_t r = first; r < end; r++) {
            if (data->scores[r] > out->scores[k]) out->scores[k] = data->scores[r];
            if (seen->asked[r] != QUERY_FREE && out->asked[k] != QUERY_ASKED) out->asked[k] = seen->asked[r];
        }
    }
    if (out->count == 0)
        FAIL(PUAD_INVALID, "no segment of the series is as long as a window of %zu rows", plan.length);
    return PUAD_OK;
}

typedef struct query_job {
    const puad_detector *model;
    puad_scorer *scorer;
    puad_dataset *data;
    const puad_options *options;
    seen_rows seen;
} query_job;

static puad_status choose_windows(size_t *chosen, size_t *out_count, size_t count, query_job *job)
{
    AUTO_ARENA arena memory = {0};
    seen_windows found = {0};
    TRY(see_windows(&found, &memory, job->scorer, &job->seen, job->data));
    query_rows rows = {.embeddings = found.codes,
                       .rows = found.count,
                       .columns = job->seen.columns,
                       .scores = found.scores,
                       .share = share_of(job->model),
                       .asked = found.asked,
                       .goal = goal_of(job->options)};
    TRY(query_choose(chosen, out_count, &rows, count < found.count ? count : found.count,
                     (uint64_t)OPTION_INTEGER_OF(job->options, seed), scorer_team(job->scorer)));
    for (size_t i = 0; i < *out_count; i++) chosen[i] = found.rows[chosen[i]];
    return PUAD_OK;
}

static puad_status choose(size_t *chosen, size_t *out_count, size_t count, query_job *job)
{
    size_t rows = job->data->data.rows;
    TRY(see_all(&job->seen, job->scorer, job->data));
    TRY(bar_answered(&job->seen, job->model, rows, job->options));
    TRY(bar_held_out(&job->seen, job->model, job->options));
    if (model_is_series(job->model)) return choose_windows(chosen, out_count, count, job);
    double share;
    TRY(share_to_learn(&share, job->model, job->data, job->options, scorer_team(job->scorer)));
    query_rows source = {.embeddings = job->seen.codes,
                         .rows = rows,
                         .columns = job->seen.columns,
                         .scores = job->data->scores,
                         .share = share,
                         .asked = job->seen.asked,
                         .goal = goal_of(job->options)};
    return query_choose(chosen, out_count, &source, count < rows ? count : rows,
                        (uint64_t)OPTION_INTEGER_OF(job->options, seed), scorer_team(job->scorer));
}

puad_status puad_query_choose(const puad_detector *model, size_t *chosen, size_t count, size_t *out_count,
                              puad_dataset *data, const puad_options *options)
{
    NEED(out_count);
    *out_count = 0;
    if (count) NEED(chosen);
    NEED(model);
    NEED(data);
    AUTO_SCORER puad_scorer *scorer = NULL;
    TRY(puad_scorer_new(&scorer, model, options));
    team_set_stop(scorer_team(scorer), options ? options->stop : NULL);
    query_job job = {model, scorer, data, options, {0}};
    puad_status status = choose(chosen, out_count, count, &job);
    free(job.seen.codes);
    free(job.seen.asked);
    known_rows_free(&job.seen.known);
    return status;
}
