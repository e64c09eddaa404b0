/* Decides which options a method uses: those of its head and its objective. */
#include "detector/model/detectors.h"
#include "detector/model/model.h"
#include "lab/run/experiment.h"
#include "lab/run/plugin.h"
#include "lab/sets/file_set.h"
#include "objective/objective.h"

#include <math.h>
#include <string.h>

static bool has_network(const lab_cell *cell)
{
    const detector_kind *kind = detector_kind_find(cell->method);
    return !kind || detector_kind_has_network(kind);
}

puad_status lab_cell_settle(lab_cell *cell)
{
    const detector_kind *kind = detector_kind_find(cell->method);
    const set_row *about = NULL;
    if (cell->dataset[0] && set_find(&about, cell->dataset) == PUAD_OK && about->reader->normal) {
        cell->normals = (long long)about->reader->normal; /* a table with fixed sizes */
        cell->hidden = (long long)about->reader->hidden;
        cell->labeled = (long long)about->reader->labeled;
        cell->network = "mlp";
    }
    const file_set *file = file_set_find(cell->dataset);
    if (file && !file->rows.image && field_is_standard(cell, lab_field("network"))) cell->network = "mlp";
    if (!kind)
        FAIL(PUAD_INVALID, "no method is named '%s'; there are %s", cell->method, detector_kind_names());
    if (strcmp(cell->objective, kind->objective) == 0 || !detector_kind_has_network(kind))
        cell->objective = "";
    const char *name = *cell->objective ? cell->objective : kind->objective;
    const puad_objective *objective = lab_objective_find(name);
    if (!objective) FAIL(PUAD_INVALID, "no objective is named '%s'", name);
    bool distance = strcmp(kind->head, "distance") == 0;
    if (!(objective->labels & PUAD_USES_ALPHA)) cell->alpha = 0;
    if (!*cell->protocol) cell->share = 0;
    if (*cell->protocol) {
        cell->normals = cell->hidden = cell->labeled = 0;
        if (!has_network(cell)) cell->alpha = 0; /* unknown, as in a default fit of a table */
    }
    if (!distance) cell->pretrain_epochs = 0;
    if (!distance || !architecture_takes(cell->network, "embedding")) cell->embedding = "";
    if (!objective_takes(objective, "weight")) cell->weight = "";
    if (!objective_takes(objective, "balance")) cell->balance = "";
    if (has_network(cell)) return PUAD_OK;
    cell->extra = "";
    cell->epochs = cell->patience = 0;
    if (!about || !about->reader->normal) cell->network = lab_cell_standard().network;
    cell->sampler = lab_cell_standard().sampler;
    return PUAD_OK;
}

bool lab_method_exists(const char *name)
{
    return detector_kind_find(name) != NULL;
}

const char *lab_method_names(void)
{
    return detector_kind_names();
}

long long lab_rows(const lab_cell *cell)
{
    return cell->normals + cell->hidden + cell->labeled;
}

/* Options without an absent value that forests nevertheless do not use. */
static bool is_of_networks(const field *which)
{
    static const char *const names[] = {"network", "sampler", "patience", "extra"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(which->name, names[i]) == 0) return true;
    return false;
}

bool lab_option_means_nothing(const lab_cell *cell, const field *which)
{
    char buffer[FIELD_CAPACITY];
    lab_record trial = {.cell = *cell};
    if (!which->absent) return is_of_networks(which) && !has_network(cell);
    void *member = (char *)&trial + which->offset; /* is any other value reset? */
    switch (which->type) {
    case FIELD_TEXT: *(const char **)member = "another"; break;
    case FIELD_INTEGER: *(long long *)member = 7; break;
    case FIELD_REAL: *(double *)member = 0.5; break;
    }
    if (lab_cell_settle(&trial.cell) != PUAD_OK) trial.cell = *cell;
    return strcmp(field_text(buffer, &trial, which), which->absent) == 0;
}

const char *lab_alpha_kind(const lab_cell *cell)
{
    const double near = 1e-6;
    double anomalies = (double)(cell->hidden + cell->labeled),
           unlabeled = (double)(cell->normals + cell->hidden);
    if (lab_option_means_nothing(cell, lab_field("alpha"))) return "";
    if (fabs(cell->alpha * (unlabeled + (double)cell->labeled) - anomalies) < near * unlabeled)
        return "alpha_all";
    return fabs(cell->alpha * unlabeled - (double)cell->hidden) < near * unlabeled ? "alpha_U" : "given";
}

bool lab_has_standard(const lab_cell *cell, const char *const *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const field *which = lab_field(options[i]);
        if (!field_is_standard(cell, which) && !lab_option_means_nothing(cell, which)) return false;
    }
    return true;
}

bool lab_is_papers_task(const lab_cell *cell)
{
    static const char *const options[] = {"alpha", "normals", "hidden", "labeled", "network"};
    return lab_unseen_is_own(cell) && lab_has_standard(cell, options, sizeof options / sizeof *options);
}

bool lab_unseen_is_own(const lab_cell *cell)
{
    const set_row *about;
    class_bits unseen;
    return !cell->unseen[0] || set_find(&about, cell->dataset) != PUAD_OK ||
           (set_parse_classes(&unseen, about, cell->unseen) == PUAD_OK && unseen == about->unseen);
}
