/* Growing the trees, and the votes of those that did not see a row.
 *
 * The values are turned into columns first: a node reads one column at a time at the rows it holds. Votes are
 * added as integers, so that their sum does not depend on which thread grew which tree. */
#include "decide/pu_classifier.h"

#include "base/rng.h"
#include "decide/metrics.h"

#include <math.h>
#include <string.h>

enum {
    TREES = 400,
    DEPTH_MOST = 48,
    ROWS_MOST = 20000, /* unlabeled rows a tree is grown on at most */
    VOTE_ONE = 1 << 24,
};
#define SAMPLE_SHARE 0.7

/* Least rows of a leaf, in the order they are tried. Fine trees know the shape of real tables best; where a
 * good part of the unlabeled rows are anomalies, the labels are mostly noise, which only large leaves average
 * out. */
static const size_t leaf_sizes[] = {3, 10, 30, 100};

typedef struct node {
    float threshold; /* rows with a larger value go right; leaf: unused */
    int32_t column;  /* -1 in a leaf */
    uint32_t right;  /* index of the right child; the left one follows its parent. Leaf: the vote */
} node;

/* One per thread. */
typedef struct grower {
    uint32_t
        *order; /* all rows, shuffled: anomalies first, then unlabeled; the tree's sample leads each part */
    uint32_t *rows;   /* the sample, grouped by node */
    float *value;     /* of the rows of a node in one column */
    int32_t *columns; /* a permutation; the first few are constant within the node */
    node *nodes;
    uint32_t node_count;
    uint64_t *votes;
    uint32_t *voters;
    rng draws;
} grower;

typedef struct classifier {
    const float *values; /* columns x rows */
    const uint8_t *labeled;
    size_t row_count, column_count, tries, leaf_least;
    size_t anomalies;
    double share; /* of labeled rows, towards which small leaves lean */
    uint64_t seed;
    grower *growers;
} classifier;

