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
static puad_status export_p(graph *g, const puad_decider *by, const char *score)
{
    size_t count = by->by.levels - 1, targets = decider_has_probability(by) ? 2 : 1;
    float *thresholds, *values;
    TRY(arena_new(g->memory, &thresholds, count, sizeof *thresholds));
    TRY(arena_new(g->memory, &values, (count + 1) * targets, sizeof *values));
    for (size_t i = 0; i < count; i++) thresholds[i] = by->by.level[count - 1 - i];
    for (size_t i = 0; i <= count;
         i++) { /* for scores up to threshold i, count - i levels are at or above the score */
        values[i * targets] = (float)by->by.p[by->p][count - i];
        if (targets > 1) values[i * targets + 1] = (float)by->by.posterior[count - i];
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

static puad_status write_all(graph *g, const puad_decider *by, const char *score)
{
    if (by->held) TRY(export_p(g, by, score));
    if (by->how == PUAD_DECIDES_THRESHOLD)
        export_threshold(g, by->threshold, score);
    else if (decider_has_probability(by) && by->alpha > 0)
        export_threshold(g, (double)conformal_flag_rate(&by->by, by->alpha), score);
    return PUAD_OK;
}

puad_status export_decision(graph *g, const puad_detector *model, const puad_options *options,
                            const char *score)
{
    puad_decider *by = NULL;
    TRY(refuse_unfit(options));
    TRY(puad_decider_new(&by, model, options));
    puad_status status = write_all(g, by, score);
    puad_decider_free(by);
    return status;
}
