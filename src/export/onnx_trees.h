/* Trees as ONNX TreeEnsembleRegressor, which has the same rule as ours: left if value <= threshold,
 * compared as floats. */
#ifndef EXPORT_ONNX_TREES_H
#define EXPORT_ONNX_TREES_H

#include "detector/forest/isolation_forest.h"
#include "detector/forest/random_trees.h"
#include "export/onnx_graph.h"

/* Sums over the trees, rows x 1, doubles. With `exact`, leaf values are split into two parts that floats
 * add without rounding, so the sum does not depend on the order of the trees. Otherwise it is a float sum. */
const char *export_isolation_sum(graph *g, const isolation_forest *forest, const char *rows, bool exact);
const char *export_trees_sum(graph *g, const random_trees *forest, const char *rows, bool exact);

/* A step function as a balanced tree: values[j * targets ...] for x in (thresholds[j - 1], thresholds[j]],
 * with `count` ascending thresholds. `x` is rows x 1 floats; the result is rows x targets. */
typedef struct steps {
    const float *thresholds, *values;
    size_t count, targets;
} steps;
const char *export_steps(graph *g, const steps *nodes, const char *x);

#endif
