/* A scorer, used by one thread: a network with the detector's weights, and memory for a block of rows. */
#include "detector/forest/forest_scoring_cache.h"
#include "detector/model/model.h"
#include "input/dataset_api.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MIN = 128, ROWS_MAX = 2048, VALUES_A_BLOCK = 1 << 17 };
enum { READY_EXPLANATIONS = 16 }; /* number of explained rows from which preparing trees is faster */

struct puad_scorer {
    const puad_detector *model;
    team *workers, *owned; /* owned is NULL if the caller's team is used */
    size_t rows_a_block;
    network *net;     /* NULL if there is none */
    size_t end, code; /* layers up to the head, and up to the embedding */
    head h;
    ready_trees ready; /* prepared once there are enough rows */
    bool is_ready;
    size_t explained;      /* rows explained so far, without a network */
    arena scratch;         /* for scoring without a network */
    arena reading;         /* for encoding the rows of a table */
    uint64_t encodings[2]; /* fingerprints of the model's encoding: complete, and of its first step */
    bool encodings_known;
    network *explaining; /* for one row, with gradients; created when first needed */
};

void scorer_cleanup(puad_scorer **owner)
{
    puad_scorer_free(*owner);
}

void puad_scorer_free(puad_scorer *scorer)
{
    if (!scorer) return;
    network_free(scorer->net);
    network_free(scorer->explaining);
    ready_trees_free(&scorer->ready);
    arena_free(&scorer->scratch);
    arena_free(&scorer->reading);
    team_free(scorer->owned);
    free(scorer);
}

/* A network with the model's weights. */
static puad_status new_network(network **out, puad_scorer *scorer, size_t rows, bool gradients)
{
    const puad_detector *model = scorer->model;
    architecture plan;
    TRY(model_architecture(&plan, model));
    network_options storage = {.rows = rows, .training = gradients, .workers = scorer->workers};
    TRY(network_new(out, plan.layers, plan.head, &storage));
    network *net = *out;
    if (net->parameter_count != model->parameter_count || net->state_count != model->state_count)
        FAIL(PUAD_FORMAT, "the model has %zu parameters, its network %zu", model->parameter_count,
             net->parameter_count);
    memcpy(net->parameters, model->parameters, model->parameter_count * sizeof(float));
    memcpy(net->state, model->state, model->state_count * sizeof(float));
    network_weights_changed(net);
    scorer->end = plan.head;
    scorer->code = plan.code;
    return PUAD_OK;
}

/* Narrow networks process more rows at a time, so that a layer is enough work to divide. */
static size_t rows_a_block(const puad_detector *model)
{
    architecture plan;
    size_t widest = shape_size(model->in), views = 1;
    if (model_architecture(&plan, model) != PUAD_OK) return ROWS_MIN;
    for (size_t i = 0; i < plan.head; i++) {
        if (plan.layers[i].out.channels > widest) widest = plan.layers[i].out.channels;
        if (plan.layers[i].views_out > views) views = plan.layers[i].views_out;
    }
    size_t rows = VALUES_A_BLOCK / (widest * views);
    return rows < ROWS_MIN ? ROWS_MIN : rows > ROWS_MAX ? ROWS_MAX : rows;
}

/* The given head must be the one the detector was trained with; another one would give meaningless scores. */
static puad_status check_head(const puad_detector *model, const puad_own_head *own)
{
    const char *trained = model->config.own_head, *given = own && own->name ? own->name : "";
    if (*trained && !own)
        FAIL(PUAD_INVALID, "this detector was trained with the custom head '%s', which must be given",
             trained);
    if (!own) return PUAD_OK;
    if (!own->evaluate) FAIL(PUAD_INVALID, "puad_scorer_new: head->evaluate must not be NULL");
    if (!*trained)
        FAIL(PUAD_INVALID, "the head '%s' is given, and this detector was trained with a built-in one",
             given);
    if (strcmp(trained, given) != 0)
        FAIL(PUAD_INVALID, "the head '%s' is given, and this detector was trained with '%s'", given, trained);
    if ((own->reads_code != 0) != (model->config.head == HEAD_OWN_CODE))
        FAIL(PUAD_INVALID, "the head '%s' read the %s in training", trained,
             own->reads_code ? "reconstruction" : "code");
    return PUAD_OK;
}

