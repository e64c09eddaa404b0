/* The format "folder of images". Subfolders are classes; they become labels if the user names
 * label values. */
#include "base/file.h"
#include "dataset/unreadable_images.h"
#include "image/image.h"
#include "input/format.h"
#include "input/picture_rows.h"
#include "io/stream_makers.h"

#include <stdio.h>
#include <stdlib.h>

bool format_folder_matches(const char *path, const unsigned char *head, size_t size)
{
    (void)head, (void)size;
    return file_is_folder(path) && !stream_is_joined(path);
}

/* The labels of a folder's files: from their class if the user named label values. */
static puad_status class_labels(int8_t *out, const image_names *list, const char *folder,
                                const label_rule *rule)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->class_names[list->classes[i]];
        if (label_read(&out[i], rule, (text_view){name, strlen(name)})) continue;
        char expected[300];
        label_rule_describe(expected, sizeof expected, rule);
        FAIL(PUAD_FORMAT, "%s: row %zu (%s): label '%s', the name of its folder; %s", folder, i,
             list->names[i], name, expected);
    }
    return PUAD_OK;
}

typedef struct reading { /* decodes files to rows, one folder after the other */
    const char *const *folders;
    const image_names *lists;
    int channels; /* 0: as in the file */
} reading;

static puad_status read_picture(void *context, image *out, size_t index)
{
    const reading *job = context;
    size_t f = 0;
    while (index >= job->lists[f].count) index -= job->lists[f++].count;
    AUTO_FREE char *path = file_join(job->folders[f], job->lists[f].names[index]);
    if (!path) FAIL(PUAD_MEMORY, "no memory for file names");
    return image_read(out, path, job->channels);
}

/* The maximum number of channels and the longest side, from the files' headers; files with damaged headers
 * are skipped. */
static puad_status look_at(int *channels, int *longest, const image_names *list, const char *folder)
{
    for (size_t i = 0; i < list->count; i++) {
        AUTO_FREE char *path = file_join(folder, list->names[i]);
        image header = {0};
        if (!path) FAIL(PUAD_MEMORY, "no memory for file names");
        puad_status status = image_probe(&header, path);
        if (status == PUAD_FORMAT) continue;
        TRY(status);
        if (header.channels > *channels) *channels = header.channels;
        if (header.height > *longest) *longest = header.height;
        if (header.width > *longest) *longest = header.width;
    }
    return PUAD_OK;
}

enum { FOLDERS = 3 }; /* the input, the anomalies, the normals */

static puad_status take_classes(dataset *out, const image_names *list)
{
    TRY(arena_new(&out->memory, &out->classes, out->rows, sizeof *out->classes));
    TRY(arena_new(&out->memory, &out->class_names, list->class_count, sizeof *out->class_names));
    out->class_count = list->class_count;
    for (size_t i = 0; i < out->rows; i++) out->classes[i] = list->classes[i];
    for (size_t i = 0; i < out->class_count; i++) {
        out->class_names[i] = arena_text(&out->memory, list->class_names[i]);
        if (!out->class_names[i]) FAIL(PUAD_MEMORY, "no memory for class names");
    }
    return PUAD_OK;
}

/* Removes the rows of damaged images. */
static void drop_rows(dataset *out, const uint8_t *damaged)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->rows; i++) {
        if (damaged[i]) continue;
        if (kept < i)
            memcpy(out->values + kept * out->columns, out->values + i * out->columns,
                   out->columns * sizeof *out->values);
        out->ids[kept] = out->ids[i];
        if (out->labels) out->labels[kept] = out->labels[i];
        if (out->classes) out->classes[kept] = out->classes[i];
        kept++;
    }
    out->rows = kept;
}

static puad_status fill(dataset *out, const image_names *lists, const char *const *folders,
                        const data_options *options)
{
    static const int8_t labels[FOLDERS] = {PUAD_LABEL_UNLABELED, PUAD_LABEL_ANOMALY, PUAD_LABEL_NORMAL};
    bool by_class = lists[0].classes && label_rule_is_given(&options->labels);
    int channels = 1, longest = 0;
    for (int f = 0; f < FOLDERS; f++) {
        out->rows += lists[f].count;
        if (folders[f]) TRY(look_at(&channels, &longest, &lists[f], folders[f]));
    }
    TRY(picture_transform(&out->transform, options, channels, longest));
    TRY(picture_shape(out, out->transform));
    out->id_name = "file";
    TRY(arena_new(&out->memory, &out->values, out->rows, out->columns * sizeof(float)));
    TRY(arena_new(&out->memory, &out->ids, out->rows, sizeof *out->ids));
    if (by_class || folders[1] || folders[2]) TRY(arena_new(&out->memory, &out->labels, out->rows, 1));
    if (lists[0].classes && !folders[1] && !folders[2]) TRY(take_classes(out, &lists[0]));
    if (by_class) TRY(class_labels(out->labels, &lists[0], folders[0], &options->labels));
    AUTO_FREE uint8_t *damaged = NULL;
    TRY(memory_new(&damaged, out->rows, 1, "pictures"));
    size_t row = 0;
    for (int f = 0; f < FOLDERS; f++)
        for (size_t i = 0; i < lists[f].count; i++, row++) {
            out->ids[row] = arena_text(&out->memory, lists[f].names[i]);
            if (!out->ids[row]) FAIL(PUAD_MEMORY, "no memory for file names");
            if (out->labels && f > 0) out->labels[row] = labels[f];
        }
    AUTO_PICTURE_ROWS picture_rows *rows = NULL;
    reading job = {folders, lists, out->transform->backbone ? 0 : channels};
    TRY(picture_rows_new(&rows, out->transform, options->workers));
    TRY(picture_rows_learn(rows, out->values, damaged, out->labels, out->rows, read_picture, &job));
    TRY(picture_rows_run(rows, out->values, damaged, 0, out->rows, read_picture, &job));
    unreadable_images_add(&out->unreadable, picture_rows_damaged(rows));
    if (out->unreadable.count == out->rows) FAIL(PUAD_FORMAT, "%s", out->unreadable.first);
    drop_rows(out, damaged);
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
    return fill(out, lists, folders, options);
}

