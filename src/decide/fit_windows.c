/* A fit on the windows of a time series. */
#include "decide/fit_job.h"

static puad_status tell_windows(const fit_job *job, const window_plan *plan)
{
    const windows *made = &job->windows;
    options_tell(job->said, PUAD_NOTE, "%zu windows of %zu rows, %zu apart, in %zu stretches of the series%s",
                 made->data.rows, plan->length, plan->stride, made->stretches,
                 made->left_out ? "; those that hold few labeled rows and no whole run of them are left out"
                                : "");
    if (made->short_rows)
        options_tell(job->said, PUAD_NOTE,
                     "%zu stretches are shorter than a window; their %zu rows are not trained on",
                     made->short_stretches, made->short_rows);
    return PUAD_OK;
}

puad_status fit_windows(fit_job *job, const puad_dataset *data)
{
    const dataset *rows = job->rows;
    if (job->from) TRY(model_refuse_series(job->from, "to go on from an earlier model"));
    if (!OPTION_GIVEN(job->said, window)) {
        if (OPTION_GIVEN(job->said, stride)) FAIL(PUAD_INVALID, "option 'stride' needs option 'window'");
        if (rows->transform && axis_is_given(&rows->transform->axis))
            FAIL(PUAD_INVALID, "options 'time' and 'group' are for time series: say how many rows a window "
                               "has (option 'window=64')");
        return PUAD_OK;
    }
    window_plan plan = {(size_t)OPTION_INTEGER_OF(job->said, window), 0, rows->columns};
    plan.stride = OPTION_GIVEN(job->said, stride) ? (size_t)OPTION_INTEGER_OF(job->said, stride)
                                                  : window_stride(plan.length);
    if (rows->image || !rows->transform)
        FAIL(PUAD_INVALID, "option 'window' is for a series of rows of numbers, not for images");
    if (job->from) FAIL(PUAD_INVALID, "option 'window': a time series cannot go on from an earlier model");
    if (data->asked) FAIL(PUAD_INVALID, "option 'labels': answers about rows are not for time series");
    if (plan.stride > plan.length)
        FAIL(PUAD_INVALID, "option 'stride': windows of %zu rows, %zu apart, leave rows between them",
             plan.length, plan.stride);
    if (OPTION_GIVEN(job->said, calibrate))
        FAIL(PUAD_INVALID, "option 'calibrate': not yet for time series, whose windows overlap");
    TRY(windows_make(&job->windows, rows, rows->labels, &plan));
    job->rows = &job->windows.data;
    job->labels = job->windows.data.labels;
    return tell_windows(job, &plan);
}
