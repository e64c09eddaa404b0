/* Finds detectors by name. */
#include "detector/model/detectors.h"

#include "detector/ensemble/ensemble.h"
#include "objective/objective.h"

#include <string.h>

static const detector_kind kinds[] = {
#define DETECTOR(name, title, head, objective, noise) {#name, title, #head, #objective, noise},
#include "detector/model/detectors.def"
#undef DETECTOR
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const detector_kind *detector_kind_at(size_t index)
{
    return index < KIND_COUNT ? &kinds[index] : NULL;
}

const detector_kind *detector_kind_find(const char *name)
{
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

const char *detector_kind_names(void)
{
#define DETECTOR(name, ...) ", " #name
    static const char names[] =
#include "detector/model/detectors.def"
        ;
#undef DETECTOR
    return names + 2; /* skip the first separator */
}

bool detector_kind_has_network(const detector_kind *kind)
{
    return detector_kind_losses(kind) != NULL;
}

unsigned detector_kind_parts(const detector_kind *kind)
{
    static const struct {
        const char *head;
        unsigned parts;
    } known[] = {{"forest", PART_ISOLATION},
                 {"trees", PART_TREES},
                 {"nearest", PART_NEAREST},
                 {"principal", PART_PRINCIPAL},
                 {"recurrence", PART_RECURRENCE | PART_TREES},
                 {"linear", PART_LINEAR},
                 {"committee", PART_ISOLATION | PART_TREES | PART_NEAREST}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].head, kind->head) == 0) return known[i].parts;
    return 0;
}

const puad_objective *detector_kind_objective(const detector_kind *kind)
{
    return puad_objective_find(kind->objective);
}

/* The score of the self-supervised heads is the negative log probability of the right answers, so the
 * reconstruction's loss pair fits: its anomaly loss is that of a wrong answer. */
const puad_loss_pair *detector_kind_losses(const detector_kind *kind)
{
    bool self_supervised = strcmp(kind->head, "icl") == 0 || strcmp(kind->head, "neutral") == 0 ||
                           strcmp(kind->head, "rot") == 0;
    return puad_loss_pair_find(self_supervised ? "reconstruction" : kind->head);
}

bool detector_kind_unused_labels(char *text, size_t capacity, const detector_kind *kind, size_t anomalies,
                                 size_t normals)
{
    return objective_unused_labels(text, capacity, kind->name, detector_kind_objective(kind), anomalies,
                                   normals) != 0;
}
