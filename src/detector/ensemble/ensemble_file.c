/* Tensors of forests, samples and scales in model files. */
#include "detector/ensemble/ensemble_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static puad_status add_isolation(safetensors *file, const isolation_forest *forest)
{
    size_t nodes[2] = {forest->trees, ((size_t)1 << forest->depth) - 1},
           leaves[2] = {forest->trees, (size_t)1 << forest->depth};
    char text[64];
    snprintf(text, sizeof text, "%zu", forest->sample);
    TRY(safetensors_add_text(file, "forest_sample", text));
    TRY(safetensors_add(file, "forest.feature", TENSOR_I32, forest->feature, 2, nodes));
    TRY(safetensors_add(file, "forest.threshold", TENSOR_F32, forest->threshold, 2, nodes));
    return safetensors_add(file, "forest.path", TENSOR_F32, forest->path, 2, leaves);
}

static puad_status read_isolation(puad_detector *model, const safetensors *file)
{
    const stored_tensor *feature, *threshold, *path;
    const char *sample = NULL;
    size_t any[2] = {SIZE_MAX, SIZE_MAX}, depth = 0;
    TRY(safetensors_require_text(&sample, file, "forest_sample"));
    TRY(safetensors_require(&path, file, "forest.path", TENSOR_F32, 2, any));
    while (depth < 16 && (size_t)1 << depth < path->shape[1]) depth++;
    if ((size_t)1 << depth != path->shape[1] || path->shape[0] == 0 || path->shape[0] > FOREST_TREES_MAX)
        FAIL(PUAD_FORMAT, "forest.path has %zu x %zu values, expected trees x a power of 2", path->shape[0],
             path->shape[1]);
    size_t nodes[2] = {path->shape[0], path->shape[1] - 1};
    TRY(safetensors_require(&feature, file, "forest.feature", TENSOR_I32, 2, nodes));
    TRY(safetensors_require(&threshold, file, "forest.threshold", TENSOR_F32, 2, nodes));
    size_t rows = (size_t)strtoull(sample, NULL, 10);
    if (rows < 1 || rows > FOREST_SAMPLE_MAX) FAIL(PUAD_FORMAT, "forest_sample is '%s'", sample);
    TRY(isolation_forest_new(&model->parts.isolation, path->shape[0], depth, rows, shape_size(model->in)));
    memcpy(model->parts.isolation.feature, feature->data, feature->bytes);
    memcpy(model->parts.isolation.threshold, threshold->data, threshold->bytes);
    memcpy(model->parts.isolation.path, path->data, path->bytes);
    return isolation_forest_check(&model->parts.isolation);
}

static puad_status add_trees(safetensors *file, const random_trees *forest)
{
    size_t roots = forest->trees + 1;
    TRY(safetensors_add(file, "trees.root", TENSOR_U32, forest->root, 1, &roots));
    TRY(safetensors_add(file, "trees.feature", TENSOR_I32, forest->feature, 1, &forest->nodes));
    TRY(safetensors_add(file, "trees.threshold", TENSOR_F32, forest->threshold, 1, &forest->nodes));
    return safetensors_add(file, "trees.child", TENSOR_U32, forest->child, 1, &forest->nodes);
}

static puad_status read_trees(puad_detector *model, const safetensors *file)
{
    const stored_tensor *root, *feature, *threshold, *child;
    size_t any = SIZE_MAX;
    TRY(safetensors_require(&root, file, "trees.root", TENSOR_U32, 1, &any));
    TRY(safetensors_require(&feature, file, "trees.feature", TENSOR_I32, 1, &any));
    TRY(safetensors_require(&threshold, file, "trees.threshold", TENSOR_F32, 1, &feature->count));
    TRY(safetensors_require(&child, file, "trees.child", TENSOR_U32, 1, &feature->count));
    if (root->count < 2) FAIL(PUAD_FORMAT, "trees.root has %zu values, expected at least 2", root->count);
    random_trees *forest = &model->parts.trees;
    bool distances = detector_kind_parts(model->config.kind) & PART_NEAREST; /* the distance column */
    TRY(random_trees_new(forest, root->count - 1, feature->count, shape_size(model->in) + distances));
    memcpy(forest->root, root->data, root->bytes);
    memcpy(forest->feature, feature->data, feature->bytes);
    memcpy(forest->threshold, threshold->data, threshold->bytes);
    memcpy(forest->child, child->data, child->bytes);
    return random_trees_check(forest);
}

