/* After training: is the model any good? */
#include "cli/fit.h"
#include "detector/guards.h"

#include <stdio.h>
#include <stdlib.h>

enum { CHECKED_MOST = 4096 };

/* Scores and codes of the first rows; a network that has run away gives none, which is a finding too. */
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
    if (status == PUAD_OK && model->forest.trees == 0) {
        status = scorer_codes(scorer, codes, out->inputs, out->rows);
        out->embeddings = codes;
        out->embedding_columns = columns;
    }
    puad_scorer_free(scorer);
    return status == PUAD_NUMERIC ? PUAD_OK : status;
}

puad_status fit_check(const puad_detector *model, const fit_job *job)
{
    AUTO_ARENA arena memory = {0};
    const dataset *rows = &job->rows;
    guard_evidence evidence = {.rows = rows->rows < CHECKED_MOST ? rows->rows : CHECKED_MOST,
                               .inputs = rows->values,
                               .columns = rows->columns,
                               .steps = model->steps,
                               .negative_steps = model->negative_steps,
                               .epochs = model->training.count,
                               .best_epoch = model->best_epoch};
    TRY(look(&evidence, &memory, model, job->options.threads));
    if (model->training.count) {
        evidence.first_loss = model->training.rows[0].valid_loss;
        evidence.best_loss = model->valid_loss;
    }
    guard_report report;
    TRY(guards_check(&report, &evidence));
    for (size_t i = 0; i < report.count; i++)
        fprintf(stderr, "puad fit: warning: %s\n", report.findings[i].text);
    if (!report.useless || FIT_GIVEN(job, "force")) return PUAD_OK;
    FAIL(PUAD_NUMERIC, "the model is useless and was not kept (--force keeps it)");
}
