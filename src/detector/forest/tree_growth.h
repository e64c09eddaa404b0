/* How finely a PU forest divides the rows, chosen on each table.
 *
 * Small kinds of anomalies that differ little from normal rows need fine trees. If anomalies overlap with normal
 * rows, or many are hidden, fine trees learn the hidden ones as normal. The labeled anomalies show which is the
 * case: each setting is tried in the first pass, and the trees of the second pass are divided among the settings
 * by how far up the labeled anomalies are among the unlabeled rows in trees that did not train on them. */
#ifndef DETECTOR_FOREST_TREE_GROWTH_H
#define DETECTOR_FOREST_TREE_GROWTH_H

#include "detector/forest/random_trees.h"

enum { TREE_GROWTHS = 3 };

/* Sets sample, leaf and thresholds of the plan, and appends the name of the setting to its stream. `name` has room
 * for 64 bytes. */
void tree_growth_apply(trees_plan *plan, size_t growth, char *name);

/* Sums -log p over the labeled anomalies that some trees did not train on; p is the fraction of unlabeled rows
 * with at least the same score. */
puad_status tree_growth_evidence(double *out, const float *labeled, size_t labels, const float *unlabeled,
                                 size_t count);

/* Fractions of the trees by evidence; unused settings have 0. */
void tree_growth_fractions(double out[TREE_GROWTHS], const double evidence[TREE_GROWTHS]);

#endif