static puad_status add_nearest(safetensors *file, const nearest_rows *near)
{
    size_t sizes[3] = {near->sets, near->columns, near->size};
    TRY(safetensors_add(file, "nearest.mean", TENSOR_F32, near->mean, 1, &near->columns));
    TRY(safetensors_add(file, "nearest.factor", TENSOR_F32, near->factor, 1, &near->columns));
    return safetensors_add(file, "nearest.points", TENSOR_F32, near->points, 3, sizes);
}

static puad_status read_nearest(puad_detector *model, const safetensors *file)
{
    const stored_tensor *mean, *factor, *points;
    size_t columns = shape_size(model->in), sizes[3] = {SIZE_MAX, columns, SIZE_MAX};
    TRY(safetensors_require(&mean, file, "nearest.mean", TENSOR_F32, 1, &columns));
    TRY(safetensors_require(&factor, file, "nearest.factor", TENSOR_F32, 1, &columns));
    TRY(safetensors_require(&points, file, "nearest.points", TENSOR_F32, 3, sizes));
    nearest_rows *near = &model->parts.near;
    TRY(nearest_rows_new(near, points->shape[0], points->shape[2], columns));
    memcpy(near->mean, mean->data, mean->bytes);
    memcpy(near->factor, factor->data, factor->bytes);
    memcpy(near->points, points->data, points->bytes);
    return nearest_rows_check(near);
}

static puad_status add_principal(safetensors *file, const principal *axes)
{
    size_t sizes[2] = {axes->kept, axes->columns};
    TRY(safetensors_add(file, "pca.mean", TENSOR_F32, axes->mean, 1, &axes->columns));
    return axes->kept ? safetensors_add(file, "pca.axes", TENSOR_F32, axes->axes, 2, sizes) : PUAD_OK;
}

static puad_status read_principal(puad_detector *model, const safetensors *file)
{
    const stored_tensor *mean, *axes = NULL;
    size_t columns = shape_size(model->in), sizes[2] = {SIZE_MAX, columns};
    TRY(safetensors_require(&mean, file, "pca.mean", TENSOR_F32, 1, &columns));
    if (safetensors_find(file, "pca.axes")) /* a single column has no axes */
        TRY(safetensors_require(&axes, file, "pca.axes", TENSOR_F32, 2, sizes));
    TRY(principal_new(&model->parts.axes, columns, axes ? axes->shape[0] : 0));
    memcpy(model->parts.axes.mean, mean->data, mean->bytes);
    if (axes) memcpy(model->parts.axes.axes, axes->data, axes->bytes);
    return principal_check(&model->parts.axes);
}

static puad_status add_linear(safetensors *file, const pu_linear *model)
{
    size_t sizes[2] = {model->kept, model->columns}, scales = sizeof model->scale / sizeof *model->scale;
    TRY(safetensors_add(file, "linear.mean", TENSOR_F32, model->mean, 1, &model->columns));
    TRY(safetensors_add(file, "linear.factor", TENSOR_F32, model->factor, 1, &model->columns));
    TRY(safetensors_add(file, "linear.center", TENSOR_F32, model->center, 1, &model->columns));
    TRY(safetensors_add(file, "linear.weights", TENSOR_F32, model->weights, 1, &model->columns));
    TRY(safetensors_add(file, "linear.strength", TENSOR_F32, model->strength, 1, &model->kept));
    if (model->patches)
        TRY(safetensors_add(file, "linear.patches", TENSOR_F32, model->patch_weights, 1, &model->patches));
    TRY(safetensors_add(file, "linear.scale", TENSOR_F32, model->scale, 1, &scales));
    return safetensors_add(file, "linear.axes", TENSOR_F32, model->axes, 2, sizes);
}

static puad_status read_linear(puad_detector *model, const safetensors *file)
{
    pu_linear *made = &model->parts.linear;
    const stored_tensor *axes;
    size_t patches = model->config.patches, columns = shape_size(model->in) - patches,
           any[2] = {SIZE_MAX, columns}, scales = sizeof made->scale / 4;
    TRY(safetensors_require(&axes, file, "linear.axes", TENSOR_F32, 2, any));
    TRY(pu_linear_new(made, columns, axes->shape[0], patches));
    const struct {
        const char *name;
        size_t count;
        float *to;
    } arrays[] = {{"linear.mean", columns, made->mean},
                  {"linear.factor", columns, made->factor},
                  {"linear.center", columns, made->center},
                  {"linear.weights", columns, made->weights},
                  {"linear.strength", made->kept, made->strength},
                  {"linear.patches", patches, made->patch_weights},
                  {"linear.scale", scales, made->scale}};
    memcpy(made->axes, axes->data, axes->bytes);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        const stored_tensor *stored;
        if (!arrays[i].count) continue;
        TRY(safetensors_require(&stored, file, arrays[i].name, TENSOR_F32, 1, &arrays[i].count));
        memcpy(arrays[i].to, stored->data, stored->bytes);
    }
    return pu_linear_check(made);
}