static puad_status load_network(puad_scorer *scorer, const puad_own_head *own)
{
    const puad_detector *model = scorer->model;
    scorer->rows_a_block = rows_a_block(model);
    TRY(new_network(&scorer->net, scorer, scorer->rows_a_block, false));
    scorer->h = (head){.kind = model->config.head,
                       .outputs = layer_values(&scorer->net->layers[scorer->end - 1]),
                       .inputs = shape_size(model->in),
                       .center = model->center};
    if (own) {
        scorer->h.own = own->evaluate;
        scorer->h.own_context = own->context;
    }
    return PUAD_OK;
}

puad_status scorer_new(puad_scorer **out, const puad_detector *model, team *workers,
                       const puad_own_head *head_given)
{
    *out = NULL;
    TRY(check_head(model, head_given));
    AUTO_SCORER puad_scorer *scorer = NULL;
    TRY(memory_new(&scorer, 1, sizeof *scorer, "a scorer"));
    scorer->model = model;
    scorer->workers = workers;
    if (model_has_network(model)) TRY(load_network(scorer, head_given));
    *out = scorer;
    scorer = NULL;
    return PUAD_OK;
}

puad_status puad_scorer_new(puad_scorer **out, const puad_detector *model, const puad_options *options)
{
    AUTO_TEAM team *workers = NULL;
    NEED(out);
    *out = NULL;
    NEED(model);
    TRY(options_team(&workers, options));
    team_set_stop(workers, NULL); /* the token need not outlive this call */
    TRY(scorer_new(out, model, workers, options ? options->head : NULL));
    (*out)->owned = workers;
    workers = NULL;
    return PUAD_OK;
}

static puad_status check_scores(const float *scores, size_t rows)
{
    for (size_t i = 0; i < rows; i++)
        if (!isfinite(scores[i])) FAIL(PUAD_NUMERIC, "the score of row %zu is not finite", i);
    return PUAD_OK;
}

/* Branch-free, so that it vectorizes. */
static bool all_finite(const float *values, size_t count)
{
    uint32_t odd = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        odd |= (uint32_t)((bits & 0x7f800000u) == 0x7f800000u);
    }
    return !odd;
}

static puad_status make_ready(puad_scorer *scorer)
{
    if (scorer->is_ready) return PUAD_OK;
    TRY(ready_trees_make(&scorer->ready, &scorer->model->parts));
    scorer->is_ready = true;
    return PUAD_OK;
}

puad_status scorer_run(puad_scorer *scorer, float *scores, const float *values, size_t rows)
{
    size_t columns = shape_size(scorer->model->in);
    bool finite = all_finite(values, rows * columns);
    for (size_t i = 0; !finite && i < rows * columns; i++)
        if (!isfinite(values[i]))
            FAIL(PUAD_NUMERIC, "row %zu, column %zu is not finite", i / columns, i % columns);
    if (!scorer->net) {
        if (rows >= READY_ROWS_MIN) TRY(make_ready(scorer));
        TRY(ensemble_score(scorer->model, scorer->is_ready ? &scorer->ready : NULL, scores, values, rows,
                           scorer->workers, &scorer->scratch));
        return check_scores(scores, rows);
    }
    for (size_t first = 0; first < rows; first += scorer->rows_a_block) {
        size_t count = rows - first < scorer->rows_a_block ? rows - first : scorer->rows_a_block;
        const float *block = values + first * columns;
        const float *outputs = network_forward(scorer->net, block, count, scorer->end, false);
        head_score(&scorer->h, &scorer->net->options, scores + first, outputs, block, count);
    }
    return check_scores(scores, rows);
}

