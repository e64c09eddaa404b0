/* Public fitting: a dataset and options become a model with its encoding, held-out rows and answers. */
#include "base/file.h"
#include "base/json.h"
#include "dataset/unreadable_images.h"
#include "detector/model/model_input_options.h"
#include "detector/model/typical_values.h"
#include "input/answer_file.h"
#include "train/fit_job.h"

#include <stdlib.h>
#include <string.h>

size_t fit_count(const fit_job *job, puad_label label)
{
    size_t count = 0;
    for (size_t i = 0; i < job->rows->rows; i++) count += job->labels[i] == label;
    return count;
}

static puad_status copy_transform(transform **out, const transform *source)
{
    if (!source) return PUAD_OK;
    return transform_copy(out, source);
}

/* Fits with rows held out of the network and of the encoding's means and deviations. */
static puad_status fit_some(puad_detector **out, transform *encoding, fit_job *job, const labeled_rows *rows)
{
    AUTO_PARTS calibration_parts parts = {0};
    if (job->series) {
        TRY(series_calibrated_fit(out, job));
    } else {
        TRY(calibration_part(&parts, rows, &job->options, &job->plan));
        fit_tell_held(job, &parts);
        TRY(calibrated_fit(out, rows, &parts, &job->options, &job->plan, encoding));
    }
    const calibration *held = &(*out)->held_out;
    for (size_t i = 0; job->rows->row_numbers && i < held->unlabeled_count + held->anomaly_count; i++)
        held->rows[i] = (uint32_t)dataset_row_number(job->rows, held->rows[i]);
    if (held->alpha_estimated)
        options_tell(
            job->request, PUAD_NOTE,
            "alpha_U for decisions: %.4f (95%% interval %.4f to %.4f), from %zu unlabeled rows, %zu labels",
            held->alpha, held->alpha_low, held->alpha_high, held->unlabeled_count, held->anomaly_count);
    else if (held->alpha_unknown)
        options_tell(
            job->request, PUAD_NOTE,
            "decisions are conservative: to estimate alpha takes %d labels; or give it (option 'alpha')",
            CALIBRATION_FOLDED_MIN);
    return PUAD_OK;
}

/* Notes network options that the method does not use. */
static void tell_unused_options(const fit_job *job)
{
    static const enum option_at of_networks[] = {
        OPTION_AT_epochs, OPTION_AT_pretrain_epochs, OPTION_AT_steps,  OPTION_AT_patience, OPTION_AT_batch,
        OPTION_AT_lr,     OPTION_AT_network,         OPTION_AT_sampler};
    if (detector_kind_has_network(detector_kind_find(job->options.method))) return;
    for (size_t i = 0; i < sizeof of_networks / sizeof *of_networks; i++)
        if (options_given(job->request, of_networks[i]))
            options_tell(job->request, PUAD_NOTE, "option '%s' has no effect: method %s has no network",
                         option_table[of_networks[i]].name, job->options.method);
}

/* Checks labels, columns and rows before training. */
static puad_status check_before(const fit_job *job)
{
    TRY(fit_check_labels(job));
    TRY(unreadable_images_warn(&job->rows->unreadable, NULL,
                               job->warnings)); /* already reported while reading */
    TRY(guards_check_columns(job->request, job->warnings, job->rows, job->labels));
    return guards_check_rows(job->request, job->warnings, job->rows, job->labels);
}

static puad_status train(puad_detector **out, transform *encoding, fit_job *job)
{
    const dataset *rows = job->rows;
    labeled_rows given = {
        rows->values,           job->labels, rows->rows, (size_t)rows->height, (size_t)rows->width,
        (size_t)rows->channels, job->asked};
    char unused[256];
    if (detector_kind_unused_labels(unused, sizeof unused, detector_kind_find(job->options.method),
                                    fit_count(job, PUAD_LABEL_ANOMALY), fit_count(job, PUAD_LABEL_NORMAL)))
        options_tell(job->request, PUAD_NOTE, "%s", unused);
    tell_unused_options(job);
    TRY(fit_choose_alpha(job));
    TRY(check_before(job));
    return fit_explain(job->calibrates ? fit_some(out, encoding, job, &given)
                                       : detector_fit(out, &given, &job->options));
}

/* Files with further rows that the earlier model was trained with must be given again. */
static puad_status need_more_rows(const puad_detector *source, const puad_dataset *data)
{
    static const enum option_at more[] = {OPTION_AT_anomalies, OPTION_AT_normals};
    AUTO_JSON cJSON *object = NULL;
    if (source->input) TRY(json_parse(&object, source->input, "input of the model"));
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        const char *name = option_table[more[i]].name;
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
        if (cJSON_IsString(item) && !options_given(data->options, more[i]))
            FAIL(PUAD_INVALID, "the earlier model was trained with option '%s=%s': give the file again", name,
                 item->valuestring);
    }
    return PUAD_OK;
}

