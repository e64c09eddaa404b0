/* Estimates costs from similar experiments. */
#include "lab/run/cost_estimate.h"

#include "detector/model/detectors.h"
#include "lab/run/run_experiment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Nominal seconds of one epoch of a thousand rows, by type of network. Only their ratios matter: any
 * record, or a short measurement, sets the scale. */
static const double reconstruction = 0.23, encoder_alone = 0.11, plane = 0.005;
static const double forest = 1; /* seconds of an experiment without a network: reading, growing, scoring */

/* Sets of points in the plane have other sizes and a special network. */
static bool is_plane(const lab_cell *cell)
{
    const set_row *about;
    return set_find(&about, cell->dataset) == PUAD_OK && about->reader->normal > 0;
}

static double thousands_of_rows(const lab_cell *cell)
{
    if (is_plane(cell)) return 1;
    return 1e-3 * (double)lab_rows(cell);
}

/* The fraction of the requested rows that a record's split had. */
static double share_of_rows(const lab_record *record)
{
    double asked = 1e3 * thousands_of_rows(&record->cell);
    return record->result.reduced == 1 && record->result.train_rows > 0 && asked > 0
               ? (double)record->result.train_rows / asked
               : 1;
}

static double nominal_epoch(const lab_cell *cell, bool whole)
{
    bool table = is_plane(cell) || strcmp(cell->network, "mlp") == 0;
    return table ? plane : whole ? reconstruction : encoder_alone;
}

/* The nominal seconds of `epochs` of an experiment's training without pretraining, 0 for a forest. */
static double own_work(const lab_cell *cell, long long epochs)
{
    const detector_kind *kind = detector_kind_find(cell->method);
    if (!kind || !detector_kind_has_network(kind)) return 0;
    bool whole = strcmp(kind->head, "reconstruction") == 0;
    return nominal_epoch(cell, whole) * thousands_of_rows(cell) * (double)epochs;
}

static double pretraining_work(const lab_cell *cell)
{
    return nominal_epoch(cell, true) * thousands_of_rows(cell) * (double)cell->pretrain_epochs;
}

/* Seconds per unit of nominal work, over the most similar records. */
typedef struct rate {
    int likeness;
    double seconds, work;
} rate;

static void take(rate *to, int likeness, double seconds, double work)
{
    if (!(seconds > 0 && work > 0) || likeness < to->likeness) return;
    if (likeness > to->likeness) *to = (rate){.likeness = likeness};
    to->seconds += seconds;
    to->work += work;
}

/* "avx512, 2 threads" */
static int threads_of(const lab_result *result)
{
    const char *comma = strchr(result->machine, ',');
    long threads = comma ? strtol(comma + 1, NULL, 10) : 0;
    return threads > 0 && threads <= INT_MAX ? (int)threads : 1;
}

static int likeness_of(const lab_cell *cell, const lab_cell *other)
{
    const detector_kind *kind = detector_kind_find(cell->method), *like = detector_kind_find(other->method);
    if (!kind || !like || is_plane(cell) != is_plane(other) || strcmp(cell->network, other->network) != 0)
        return 0;
    if (strcmp(cell->method, other->method) != 0) return strcmp(kind->head, like->head) == 0 ? 2 : 1;
    return strcmp(cell->dataset, other->dataset) == 0 ? 4 : 3;
}

static void find_rates(rate *own, rate *pretraining, const estimate *source, const lab_cell *cell)
{
    int threads = source->threads > 0 ? source->threads : 1;
    *own = *pretraining = (rate){.likeness = 1};
    for (size_t i = 0; i < source->count; i++) {
        const lab_cell *other = &source->records[i].cell;
        const lab_result *result = &source->records[i].result;
        int likeness = likeness_of(cell, other);
        double scale = (double)threads_of(result) / threads / share_of_rows(&source->records[i]);
        bool same_set = strcmp(cell->dataset, other->dataset) == 0;
        if (likeness == 0) continue;
        take(own, likeness, scale * result->seconds, own_work(other, result->epochs_run));
        take(pretraining, same_set ? 3 : 2, scale * result->pretrain_seconds, pretraining_work(other));
        take(pretraining, 1, scale * result->seconds, own_work(other, result->epochs_run));
    }
}

static double scale_of(const rate *found, const estimate *source)
{
    if (found->work > 0) return found->seconds / found->work;
    return source->measured > 0 ? source->measured : 1;
}

cell_cost estimate_cell(const estimate *source, const lab_cell *cell)
{
    rate own, pretraining;
    double work = own_work(cell, cell->epochs);
    if (work == 0) return (cell_cost){.own = forest};
    find_rates(&own, &pretraining, source, cell);
    return (cell_cost){.own = work * scale_of(&own, source),
                       .pretraining = pretraining_work(cell) * scale_of(&pretraining, source)};
}

bool estimate_knows(const estimate *source, const lab_cell *cell)
{
    rate own, pretraining;
    if (own_work(cell, 1) == 0) return true;
    find_rates(&own, &pretraining, source, cell);
    return own.work > 0;
}

puad_status estimate_measure(estimate *out, team *workers)
{
    AUTO_ARENA arena memory = {0};
    lab_bench bench = {.workers = workers, .test_most = 1};
    lab_cell cell = lab_cell_standard();
    lab_result result;
    cell.dataset = "glyphs";
    cell.normal = "1";
    cell.unseen = "0";
    cell.method = "ae";
    cell.normals = 460;
    cell.hidden = cell.labeled = 26;
    cell.epochs = 1;
    TRY(lab_cell_settle(&cell));
    puad_status status = lab_run_cell(&result, &cell, &bench, &memory);
    lab_bench_clear(&bench);
    TRY(status);
    out->measured = result.seconds / own_work(&cell, cell.epochs);
    return PUAD_OK;
}