static puad_status add_recurrence(safetensors *file, const recurrence *model)
{
    size_t columns = model->length * model->channels, scale[2] = {model->channels, 3},
           sizes[3] = {model->blocks, columns, model->size}, known[2] = {columns, model->known};
    TRY(safetensors_add(file, "recurrence.scale", TENSOR_F32, model->scale, 2, scale));
    TRY(safetensors_add(file, "recurrence.points", TENSOR_F32, model->points, 3, sizes));
    if (!model->known) return PUAD_OK;
    size_t one = 1;
    TRY(safetensors_add(file, "recurrence.level", TENSOR_F32, &model->level, 1, &one));
    return safetensors_add(file, "recurrence.anomalies", TENSOR_F32, model->anomalies, 2, known);
}

static puad_status read_recurrence(puad_detector *model, const safetensors *file)
{
    const stored_tensor *scale, *points, *anomalies = NULL, *level = NULL;
    size_t one = 1, window = model->config.window, columns = shape_size(model->in);
    size_t channels = window ? columns / (window + 2) : columns, values = channels * (window ? window : 1);
    size_t scales[2] = {channels, 3}, sizes[3] = {SIZE_MAX, values, SIZE_MAX}, known[2] = {values, SIZE_MAX};
    TRY(safetensors_require(&scale, file, "recurrence.scale", TENSOR_F32, 2, scales));
    TRY(safetensors_require(&points, file, "recurrence.points", TENSOR_F32, 3, sizes));
    if (safetensors_find(file, "recurrence.anomalies")) {
        TRY(safetensors_require(&anomalies, file, "recurrence.anomalies", TENSOR_F32, 2, known));
        TRY(safetensors_require(&level, file, "recurrence.level", TENSOR_F32, 1, &one));
    }
    recurrence *made = &model->parts.recurring;
    TRY(recurrence_new(made, window, columns, points->shape[0], points->shape[2],
                       anomalies ? anomalies->shape[1] : 0));
    memcpy(made->scale, scale->data, scale->bytes);
    memcpy(made->points, points->data, points->bytes);
    if (anomalies) memcpy(made->anomalies, anomalies->data, anomalies->bytes);
    if (level) memcpy(&made->level, level->data, level->bytes);
    return recurrence_check(made);
}

static puad_status add_series(safetensors *file, const series_evidence *evidence)
{
    const window_clusters *clusters = &evidence->clusters;
    const row_distance *rows = &evidence->rows;
    size_t centers[2] = {clusters->length * clusters->channels, CLUSTER_LANES}, units = 4, unit = 2;
    size_t side = 2 * rows->count, cells = side * (side + 1);
    char text[32];
    snprintf(text, sizeof text, "%zu", clusters->count);
    TRY(safetensors_add_text(file, "clusters", text));
    TRY(safetensors_add(file, "clusters.weights", TENSOR_F32, clusters->weights, 1, &clusters->channels));
    TRY(safetensors_add(file, "clusters.centers", TENSOR_F32, clusters->centers, 2, centers));
    TRY(safetensors_add(file, "clusters.units", TENSOR_F32, evidence->units, 1, &units));
    if (!rows->count) return PUAD_OK;
    TRY(safetensors_add(file, "rows.columns", TENSOR_I32, rows->columns, 1, &rows->count));
    TRY(safetensors_add(file, "rows.means", TENSOR_F32, rows->means, 1, &rows->count));
    TRY(safetensors_add(file, "rows.factors", TENSOR_F32, rows->factors, 1, &rows->count));
    TRY(safetensors_add(file, "rows.whitening", TENSOR_F32, rows->whitening, 1, &cells));
    return safetensors_add(file, "rows.unit", TENSOR_F32, rows->unit, 1, &unit);
}

