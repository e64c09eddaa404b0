/* Records a training epoch by epoch. */
#include "lab/run/epoch_curve.h"

#include "decide/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void curve_free(lab_curve *owner)
{
    free(owner->points);
    free(owner->scores);
    free(owner->kept);
    free(owner->before);
    *owner = (lab_curve){0};
}

puad_status judge_scores(double *auroc, double *auprc, const float *scores, const split *parts,
                         anomalies which)
{
    size_t rows = parts->plan.test_count, count = 0;
    AUTO_FREE float *chosen = NULL;
    AUTO_FREE int8_t *truth = NULL;
    TRY(memory_new(&chosen, rows, sizeof *chosen, "scores"));
    TRY(memory_new(&truth, rows, 1, "truth"));
    for (size_t i = 0; i < rows; i++) {
        uint8_t group = parts->plan.test_groups[i];
        if ((group == GROUP_SEEN && which == ANOMALIES_unseen) ||
            (group == GROUP_UNSEEN && which == ANOMALIES_seen))
            continue;
        chosen[count] = scores[i];
        truth[count++] = group != GROUP_NORMAL;
    }
    AUTO_ROC roc figures = {0};
    TRY(roc_new(&figures, chosen, truth, count));
    *auroc = roc_auroc(&figures);
    if (auprc) *auprc = roc_average_precision(&figures);
    return PUAD_OK;
}

/* A network in training scores images without their mirror images. */
static puad_status judge(double out[CURVE_KINDS], lab_curve *owner, trainer *state)
{
    trainer_score_rows(state, owner->scores, owner->parts->test.values, owner->parts->test.rows);
    for (int kind = 0; kind < CURVE_KINDS; kind++)
        TRY(judge_scores(&out[kind], NULL, owner->scores, owner->parts, (anomalies)kind));
    return PUAD_OK;
}

/* Parameters and running moments as one list, copied from a network or to it. */
static void take_weights(float *out, const network *source)
{
    memcpy(out, source->parameters, source->parameter_count * sizeof *out);
    memcpy(out + source->parameter_count, source->state, source->state_count * sizeof *out);
}

static void put_weights(network *to, const float *source)
{
    memcpy(to->parameters, source, to->parameter_count * sizeof *source);
    memcpy(to->state, source + to->parameter_count, to->state_count * sizeof *source);
    network_weights_changed(to);
}

static puad_status begin(lab_curve *owner, const trainer *state)
{
    owner->count = 0;
    if (owner->kept) return PUAD_OK;
    owner->weights = state->net->parameter_count + state->net->state_count;
    TRY(memory_new(&owner->scores, owner->parts->test.rows, sizeof(float), "a curve"));
    TRY(memory_new(&owner->kept, CURVE_AVERAGED * owner->weights, sizeof(float), "a curve"));
    return memory_new(&owner->before, owner->weights, sizeof(float), "a curve");
}

/* Scores the test part with the mean of the stored weights, then restores the network. */
static puad_status judge_average(double out[CURVE_KINDS], lab_curve *owner, trainer *state)
{
    size_t there = owner->count + 1 < CURVE_AVERAGED ? owner->count + 1 : CURVE_AVERAGED;
    AUTO_FREE float *mean = NULL;
    TRY(memory_new(&mean, owner->weights, sizeof *mean, "averaged weights"));
    for (size_t k = 0; k < there; k++)
        for (size_t i = 0; i < owner->weights; i++) mean[i] += owner->kept[k * owner->weights + i];
    for (size_t i = 0; i < owner->weights; i++) mean[i] /= (float)there;
    take_weights(owner->before, state->net);
    put_weights(state->net, mean);
    puad_status status = judge(out, owner, state);
    put_weights(state->net, owner->before);
    return status;
}

puad_status curve_watch(void *watcher, trainer *state, size_t epoch)
{
    lab_curve *owner = watcher;
    if (epoch == 0) TRY(begin(owner, state));
    if (owner->count == owner->capacity) {
        owner->capacity = owner->capacity ? 2 * owner->capacity : 64;
        TRY(memory_grow(&owner->points, owner->capacity, sizeof *owner->points, "a curve"));
    }
    curve_point *now = &owner->points[owner->count];
    take_weights(owner->kept + owner->count % CURVE_AVERAGED * owner->weights, state->net);
    TRY(judge(now->plain, owner, state));
    TRY(judge_average(now->averaged, owner, state));
    owner->count++;
    return PUAD_OK;
}

static const char *const names[2][CURVE_KINDS] = {{"auroc", "auroc_seen", "auroc_unseen"},
                                                  {"averaged", "averaged_seen", "averaged_unseen"}};

puad_status curve_to_json(cJSON *history, const lab_curve *curve)
{
    bool fine = true;
    for (int averaged = 0; averaged < 2; averaged++)
        for (int kind = 0; kind < CURVE_KINDS; kind++) {
            cJSON *list = cJSON_AddArrayToObject(history, names[averaged][kind]);
            for (size_t i = 0; i < curve->count && fine; i++) {
                const curve_point *at = &curve->points[i];
                double value = averaged ? at->averaged[kind] : at->plain[kind];
                fine = list && cJSON_AddItemToArray(list, json_exact_number(value));
            }
        }
    if (!fine) FAIL(PUAD_MEMORY, "no memory for a curve");
    return PUAD_OK;
}

puad_status curve_from_json(double **out, size_t *out_count, arena *memory, const cJSON *history,
                            anomalies which, bool averaged)
{
    const char *name = names[averaged][which];
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(history, name), *item;
    const cJSON *epochs = cJSON_GetObjectItemCaseSensitive(history, "epoch");
    *out_count = 0;
    if (!list) return PUAD_OK;
    size_t count = (size_t)cJSON_GetArraySize(list), used = 0;
    if (!cJSON_IsArray(list) || count != (size_t)cJSON_GetArraySize(epochs))
        FAIL(PUAD_FORMAT, "history: '%s' is not a list with one number per epoch", name);
    TRY(arena_new(memory, out, count, sizeof **out));
    cJSON_ArrayForEach(item, list)
    {
        double value = cJSON_IsNull(item) ? NAN : item->valuedouble; /* a group without rows has none */
        if (!cJSON_IsNull(item) && !(cJSON_IsNumber(item) && value >= 0 && value <= 1))
            FAIL(PUAD_FORMAT, "history: '%s' of row %zu is not a number from 0 to 1", name, used);
        (*out)[used++] = value;
    }
    *out_count = count;
    return PUAD_OK;
}

bool curve_is_there(const char *history)
{
    AUTO_ARENA arena memory = {0};
    AUTO_JSON cJSON *json = NULL;
    double *values;
    size_t count = 0;
    return *history && strstr(history, "\"auroc\"") && json_parse(&json, history, "history") == PUAD_OK &&
           curve_from_json(&values, &count, &memory, json, ANOMALIES_all, false) == PUAD_OK && count > 0;
}
