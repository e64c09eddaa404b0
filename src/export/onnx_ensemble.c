/* Forests, nearest neighbors and their ensemble in ONNX. The ensemble ranks its members' scores among
 * those of training rows, so the scores must be bit-identical to the program's: leaf sums without
 * rounding, distances added column by column. */
#include "export/onnx_parts.h"
#include "export/onnx_trees.h"

#include <math.h>

static const char *isolation_score(graph *g, const isolation_forest *forest, const char *rows, bool exact)
{
    double normal = isolation_forest_normal(forest);
    double scale = normal > 0 ? -1 / (normal * (double)forest->trees) : 0;
    const char *sum = export_isolation_sum(g, forest, rows, exact);
    const char *power =
        GRAPH_NODE(g, "Pow", graph_double(g, 2), GRAPH_NODE(g, "Mul", sum, graph_double(g, scale)));
    if (!(normal > 0)) power = GRAPH_NODE(g, "Mul", power, graph_double(g, 0.5));
    return graph_cast(g, power, ONNX_FLOAT);
}

static const char *trees_score(graph *g, const random_trees *forest, const char *rows, bool exact)
{
    const char *sum = export_trees_sum(g, forest, rows, exact);
    return graph_cast(g, GRAPH_NODE(g, "Div", sum, graph_double(g, (double)forest->trees)), ONNX_FLOAT);
}

/* The body of a loop over the columns: sums + (value - point)^2 for all points. */
static void distance_step(graph *body, int64_t points)
{
    const int64_t rows_by_points[] = {-1, points}, rows[] = {-1}, one[] = {points};
    const char *sums = graph_input(body, "puad:sums", ONNX_FLOAT, rows_by_points, 2);
    const char *value = graph_input(body, "puad:value", ONNX_FLOAT, rows, 1);
    const char *point = graph_input(body, "puad:points", ONNX_FLOAT, one, 1);
    value = GRAPH_NODE(body, "Unsqueeze", value, GRAPH_VECTOR(body, 1));
    const char *off = GRAPH_NODE(body, "Sub", value, point);
    const char *more = GRAPH_NODE(body, "Add", sums, GRAPH_NODE(body, "Mul", off, off));
    graph_output(body, more, "puad:more", ONNX_FLOAT, rows_by_points, 2);
}

/* rows x 1 zeros, which are expanded to rows x count. */
static const char *zeros(graph *g, const char *rows, int64_t count)
{
    node size = node_begin(g, "Shape");
    node_input(&size, rows);
    node_integer(&size, "start", 0);
    node_integer(&size, "end", 1);
    const char *sizes[] = {node_end(&size), GRAPH_VECTOR(g, count), NULL};
    return GRAPH_NODE(g, "Expand", graph_float(g, 0), graph_along(g, "Concat", 0, sizes));
}

static puad_status nearest_score(const char **out, graph *g, const nearest_rows *nearest, const char *rows)
{
    size_t points = nearest->sets * nearest->size;
    int64_t columns = (int64_t)nearest->columns;
    float *turned; /* columns x points */
    TRY(arena_new(g->memory, &turned, nearest->columns * points, sizeof *turned));
    for (size_t set = 0; set < nearest->sets; set++)
        for (size_t c = 0; c < nearest->columns; c++)
            for (size_t i = 0; i < nearest->size; i++)
                turned[c * points + set * nearest->size + i] =
                    nearest->points[(set * nearest->columns + c) * nearest->size + i];
    const char *x = GRAPH_NODE(g, "Sub", rows, graph_floats(g, nearest->mean, &columns, 1));
    x = GRAPH_NODE(g, "Mul", x, graph_floats(g, nearest->factor, &columns, 1));
    x = GRAPH_NODE(g, "Clip", x, graph_float(g, -NEAREST_VALUE_MAX), graph_float(g, NEAREST_VALUE_MAX));
    AUTO_GRAPH graph body = {.memory = g->memory, .names = g->names};
    distance_step(&body, (int64_t)points);
    node loop = node_begin(g, "Scan");
    node_input(&loop, zeros(g, rows, (int64_t)points));
    node_input(&loop, x);
    node_input(&loop, graph_floats(g, turned, (const int64_t[]){columns, (int64_t)points}, 2));
    node_integer(&loop, "num_scan_inputs", 2);
    node_integers(&loop, "scan_input_axes", (const int64_t[]){1, 0}, 2);
    node_graph(&loop, "body", &body);
    const char *sums = GRAPH_NODE(g, "Reshape", node_end(&loop),
                                  GRAPH_VECTOR(g, -1, (int64_t)nearest->sets, (int64_t)nearest->size));
    node min = node_begin(g, "ReduceMin");
    node_input(&min, sums);
    node_input(&min, GRAPH_VECTOR(g, 2));
    node_integer(&min, "keepdims", 0);
    const char *distances = GRAPH_NODE(g, "Sqrt", graph_cast(g, node_end(&min), ONNX_DOUBLE));
    const char *sum = GRAPH_NODE(g, "ReduceSum", distances, GRAPH_VECTOR(g, 1));
    *out = graph_cast(g, GRAPH_NODE(g, "Div", sum, graph_double(g, (double)nearest->sets)), ONNX_FLOAT);
    return PUAD_OK;
}

