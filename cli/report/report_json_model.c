/* Describes the inputs with their notes, the model, its settings, and the commands that reproduce it, as
 * JSON. */
#include "cli/common/print_warnings.h"
#include "cli/library_values.h"
#include "cli/report/report.h"

#include <string.h>
#include <time.h>

static void add_texts(cJSON *to, const char *name, const char *const *texts, size_t count)
{
    cJSON *list = cJSON_AddArrayToObject(to, name);
    for (size_t i = 0; i < count; i++) cJSON_AddItemToArray(list, cJSON_CreateString(texts[i]));
}

static void add_cell_names(cJSON *to, const report_input *about)
{
    cJSON *list = cJSON_AddArrayToObject(to, "cells");
    for (size_t c = 0; about->cell_names && about->cell_names[c]; c++) {
        if (c == about->label_cell || (about->id_name && strcmp(about->cell_names[c], about->id_name) == 0))
            continue;
        cJSON_AddItemToArray(list, cJSON_CreateString(about->cell_names[c]));
    }
}

static void add_notes(cJSON *to, report *self, const puad_dataset *source)
{
    cJSON *list = cJSON_AddArrayToObject(to, "notes");
    char message[SPOKEN_CAPACITY];
    for (size_t i = 0; i < dataset_of(source).note_count; i++)
        cJSON_AddItemToArray(
            list, cJSON_CreateString(speak(message, self->call->command, puad_dataset_note(source, i))));
}

puad_status report_json_inputs(cJSON *to, report *self)
{
    cJSON *list = cJSON_AddArrayToObject(to, "inputs");
    for (size_t i = 0; i < self->input_count; i++) {
        const report_input *about = &self->inputs[i];
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
        cJSON_AddStringToObject(one, "path", about->path);
        cJSON_AddNumberToObject(one, "rows", (double)about->rows);
        cJSON_AddNumberToObject(one, "ranked", (double)about->sketch.total);
        cJSON_AddNumberToObject(one, "flagged", (double)about->flagged);
        cJSON_AddNumberToObject(one, "sampled", (double)about->sampled);
        if (about->id_name) cJSON_AddStringToObject(one, "id_name", about->id_name);
        add_cell_names(one, about);
        if (about->data)
            add_notes(one, self, about->data);
        else
            add_texts(one, "notes", about->notes, about->note_count);
        add_texts(one, "drift", about->drift, about->drift_count);
    }
    cJSON_AddNumberToObject(to, "compared_rows", (double)info_of(self->model).compared_rows);
    AUTO_JSON cJSON *all = cJSON_CreateObject();
    warnings_add_json(all);
    cJSON *warnings = cJSON_AddArrayToObject(to, "warnings"), *one;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(all, "warnings"))
    {
        const cJSON *text = cJSON_GetObjectItemCaseSensitive(one, "text");
        if (cJSON_IsString(text) && !report_is_drift(self, text->valuestring))
            cJSON_AddItemToArray(warnings, cJSON_Duplicate(one, true));
    }
    return PUAD_OK;
}

static puad_status add_history(cJSON *to, const report *self)
{
    static const struct {
        puad_phase phase;
        const char *name;
    } phases[] = {{PUAD_PHASE_PRETRAINING, "pretraining"}, {PUAD_PHASE_TRAINING, "training"}};
    cJSON *history = cJSON_AddObjectToObject(to, "history");
    for (int k = 0; k < 2; k++) {
        size_t count = k == 0 ? info_of(self->model).pretrain_epochs : info_of(self->model).epochs;
        cJSON *list = count ? cJSON_AddArrayToObject(history, phases[k].name) : NULL;
        for (size_t i = 0; i < count; i++) {
            cJSON *one = cJSON_CreateArray();
            cJSON_AddItemToArray(list, one);
            cJSON_AddItemToArray(
                one, cJSON_CreateNumber((double)(double)epoch_at(self->model, phases[k].phase, i).epoch));
            cJSON_AddItemToArray(one,
                                 json_exact_number(epoch_at(self->model, phases[k].phase, i).train_loss));
            cJSON_AddItemToArray(one,
                                 json_exact_number(epoch_at(self->model, phases[k].phase, i).valid_loss));
        }
    }
    return PUAD_OK;
}

