/* One thread's way to score with a detector: a network with the detector's weights, and memory for a block of
 * rows. */
#include "detector/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_A_BLOCK = 128 };

struct puad_scorer {
    const puad_detector *model;
    team *workers;
    network *net; /* NULL for the forest */
    size_t end;
    head h;
};

void puad_scorer_free(puad_scorer *scorer)
{
    if (!scorer) return;
    network_free(scorer->net);
    team_free(scorer->workers);
    free(scorer);
}

static puad_status load_network(puad_scorer *scorer, const puad_own_head *own)
{
    const puad_detector *model = scorer->model;
    if (model->how.own_head[0] && !own)
        FAIL(PUAD_INVALID, "this detector was trained with the head '%s' of its own, which must be given",
             model->how.own_head);
    architecture plan;
    TRY(model_architecture(&plan, model));
    network_options room = {.rows = ROWS_A_BLOCK, .workers = scorer->workers};
    TRY(network_new(&scorer->net, plan.layers, plan.head, &room));
    if (scorer->net->parameter_count != model->parameter_count ||
        scorer->net->state_count != model->state_count)
        FAIL(PUAD_FORMAT, "the model has %zu parameters, its network %zu", model->parameter_count,
             scorer->net->parameter_count);
    memcpy(scorer->net->parameters, model->parameters, model->parameter_count * sizeof(float));
    memcpy(scorer->net->state, model->state, model->state_count * sizeof(float));
    network_weights_changed(scorer->net);
    scorer->end = plan.head;
    scorer->h = (head){.kind = model->how.head,
                       .outputs = shape_size(scorer->net->layers[plan.head - 1].out),
                       .inputs = shape_size(model->in),
                       .centre = model->centre};
    if (own) {
        scorer->h.own = own->evaluate;
        scorer->h.own_context = own->context;
    }
    return PUAD_OK;
}

puad_status puad_scorer_new(puad_scorer **out, const puad_detector *model, int threads,
                            const puad_own_head *head_given)
{
    puad_scorer *scorer = NULL;
    TRY(memory_new(&scorer, 1, sizeof *scorer, "a scorer"));
    scorer->model = model;
    puad_status status = team_new(&scorer->workers, threads);
    if (status == PUAD_OK && model->forest.trees == 0) status = load_network(scorer, head_given);
    if (status != PUAD_OK) {
        puad_scorer_free(scorer);
        return status;
    }
    *out = scorer;
    return PUAD_OK;
}

puad_status puad_scorer_run(puad_scorer *scorer, float *scores, const float *values, size_t rows)
{
    size_t columns = shape_size(scorer->model->in);
    for (size_t i = 0; i < rows * columns; i++)
        if (!isfinite(values[i]))
            FAIL(PUAD_NUMERIC, "row %zu, column %zu is not finite", i / columns, i % columns);
    if (!scorer->net) {
        isolation_forest_score(scores, &scorer->model->forest, values, rows, scorer->workers);
        return PUAD_OK;
    }
    for (size_t first = 0; first < rows; first += ROWS_A_BLOCK) {
        size_t count = rows - first < ROWS_A_BLOCK ? rows - first : ROWS_A_BLOCK;
        const float *block = values + first * columns;
        const float *outputs = network_forward(scorer->net, block, count, scorer->end, false);
        head_score(&scorer->h, &scorer->net->options, scores + first, outputs, block, count);
    }
    for (size_t i = 0; i < rows; i++)
        if (!isfinite(scores[i])) FAIL(PUAD_NUMERIC, "the score of row %zu is not finite", i);
    return PUAD_OK;
}
