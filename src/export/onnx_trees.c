/* Builds the node table of a TreeEnsembleRegressor. */
#include "export/onnx_trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS_MAX = 2 };

/* A table under construction; rows are nodes. The first failure is kept. */
typedef struct tree_table {
    int64_t *number, *tree, *feature, *yes, *no;
    float *threshold;
    unsigned char *leaf;
    size_t nodes, capacity;
    int64_t *leaf_number, *leaf_tree, *leaf_target; /* one entry per target and leaf */
    float *leaf_value;
    size_t leaves, leaf_room, targets;
    int64_t current, first; /* current tree, and its first node */
    puad_status status;
} tree_table;

static void table_free(tree_table *owner)
{
    void *arrays[] = {owner->number,    owner->tree,        owner->feature,   owner->yes,
                      owner->no,        owner->threshold,   owner->leaf,      owner->leaf_number,
                      owner->leaf_tree, owner->leaf_target, owner->leaf_value};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}
#define AUTO_TABLE __attribute__((cleanup(table_free)))

static puad_status grow_nodes(tree_table *t)
{
    size_t capacity = t->capacity ? 2 * t->capacity : 1024;
    int64_t **numbers[] = {&t->number, &t->tree, &t->feature, &t->yes, &t->no};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        TRY(memory_grow(numbers[i], capacity, sizeof(int64_t), "trees"));
    TRY(memory_grow(&t->threshold, capacity, sizeof(float), "trees"));
    TRY(memory_grow(&t->leaf, capacity, 1, "trees"));
    t->capacity = capacity;
    return PUAD_OK;
}

static puad_status grow_leaves(tree_table *t)
{
    size_t capacity = t->leaf_room ? 2 * t->leaf_room : 1024;
    int64_t **numbers[] = {&t->leaf_number, &t->leaf_tree, &t->leaf_target};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        TRY(memory_grow(numbers[i], capacity, sizeof(int64_t), "trees"));
    TRY(memory_grow(&t->leaf_value, capacity, sizeof(float), "trees"));
    t->leaf_room = capacity;
    return PUAD_OK;
}

static void begin_tree(tree_table *t, size_t tree)
{
    t->current = (int64_t)tree;
    t->first = (int64_t)t->nodes;
}

/* Appends a node and returns its index, or SIZE_MAX when memory ran out. */
static size_t add_node(tree_table *t, bool leaf, size_t feature, float threshold)
{
    if (t->status == PUAD_OK && t->nodes == t->capacity) t->status = grow_nodes(t);
    if (t->status != PUAD_OK) return SIZE_MAX;
    size_t at = t->nodes++;
    t->number[at] = (int64_t)at - t->first;
    t->tree[at] = t->current;
    t->feature[at] = (int64_t)feature;
    t->threshold[at] = threshold;
    t->leaf[at] = leaf;
    t->yes[at] = t->no[at] = 0;
    return at;
}

static size_t add_leaf(tree_table *t, const float *values)
{
    size_t at = add_node(t, true, 0, 0);
    for (size_t target = 0; target < t->targets && at != SIZE_MAX; target++) {
        if (t->leaves == t->leaf_room && (t->status = grow_leaves(t)) != PUAD_OK) return SIZE_MAX;
        t->leaf_number[t->leaves] = t->number[at];
        t->leaf_tree[t->leaves] = t->current;
        t->leaf_target[t->leaves] = (int64_t)target;
        t->leaf_value[t->leaves++] = values[target];
    }
    return at;
}

static void set_children(tree_table *t, size_t at, size_t yes, size_t no)
{
    if (at == SIZE_MAX || yes == SIZE_MAX || no == SIZE_MAX) return;
    t->yes[at] = t->number[yes];
    t->no[at] = t->number[no];
}

static const char *mode_of(const void *context, size_t place)
{
    return ((const tree_table *)context)->leaf[place] ? "LEAF" : "BRANCH_LEQ";
}

