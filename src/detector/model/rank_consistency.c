/* Comparisons between the ranks of a fit before they share work; different inputs would cause deadlocks or
 * wrong results. */
#include "detector/model/rank_consistency.h"

#include "base/hash.h"
#include "base/json.h"
#include "detector/model/model_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <puad/puad.h>

static void list_networks(char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; detector_kind_at(i); i++) {
        if (!detector_kind_has_network(detector_kind_at(i)) || used >= capacity) continue;
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? ", " : "",
                                 detector_kind_at(i)->name);
    }
}

puad_status agreement_check_method(const detector_kind *kind, const puad_ranks *ranks)
{
    char names[512];
    if (!ranks || ranks->size < 2 || detector_kind_has_network(kind)) return PUAD_OK;
    list_networks(names, sizeof names);
    FAIL(PUAD_INVALID,
         "method %s cannot be divided over %d processes; start one, or choose option "
         "'method' from %s",
         kind->name, ranks->size, names);
}

enum { SUBJECTS = 4 };
static const char *const subjects[SUBJECTS] = {"another version of puad", "another instruction set",
                                               "other options", "other rows"};

static puad_status compare(rank_group *all, const char *options, const char *rows)
{
    const char *texts[SUBJECTS] = {puad_version(), kernels_best()->name, options, rows};
    uint64_t own[SUBJECTS], first[SUBJECTS];
    double differ[SUBJECTS];
    for (int i = 0; i < SUBJECTS; i++) first[i] = own[i] = hash_bytes(HASH_START, texts[i], strlen(texts[i]));
    ranks_broadcast(all, first, sizeof first);
    for (int i = 0; i < SUBJECTS; i++) differ[i] = own[i] != first[i];
    ranks_sum_doubles(all, differ, SUBJECTS);
    TRY(all->status);
    for (int i = 0; i < SUBJECTS; i++)
        if (differ[i] > 0)
            FAIL(PUAD_INVALID, "%.0f of %d processes have %s than rank 0: all of them need the same",
                 differ[i], all->ranks->size, subjects[i]);
    return PUAD_OK;
}

puad_status agreement_check_rows(rank_group *all, const char *options, const train_rows *rows)
{
    char fingerprint[32];
    if (!ranks_several(all)) return PUAD_OK;
    rows_fingerprint(fingerprint, rows);
    return compare(all, options, fingerprint);
}

puad_status agreement_check(trainer *state, const puad_detector *model)
{
    if (!ranks_several(&state->ranks)) return PUAD_OK;
    AUTO_JSON cJSON *json = recipe_to_json(&model->config);
    AUTO_FREE char *recipe_text = json ? cJSON_PrintUnformatted(json) : NULL;
    if (!recipe_text) FAIL(PUAD_MEMORY, "no memory for the options as a string");
    return compare(&state->ranks, recipe_text, model->fingerprint);
}