static puad_status read_row_distance(row_distance *out, const safetensors *file)
{
    const stored_tensor *columns, *stored;
    size_t any = SIZE_MAX, unit = 2;
    TRY(safetensors_require(&columns, file, "rows.columns", TENSOR_I32, 1, &any));
    TRY(row_distance_new(out, columns->count));
    memcpy(out->columns, columns->data, columns->bytes);
    size_t side = 2 * out->count, cells = side * (side + 1);
    const struct {
        const char *name;
        size_t count;
        float *to;
    } arrays[] = {{"rows.means", out->count, out->means},
                  {"rows.factors", out->count, out->factors},
                  {"rows.whitening", cells, out->whitening},
                  {"rows.unit", unit, out->unit}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        TRY(safetensors_require(&stored, file, arrays[i].name, TENSOR_F32, 1, &arrays[i].count));
        memcpy(arrays[i].to, stored->data, stored->bytes);
    }
    return PUAD_OK;
}

static puad_status read_series(puad_detector *model, const safetensors *file)
{
    series_evidence *made = &model->parts.series;
    const stored_tensor *weights, *centers, *units;
    const char *count = NULL;
    size_t four = 4, channels = model->parts.recurring.channels;
    size_t sizes[2] = {model->parts.recurring.length * channels, CLUSTER_LANES};
    TRY(safetensors_require_text(&count, file, "clusters"));
    TRY(safetensors_require(&weights, file, "clusters.weights", TENSOR_F32, 1, &channels));
    TRY(safetensors_require(&centers, file, "clusters.centers", TENSOR_F32, 2, sizes));
    TRY(safetensors_require(&units, file, "clusters.units", TENSOR_F32, 1, &four));
    TRY(window_clusters_new(&made->clusters, model->config.window, shape_size(model->in),
                            (size_t)strtoull(count, NULL, 10)));
    memcpy(made->clusters.weights, weights->data, weights->bytes);
    memcpy(made->clusters.centers, centers->data, centers->bytes);
    memcpy(made->units, units->data, units->bytes);
    if (safetensors_find(file, "rows.columns")) TRY(read_row_distance(&made->rows, file));
    return series_evidence_check(made);
}

static const char *const scale_names[] = {"committee.isolation", "committee.nearest", "committee.outlier"};
enum { SCALES = sizeof scale_names / sizeof *scale_names };

static puad_status read_scale(tail_scale *out, arena *memory, const safetensors *file, const char *name)
{
    const stored_tensor *levels;
    size_t any = SIZE_MAX;
    TRY(safetensors_require(&levels, file, name, TENSOR_F32, 1, &any));
    if (levels->count < 1 || levels->count > TAIL_LEVELS_MAX)
        FAIL(PUAD_FORMAT, "%s has %zu values, expected 1 to %d", name, levels->count, TAIL_LEVELS_MAX);
    out->count = levels->count;
    TRY(arena_new(memory, &out->levels, out->count, sizeof *out->levels));
    memcpy(out->levels, levels->data, levels->bytes);
    return tail_scale_check(out);
}

puad_status ensemble_write(safetensors *file, const puad_detector *model)
{
    const ensemble *parts = &model->parts;
    size_t columns = shape_size(model->in);
    if (parts->isolation.trees) TRY(add_isolation(file, &parts->isolation));
    if (parts->trees.trees) TRY(add_trees(file, &parts->trees));
    if (parts->near.sets) TRY(add_nearest(file, &parts->near));
    if (parts->axes.columns) TRY(add_principal(file, &parts->axes));
    if (parts->linear.columns) TRY(add_linear(file, &parts->linear));
    if (parts->recurring.blocks) TRY(add_recurrence(file, &parts->recurring));
    if (parts->recurring.blocks) TRY(add_series(file, &parts->series));
    if (parts->typical) TRY(safetensors_add(file, "typical", TENSOR_F32, parts->typical, 1, &columns));
    const tail_scale *scales[SCALES] = {&parts->isolation_scale, &parts->nearest_scale,
                                        &parts->outlier_scale};
    for (int i = 0; i < SCALES; i++)
        if (scales[i]->count)
            TRY(safetensors_add(file, scale_names[i], TENSOR_F32, scales[i]->levels, 1, &scales[i]->count));
    if (!parts->outlier_scale.count) return PUAD_OK;
    size_t one = 1;
    size_t members = MEMBERS, weights = sizeof parts->weights / sizeof(float);
    if (parts->trees.trees)
        TRY(safetensors_add(file, "committee.weights", TENSOR_F32, &parts->weights, 1, &weights));
    if (parts->near.sets)
        TRY(safetensors_add(file, "committee.members", TENSOR_F32, parts->members, 1, &members));
    return safetensors_add(file, "committee.shape", TENSOR_F32, &parts->shape, 1, &one);
}

