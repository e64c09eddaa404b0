/* Trees for ONNX's TreeEnsembleRegressor, whose rule is ours: left where value <= threshold, compared as
 * floats. */
#ifndef EXPORT_ONNX_TREES_H
#define EXPORT_ONNX_TREES_H

#include "detector/forest/isolation_forest.h"
#include "detector/forest/random_trees.h"
#include "export/onnx_graph.h"

/* Sums over the trees, rows x 1, doubles. A leaf's value is given in two parts that floats add up without
 * rounding where `exact` is set: the sum is then the same for every order of the trees. Else it is a sum of
 * floats. */
const char *export_isolation_sum(graph *g, const isolation_forest *forest, const char *rows, bool exact);
const char *export_trees_sum(graph *g, const random_trees *forest, const char *rows, bool exact);

/* A function that is constant between thresholds, as one balanced tree: values[j * targets ...] for x in
 * (thresholds[j - 1], thresholds[j]], `count` of them ascending. `x` is rows x 1 floats; the result rows x
 * targets. */
typedef struct steps {
    const float *thresholds, *values;
    size_t count, targets;
} steps;
const char *export_steps(graph *g, const steps *by, const char *x);

#endif