puad_status scorer_encoding(uint64_t *out, puad_scorer *scorer, bool first)
{
    for (int i = 0; i < 2 && !scorer->encodings_known; i++)
        TRY(transform_fingerprint(&scorer->encodings[i], scorer->model->table, i == 1));
    scorer->encodings_known = true;
    *out = scorer->encodings[first];
    return PUAD_OK;
}

team *scorer_team(const puad_scorer *scorer)
{
    return scorer->workers;
}

arena *scorer_reading(puad_scorer *scorer)
{
    arena_reset(&scorer->reading);
    return &scorer->reading;
}

const puad_detector *scorer_model(const puad_scorer *scorer)
{
    return scorer->model;
}

size_t scorer_code_columns(const puad_scorer *scorer)
{
    return scorer->net ? shape_size(scorer->net->layers[scorer->code - 1].out)
                       : shape_size(scorer->model->in);
}

static void mean_of_views(float *code, const float *views, size_t count, size_t size)
{
    memcpy(code, views, size * sizeof *code);
    for (size_t i = size; i < count * size; i++) code[i % size] += views[i];
    for (size_t i = 0; i < size && count > 1; i++) code[i] /= (float)count;
}

puad_status scorer_codes(puad_scorer *scorer, float *codes, const float *values, size_t rows)
{
    size_t columns = shape_size(scorer->model->in), size = scorer_code_columns(scorer);
    size_t views = scorer->net ? scorer->net->layers[scorer->code - 1].views_out : 1;
    if (!scorer->net) {
        memcpy(codes, values, rows * columns * sizeof *codes);
        return PUAD_OK;
    }
    for (size_t first = 0; first < rows; first += scorer->rows_a_block) {
        size_t count = rows - first < scorer->rows_a_block ? rows - first : scorer->rows_a_block;
        const float *found =
            network_forward(scorer->net, values + first * columns, count, scorer->code, false);
        for (size_t i = 0; i < count; i++)
            mean_of_views(codes + (first + i) * size, found + i * views * size, views, size);
    }
    assert(size > 0);
    for (size_t i = 0; i < rows * size; i++)
        if (!isfinite(codes[i])) FAIL(PUAD_NUMERIC, "the embedding of row %zu is not finite", i / size);
    return PUAD_OK;
}

puad_status scorer_explain(puad_scorer *scorer, float *shares, const float *row)
{
    if (!scorer->net) {
        if (++scorer->explained >= READY_EXPLANATIONS) TRY(make_ready(scorer));
        return ensemble_explain(scorer->model, scorer->is_ready ? &scorer->ready : NULL, shares, row,
                                scorer->workers, &scorer->scratch);
    }
    size_t columns = shape_size(scorer->model->in), outputs = scorer->h.outputs, repeat = outputs / columns;
    if (!scorer->explaining) TRY(new_network(&scorer->explaining, scorer, 1, true));
    network *net = scorer->explaining;
    AUTO_FREE float *gradient = NULL;
    TRY(memory_new(&gradient, outputs, sizeof *gradient, "an explanation"));
    const float *output = network_forward(net, row, 1, scorer->end, false);
    if (scorer->h.kind == HEAD_RECONSTRUCTION) {
        memset(shares, 0, columns * sizeof *shares);
        for (size_t i = 0; i < outputs; i++)
            shares[i / repeat] += (output[i] - row[i / repeat]) * (output[i] - row[i / repeat]);
    } else {
        float score, one = 1;
        head_score(&scorer->h, &net->options, &score, output, row, 1);
        head_back(&scorer->h, &net->options, gradient, &one, &(head_pass){&score, output, row, 1});
        network_input_gradient(net, gradient, shares);
        for (size_t c = 0; c < columns; c++) shares[c] = fabsf(shares[c] * row[c]);
    }
    double sum = 0;
    for (size_t c = 0; c < columns; c++) sum += shares[c];
    for (size_t c = 0; c < columns && sum > 0; c++) shares[c] = (float)(shares[c] / sum);
    return PUAD_OK;
}