typedef struct scoring {
    image_names list;
    reading job;
    picture_rows *rows;
    size_t columns;
    char *folder;
    const char *folders[1];
    int8_t *labels;
    float *values; /* of one block */
    uint8_t *damaged;
    const char **ids;
    int8_t *block_labels;
    size_t next, given, capacity; /* images processed, and rows delivered */
} scoring;

static void scoring_end(void *state)
{
    scoring *job = state;
    picture_rows_free(job->rows);
    image_names_free(&job->list);
    free(job->values);
    free(job->damaged);
    free(job->ids);
    free(job->block_labels);
    free(job->folder);
    free(job->labels);
    free(job);
}

static puad_status make_room(scoring *job, size_t rows)
{
    if (rows <= job->capacity) return PUAD_OK;
    TRY(memory_grow(&job->values, rows, job->columns * sizeof(float), "images"));
    TRY(memory_grow(&job->damaged, rows, 1, "images"));
    TRY(memory_grow(&job->ids, rows, sizeof *job->ids, "images"));
    TRY(memory_grow(&job->block_labels, rows, 1, "images"));
    job->capacity = rows;
    return PUAD_OK;
}

/* Blocks contain no rows of damaged images; only the last block is empty. */
static puad_status next_rows(row_block *out, void *state, size_t rows_most)
{
    enum { PICTURES_MAX = 256 }; /* small blocks of features, so that the first scores come soon */
    scoring *job = state;
    size_t kept = 0;
    while (kept == 0 && job->next < job->list.count) {
        size_t rows = job->list.count - job->next, max = rows_most < PICTURES_MAX ? rows_most : PICTURES_MAX;
        if (rows > max) rows = max;
        TRY(make_room(job, rows));
        memset(job->damaged, 0, rows);
        TRY(picture_rows_run(job->rows, job->values, job->damaged, job->next, rows, read_picture, &job->job));
        for (size_t i = 0; i < rows; i++) {
            if (job->damaged[i]) continue;
            memmove(job->values + kept * job->columns, job->values + i * job->columns,
                    job->columns * sizeof *job->values);
            job->ids[kept] = job->list.names[job->next + i];
            if (job->labels) job->block_labels[kept] = job->labels[job->next + i];
            kept++;
        }
        job->next += rows;
    }
    *out = (row_block){.rows = kept,
                       .first_row = job->given,
                       .values = job->values,
                       .labels = job->labels ? job->block_labels : NULL,
                       .ids = job->ids};
    job->given += kept;
    return PUAD_OK;
}

static puad_status open_scoring(scoring *job, const char *path, const transform *encoding,
                                const data_options *options)
{
    TRY(image_list(&job->list, path));
    job->folder = strdup(path);
    if (!job->folder) FAIL(PUAD_MEMORY, "no memory for a name");
    job->folders[0] = job->folder;
    job->job = (reading){job->folders, &job->list, encoding->backbone ? 0 : encoding->channels};
    job->columns = encoding->encoded;
    TRY(picture_rows_new(&job->rows, encoding, options->workers));
    if (!job->list.classes || !label_rule_is_given(&options->labels)) return PUAD_OK;
    TRY(memory_new(&job->labels, job->list.count, 1, "labels"));
    return class_labels(job->labels, &job->list, path, &options->labels);
}

static puad_status tell(notes *out, const void *state)
{
    const scoring *job = state;
    return image_names_tell(out, &job->list, job->folder);
}

puad_status format_folder_rows(row_source *out, const char *path, const transform *encoding,
                               const data_options *options)
{
    scoring *job = NULL;
    TRY(memory_new(&job, 1, sizeof *job, path));
    puad_status status = open_scoring(job, path, encoding, options);
    if (status != PUAD_OK) {
        scoring_end(job);
        return status;
    }
    *out = (row_source){.next = next_rows,
                        .tell = tell,
                        .end = scoring_end,
                        .id_name = "file",
                        .state = job,
                        .unreadable = picture_rows_damaged(job->rows)};
    return PUAD_OK;
}

puad_status format_folder_profile(profile *out, const char *path, const data_options *options)
{
    return profile_folder(out, path, options);
}