/* The residual of the principal components: x minus its projection. */
static const char *components_score(graph *g, const principal *principal_axes, const char *rows)
{
    int64_t columns = (int64_t)principal_axes->columns;
    const char *x =
        GRAPH_NODE(g, "Sub", graph_cast(g, rows, ONNX_DOUBLE),
                   graph_cast(g, graph_floats(g, principal_axes->mean, &columns, 1), ONNX_DOUBLE));
    if (principal_axes->kept) {
        const char *axes =
            graph_cast(g,
                       graph_floats(g, principal_axes->axes,
                                    (const int64_t[]){(int64_t)principal_axes->kept, columns}, 2),
                       ONNX_DOUBLE);
        const char *along = GRAPH_NODE(g, "MatMul", x, GRAPH_NODE(g, "Transpose", axes));
        x = GRAPH_NODE(g, "Sub", x, GRAPH_NODE(g, "MatMul", along, axes));
    }
    const char *squares = GRAPH_NODE(g, "ReduceSum", GRAPH_NODE(g, "Mul", x, x), GRAPH_VECTOR(g, 1));
    return graph_cast(g, GRAPH_NODE(g, "Sqrt", squares), ONNX_FLOAT);
}

/* Counts of levels below and at a score, as step functions of the score as a float: between distinct
 * levels, and at each of them. */
static puad_status level_steps(steps *out, graph *g, const tail_scale *scale)
{
    float *thresholds, *values;
    size_t count = 0;
    TRY(arena_new(g->memory, &thresholds, 2 * scale->count, sizeof *thresholds));
    TRY(arena_new(g->memory, &values, 2 * (2 * scale->count + 1), sizeof *values));
    for (size_t i = 0, next; i < scale->count; i = next) {
        for (next = i; next < scale->count && scale->levels[next] == scale->levels[i];) next++;
        float before = nextafterf(scale->levels[i], -INFINITY);
        /* there are floats between this level and the previous one */
        if (count == 0 || before > thresholds[count - 1]) {
            thresholds[count] = before;
            values[2 * count] = (float)i;
            values[2 * count++ + 1] = 0;
        }
        thresholds[count] = scale->levels[i];
        values[2 * count] = (float)i;
        values[2 * count++ + 1] = (float)(next - i);
    }
    values[2 * count] = (float)scale->count;
    values[2 * count + 1] = 0;
    *out = (steps){thresholds, values, count, 2};
    return PUAD_OK;
}

static const char *column_of(graph *g, const char *value, int64_t column)
{
    return graph_along(g, "Gather", 1, (const char *const[]){value, GRAPH_VECTOR(g, column), NULL});
}

/* tail_probability() of doubles, rows x 1. A double that is not a float is rounded to the nearest float;
 * the sign of the difference decides on which side of it the double lies. */
static puad_status tail(const char **out, graph *g, const tail_scale *scale, const char *score)
{
    steps levels;
    double rows = (double)scale->count, max = (double)scale->levels[scale->count - 1];
    TRY(level_steps(&levels, g, scale));
    const char *nearest = graph_cast(g, score, ONNX_FLOAT);
    const char *found = graph_cast(g, export_steps(g, &levels, nearest), ONNX_DOUBLE);
    const char *side =
        GRAPH_NODE(g, "Sign", GRAPH_NODE(g, "Sub", score, graph_cast(g, nearest, ONNX_DOUBLE)));
    side = GRAPH_NODE(g, "Mul", GRAPH_NODE(g, "Add", side, graph_double(g, 1)), graph_double(g, 0.5));
    const char *rank =
        GRAPH_NODE(g, "Add", column_of(g, found, 0), GRAPH_NODE(g, "Mul", column_of(g, found, 1), side));
    const char *share = GRAPH_NODE(g, "Sub", graph_double(g, rows), rank);
    share =
        GRAPH_NODE(g, "Div", GRAPH_NODE(g, "Add", share, graph_double(g, 0.5)), graph_double(g, rows + 1));
    const char *over = GRAPH_NODE(g, "Div", GRAPH_NODE(g, "Sub", score, graph_double(g, max)),
                                  graph_double(g, scale->excess));
    over = GRAPH_NODE(g, "Clip", over, graph_double(g, 0), graph_double(g, TAIL_EXCESS_MAX));
    *out = GRAPH_NODE(g, "Mul", share, GRAPH_NODE(g, "Exp", GRAPH_NODE(g, "Neg", over)));
    return PUAD_OK;
}

