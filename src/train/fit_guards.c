/* Checks labels before training, and the model after it. */
#include "train/fit_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED_MAX = 4096, LABELED_MAX = 512 };

/* Evenly spaced rows, because the data may be sorted, encoded for the model. */
static puad_status sample_rows(guard_evidence *out, arena *memory, const dataset *rows,
                               const transform *encoding)
{
    float *sample;
    size_t count = rows->rows < CHECKED_MAX ? rows->rows : CHECKED_MAX, columns = rows->columns;
    *out = (guard_evidence){.rows = rows->rows, .inputs = rows->values, .columns = columns};
    if (count == rows->rows && !(encoding && transform_is_refit(encoding))) return PUAD_OK;
    TRY(arena_new(memory, &sample, count * columns, sizeof *sample));
    for (size_t i = 0; i < count; i++) {
        memcpy(sample + i * columns, rows->values + i * rows->rows / count * columns,
               columns * sizeof *sample);
        if (encoding) transform_second_step(sample + i * columns, encoding);
    }
    out->rows = count;
    out->inputs = sample;
    return PUAD_OK;
}

/* Some labeled anomalies, encoded for the model, into `out`; returns their number. */
static size_t sample_labeled(float *out, const fit_job *job, const transform *encoding)
{
    size_t columns = job->rows->columns, all = fit_count(job, PUAD_LABEL_ANOMALY), seen = 0, taken = 0;
    size_t wanted = all < LABELED_MAX ? all : LABELED_MAX;
    for (size_t i = 0; i < job->rows->rows && taken < wanted; i++) {
        if (job->labels[i] != PUAD_LABEL_ANOMALY || seen++ != taken * all / wanted) continue;
        memcpy(out + taken * columns, job->rows->values + i * columns, columns * sizeof *out);
        if (encoding)
            transform_second_step(out + taken++ * columns, encoding);
        else
            taken++;
    }
    return taken;
}

static puad_status look_at_labeled(guard_evidence *out, arena *memory, puad_scorer *scorer,
                                   const fit_job *job, const puad_detector *model)
{
    float *rows, *scores;
    TRY(arena_new(memory, &rows, LABELED_MAX * job->rows->columns, sizeof *rows));
    TRY(arena_new(memory, &scores, LABELED_MAX, sizeof *scores));
    out->labeled = sample_labeled(rows, job, model_is_series(model) ? NULL : model->table);
    out->labeled_scores = scores;
    out->classifier = head_is_logit(model->config.head) && model_has_network(model);
    return scorer_run(scorer, scores, rows, out->labeled);
}

/* Scores and embeddings of these rows; a diverged network gives none, which is a finding too. */
static puad_status look(guard_evidence *out, arena *memory, const puad_detector *model, const fit_job *job)
{
    const fit_options *options = &job->options;
    AUTO_SCORER puad_scorer *scorer = NULL;
    float *scores, *codes;
    TRY(scorer_new(&scorer, model, options->workers, options->head));
    size_t columns = scorer_code_columns(scorer);
    TRY(arena_new(memory, &scores, out->rows, sizeof *scores));
    TRY(arena_new(memory, &codes, out->rows * columns, sizeof *codes));
    out->scores = scores;
    TRY(scorer_run(scorer, scores, out->inputs, out->rows));
    if (model_has_network(model)) {
        out->embeddings = codes;
        out->embedding_columns = columns;
        TRY(scorer_codes(scorer, codes, out->inputs, out->rows));
    }
    const puad_objective *trained = options->objective;
    if (!trained) trained = detector_kind_objective(model->config.kind);
    return trained->labels & PUAD_USES_ANOMALIES ? look_at_labeled(out, memory, scorer, job, model) : PUAD_OK;
}

static puad_status tell_findings(const fit_job *job, const guard_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        puad_warning warning = {guard_label(report->findings[i].name), NULL, report->findings[i].text};
        options_warn(job->request, &warning);
        TRY(warnings_add(job->warnings, &warning));
    }
    return PUAD_OK;
}

puad_status fit_check_labels(const fit_job *job)
{
    const detector_kind *kind = detector_kind_find(job->options.method);
    const puad_objective *objective =
        job->options.objective ? job->options.objective : detector_kind_objective(kind);
    unsigned uses = objective->labels, weighs = PUAD_USES_ALPHA | PUAD_USES_ANOMALIES;
    /* These work with few labels, or none. */
    bool works_without = detector_kind_parts(kind) & (PART_NEAREST | PART_RECURRENCE | PART_LINEAR);
    if (works_without && uses & PUAD_USES_ANOMALIES && fit_count(job, PUAD_LABEL_ANOMALY) == 0)
        options_tell(job->request, PUAD_NOTE,
                     "there are no labeled anomalies: rows are scored by how unusual they are");
    guard_labels labels = {.unlabeled = fit_count(job, PUAD_LABEL_UNLABELED),
                           .anomalies = fit_count(job, PUAD_LABEL_ANOMALY),
                           .normals = fit_count(job, PUAD_LABEL_NORMAL),
                           .uses_anomalies = uses & PUAD_USES_ANOMALIES,
                           .few_are_enough = works_without,
                           .uses_alpha =
                               (uses & weighs) == weighs && !isnan(job->options.alpha) &&
                               !(job->options.alpha_kind && strcmp(job->options.alpha_kind, "alpha_U") == 0),
                           .alpha = job->options.alpha};
    /* Only an autoencoder with labeled normals can learn normal rows from another source. */
    labels.needs_unlabeled =
        !(labels.normals && uses & PUAD_USES_NORMALS && strcmp(kind->head, "reconstruction") == 0);
    guard_report report = guards_check_labels(&labels);
    if (!report.useless) return tell_findings(job, &report);
    for (size_t i = 0; i < report.count; i++)
        if (report.findings[i].fatal) FAIL(PUAD_FORMAT, "%s", report.findings[i].text);
    return PUAD_OK;
}

puad_status fit_explain(puad_status status)
{
    char message[512];
    if (status != PUAD_NUMERIC) return status;
    snprintf(message, sizeof message, "%s", puad_last_error());
    FAIL(PUAD_NUMERIC,
         "%s: training diverged; use a smaller learning rate (option 'lr'), or correct "
         "extreme values",
         message);
}

puad_status fit_check(const puad_detector *model, const fit_job *job)
{
    AUTO_ARENA arena memory = {0};
    guard_evidence evidence;
    TRY(sample_rows(&evidence, &memory, job->rows, model_is_series(model) ? NULL : model->table));
    evidence.steps = model->steps;
    evidence.negative_steps = model->negative_steps;
    evidence.epochs = model->training.count;
    evidence.best_epoch = model->best_epoch;
    evidence.network = model_has_network(model);
    puad_status status = look(&evidence, &memory, model, job);
    if (status != PUAD_NUMERIC) TRY(status); /* a value that is not finite is a finding */
    if (model->training.count) {
        evidence.first_loss = model->training.rows[0].valid_loss;
        evidence.best_loss = model->valid_loss;
    }
    guard_report report;
    TRY(guards_check(&report, &evidence));
    TRY(tell_findings(job, &report));
    if (!report.useless || OPTION_GIVEN(job->request, force)) return PUAD_OK;
    for (size_t i = 0; i < report.count; i++)
        if (report.findings[i].fatal)
            FAIL(PUAD_NUMERIC, "the model is useless and was not saved (option 'force' saves it): %s",
                 report.findings[i].text);
    return PUAD_OK;
}
