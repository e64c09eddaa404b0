/* Fits on the windows of a time series. */
#include "detector/model/typical_values.h"
#include "train/fit_job.h"

#include <stdlib.h>
#include <string.h>

static puad_status tell_windows(const fit_job *job, const window_plan *plan)
{
    const windows *made = &job->windows;
    options_tell(job->request, PUAD_NOTE,
                 "%zu windows of %zu rows, %zu apart, in %zu segments of the series%s", made->data.rows,
                 plan->length, plan->stride, made->stretches,
                 made->left_out ? "; those with few labeled rows and no whole run of them are left out" : "");
    if (made->short_rows)
        options_tell(job->request, PUAD_NOTE,
                     "%zu segments are shorter than a window; their %zu rows are not used for training",
                     made->short_stretches, made->short_rows);
    return PUAD_OK;
}

puad_status fit_windows(fit_job *job, const puad_dataset *data)
{
    const dataset *rows = job->rows;
    if (job->source)
        TRY(model_refuse_series(job->source, "to continue an earlier model",
                                "train without it, with all labels (option 'intervals')"));
    bool axis = rows->transform && axis_is_given(&rows->transform->axis);
    if (!OPTION_GIVEN(job->request, window) && !axis) {
        if (OPTION_GIVEN(job->request, stride)) FAIL(PUAD_INVALID, "option 'stride' needs option 'window'");
        return PUAD_OK;
    }
    window_plan plan = {OPTION_GIVEN(job->request, window) ? (size_t)OPTION_INTEGER_OF(job->request, window)
                                                           : 0,
                        0, rows->columns};
    if (plan.length == 1) FAIL(PUAD_INVALID, "option 'window': a window has at least 2 rows");
    if (!transform_of_table(rows->transform))
        FAIL(PUAD_INVALID, "option 'window' is for a series of rows of numbers, not for images");
    if (job->source)
        FAIL(PUAD_INVALID, "a series is not trained from an earlier model; give all labels together (option "
                           "'intervals')");
    if (data->asked)
        FAIL(PUAD_INVALID,
             "option 'answers': answers about a time series are intervals (option 'intervals'), not rows");
    TRY(arena_new(&job->memory, &job->scales, rows->columns, sizeof *job->scales));
    channel_scales_learn(job->scales, rows->values, rows->rows, rows->columns, rows->transform);
    if (!plan.length) TRY(window_choose(&plan.length, rows, job->scales));
    const char *method = OPTION_TEXT_OF(job->request, method);
    bool recurs = strcmp(method ? method : recipe_default_method(false, true), "recurrence") == 0;
    plan.stride = OPTION_GIVEN(job->request, stride) ? (size_t)OPTION_INTEGER_OF(job->request, stride)
                  : recurs                           ? recurrence_stride(plan.length)
                                                     : window_stride(plan.length);
    if (plan.stride > plan.length)
        FAIL(PUAD_INVALID, "option 'stride': windows of %zu rows, %zu apart, leave rows between them",
             plan.length, plan.stride);
    /* Blocks of time make partly labeled windows harmless, and the labels may turn out to be ignored. */
    TRY(windows_make(&job->windows, rows, rows->labels, &plan, recurs));
    job->series = rows;
    job->window = plan;
    job->rows = &job->windows.data;
    job->labels = job->windows.data.labels;
    return tell_windows(job, &plan);
}

/* Means (or standard deviations) of the windows as rows of the table. */
static puad_status learn_usual(float **out, puad_detector *model, const fit_job *job, size_t part)
{
    const dataset *source = job->rows;
    window_plan plan = model_windows(model);
    AUTO_FREE float *values = NULL;
    TRY(memory_new(&values, source->rows * plan.channels, sizeof *values, "windows"));
    for (size_t i = 0; i < source->rows; i++)
        window_mean(values + i * plan.channels, &plan,
                    source->values + i * source->columns + part * plan.channels);
    return usual_learn(out, &model->memory, model->table, values, job->labels, source->rows);
}

puad_status fit_learn_usual_windows(puad_detector *model, const fit_job *job)
{
    const dataset *rows = job->series;
    TRY(usual_learn(&model->usual, &model->memory, model->table, rows->values, rows->labels, rows->rows));
    TRY(learn_usual(&model->usual_levels, model, job, 0));
    return learn_usual(&model->usual_amplitudes, model, job, 1);
}

puad_status fit_fair_rows(prior_rows *out, fit_job *job)
{
    const dataset *rows = job->rows;
    *out = (prior_rows){rows->values, job->given, rows->rows, rows->columns, 0, 0};
    if (!job->series) return PUAD_OK;
    const uint32_t *first = job->windows.first;
    size_t length = job->window.length, columns = rows->columns, last = 0;
    float *values;
    int8_t *labels;
    uint32_t *kept;
    TRY(arena_new(&job->memory, &kept, rows->rows, sizeof *kept));
    out->rows = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        if (i && first[i] >= first[last] && first[i] < first[last] + length) continue;
        kept[out->rows++] = (uint32_t)i;
        last = i;
    }
    TRY(arena_new(&job->memory, &values, out->rows * columns, sizeof *values));
    TRY(arena_new(&job->memory, &labels, out->rows, 1));
    for (size_t i = 0; i < out->rows; i++) {
        memcpy(values + i * columns, rows->values + kept[i] * columns, columns * sizeof *values);
        labels[i] = job->given[kept[i]];
    }
    out->values = values;
    out->labels = labels;
    return PUAD_OK;
}
