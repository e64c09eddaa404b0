/* After training: is the model any good? */
#include "cli/fit.h"
#include "decide/guards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED_MOST = 4096 };

/* Rows from all over the data, so that a sorted file is not judged by its beginning. */
static puad_status sample_rows(guard_evidence *out, arena *memory, const dataset *rows)
{
    float *sample;
    *out = (guard_evidence){.rows = rows->rows, .inputs = rows->values, .columns = rows->columns};
    if (rows->rows <= CHECKED_MOST) return PUAD_OK;
    TRY(arena_new(memory, &sample, CHECKED_MOST * rows->columns, sizeof *sample));
    for (size_t i = 0; i < CHECKED_MOST; i++)
        memcpy(sample + i * rows->columns, rows->values + i * rows->rows / CHECKED_MOST * rows->columns,
               rows->columns * sizeof *sample);
    out->rows = CHECKED_MOST;
    out->inputs = sample;
    return PUAD_OK;
}

/* Scores and codes of these rows; a network that has run away gives none, which is a finding too. */
static puad_status look(guard_evidence *out, arena *memory, const puad_detector *model, int threads)
{
    puad_scorer *scorer = NULL;
    float *scores, *codes;
    TRY(puad_scorer_new(&scorer, model, threads, NULL));
    size_t columns = scorer_code_columns(scorer);
    puad_status status = arena_new(memory, &scores, out->rows, sizeof *scores);
    if (status == PUAD_OK) status = arena_new(memory, &codes, out->rows * columns, sizeof *codes);
    if (status == PUAD_OK) {
        status = puad_scorer_run(scorer, scores, out->inputs, out->rows);
        out->scores = scores;
    }
    if (status == PUAD_OK && model_has_network(model)) {
        status = scorer_codes(scorer, codes, out->inputs, out->rows);
        out->embeddings = codes;
        out->embedding_columns = columns;
    }
    puad_scorer_free(scorer);
    return status == PUAD_NUMERIC ? PUAD_OK : status;
}

static void print_findings(const guard_report *report)
{
    for (size_t i = 0; i < report->count; i++)
        fprintf(stderr, "puad fit: warning: %s\n", report->findings[i].text);
}

puad_status fit_check_labels(const fit_job *job)
{
    const detector_kind *kind = detector_kind_find(job->options.method);
    unsigned uses = detector_kind_objective(kind)->labels;
    guard_labels labels = {.unlabeled = dataset_count(&job->rows, LABEL_UNLABELED),
                           .anomalies = dataset_count(&job->rows, LABEL_ANOMALY),
                           .normals = dataset_count(&job->rows, LABEL_NORMAL),
                           .uses_anomalies = uses & PUAD_USES_ANOMALIES,
                           .uses_alpha =
                               strncmp(detector_kind_objective(kind)->name, "p", 1) == 0 &&
                               !isnan(job->options.alpha) &&
                               !(job->options.alpha_kind && strcmp(job->options.alpha_kind, "alpha_U") == 0),
                           .alpha = job->options.alpha};
    /* Only an autoencoder with labeled normals has another source of what is normal. */
    labels.needs_unlabeled =
        !(labels.normals && uses & PUAD_USES_NORMALS && strcmp(kind->head, "reconstruction") == 0);
    guard_report report = guards_check_labels(&labels);
    if (!report.useless) {
        if (!FIT_GIVEN(job, "quiet")) print_findings(&report);
        return PUAD_OK;
    }
    for (size_t i = 0; i < report.count; i++)
        if (report.findings[i].fatal) FAIL(PUAD_FORMAT, "%s", report.findings[i].text);
    return PUAD_OK;
}

puad_status fit_explain(puad_status status)
{
    char said[512];
    if (status != PUAD_NUMERIC) return status;
    snprintf(said, sizeof said, "%s", puad_last_error());
    FAIL(PUAD_NUMERIC,
         "%s: training ran away; use a smaller learning rate (--lr), or look for extreme values in the data",
         said);
}

puad_status fit_check(const puad_detector *model, const fit_job *job)
{
    AUTO_ARENA arena memory = {0};
    guard_evidence evidence;
    TRY(sample_rows(&evidence, &memory, &job->rows));
    evidence.steps = model->steps;
    evidence.negative_steps = model->negative_steps;
    evidence.epochs = model->training.count;
    evidence.best_epoch = model->best_epoch;
    evidence.network = model_has_network(model);
    TRY(look(&evidence, &memory, model, job->options.threads));
    if (model->training.count) {
        evidence.first_loss = model->training.rows[0].valid_loss;
        evidence.best_loss = model->valid_loss;
    }
    guard_report report;
    TRY(guards_check(&report, &evidence));
    if (report.useless || !FIT_GIVEN(job, "quiet")) print_findings(&report);
    if (!report.useless || FIT_GIVEN(job, "force")) return PUAD_OK;
    FAIL(PUAD_NUMERIC, "the model is useless and was not kept (--force keeps it)");
}
