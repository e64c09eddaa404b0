/* Which options mean something to a method: what its head and its objective take. */
#include "detector/detectors.h"
#include "lab/cell.h"
#include "objective/objective.h"
#include "sets/set.h"

#include <math.h>
#include <string.h>

puad_status lab_cell_settle(lab_cell *cell)
{
    const detector_kind *kind = detector_kind_find(cell->method);
    const set_row *about = NULL;
    if (cell->dataset[0] && set_find(&about, cell->dataset) == PUAD_OK && about->reader->normal) {
        cell->normals = (long long)about->reader->normal; /* it has sizes of its own, and is a table */
        cell->hidden = (long long)about->reader->hidden;
        cell->labeled = (long long)about->reader->labeled;
        cell->network = "mlp";
    }
    if (!kind)
        FAIL(PUAD_INVALID, "no method is named '%s'; there are %s", cell->method, detector_kind_names());
    if (strcmp(cell->objective, kind->objective) == 0 || !detector_kind_has_network(kind))
        cell->objective = "";
    const char *name = *cell->objective ? cell->objective : kind->objective;
    const puad_objective *objective = puad_objective_find(name);
    if (!objective) FAIL(PUAD_INVALID, "no objective is named '%s'", name);
    bool network = detector_kind_has_network(kind), distance = strcmp(kind->head, "distance") == 0;
    bool takes_alpha = strcmp(name, "unsupervised") != 0 && strcmp(name, "semi_supervised") != 0;
    if (!takes_alpha) cell->alpha = 0;
    if (!distance) cell->pretrain_epochs = 0;
    if (!distance) cell->embedding = "";
    if (!objective_takes(objective, "weight")) cell->weight = "";
    if (!objective_takes(objective, "balance")) cell->balance = "";
    if (network) return PUAD_OK;
    cell->epochs = cell->patience = 0;
    if (!about || !about->reader->normal) cell->network = lab_cell_standard().network;
    cell->sampler = lab_cell_standard().sampler;
    return PUAD_OK;
}

const char *lab_alpha_kind(const lab_record *record)
{
    const double near = 1e-6;
    lab_cell trial = record->cell;
    trial.alpha = 0.5; /* does the method know alpha at all? */
    if (lab_cell_settle(&trial) != PUAD_OK || trial.alpha == 0) return "";
    if (fabs(record->cell.alpha - record->result.alpha_all) < near) return "alpha_all";
    return fabs(record->cell.alpha - record->result.alpha_u) < near ? "alpha_U" : "given";
}

bool lab_unseen_is_own(const lab_cell *cell)
{
    const set_row *about;
    class_bits unseen;
    return !cell->unseen[0] || set_find(&about, cell->dataset) != PUAD_OK ||
           (set_parse_classes(&unseen, about, cell->unseen) == PUAD_OK && unseen == about->unseen);
}
