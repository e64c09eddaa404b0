/* Folders of PNG and JPEG files as a format. Sub-folders are classes; they are labels too when the user says
 * which of them holds what. */
#include "base/file.h"
#include "image/image.h"
#include "input/format.h"
#include "io/stream_makers.h"

#include <stdio.h>
#include <stdlib.h>

bool format_folder_matches(const char *path, const unsigned char *head, size_t size)
{
    (void)head, (void)size;
    return file_is_folder(path) && !stream_is_joined(path);
}

/* The labels of a folder's files: by their class where the user named label values. */
static puad_status class_labels(int8_t *out, const image_names *list, const char *folder,
                                const label_rule *rule)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->class_names[list->classes[i]];
        if (label_read(&out[i], rule, (text_view){name, strlen(name)})) continue;
        char expected[300];
        label_rule_describe(expected, sizeof expected, rule);
        FAIL(PUAD_FORMAT, "%s: row %zu (%s): the label '%s', the name of its folder, is unknown; %s", folder,
             i, list->names[i], name, expected);
    }
    return PUAD_OK;
}

typedef struct reading { /* one folder's files into rows */
    const char *folder;
    const image_names *list;
    float *values;
    int height, width, channels;
    resize *plan;
} reading;

static puad_status read_rows(reading *job, size_t first, size_t count)
{
    size_t columns = (size_t)job->height * (size_t)job->width * (size_t)job->channels;
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *path = file_join(job->folder, job->list->names[first + i]);
        if (!path) FAIL(PUAD_MEMORY, "no memory for file names");
        TRY(image_read_row(job->values + i * columns, &job->plan, path, job->height, job->width,
                           job->channels));
    }
    return PUAD_OK;
}

static void reading_end(reading *job)
{
    resize_free(job->plan);
}

static puad_status any_colour(int *out, const image_names *list, const char *folder)
{
    for (size_t i = 0; i < list->count && *out < 3; i++) {
        AUTO_FREE char *path = file_join(folder, list->names[i]);
        image header = {0};
        if (!path) FAIL(PUAD_MEMORY, "no memory for file names");
        TRY(image_probe(&header, path));
        if (header.channels > *out) *out = header.channels;
    }
    return PUAD_OK;
}

enum { FOLDERS = 3 }; /* the input, the anomalies, the normals */

static puad_status fill(dataset *out, const image_names *lists, const char *const *folders,
                        const data_options *options)
{
    static const int8_t labels[FOLDERS] = {PUAD_LABEL_UNLABELED, PUAD_LABEL_ANOMALY, PUAD_LABEL_NORMAL};
    bool by_class = lists[0].classes && label_rule_is_given(&options->labels);
    int side = options->side ? options->side : IMAGE_SIDE;
    for (int f = 0; f < FOLDERS; f++) {
        out->rows += lists[f].count;
        if (folders[f]) TRY(any_colour(&out->channels, &lists[f], folders[f]));
    }
    out->image = true;
    out->height = out->width = side;
    out->columns = (size_t)side * (size_t)side * (size_t)out->channels;
    out->id_name = "file";
    TRY(arena_new(&out->memory, &out->values, out->rows, out->columns * sizeof(float)));
    TRY(arena_new(&out->memory, &out->ids, out->rows, sizeof *out->ids));
    if (by_class || folders[1] || folders[2]) TRY(arena_new(&out->memory, &out->labels, out->rows, 1));
    if (lists[0].classes && !folders[1] && !folders[2]) {
        TRY(arena_new(&out->memory, &out->classes, out->rows, sizeof *out->classes));
        TRY(arena_new(&out->memory, &out->class_names, lists[0].class_count, sizeof *out->class_names));
        out->class_count = lists[0].class_count;
        for (size_t i = 0; i < out->rows; i++) out->classes[i] = lists[0].classes[i];
        for (size_t i = 0; i < out->class_count; i++) {
            out->class_names[i] = arena_text(&out->memory, lists[0].class_names[i]);
            if (!out->class_names[i]) FAIL(PUAD_MEMORY, "no memory for class names");
        }
    }
    if (by_class) TRY(class_labels(out->labels, &lists[0], folders[0], &options->labels));
    size_t row = 0;
    for (int f = 0; f < FOLDERS; f++) {
        __attribute__((cleanup(reading_end))) reading job = {
            folders[f], &lists[f], out->values + row * out->columns, side, side, out->channels, NULL};
        TRY(read_rows(&job, 0, lists[f].count));
        for (size_t i = 0; i < lists[f].count; i++, row++) {
            out->ids[row] = arena_text(&out->memory, lists[f].names[i]);
            if (!out->ids[row]) FAIL(PUAD_MEMORY, "no memory for file names");
            if (out->labels && f > 0) out->labels[row] = labels[f];
        }
    }
    return PUAD_OK;
}

