/* puad fit: train a detector on a file and keep it. */
#include "base/file.h"
#include "base/json.h"
#include "cli/fit.h"
#include "cli/input_options.h"
#include "cli/json_line.h"
#include "cli/output_check.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "data/transform.h"
#include "decide/label_file.h"
#include "detector/model_input.h"
#include "detector/model_json.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const option options[] = {
    {.name = "output", .letter = 'o', .type = OPTION_TEXT, .value = "MODEL", .help = "where the model goes"},
    {.name = "method",
     .type = OPTION_TEXT,
     .value = "NAME",
     .help = "the detector; 'puad list methods' names them. If not given, committee for tables and pusvdd "
             "for images"},
    {.name = "alpha",
     .type = OPTION_TEXT,
     .value = "SHARE|auto",
     .help =
         "share of anomalies among the unlabeled rows, or 'auto' to estimate it from the data. If not given, "
         "forests try several, and networks take the estimate, or 0.1 where the data cannot tell"},
    {.name = "epochs",
     .type = OPTION_INTEGER,
     .standard = "200",
     .min = 0,
     .max = 1e6,
     .value = "N",
     .help = "at most this many"},
    {.name = "pretrain-epochs",
     .type = OPTION_INTEGER,
     .min = 0,
     .max = 1e6,
     .value = "N",
     .help = "of distance detectors; as many as --epochs if not given"},
    {.name = "steps",
     .type = OPTION_INTEGER,
     .min = 0,
     .max = 1e9,
     .value = "N",
     .help = "steps of training, at most, and of pre-training; 0 for as many as the epochs have. With it the last weights "
             "are kept, unless --patience is given; 250 for tables where no epochs are given"},
    {.name = "patience",
     .type = OPTION_INTEGER,
     .standard = "0",
     .min = 0,
     .max = 1e6,
     .value = "N",
     .help = "stop after this many epochs without a better validation loss; 0 for never"},
    {.name = "batch",
     .type = OPTION_INTEGER,
     .standard = "128",
     .min = 2,
     .max = 65536,
     .value = "N",
     .help = "rows a mini-batch"},
    {.name = "lr",
     .type = OPTION_NUMBER,
     .min = 1e-12,
     .max = 1e6,
     .value = "RATE",
     .help = "learning rate of Adam; 1e-4 for conv32 and 1e-3 for mlp if not given"},
    SEED_OPTION("of every draw"),
    THREADS_OPTION("0 for one per processor; the result does not depend on it"),
    {.name = "network",
     .type = OPTION_CHOICE,
     .choices = "conv32|mlp",
     .help = "conv32 for images and mlp for tables if not given"},
    {.name = "sampler",
     .type = OPTION_CHOICE,
     .choices = "shuffle|stratified",
     .help = "how batches are drawn; stratified where a plain shuffle would give few labels a batch"},
    {.name = "set",
     .type = OPTION_LIST,
     .value = "NAME=VALUE",
     .help = "an option of the method: weight, balance, soft, eta, embedding, noise, depth, width, latent, decay, "
             "novelty; may be "
             "given more than once"},
    {.name = "calibrate",
     .type = OPTION_NUMBER,
     .standard = CALIBRATION_SHARE,
     .bare = CALIBRATION_SHARE,
     .min = 0.001,
     .max = 0.5,
     .value = "SHARE",
     .help =
         "hold this share of the unlabeled rows and of the labeled anomalies out of training and keep their "
         "scores in the model: for p-values, --fdr and 'puad operate'; nothing is held out if not given"},
    {.name = "labels",
     .type = OPTION_LIST,
     .value = "FILE",
     .help =
         "answers to 'puad query' about rows of INPUT; may be given more than once. With --from: those of "
         "earlier rounds too"},
    {.name = "from",
     .type = OPTION_TEXT,
     .value = "MODEL",
     .help =
         "train again with the options of this model, as far as no others are given; labeled normals make "
         "it the pnu method of the same head. Reports what moved"},
    {.name = "resume",
     .type = OPTION_FLAG,
     .help = "go on where a stopped training of the same model left off"},
    {.name = "force", .type = OPTION_FLAG, .help = "keep a model that the checks find useless"},
    INPUT_OPTIONS,
    INPUT_FILE_OPTIONS,
    {.name = "json", .type = OPTION_FLAG, .help = "end with one JSON object"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "no progress and no notes"},
};

static volatile sig_atomic_t interrupts;

static void on_interrupt(int number)
{
    (void)number;
    interrupts++;
}