/* Notes a missing checkpoint to resume, or missing answers. */
static puad_status check_promises(const fit_job *job, const puad_dataset *data)
{
    const char *checkpoint = OPTION_TEXT_OF(job->request, checkpoint);
    if (OPTION_GIVEN(job->request, resume) && !(checkpoint && file_exists(checkpoint)))
        TRY(guard_warn(job->request, job->warnings, NULL, GUARD_nothing_to_resume));
    size_t asked = 0, answered = 0;
    for (size_t i = 0; job->asked && i < job->rows->rows; i++) {
        asked += job->asked[i] != 0;
        answered += job->asked[i] == ANSWER_GIVEN;
    }
    if (data->asked && !answered)
        return guard_warn(job->request, job->warnings, NULL, GUARD_no_answers, (double)asked);
    return PUAD_OK;
}

/* Checks for a forgotten label column, which would be used as a feature. With an earlier model the
 * features are already determined. */
static puad_status check_no_labels(const fit_job *job)
{
    bool labeled = job->rows->labels != NULL || job->asked;
    if (!OPTION_GIVEN(job->request, no_labels))
        return labeled || job->source || job->series
                   ? PUAD_OK
                   : guards_check_label_column(job->request, job->warnings, job->rows, !job->checks_only);
    if (labeled) FAIL(PUAD_INVALID, "option 'no_labels': the rows have labels; leave one of them out");
    return PUAD_OK;
}

static puad_status prepare(fit_job *job, const puad_dataset *data)
{
    TRY(options_team(&job->workers, job->request));
    job->rows = &data->data;
    TRY(detector_check_size(job->rows->rows, (size_t)job->rows->height, (size_t)job->rows->width,
                            (size_t)job->rows->channels));
    job->labels = job->rows->labels;
    if (!job->labels) { /* every row is unlabeled */
        int8_t *unlabeled;
        TRY(arena_new(&job->memory, &unlabeled, job->rows->rows, 1));
        job->labels = unlabeled;
    }
    TRY(fit_windows(job, data));
    job->given = data->given ? data->given : job->labels;
    job->asked = data->asked;
    TRY(check_promises(job, data));
    if (job->source) TRY(need_more_rows(job->source, data));
    TRY(fit_recall(job, data));
    TRY(fit_settle(job));
    job->options.workers = job->workers;
    return check_no_labels(job);
}

static puad_status make(puad_detector **out, transform **encoding, fit_job *job, const puad_dataset *data)
{
    TRY(prepare(job, data));
    TRY(copy_transform(encoding, data->data.transform));
    TRY(train(out, *encoding, job));
    puad_detector *model = *out;
    model->table = *encoding; /* the model takes ownership */
    *encoding = NULL;
    bool plain = transform_of_table(model->table) && !model_is_series(model);
    if (model->parts.recurring.blocks && fit_count(job, PUAD_LABEL_ANOMALY)) {
        if (model->parts.trees.trees)
            options_tell(
                job->request, PUAD_NOTE,
                "labels at one time predict labels at other times: a forest that learns from them is added");
        else if (!model->parts.recurring.known)
            options_tell(
                job->request, PUAD_NOTE,
                "the labels are not used: labeled windows are not more similar to each other than to others");
    }
    if (model_is_series(model)) TRY(fit_learn_usual_windows(model, job));
    if (plain)
        TRY(usual_learn(&model->usual, &model->memory, model->table, job->rows->values, job->labels,
                        job->rows->rows));
    if (plain)
        TRY(column_profile_learn(&model->profile, &model->memory, model->table, job->rows->values,
                                 job->labels, job->rows->rows));
    TRY(model_set_input(model, data->input));
    TRY(fit_record_answers(model, job));
    TRY(fit_check(model, job));
    model->warnings = *job->warnings;
    *job->warnings = (warning_list){0};
    return PUAD_OK;
}

static void free_job(fit_job *job)
{
    windows_free(&job->windows);
    puad_options_free(job->settled);
    arena_free(&job->memory);
    team_free(job->workers);
}

static puad_status fit(puad_detector **out, const puad_detector *source, const puad_dataset *data,
                       const puad_options *options)
{
    warning_list warnings = {0};
    fit_job job = {.request = options, .source = source, .warnings = &warnings};
    transform *encoding = NULL;
    puad_status status = make(out, &encoding, &job, data);
    if (status != PUAD_OK) {
        puad_detector_free(*out);
        *out = NULL;
    }
    transform_free(encoding);
    free_job(&job);
    warnings_free(&warnings);
    return status;
}

puad_status puad_detector_fit(puad_detector **out, const puad_dataset *data, const puad_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(data);
    return fit(out, NULL, data, options);
}

puad_status puad_detector_refit(puad_detector **out, const puad_detector *source, const puad_dataset *data,
                                const puad_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(source);
    NEED(data);
    return fit(out, source, data, options);
}

puad_status puad_dataset_check(const puad_dataset *data, const puad_options *options)
{
    NEED(data);
    warning_list warnings = {0};
    fit_job job = {.request = options, .warnings = &warnings, .checks_only = true};
    puad_status status = prepare(&job, data);
    if (status == PUAD_OK) status = check_before(&job);
    free_job(&job);
    warnings_free(&warnings);
    return status;
}
