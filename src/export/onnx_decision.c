/* Decisions in ONNX. The p-value takes one value per held-out score: a step function of the score. */
#include "export/onnx_decision.h"

#include "decide/decision.h"
#include "export/onnx_parts.h"
#include "export/onnx_trees.h"

#include <math.h>

static const int64_t one_column[] = {-1, 1};

static puad_status refuse_unfit(const puad_options *options)
{
    if (OPTION_GIVEN(options, fdr))
        FAIL(PUAD_INVALID, "option 'fdr' needs all rows at once; use option 'flag_rate', option 'threshold' "
                           "or p-values");
    if (OPTION_GIVEN(options, kind)) FAIL(PUAD_INVALID, "option 'kind' is not exported");
    return PUAD_OK;
}

/* The p-value, and P(anomaly | score) if alpha is known. */
static puad_status export_p(graph *g, const puad_decider *decider, const char *score)
{
    size_t count = decider->calibration.levels - 1, targets = decider_has_probability(decider) ? 2 : 1;
    float *thresholds, *values;
    TRY(arena_new(g->memory, &thresholds, count, sizeof *thresholds));
    TRY(arena_new(g->memory, &values, (count + 1) * targets, sizeof *values));
    for (size_t i = 0; i < count; i++) thresholds[i] = decider->calibration.level[count - 1 - i];
    for (size_t i = 0; i <= count;
         i++) { /* for scores up to threshold i, count - i levels are at or above the score */
        values[i * targets] = (float)decider->calibration.p[decider->p][count - i];
        if (targets > 1) values[i * targets + 1] = (float)decider->calibration.posterior[count - i];
    }
    const char *found = export_steps(g, &(steps){thresholds, values, count, targets}, score);
    static const char *const names[] = {OUTPUT_P, OUTPUT_PROBABILITY};
    for (size_t i = 0; i < targets; i++) {
        const char *which = GRAPH_VECTOR(g, (int64_t)i);
        const char *column = graph_along(g, "Gather", 1, (const char *const[]){found, which, NULL});
        graph_output(g, targets > 1 ? column : found, names[i], ONNX_FLOAT, one_column, 2);
    }
    return PUAD_OK;
}

static void export_threshold(graph *g, double threshold, const char *score)
{
    const char *bound = graph_floats(g, &(float){(float)threshold}, (const int64_t[]){1}, 1);
    graph_output(g, bound, OUTPUT_THRESHOLD, ONNX_FLOAT, (const int64_t[]){1}, 1);
    graph_output(g, GRAPH_NODE(g, "GreaterOrEqual", score, bound), OUTPUT_FLAG, ONNX_BOOL, one_column, 2);
}

static puad_status write_all(graph *g, const puad_decider *decider, const char *score)
{
    if (decider->held) TRY(export_p(g, decider, score));
    if (decider->kind == PUAD_DECIDES_THRESHOLD)
        export_threshold(g, decider->threshold, score);
    else if (decider_has_probability(decider) && decider->alpha > 0)
        export_threshold(g, (double)conformal_flag_rate(&decider->calibration, decider->alpha), score);
    return PUAD_OK;
}

puad_status export_decision(graph *g, const puad_detector *model, const puad_options *options,
                            const char *score)
{
    puad_decider *decider = NULL;
    TRY(refuse_unfit(options));
    TRY(puad_decider_new(&decider, model, options));
    puad_status status = write_all(g, decider, score);
    puad_decider_free(decider);
    return status;
}