static const char *table_node(graph *g, const tree_table *t, const char *rows)
{
    if (g->status == PUAD_OK) g->status = t->status;
    if (t->status != PUAD_OK) return "";
    node made = node_begin(g, "TreeEnsembleRegressor");
    node_domain(&made, "ai.onnx.ml");
    node_input(&made, rows);
    node_integer(&made, "n_targets", (int64_t)t->targets);
    node_text(&made, "aggregate_function", "SUM");
    node_text(&made, "post_transform", "NONE");
    node_integers(&made, "nodes_treeids", t->tree, t->nodes);
    node_integers(&made, "nodes_nodeids", t->number, t->nodes);
    node_integers(&made, "nodes_featureids", t->feature, t->nodes);
    node_integers(&made, "nodes_truenodeids", t->yes, t->nodes);
    node_integers(&made, "nodes_falsenodeids", t->no, t->nodes);
    node_floats(&made, "nodes_values", t->threshold, t->nodes);
    node_texts(&made, "nodes_modes", mode_of, t, t->nodes);
    node_integers(&made, "target_treeids", t->leaf_tree, t->leaves);
    node_integers(&made, "target_nodeids", t->leaf_number, t->leaves);
    node_integers(&made, "target_ids", t->leaf_target, t->leaves);
    node_floats(&made, "target_weights", t->leaf_value, t->leaves);
    return node_end(&made);
}

/* Adds a leaf's value in one or two parts: a multiple of 1 / `parts`, and the remainder. */
static size_t add_value(tree_table *t, float value, float parts)
{
    float whole = floorf(value * parts) / parts;
    float both[TARGETS_MAX] = {whole, value - whole};
    return add_leaf(t, t->targets == 1 ? &value : both);
}

static const char *sum_of(graph *g, const tree_table *t, const char *rows)
{
    const char *sums = graph_cast(g, table_node(g, t, rows), ONNX_DOUBLE);
    return t->targets == 1 ? sums : GRAPH_NODE(g, "ReduceSum", sums, GRAPH_VECTOR(g, 1));
}

/* Stored trees are complete: a branch that ends early continues to the left. In ONNX it ends. */
static size_t isolation_node(tree_table *t, const isolation_forest *forest, size_t tree, size_t place)
{
    enum { PARTS = 1 << 9 }; /* for paths below 64 in up to 512 trees: each part has at most 24 bits */
    size_t leaves = (size_t)1 << forest->depth, inner = leaves - 1;
    const float *threshold = forest->threshold + tree * inner;
    while (place < inner && threshold[place] == INFINITY) place = 2 * place + 1;
    if (place >= inner) return add_value(t, forest->path[tree * leaves + place - inner], PARTS);
    size_t at = add_node(t, false, (size_t)forest->feature[tree * inner + place], threshold[place]);
    size_t yes = isolation_node(t, forest, tree, 2 * place + 1);
    size_t no = isolation_node(t, forest, tree, 2 * place + 2);
    set_children(t, at, yes, no);
    return at;
}

const char *export_isolation_sum(graph *g, const isolation_forest *forest, const char *rows, bool exact)
{
    AUTO_TABLE tree_table t = {.targets = exact ? 2 : 1};
    for (size_t tree = 0; tree < forest->trees && t.status == PUAD_OK; tree++) {
        begin_tree(&t, tree);
        isolation_node(&t, forest, tree, 0);
    }
    return sum_of(g, &t, rows);
}

static size_t random_node(tree_table *t, const random_trees *forest, size_t place)
{
    enum { PARTS = 1 << 14 }; /* for fractions in up to 1024 trees */
    if (forest->feature[place] < 0) return add_value(t, forest->threshold[place], PARTS);
    size_t at = add_node(t, false, (size_t)forest->feature[place], forest->threshold[place]);
    size_t yes = random_node(t, forest, forest->child[place]);
    size_t no = random_node(t, forest, (size_t)forest->child[place] + 1);
    set_children(t, at, yes, no);
    return at;
}

const char *export_trees_sum(graph *g, const random_trees *forest, const char *rows, bool exact)
{
    AUTO_TABLE tree_table t = {.targets = exact ? 2 : 1};
    for (size_t tree = 0; tree < forest->trees && t.status == PUAD_OK; tree++) {
        begin_tree(&t, tree);
        random_node(&t, forest, forest->root[tree]);
    }
    return sum_of(g, &t, rows);
}

/* Covers thresholds [begin, end), values begin ... end. */
static size_t step_node(tree_table *t, const steps *nodes, size_t begin, size_t end)
{
    if (begin == end) return add_leaf(t, nodes->values + begin * nodes->targets);
    size_t middle = begin + (end - begin) / 2;
    size_t at = add_node(t, false, 0, nodes->thresholds[middle]);
    size_t yes = step_node(t, nodes, begin, middle), no = step_node(t, nodes, middle + 1, end);
    set_children(t, at, yes, no);
    return at;
}

const char *export_steps(graph *g, const steps *nodes, const char *x)
{
    AUTO_TABLE tree_table t = {.targets = nodes->targets};
    step_node(&t, nodes, 0, nodes->count);
    return table_node(g, &t, x);
}