static void add_settings(cJSON *to, const report *self)
{
    cJSON *settings = cJSON_AddObjectToObject(to, "settings");
    char text[512];
    for (size_t i = 0; i < puad_option_count(); i++) {
        const char *name = option_at(i).name;
        puad_option_group group = option_at(i).group;
        if (group != PUAD_GROUP_FIT && group != PUAD_GROUP_METHOD && group != PUAD_GROUP_COMMON) continue;
        if (strcmp(name, "threads") == 0 || strcmp(name, "set") == 0) continue;
        if (puad_detector_option(self->model, text, sizeof text, name) != PUAD_OK || !*text) continue;
        cJSON_AddStringToObject(settings, name, text);
    }
}

/* The command line in shell syntax. */
static puad_status add_commands(cJSON *to, report *self)
{
    const char *line, *quoted;
    TRY(arena_print(&self->memory, &line, "puad"));
    for (char *const *word = self->call->words + 1; *word; word++) {
        TRY(arena_shell_word(&self->memory, &quoted, *word));
        TRY(arena_print(&self->memory, &line, "%s %s", line, quoted));
    }
    cJSON_AddStringToObject(to, "command", self->command ? self->command : line);
    if (!self->model_path || !self->input_count) return PUAD_OK;
    TRY(arena_shell_word(&self->memory, &quoted, self->model_path));
    TRY(arena_print(&self->memory, &line, "puad score %s", quoted));
    for (size_t i = 0; i < self->input_count; i++) {
        TRY(arena_shell_word(&self->memory, &quoted, self->inputs[i].path));
        TRY(arena_print(&self->memory, &line, "%s %s", line, quoted));
    }
    cJSON_AddStringToObject(to, "score_command", line);
    return PUAD_OK;
}

/* The command to repeat training with more files: the command line without the ranked files. */
static puad_status add_fit_command(cJSON *to, report *self)
{
    const char *line, *quoted;
    if (!self->train_path) return PUAD_OK;
    TRY(arena_shell_word(&self->memory, &quoted, self->train_path));
    TRY(arena_print(&self->memory, &line, "puad fit %s", quoted));
    TRY(options_write_words(&self->memory, &line, self->options));
    cJSON_AddStringToObject(to, "fit_command", line);
    return PUAD_OK;
}

static void add_training_rows(cJSON *to, const report *self)
{
    double rows = (double)info_of(self->model).rows;
    cJSON *counts = cJSON_AddObjectToObject(to, "training");
    size_t all = self->train ? puad_dataset_rows(self->train) : 0;
    /* Labeled anomalies are held out too, unless they were cross-fitted. */
    size_t held = all > (size_t)rows ? all - (size_t)rows : calibration_of(self->model).unlabeled_count;
    cJSON_AddNumberToObject(counts, "rows", self->train ? (double)all : rows);
    cJSON_AddNumberToObject(counts, "anomalies",
                            self->train ? (double)puad_dataset_count(self->train, PUAD_LABEL_ANOMALY)
                                        : (double)info_of(self->model).anomalies);
    cJSON_AddNumberToObject(counts, "normals",
                            self->train ? (double)puad_dataset_count(self->train, PUAD_LABEL_NORMAL)
                                        : (double)info_of(self->model).normals);
    cJSON_AddNumberToObject(counts, "held_out", (double)held);
    if (self->train_path) cJSON_AddStringToObject(counts, "path", self->train_path);
}

puad_status report_json_model(cJSON *to, report *self)
{
    char date[64], text[256];
    time_t now = time(NULL);
    struct tm at;
    if (!self->command && gmtime_r(&now, &at) && strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &at))
        cJSON_AddStringToObject(to, "created", date);
    cJSON_AddStringToObject(to, "version", puad_version());
    cJSON_AddStringToObject(to, "kind", self->image ? "images" : self->window ? "series" : "table");
    cJSON_AddBoolToObject(to, "ranks_training", self->ranks_training);
    add_training_rows(to, self);
    if (self->train) add_notes(cJSON_GetObjectItemCaseSensitive(to, "training"), self, self->train);
    cJSON *model = cJSON_AddObjectToObject(to, "model");
    cJSON_AddStringToObject(model, "method", info_of(self->model).method);
    cJSON_AddStringToObject(model, "title", info_of(self->model).title);
    if (self->model_path) cJSON_AddStringToObject(model, "path", self->model_path);
    if (self->window) cJSON_AddNumberToObject(model, "window", (double)self->window);
    cJSON *parts = cJSON_AddArrayToObject(model, "parts");
    for (size_t i = 0; puad_detector_part(self->model, text, sizeof text, i) == PUAD_OK && *text; i++)
        cJSON_AddItemToArray(parts, cJSON_CreateString(text));
    add_settings(model, self);
    TRY(add_history(model, self));
    TRY(add_commands(to, self));
    return add_fit_command(to, self);
}
