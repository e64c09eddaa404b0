/* The trainings of the demonstration. */
#include "lab/demo.h"

#include "base/clock.h"

#include "objective/objective.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const toy_methods[DEMO_TOY_METHODS] = {"pu", "dae", "abc", "pudae"};
static const char *const methods[DEMO_METHODS] = {"ae", "abc", "puae", "deepsvdd", "deepsad", "pusvdd"};
const double demo_unseen[2][2] = {{-5, -5}, {5, 5}};

/* What an epoch costs, in milliseconds per thousand rows on the machine they were measured on; only their
 * ratio matters, to the progress shown. */
static const double toy_cost = 55, reconstruction_cost = 230, distance_cost = 110;

static const double least_score = 1e-2; /* what the figure of the plane goes down to */

static double toy_work(const demo_options *options)
{
    return toy_cost * (double)options->toy_epochs;
}

/* The first distance detector pays for the pre-training that all of them share. */
static double method_work(const demo_options *options, size_t method)
{
    const detector_kind *kind = detector_kind_find(methods[method]);
    double epochs = (double)options->epochs * (double)options->rows / 1000;
    if (strcmp(kind->head, "distance") != 0) return epochs * reconstruction_cost;
    bool first = method == 0 || strcmp(detector_kind_find(methods[method - 1])->head, "distance") != 0;
    return epochs * (distance_cost + (first ? reconstruction_cost : 0));
}

static double all_work(const demo_options *options)
{
    double sum = DEMO_TOY_METHODS * toy_work(options);
    for (size_t i = 0; i < DEMO_METHODS; i++) sum += method_work(options, i);
    return sum;
}

typedef struct watcher {
    demo *show;
    double pretraining; /* share of this training's work */
    char what[64];
} watcher;

static puad_answer watch(void *context, const puad_progress *now)
{
    const watcher *self = context;
    const demo *show = self->show;
    if (!show->options.progress) return PUAD_GO_ON;
    double epochs = now->epochs ? (double)now->epochs : 1, batches = now->batches ? (double)now->batches : 1;
    double share = fmin(1, ((double)now->epoch + (double)now->batch / batches) / epochs);
    share =
        now->pretraining ? share * self->pretraining : self->pretraining + share * (1 - self->pretraining);
    show->options.progress(show->options.context, show->behind + show->cost * share, self->what);
    return PUAD_GO_ON;
}

/* The scores of the whole plane, as a figure draws them: a distance spreads over decades. */
static puad_status score_plane(demo_toy_method *to, const puad_detector *model, int threads)
{
    AUTO_FREE float *points = NULL, *scores = NULL;
    puad_scorer *scorer = NULL;
    size_t count = DEMO_GRID * DEMO_GRID;
    TRY(memory_new(&points, count * 2, sizeof *points, "the plane"));
    TRY(memory_new(&scores, count, sizeof *scores, "the plane"));
    for (size_t i = 0; i < count; i++) {
        points[2 * i] = (float)(-DEMO_REACH + 2 * DEMO_REACH * (double)(i % DEMO_GRID) / (DEMO_GRID - 1));
        points[2 * i + 1] = (float)(-DEMO_REACH + 2 * DEMO_REACH * (double)(i / DEMO_GRID) / (DEMO_GRID - 1));
    }
    TRY(puad_scorer_new(&scorer, model, threads, NULL));
    puad_status status = puad_scorer_run(scorer, scores, points, count);
    puad_scorer_free(scorer);
    to->logarithm = model->how.head != HEAD_LOGIT;
    for (size_t i = 0; i < count; i++)
        to->field[i] = to->logarithm ? log10(fmax(scores[i], least_score)) : scores[i];
    return status;
}

static puad_status run_toy_method(demo *show, demo_toy_method *to, const char *method)
{
    static const char *const settings[] = {"width=500", "latent=2", "weight=prior"}; /* the paper's */
    const puad_objective *objective = detector_kind_objective(detector_kind_find(method));
    const dataset *train = &show->toy_parts.train;
    int threads = team_size(show->options.workers);
    watcher self = {.show = show};
    snprintf(self.what, sizeof self.what, "toy: %s", method);
    puad_rows rows = {train->values, train->labels, train->rows, 1, 1, train->columns};
    puad_fit_options options = puad_fit_options_standard();
    options.method = to->method = method;
    options.alpha = show->toy_parts.plan.alpha_all;
    options.alpha_kind = "alpha_all";
    options.epochs = show->options.toy_epochs;
    options.seed = show->options.seed;
    options.threads = threads;
    options.network = "mlp";
    options.settings = settings;
    options.setting_count = objective_takes(objective, "weight") ? 3 : 2;
    options.learning_rate = 1e-4; /* the paper's */
    options.progress = watch;
    options.context = &self;
    show->cost = toy_work(&show->options) / all_work(&show->options);
    puad_detector *model = NULL;
    TRY(arena_new(&show->memory, &to->field, DEMO_GRID * DEMO_GRID, sizeof *to->field));
    TRY(puad_detector_fit(&model, &rows, &options));
    to->title = model->how.kind->title;
    to->best_epoch = model->best_epoch;
    to->result = lab_result_unknown();
    to->training = model->training; /* taken over */
    model->training = (history){0};
    puad_status status = lab_judge(&to->result, model, &show->toy_parts, threads);
    if (status == PUAD_OK) status = score_plane(to, model, threads);
    puad_detector_free(model);
    show->behind += show->cost;
    return status;
}