static void free_lists(image_names (*lists)[FOLDERS])
{
    for (int f = 0; f < FOLDERS; f++) image_names_free(&(*lists)[f]);
}

puad_status format_folder_load(dataset *out, const char *path, const data_options *options)
{
    __attribute__((cleanup(free_lists))) image_names lists[FOLDERS] = {0};
    const char *const folders[FOLDERS] = {path, options->anomalies, options->normals};
    for (int f = 0; f < FOLDERS; f++) {
        if (!folders[f]) continue;
        TRY(image_list(&lists[f], folders[f]));
        TRY(image_names_tell(&out->notes, &lists[f], folders[f]));
    }
    out->name = arena_text(&out->memory, path);
    if (!out->name) FAIL(PUAD_MEMORY, "no memory for a name");
    TRY(fill(out, lists, folders, options));
    TRY(transform_new(&out->transform, 0));
    out->transform->image = true;
    out->transform->height = out->height;
    out->transform->width = out->width;
    out->transform->channels = out->channels;
    out->transform->divisor = 255;
    out->transform->encoded = out->columns;
    return PUAD_OK;
}

typedef struct scoring {
    image_names list;
    reading job;
    char *folder;
    int8_t *labels;
    size_t next, room;
} scoring;

static void scoring_end(void *state)
{
    scoring *job = state;
    reading_end(&job->job);
    image_names_free(&job->list);
    free(job->job.values);
    free(job->folder);
    free(job->labels);
    free(job);
}

static puad_status next_rows(row_block *out, void *state, size_t rows_most)
{
    scoring *job = state;
    size_t rows = job->list.count - job->next;
    if (rows > rows_most) rows = rows_most;
    if (rows > job->room) {
        size_t columns = (size_t)job->job.height * (size_t)job->job.width * (size_t)job->job.channels;
        TRY(memory_grow(&job->job.values, rows, columns * sizeof(float), "images"));
        job->room = rows;
    }
    TRY(read_rows(&job->job, job->next, rows));
    *out = (row_block){.rows = rows,
                       .first_row = job->next,
                       .values = job->job.values,
                       .labels = job->labels ? job->labels + job->next : NULL,
                       .ids = job->list.names + job->next};
    job->next += rows;
    return PUAD_OK;
}

static puad_status open_scoring(scoring *job, const char *path, const transform *how,
                                const data_options *options)
{
    TRY(image_list(&job->list, path));
    job->folder = strdup(path);
    if (!job->folder) FAIL(PUAD_MEMORY, "no memory for a name");
    job->job = (reading){job->folder, &job->list, NULL, how->height, how->width, how->channels, NULL};
    if (!job->list.classes || !label_rule_is_given(&options->labels)) return PUAD_OK;
    TRY(memory_new(&job->labels, job->list.count, 1, "labels"));
    return class_labels(job->labels, &job->list, path, &options->labels);
}

static puad_status tell(notes *out, const void *state)
{
    const scoring *job = state;
    return image_names_tell(out, &job->list, job->folder);
}

puad_status format_folder_rows(row_source *out, const char *path, const transform *how,
                               const data_options *options)
{
    scoring *job = NULL;
    TRY(memory_new(&job, 1, sizeof *job, path));
    puad_status status = open_scoring(job, path, how, options);
    if (status != PUAD_OK) {
        scoring_end(job);
        return status;
    }
    *out = (row_source){.next = next_rows, .tell = tell, .end = scoring_end, .id_name = "file", .state = job};
    return PUAD_OK;
}

puad_status format_folder_profile(profile *out, const char *path, const data_options *options)
{
    return profile_folder(out, path, options);
}