typedef struct fit_display {
    progress bar;
    int phase; /* of the bar: -1 before the first */
    bool quiet;
} fit_display;

static puad_answer show(void *context, const puad_progress *now)
{
    fit_display *display = context;
    if (display->phase != now->pretraining) {
        if (display->phase >= 0) progress_end(&display->bar);
        display->phase = now->pretraining;
        display->bar = progress_begin(now->pretraining ? "pre-training" : "training",
                                      now->epochs * now->batches, display->quiet);
    }
    char valid[32] = "-"; /* none before the end of the first epoch */
    if (!isnan(now->valid_loss)) snprintf(valid, sizeof valid, "%.4g", now->valid_loss);
    progress_update(&display->bar, now->epoch * now->batches + now->batch,
                    "epoch %zu loss %.4g validation %s best %zu", now->epoch, now->train_loss, valid,
                    now->best_epoch);
    return interrupts == 0 ? PUAD_GO_ON : interrupts == 1 ? PUAD_FINISH : PUAD_ABORT;
}

static puad_status print_result(const puad_detector *model, const fit_job *job, const char *path)
{
    puad_facts facts = puad_detector_facts(model);
    if (!FIT_GIVEN(job, "json")) {
        if (FIT_GIVEN(job, "quiet")) return PUAD_OK;
        fprintf(stderr,
                "%s: %s, trained on %zu rows (%zu labeled anomalies, %zu labeled normals), best epoch %zu of "
                "%zu, %.1f s\n",
                path, facts.title, facts.rows, facts.anomalies, facts.normals, facts.best_epoch, facts.epochs,
                facts.seconds + facts.pretrain_seconds);
        return job->from ? fit_print_moves(model, job) : PUAD_OK;
    }
    AUTO_JSON cJSON *out = cJSON_CreateObject();
    cJSON_AddStringToObject(out, "method", facts.method);
    json_add_double(out, "alpha", facts.alpha);
    cJSON_AddStringToObject(out, "alpha_kind", facts.alpha_kind);
    cJSON_AddNumberToObject(out, "rows", (double)facts.rows);
    cJSON_AddNumberToObject(out, "labeled", (double)(facts.anomalies + facts.normals));
    cJSON_AddNumberToObject(out, "anomalies", (double)facts.anomalies);
    cJSON_AddNumberToObject(out, "normals", (double)facts.normals);
    cJSON_AddNumberToObject(out, "best_epoch", (double)facts.best_epoch);
    json_add_double(out, "valid_loss", facts.valid_loss);
    json_add_double(out, "seconds", facts.seconds + facts.pretrain_seconds);
    cJSON_AddStringToObject(out, "model", path);
    if (job->from) TRY(fit_add_moves(out, model, job));
    return json_line(out);
}

/* Holds rows out, of the network and of the means and deviations that rows are encoded with. */
static puad_status fit_some(puad_detector **out, fit_job *job, const puad_rows *rows)
{
    AUTO_PARTS calibration_parts parts = {0};
    TRY(calibration_part(&parts, rows, &job->options, &job->plan));
    fit_tell_held(job, &parts);
    if (job->rows.transform)
        transform_refit(job->rows.transform, job->rows.values, rows->rows, parts.kept, parts.kept_count);
    return calibrated_fit(out, rows, &parts, &job->options, &job->plan);
}

static puad_status train(puad_detector **out, fit_job *job, const char *checkpoint)
{
    const dataset *rows = &job->rows;
    puad_fit_options *fit = &job->options;
    puad_rows given = {rows->values,         rows->labels,        rows->rows,
                       (size_t)rows->height, (size_t)rows->width, (size_t)rows->channels};
    fit_display display = {.phase = -1, .quiet = FIT_GIVEN(job, "quiet")};
    char unused[256];
    if (!display.quiet &&
        detector_kind_unused_labels(unused, sizeof unused, detector_kind_find(fit->method),
                                    dataset_count(rows, LABEL_ANOMALY), dataset_count(rows, LABEL_NORMAL)))
        fprintf(stderr, "puad fit: note: %s\n", unused);
    TRY(fit_choose_alpha(job));
    TRY(fit_check_labels(job));
    fit->progress = show;
    fit->context = &display;
    fit->checkpoint = checkpoint;
    struct sigaction action = {.sa_handler = on_interrupt}, before;
    sigaction(SIGINT, &action, &before);
    puad_status status = job->calibrates ? fit_some(out, job, &given) : puad_detector_fit(out, &given, fit);
    sigaction(SIGINT, &before, NULL);
    if (display.phase >= 0) progress_end(&display.bar);
    return fit_explain(status);
}