static puad_status run_toy(demo *show)
{
    const set_row *about = NULL;
    AUTO_RAW_SET raw_set raw = {0};
    TRY(set_find(&about, "toy"));
    TRY(set_read(&raw, about, NULL, show->options.seed));
    split_request request = split_standard(about, ONE(1), show->options.seed);
    TRY(split_make(&show->toy_parts, &raw, &request));
    for (size_t i = 0; i < DEMO_TOY_METHODS; i++) TRY(run_toy_method(show, &show->toy[i], toy_methods[i]));
    return PUAD_OK;
}

static lab_cell glyph_cell(const demo_options *options)
{
    lab_cell cell = lab_cell_standard();
    long long rows = (long long)options->rows, anomalies = rows / 20 > 2 ? rows / 20 : 2;
    cell.dataset = "glyphs";
    cell.normal = "3";
    cell.seed = (long long)options->seed;
    cell.hidden = cell.labeled = anomalies;
    cell.normals = rows - 2 * anomalies;
    cell.alpha = 2 * (double)anomalies / (double)rows;
    cell.epochs = cell.pretrain_epochs = (long long)options->epochs;
    cell.embedding = "linear"; /* fit's own settings, not the paper's */
    cell.weight = "equal";
    cell.sampler = "auto";
    return cell;
}

static puad_status read_history(history *out, const char *text)
{
    cJSON *json = cJSON_Parse(text);
    if (!json) FAIL(PUAD_MEMORY, "no memory for the training curves");
    puad_status status = history_from_json(out, json);
    cJSON_Delete(json);
    return status;
}

static puad_status run_method(demo *show, size_t method)
{
    demo_method *to = &show->methods[method];
    const detector_kind *kind = detector_kind_find(methods[method]);
    watcher self = {.show = show};
    to->method = kind->name;
    to->title = kind->title;
    double work = method_work(&show->options, method);
    show->cost = work / all_work(&show->options);
    if (strcmp(kind->head, "distance") == 0)
        self.pretraining =
            1 - (double)show->options.epochs * (double)show->options.rows / 1000 * distance_cost / work;
    snprintf(self.what, sizeof self.what, "glyphs: %s", kind->name);
    show->bench.progress = watch;
    show->bench.context = &self;
    lab_cell cell = show->cell;
    cell.method = kind->name;
    TRY(lab_run_cell(&to->result, &cell, &show->bench, &show->memory));
    TRY(read_history(&to->training, to->result.history));
    show->behind += show->cost;
    return PUAD_OK;
}

static puad_status run_glyphs(demo *show)
{
    const set_row *about = NULL;
    TRY(set_find(&about, "glyphs"));
    show->bench.workers = show->options.workers;
    show->bench.test_most = show->options.rows / 2;
    show->cell = glyph_cell(&show->options);
    set_class_name(show->normal, sizeof show->normal, about, atoi(show->cell.normal));
    for (size_t i = 0; i < DEMO_METHODS; i++) TRY(run_method(show, i));
    return PUAD_OK;
}

puad_status demo_run(demo *out, const demo_options *options)
{
    enum { ROWS_LEAST = 100 };
    *out = (demo){.options = *options};
    if (options->rows < ROWS_LEAST)
        FAIL(PUAD_INVALID, "%zu rows are too few for the demonstration, it needs %d", options->rows,
             ROWS_LEAST);
    double begin = seconds_now();
    TRY(run_toy(out));
    TRY(run_glyphs(out));
    out->seconds = seconds_now() - begin;
    return PUAD_OK;
}

void demo_free(demo *owner)
{
    for (size_t i = 0; i < DEMO_TOY_METHODS; i++) history_free(&owner->toy[i].training);
    for (size_t i = 0; i < DEMO_METHODS; i++) history_free(&owner->methods[i].training);
    split_free(&owner->toy_parts);
    lab_bench_clear(&owner->bench);
    arena_free(&owner->memory);
    *owner = (demo){0};
}