static puad_status outlier_score(const char **out, graph *g, const ensemble *parts, const char *rows,
                                 const char *distance)
{
    const char *isolated, *far;
    const char *isolation = isolation_score(g, &parts->isolation, rows, true);
    TRY(tail(&isolated, g, &parts->isolation_scale, graph_cast(g, isolation, ONNX_DOUBLE)));
    TRY(tail(&far, g, &parts->nearest_scale, graph_cast(g, distance, ONNX_DOUBLE)));
    *out =
        GRAPH_NODE(g, "Sub", GRAPH_NODE(g, "Neg", GRAPH_NODE(g, "Log", isolated)), GRAPH_NODE(g, "Log", far));
    return PUAD_OK;
}

/* The formula is in detector/ensemble/ensemble.h. */
static puad_status committee_score(const char **out, graph *g, const puad_detector *model, const char *rows)
{
    const ensemble *parts = &model->parts;
    double a = (double)parts->shape;
    const char *outlier, *p, *distance;
    TRY(nearest_score(&distance, g, &parts->near, rows));
    TRY(outlier_score(&outlier, g, parts, rows, distance));
    TRY(tail(&p, g, &parts->outlier_scale, outlier));
    if (parts->trees.trees)
        p = GRAPH_NODE(g, "Max", p, graph_double(g, 1 / ((double)parts->outlier_scale.count + 1)));
    const char *evidence =
        GRAPH_NODE(g, "Mul", GRAPH_NODE(g, "Pow", p, graph_double(g, a - 1)), graph_double(g, a));
    if (parts->trees.trees) {
        const evidence_weights *weights = &parts->weights;
        double novelty = (double)weights->novelty;
        const char *wider = graph_along(g, "Concat", 1, (const char *const[]){rows, distance, NULL});
        const char *share = graph_cast(g, trees_score(g, &parts->trees, wider, true), ONNX_DOUBLE);
        share = GRAPH_NODE(g, "Clip", share, graph_double(g, ODDS_BOUND), graph_double(g, 1 - ODDS_BOUND));
        const char *odds = GRAPH_NODE(g, "Div", share, GRAPH_NODE(g, "Sub", graph_double(g, 1), share));
        const char *alike =
            GRAPH_NODE(g, "Mul", GRAPH_NODE(g, "Pow", odds, graph_double(g, (double)weights->forest)),
                       GRAPH_NODE(g, "Pow", evidence, graph_double(g, (double)weights->unusual)));
        alike = GRAPH_NODE(g, "Mul", alike, graph_double(g, (1 - novelty) * exp(-(double)weights->log_mean)));
        const char *unusual = GRAPH_NODE(g, "Mul", evidence, graph_double(g, novelty));
        evidence = GRAPH_NODE(g, "Add", alike, unusual);
    }
    *out = graph_cast(g, GRAPH_NODE(g, "Log", evidence), ONNX_FLOAT);
    return PUAD_OK;
}

static const char *row_vector(graph *g, const float *values, size_t count)
{
    return graph_cast(g, graph_floats(g, values, (const int64_t[]){(int64_t)count}, 1), ONNX_DOUBLE);
}

static const char *standard(graph *g, const char *value, float mean, float deviation)
{
    value = GRAPH_NODE(g, "Sub", value, graph_double(g, (double)mean));
    return GRAPH_NODE(g, "Div", value, graph_double(g, (double)deviation));
}