static puad_status read_members(ensemble *parts, const safetensors *file)
{
    const stored_tensor *stored;
    size_t members = MEMBERS;
    TRY(safetensors_require(&stored, file, "committee.members", TENSOR_F32, 1, &members));
    memcpy(parts->members, stored->data, stored->bytes);
    for (int i = 0; i < MEMBERS; i++)
        if (!(parts->members[i] >= 0 && parts->members[i] <= 1))
            FAIL(PUAD_FORMAT, "committee.members: %g is not a fraction", (double)parts->members[i]);
    return PUAD_OK;
}

static puad_status read_weights(evidence_weights *out, const safetensors *file)
{
    const stored_tensor *stored;
    size_t count = sizeof *out / sizeof(float);
    TRY(safetensors_require(&stored, file, "committee.weights", TENSOR_F32, 1, &count));
    memcpy(out, stored->data, sizeof *out);
    if (!(out->forest >= 0 && isfinite(out->forest) && out->unusual >= 0 && isfinite(out->unusual) &&
          isfinite(out->log_mean)))
        FAIL(PUAD_FORMAT, "committee.weights: the exponents or the mean are not finite numbers");
    if (!(out->novelty >= 0 && out->novelty <= 1))
        FAIL(PUAD_FORMAT, "committee.weights: novelty %g is not in [0, 1]", (double)out->novelty);
    return PUAD_OK;
}

/* The members are the isolation forest and the nearest neighbors, or recurrence. */
static puad_status read_evidence(ensemble *parts, const safetensors *file)
{
    tail_scale *scales[SCALES] = {&parts->isolation_scale, &parts->nearest_scale, &parts->outlier_scale};
    for (int i = parts->near.sets ? 0 : SCALES - 1; i < SCALES; i++)
        TRY(read_scale(scales[i], &parts->memory, file, scale_names[i]));
    const stored_tensor *tail_shape;
    size_t one = 1;
    TRY(safetensors_require(&tail_shape, file, "committee.shape", TENSOR_F32, 1, &one));
    memcpy(&parts->shape, tail_shape->data, sizeof parts->shape);
    if (!(parts->shape > 0 && parts->shape <= 1)) FAIL(PUAD_FORMAT, "committee.shape is not in (0, 1]");
    if (parts->trees.trees) TRY(read_weights(&parts->weights, file));
    return parts->near.sets ? read_members(parts, file) : PUAD_OK;
}

puad_status ensemble_read(puad_detector *model, const safetensors *file)
{
    unsigned wanted = detector_kind_parts(model->config.kind);
    ensemble *parts = &model->parts;
    size_t columns = shape_size(model->in);
    if (wanted & PART_ISOLATION) TRY(read_isolation(model, file));
    /* An ensemble without labels has no trees, nor has recurrence unless its labels predict each other. */
    if (wanted == PART_TREES || (wanted & PART_TREES && safetensors_find(file, "trees.root")))
        TRY(read_trees(model, file));
    if (wanted & PART_NEAREST) TRY(read_nearest(model, file));
    if (wanted & PART_PRINCIPAL) TRY(read_principal(model, file));
    if (wanted & PART_LINEAR) TRY(read_linear(model, file));
    if (wanted & PART_RECURRENCE) TRY(read_recurrence(model, file));
    if (wanted & PART_RECURRENCE) TRY(read_series(model, file));
    if ((wanted & PART_NEAREST && wanted & PART_ISOLATION) ||
        (wanted & PART_RECURRENCE && parts->trees.trees))
        TRY(read_evidence(parts, file));
    const stored_tensor *typical;
    TRY(safetensors_require(&typical, file, "typical", TENSOR_F32, 1, &columns));
    TRY(arena_new(&parts->memory, &parts->typical, columns, sizeof *parts->typical));
    memcpy(parts->typical, typical->data, typical->bytes);
    for (size_t c = 0; c < columns; c++)
        if (!isfinite(parts->typical[c])) FAIL(PUAD_FORMAT, "typical: column %zu is not finite", c);
    return PUAD_OK;
}