static void shuffle_front(uint32_t *order, size_t count, size_t front, rng *draws)
{
    for (size_t i = 0; i < front; i++) {
        size_t j = i + (size_t)rng_below(draws, count - i);
        uint32_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

static void make_leaf(const classifier *all, grower *tree, uint32_t place, size_t begin, size_t end)
{
    double labeled = all->share;
    for (size_t i = begin; i < end; i++) labeled += all->labeled[tree->rows[i]];
    double vote = labeled / (double)(end - begin + 1);
    tree->nodes[place] = (node){0, -1, (uint32_t)(vote * VOTE_ONE)};
}

typedef struct split {
    double gain;
    int32_t column;
    float threshold;
} split;

/* Labeled rows times purity: the larger, the less mixed the two sides are (Gini, without its constants). */
static double side_purity(double labeled, double count)
{
    double other = count - labeled;
    return (labeled * labeled + other * other) / count;
}

/* One random threshold in one column; keeps it when it separates better than the best so far. */
static void try_column(split *best, const classifier *all, grower *tree, int32_t column, size_t begin,
                       size_t end, bool *constant)
{
    const float *values = all->values + (size_t)column * all->row_count;
    float least = INFINITY, most = -INFINITY;
    for (size_t i = begin; i < end; i++) {
        float value = values[tree->rows[i]];
        tree->value[i] = value;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    *constant = !(most > least);
    if (*constant) return;
    float threshold = (float)(least + rng_uniform(&tree->draws) * ((double)most - least));
    if (!(threshold < most)) threshold = least;
    uint32_t right = 0, right_labeled = 0, labeled = 0;
    for (size_t i = begin; i < end; i++) {
        uint32_t is_right = tree->value[i] > threshold, is_labeled = all->labeled[tree->rows[i]];
        right += is_right;
        labeled += is_labeled;
        right_labeled += is_right & is_labeled;
    }
    uint32_t left = (uint32_t)(end - begin) - right;
    if (left < all->leaf_least || right < all->leaf_least) return;
    double gain = side_purity(right_labeled, right) + side_purity(labeled - right_labeled, left);
    if (gain > best->gain) *best = (split){gain, column, threshold};
}

/* The best of a few columns that vary within the node; columns found constant move to the front for good. */
static split find_split(const classifier *all, grower *tree, size_t begin, size_t end, size_t *constants)
{
    split best = {-1, -1, 0};
    size_t tried = 0;
    while (tried < all->tries && *constants + tried < all->column_count) {
        size_t first = *constants + tried,
               place = first + (size_t)rng_below(&tree->draws, all->column_count - first);
        int32_t column = tree->columns[place];
        bool constant;
        try_column(&best, all, tree, column, begin, end, &constant);
        tree->columns[place] = tree->columns[first];
        if (constant) { /* the tried ones move up by one place */
            tree->columns[first] = tree->columns[*constants];
            tree->columns[(*constants)++] = column;
        } else {
            tree->columns[first] = column;
            tried++;
        }
    }
    return best;
}

static size_t part_rows(const classifier *all, grower *tree, size_t begin, size_t end, const split *by)
{
    const float *values = all->values + (size_t)by->column * all->row_count;
    while (begin < end) {
        if (!(values[tree->rows[begin]] > by->threshold)) {
            begin++;
            continue;
        }
        uint32_t row = tree->rows[begin];
        tree->rows[begin] = tree->rows[--end];
        tree->rows[end] = row;
    }
    return begin;
}

static bool is_pure(const classifier *all, const grower *tree, size_t begin, size_t end)
{
    for (size_t i = begin + 1; i < end; i++)
        if (all->labeled[tree->rows[i]] != all->labeled[tree->rows[begin]]) return false;
    return true;
}

static void grow_node(const classifier *all, grower *tree, size_t begin, size_t end, size_t constants,
                      int depth)
{
    uint32_t place = tree->node_count++;
    split best = {-1, -1, 0};
    if (end - begin >= 2 * all->leaf_least && depth < DEPTH_MOST && !is_pure(all, tree, begin, end))
        best = find_split(all, tree, begin, end, &constants);
    if (best.column < 0) {
        make_leaf(all, tree, place, begin, end);
        return;
    }
    size_t middle = part_rows(all, tree, begin, end, &best);
    grow_node(all, tree, begin, middle, constants, depth + 1);
    tree->nodes[place] = (node){best.threshold, best.column, tree->node_count};
    grow_node(all, tree, middle, end, constants, depth + 1);
}

static void vote_on(const classifier *all, grower *tree, const uint32_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const node *at = tree->nodes;
        while (at->column >= 0) {
            float value = all->values[(size_t)at->column * all->row_count + rows[i]];
            at = value > at->threshold ? tree->nodes + at->right : at + 1;
        }
        tree->votes[rows[i]] += at->right;
        tree->voters[rows[i]]++;
    }
}

static size_t sample_of(size_t count)
{
    size_t sample = (size_t)(SAMPLE_SHARE * (double)count + 0.5);
    return sample < 1 ? 1 : sample >= count ? count - 1 : sample;
}

static void grow_tree(void *context, size_t item, int thread)
{
    const classifier *all = context;
    grower *tree = &all->growers[thread];
    size_t unlabeled = all->row_count - all->anomalies;
    size_t front_a = sample_of(all->anomalies), front_u = sample_of(unlabeled);
    if (front_u > ROWS_MOST) front_u = ROWS_MOST;
    tree->draws = rng_make(all->seed, rng_stream("pu classifier", item));
    uint32_t *order_u = tree->order + all->anomalies;
    /* The same start for every tree, whichever tree this thread grew before. */
    for (size_t row = 0, a = 0, u = 0; row < all->row_count; row++) {
        if (all->labeled[row])
            tree->order[a++] = (uint32_t)row;
        else
            order_u[u++] = (uint32_t)row;
    }
    for (size_t i = 0; i < all->column_count; i++) tree->columns[i] = (int32_t)i;
    shuffle_front(tree->order, all->anomalies, front_a, &tree->draws);
    shuffle_front(order_u, unlabeled, front_u, &tree->draws);
    memcpy(tree->rows, tree->order, front_a * sizeof *tree->rows);
    memcpy(tree->rows + front_a, order_u, front_u * sizeof *tree->rows);
    tree->node_count = 0;
    grow_node(all, tree, 0, front_a + front_u, 0, 0);
    vote_on(all, tree, tree->order + front_a, all->anomalies - front_a);
    vote_on(all, tree, order_u + front_u, unlabeled - front_u);
}

/* Logistic regression of the label on the logit of the vote (Platt): two numbers, by Newton's method, so the
 * order of the rows stays as it is. */
static void calibrate(float *probabilities, const uint8_t *labeled, size_t rows)
{
    double slope = 1, offset = 0;
    for (int round = 0; round < 50; round++) {
        double g0 = 0, g1 = 1e-3 * (slope - 1), h00 = 1e-9, h01 = 0, h11 = 1e-3;
        for (size_t i = 0; i < rows; i++) {
            double x = log((double)probabilities[i] / (1 - (double)probabilities[i]));
            double p = 1 / (1 + exp(-(slope * x + offset))), error = p - labeled[i], w = p * (1 - p);
            g0 += error;
            g1 += error * x;
            h00 += w;
            h01 += w * x;
            h11 += w * x * x;
        }
        double scale = h00 * h11 - h01 * h01;
        if (!(scale > 1e-300)) break;
        double step0 = (g0 * h11 - g1 * h01) / scale, step1 = (g1 * h00 - g0 * h01) / scale;
        double damp = fmin(1, 2 / (1e-12 + fabs(step0) + fabs(step1)));
        offset -= damp * step0;
        slope -= damp * step1;
        if (fabs(step0) + fabs(step1) < 1e-9) break;
    }
    if (!(slope > 0) || !isfinite(slope) || !isfinite(offset))
        return; /* no relation: leave the votes as they are */
    for (size_t i = 0; i < rows; i++) {
        double x = log((double)probabilities[i] / (1 - (double)probabilities[i]));
        probabilities[i] = (float)(1 / (1 + exp(-(slope * x + offset))));
    }
}

static puad_status make_growers(arena *memory, classifier *all, size_t threads)
{
    size_t rows = all->row_count;
    TRY(arena_new(memory, &all->growers, threads, sizeof *all->growers));
    for (size_t i = 0; i < threads; i++) {
        grower *tree = &all->growers[i];
        TRY(arena_new(memory, &tree->order, rows, sizeof *tree->order));
        TRY(arena_new(memory, &tree->rows, rows, sizeof *tree->rows));
        TRY(arena_new(memory, &tree->value, rows, sizeof *tree->value));
        TRY(arena_new(memory, &tree->columns, all->column_count, sizeof *tree->columns));
        TRY(arena_new(memory, &tree->nodes, 2 * rows, sizeof *tree->nodes));
        TRY(arena_new(memory, &tree->votes, rows, sizeof *tree->votes));
        TRY(arena_new(memory, &tree->voters, rows, sizeof *tree->voters));
    }
    return PUAD_OK;
}

/* The mean vote on every row; the votes are gone after it. */
static void take_votes(float *probabilities, const classifier *all, size_t threads)
{
    for (size_t row = 0; row < all->row_count; row++) {
        uint64_t votes = 0, voters = 0;
        for (size_t i = 0; i < threads; i++) {
            votes += all->growers[i].votes[row];
            voters += all->growers[i].voters[row];
            all->growers[i].votes[row] = all->growers[i].voters[row] = 0;
        }
        double mean = voters ? (double)votes / (double)voters / VOTE_ONE : all->share;
        probabilities[row] = (float)fmin(1 - 1e-6, fmax(1e-6, mean));
    }
}

puad_status pu_classify(float *probabilities, const float *values, const int8_t *labels, size_t rows,
                        size_t columns, uint64_t seed, team *workers)
{
    AUTO_ARENA arena memory = {0};
    size_t cells;
    if (rows > INT32_MAX || columns < 1 || columns > INT32_MAX || !size_multiply(&cells, rows, columns))
        FAIL(PUAD_INVALID, "%zu rows x %zu columns are more than the classifier of anomalies can hold", rows,
             columns);
    classifier all = {.row_count = rows, .column_count = columns, .seed = seed};
    float *turned = NULL;
    uint8_t *labeled = NULL;
    TRY(arena_new(&memory, &turned, cells, sizeof *turned));
    TRY(arena_new(&memory, &labeled, rows, sizeof *labeled));
    for (size_t row = 0; row < rows; row++) all.anomalies += labeled[row] = labels[row] == 1;
    if (all.anomalies < 2 || rows - all.anomalies < 2)
        FAIL(PUAD_INVALID, "%zu labeled anomalies and %zu unlabeled rows: at least 2 of each are needed",
             all.anomalies, rows - all.anomalies);
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++)
            turned[column * rows + row] = values[row * columns + column];
    all.values = turned;
    all.labeled = labeled;
    all.share = (double)all.anomalies / (double)rows;
    all.tries = (size_t)ceil(sqrt((double)columns));
    size_t threads = (size_t)team_size(workers);
    TRY(make_growers(&memory, &all, threads));
    float *tried = NULL;
    TRY(arena_new(&memory, &tried, rows, sizeof *tried));
    double best = -1;
    for (size_t i = 0; i < sizeof leaf_sizes / sizeof *leaf_sizes; i++) {
        all.leaf_least = leaf_sizes[i];
        TRY(team_run_until_stopped(workers, TREES, grow_tree, &all));
        take_votes(tried, &all, threads);
        double auroc;
        TRY(metrics_auroc(&auroc, tried, labels, rows));
        if (auroc <= best) continue;
        best = auroc;
        memcpy(probabilities, tried, rows * sizeof *tried);
    }
    calibrate(probabilities, labeled, rows);
    return PUAD_OK;
}