/* The answers of --labels on top of the labels of INPUT. */
static puad_status add_answers(fit_job *job, const data_options *data)
{
    dataset *rows = &job->rows;
    const option_value *files = value_of(job->call, "labels");
    job->given = rows->labels;
    if (files->list_count == 0) return PUAD_OK;
    int8_t *labels;
    TRY(arena_new(&job->memory, &labels, rows->rows, 1));
    TRY(arena_new(&job->memory, &job->asked, rows->rows, 1));
    memcpy(labels, rows->labels, rows->rows);
    label_target target = {.labels = labels,
                           .asked = job->asked,
                           .rows = rows->rows,
                           .ids = rows->ids,
                           .id_name = rows->id_name,
                           .input = job->call->arguments[0],
                           .data = data};
    for (size_t i = 0; i < files->list_count; i++) TRY(label_file_apply(&target, files->list[i]));
    rows->labels = labels;
    return PUAD_OK;
}

static puad_status open_rows(fit_job *job)
{
    data_options data;
    const char *from = value_of(job->call, "from")->text;
    if (from) {
        TRY(puad_detector_load(&job->from, from));
        TRY(input_options_of_model(job->call, job->from, &job->memory));
        TRY(input_more_rows_again(job->call, job->from));
    }
    input_options(&data, job->call);
    data.anomalies = value_of(job->call, "anomalies")->text;
    data.normals = value_of(job->call, "normals")->text;
    data.workers = job->workers;
    TRY(data_open(&job->rows, job->call->arguments[0], &data));
    if (!FIT_GIVEN(job, "quiet")) print_notes("fit", &job->rows.notes);
    if (!job->rows.labels) /* every row is unlabeled */
        TRY(arena_new(&job->rows.memory, &job->rows.labels, job->rows.rows, 1));
    TRY(add_answers(job, &data));
    return fit_recall(job, &data);
}

static puad_status fit(fit_job *job, const char *path)
{
    AUTO_FREE char *checkpoint = NULL;
    if (asprintf(&checkpoint, "%s.checkpoint", path) < 0) FAIL(PUAD_MEMORY, "no memory for a name");
    TRY(output_check(job->call, checkpoint));
    TRY(team_new(&job->workers, (int)value_of(job->call, "threads")->integer));
    TRY(open_rows(job));
    TRY(fit_settle(job));
    puad_detector *model = NULL;
    TRY(train(&model, job, checkpoint));
    model->table = job->rows.transform; /* the model takes it over */
    job->rows.transform = NULL;
    puad_status status = input_options_text(&model->input, job->call);
    if (status == PUAD_OK) status = fit_record_answers(model, job);
    if (status == PUAD_OK) status = fit_check(model, job);
    if (status == PUAD_OK) status = puad_detector_save(model, path);
    if (status == PUAD_OK) {
        if (interrupts == 0) remove(checkpoint); /* after Ctrl-C it stays, so that --resume can go on */
        status = print_result(model, job, path);
    }
    puad_detector_free(model);
    return status;
}

static puad_status run(const invocation *call)
{
    const char *path = value_of(call, "output")->text;
    if (!path) FAIL(PUAD_INVALID, "where shall the model go? give -o MODEL");
    fit_job job = {.call = call};
    puad_status status = fit(&job, path);
    puad_detector_free(job.from);
    dataset_free(&job.rows);
    arena_free(&job.memory);
    team_free(job.workers);
    return status;
}

const command command_fit = {
    .name = "fit",
    .summary = "train a detector on a file and keep it",
    .usage = "INPUT -o MODEL [OPTIONS]",
    .description = "INPUT is a CSV or TSV file, NPY, NPZ, IDX, a folder of PNG or JPEG files, or - for CSV "
                   "on standard input. Labels are 1 for a "
                   "known anomaly, 0 or nothing for an unlabeled row, and -1 for a row known to be normal. "
                   "Ten percent of the rows "
                   "are held out to find the best epoch.\n"
                   "Ctrl-C ends training after the epoch and keeps the best model so far; a second one stops "
                   "at once. A checkpoint lies "
                   "beside the model (MODEL.checkpoint) while training runs, and --resume goes on from it to "
                   "the same result.",
    .example = "puad fit train.csv --label-column label -o m.safetensors\n"
               "puad fit train.csv --label-column status --positive fraud --alpha auto -o m.safetensors\n"
               "puad fit train.csv --labels ask.csv --from m.safetensors -o m2.safetensors",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .arguments_least = 1,
    .arguments_most = 1,
    .run = run,
};
