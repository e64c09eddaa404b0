/* The trainings of the demonstration. */
#include "lab/demo/lab_demo.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const methods[DEMO_METHODS] = {"ae", "abc", "puae", "deepsvdd", "deepsad", "pusvdd"};

/* The cost of an epoch in milliseconds per thousand rows, on one machine; only the ratios matter, for the
 * progress bar. */
static const double toy_cost = 55, reconstruction_cost = 230, distance_cost = 110;

static double toy_work(const demo_options *options)
{
    return TOY_METHODS * toy_cost * (double)options->toy_epochs;
}

/* The cost of the shared pretraining is counted for the first distance detector. */
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
    double sum = toy_work(options);
    for (size_t i = 0; i < DEMO_METHODS; i++) sum += method_work(options, i);
    return sum;
}

typedef struct watcher {
    demo *show;
    double pretraining; /* fraction of this training's work */
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

static void watch_toy(void *context, double done, const char *what)
{
    const demo *show = context;
    show->options.progress(show->options.context, show->cost * done, what);
}

static puad_status run_toy(demo *show)
{
    toy_options options = {.seed = show->options.seed,
                           .epochs = show->options.toy_epochs,
                           .workers = show->options.workers,
                           .progress = show->options.progress ? watch_toy : NULL,
                           .context = show};
    show->cost = toy_work(&show->options) / all_work(&show->options);
    TRY(toy_run(&show->toy, &options));
    show->behind = show->cost;
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
    cell.embedding = "linear"; /* the defaults of fit, not the paper's settings */
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
    set_class_name(show->normal, sizeof show->normal, about, (int)strtol(show->cell.normal, NULL, 10));
    for (size_t i = 0; i < DEMO_METHODS; i++) TRY(run_method(show, i));
    return PUAD_OK;
}

puad_status demo_run(demo *out, const demo_options *options)
{
    enum { ROWS_MIN = 100 };
    *out = (demo){.options = *options};
    if (options->rows < ROWS_MIN)
        FAIL(PUAD_INVALID, "%zu rows are too few for the demonstration, which needs %d", options->rows,
             ROWS_MIN);
    double begin = seconds_now();
    TRY(run_toy(out));
    TRY(run_glyphs(out));
    out->seconds = seconds_now() - begin;
    return PUAD_OK;
}

void demo_free(demo *owner)
{
    for (size_t i = 0; i < DEMO_METHODS; i++) history_free(&owner->methods[i].training);
    toy_free(&owner->toy);
    lab_bench_clear(&owner->bench);
    arena_free(&owner->memory);
    *owner = (demo){0};
}