/* The formula is in detector/ensemble/pu_linear.h. */
static const char *linear_score(graph *g, const pu_linear *model, const char *rows)
{
    const float bound = PU_LINEAR_BOUND, *scale = model->scale;
    const int64_t columns = (int64_t)model->columns, kept = (int64_t)model->kept,
                  patches = (int64_t)model->patches;
    const char *whole = rows;
    if (patches)
        rows =
            GRAPH_NODE(g, "Slice", whole, GRAPH_VECTOR(g, 0), GRAPH_VECTOR(g, columns), GRAPH_VECTOR(g, 1));
    const char *z = GRAPH_NODE(g, "Sub", rows, graph_floats(g, model->mean, &columns, 1));
    z = GRAPH_NODE(g, "Mul", z, graph_floats(g, model->factor, &columns, 1));
    z = GRAPH_NODE(g, "Clip", z, graph_float(g, -bound), graph_float(g, bound));
    z = graph_cast(g, GRAPH_NODE(g, "Sub", z, graph_floats(g, model->center, &columns, 1)), ONNX_DOUBLE);
    const char *one = GRAPH_VECTOR(g, 1);
    const char *squares = GRAPH_NODE(g, "ReduceSum", GRAPH_NODE(g, "Mul", z, z), one);
    squares = GRAPH_NODE(g, "Mul", squares, graph_double(g, (double)scale[SCALE_REST]));
    if (kept) {
        const char *axes = graph_floats(g, model->axes, (const int64_t[]){kept, columns}, 2);
        axes = GRAPH_NODE(g, "Transpose", graph_cast(g, axes, ONNX_DOUBLE));
        const char *along = GRAPH_NODE(g, "MatMul", z, axes);
        along = GRAPH_NODE(g, "Mul", GRAPH_NODE(g, "Mul", along, along),
                           row_vector(g, model->strength, model->kept));
        squares = GRAPH_NODE(g, "Add", squares, GRAPH_NODE(g, "ReduceSum", along, one));
    }
    squares = GRAPH_NODE(g, "Max", squares, graph_double(g, 0));
    const char *distance = GRAPH_NODE(g, "Log", GRAPH_NODE(g, "Add", squares, graph_double(g, 1)));
    const char *output = GRAPH_NODE(g, "Mul", z, row_vector(g, model->weights, model->columns));
    output = standard(g, GRAPH_NODE(g, "ReduceSum", output, one), scale[SCALE_OUTPUT_MEAN],
                      scale[SCALE_OUTPUT_DEVIATION]);
    output = GRAPH_NODE(g, "Mul", output, graph_double(g, (double)scale[SCALE_OUTPUT_WEIGHT]));
    distance = standard(g, distance, scale[SCALE_DISTANCE_MEAN], scale[SCALE_DISTANCE_DEVIATION]);
    distance = GRAPH_NODE(g, "Mul", distance, graph_double(g, (double)scale[SCALE_DISTANCE_WEIGHT]));
    const char *sum = GRAPH_NODE(g, "Add", output, distance);
    if (patches) {
        const double weights[2] = {(double)scale[SCALE_PATCH_WEIGHT], (double)scale[SCALE_LIKE_WEIGHT]};
        int64_t half = patches / 2;
        for (int64_t k = 0; k < 2; k++) {
            const char *part = GRAPH_NODE(g, "Slice", whole, GRAPH_VECTOR(g, columns + k * half),
                                          GRAPH_VECTOR(g, columns + (k + 1) * half), GRAPH_VECTOR(g, 1));
            part = GRAPH_NODE(g, "Mul", graph_cast(g, part, ONNX_DOUBLE),
                              row_vector(g, model->patch_weights + k * half, (size_t)half));
            part = standard(g, GRAPH_NODE(g, "ReduceSum", part, one), scale[SCALE_PATCH_MEAN + 2 * k],
                            scale[SCALE_PATCH_DEVIATION + 2 * k]);
            part = GRAPH_NODE(g, "Mul", part, graph_double(g, weights[k]));
            sum = GRAPH_NODE(g, "Add", sum, part);
        }
    }
    return graph_cast(g, sum, ONNX_FLOAT);
}

puad_status export_ensemble(const char **out, graph *g, const puad_detector *model, const char *rows)
{
    const ensemble *parts = &model->parts;
    if (model->image) rows = graph_along(g, "Flatten", 1, (const char *const[]){rows, NULL});
    switch (detector_kind_parts(model->config.kind)) {
    case PART_ISOLATION: *out = isolation_score(g, &parts->isolation, rows, false); return PUAD_OK;
    case PART_TREES: *out = trees_score(g, &parts->trees, rows, false); return PUAD_OK;
    case PART_NEAREST: return nearest_score(out, g, &parts->near, rows);
    case PART_LINEAR: *out = linear_score(g, &parts->linear, rows); return PUAD_OK;
    case PART_PRINCIPAL: *out = components_score(g, &parts->axes, rows); return PUAD_OK;
    case PART_ISOLATION | PART_TREES | PART_NEAREST: return committee_score(out, g, model, rows);
    default: FAIL(PUAD_INVALID, "method %s has no counterpart in ONNX", model->config.kind->name);
    }
}
