/* Detects the format of an input and calls its functions. */
#include "input/input.h"

#include "base/file.h"
#include "base/model_head.h"
#include "input/format.h"
#include "io/stream_makers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const format formats[] = {
#define FORMAT(name, what)                                                                                   \
    {#name,                                                                                                  \
     what,                                                                                                   \
     format_##name##_matches,                                                                                \
     format_##name##_load,                                                                                   \
     format_##name##_rows,                                                                                   \
     format_##name##_profile},
#include "input/formats.def"
#undef FORMAT
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

/* Fails if the input is a pipe: its format cannot be detected before it is read. */
static puad_status refuse_array_in_pipe(const char *path)
{
    static const char *const endings[] = {".npy", ".npz", ".idx"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length >= 4 && strcmp(path + length - 4, endings[i]) == 0)
            FAIL(PUAD_INVALID, "%s: is a pipe, and only CSV can be read from one; give the array as a file",
                 path);
    return PUAD_OK;
}

puad_status format_of(const format **out, const char *path, kept_files *kept)
{
    unsigned char head[16] = {0};
    size_t size = 0;
    if (read_once(kept, path)) {
        TRY(refuse_array_in_pipe(path));
    } else if (!file_is_folder(path) || stream_is_joined(path)) {
        AUTO_STREAM stream source = {0};
        TRY(stream_open_kept(&source, path, kept));
        TRY(stream_read_some(&source, head, sizeof head, &size));
    }
    if (head_is_model(head, size)) FAIL(PUAD_FORMAT, "%s: is a model, and rows are expected", path);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        *out = &formats[i];
        if (formats[i].matches(path, head, size)) return PUAD_OK;
    }
    FAIL(PUAD_FORMAT, "%s: unsupported file format", path);
}

static puad_status check_same_kind(const format *kind, const char *path, const char *other, kept_files *kept)
{
    const format *found;
    if (!other) return PUAD_OK;
    TRY(format_of(&found, other, kept));
    if (found != kind) FAIL(PUAD_INVALID, "%s is %s, but %s is %s", other, found->what, path, kind->what);
    return PUAD_OK;
}

/* The caller's options with kept files. If the caller keeps none, *owner is a new list that must outlive
 * the readers; else NULL. */
static puad_status keep_files(data_options *out, kept_files **owner, const data_options *options)
{
    *out = *options;
    if (options->kept) return PUAD_OK;
    TRY(kept_files_new(owner, false));
    out->kept = *owner;
    return PUAD_OK;
}

puad_status data_open(dataset *out, const char *path, const data_options *options)
{
    const format *kind;
    AUTO_KEPT_FILES kept_files *owner = NULL;
    data_options inner;
    TRY(label_rule_check(&options->labels));
    TRY(keep_files(&inner, &owner, options));
    TRY(format_of(&kind, path, inner.kept));
    TRY(check_same_kind(kind, path, options->anomalies, inner.kept));
    TRY(check_same_kind(kind, path, options->normals, inner.kept));
    *out = (dataset){0};
    puad_status status = kind->load(out, path, &inner);
    if (status == PUAD_OK && inner.backbone && !(out->transform && out->transform->backbone))
        status = status_fail(PUAD_INVALID, "%s: option 'backbone' is for images, and these rows are a table",
                             path);
    if (status != PUAD_OK) dataset_free(out);
    return status;
}

/* For messages. */
static const char *input_name(arena *memory, const char *path)
{
    size_t more = 0, capacity = strlen(path) + 40;
    char *name = NULL;
    if (strcmp(path, "-") == 0) return arena_text(memory, "standard input");
    if (*path != '\n') return arena_text(memory, path);
    const char *end = path + 1; /* a list, see stream_open: a doubled line feed is part of a name */
    while (*end && (end[0] != '\n' || end[1] == '\n')) end += 1 + (*end == '\n');
    for (const char *p = end; *p; p++) {
        bool doubled = p[0] == '\n' && p[1] == '\n';
        more += *p == '\n' && !doubled;
        p += doubled;
    }
    size_t length = (size_t)(end - path - 1);
    if (arena_new(memory, &name, capacity, 1) == PUAD_OK) {
        if (more)
            snprintf(name, capacity, "%.*s and %zu more", (int)length, path + 1, more);
        else
            snprintf(name, capacity, "%.*s", (int)length, path + 1);
    }
    return name;
}

puad_status profile_read(profile *out, const char *path, const data_options *options)
{
    const format *kind;
    AUTO_KEPT_FILES kept_files *owner = NULL;
    data_options inner;
    TRY(label_rule_check(&options->labels));
    TRY(keep_files(&inner, &owner, options));
    TRY(format_of(&kind, path, inner.kept));
    *out = (profile){.format = kind->name};
    out->name = input_name(&out->memory, path);
    puad_status status =
        out->name ? kind->profile(out, path, &inner) : status_fail(PUAD_MEMORY, "no memory for a name");
    if (status == PUAD_OK) status = profile_fates(out, path, &inner);
    if (status != PUAD_OK) profile_free(out);
    return status;
}

void profile_odd_label(profile *out, const char *text)
{
    if (out->odd_labels++ == 0) snprintf(out->odd_label, sizeof out->odd_label, "%s", text);
}

/* Welford's update for the deviation itself instead of its square, which would overflow for 1e200. */
void profile_count_number(profile_column *column, double value)
{
    double count = (double)++column->numbers, step = value - column->mean;
    column->mean += step / count;
    column->sd = hypot(column->sd * sqrt((count - 1) / count), step * sqrt(count - 1) / count);
    if (value < column->min) column->min = value;
    if (value > column->max) column->max = value;
}

void profile_free(profile *owner)
{
    for (size_t i = 0; i < owner->column_count && owner->columns; i++)
        dictionary_free(&owner->columns[i].words);
    dictionary_free(&owner->values);
    notes_free(&owner->notes);
    arena_free(&owner->memory);
    *owner = (profile){0};
}

puad_status row_source_open(row_source **out, const char *path, const transform *encoding,
                            const data_options *options)
{
    const format *kind;
    AUTO_KEPT_FILES kept_files *owner = NULL;
    data_options inner;
    TRY(label_rule_check(&options->labels));
    TRY(keep_files(&inner, &owner, options));
    TRY(format_of(&kind, path, inner.kept));
    bool image = kind->rows == format_folder_rows;
    if (image && !encoding->image)
        FAIL(PUAD_INVALID, "%s is %s, but the model was trained on a table", path, kind->what);
    if (kind->rows == format_csv_rows && encoding->image)
        FAIL(PUAD_INVALID, "%s is %s, but the model was trained on images", path, kind->what);
    row_source *source = NULL;
    TRY(memory_new(&source, 1, sizeof *source, path));
    puad_status status = kind->rows(source, path, encoding, &inner);
    if (status != PUAD_OK) {
        free(source);
        return status;
    }
    source->kept = owner;
    owner = NULL;
    *out = source;
    return PUAD_OK;
}

puad_status row_source_next(row_block *out, row_source *source, size_t rows_most)
{
    *out = (row_block){0};
    return source->next(out, source->state, rows_most ? rows_most : 1);
}

const char *row_source_id_name(const row_source *source)
{
    return source->id_name;
}

const bool *row_source_absent(const row_source *source)
{
    return source->absent;
}

const char *const *row_source_added(const row_source *source, size_t *out_count)
{
    *out_count = source->added_count;
    return source->added;
}

const char *const *row_source_cells(const row_source *source, size_t *out_count)
{
    *out_count = source->cell_count;
    return source->cell_names;
}

puad_status row_source_notes(notes *out, const row_source *source)
{
    return source->tell ? source->tell(out, source->state) : PUAD_OK;
}

const unreadable_images *row_source_unreadable(const row_source *source)
{
    return source->unreadable;
}

void row_source_free(row_source *source)
{
    if (!source) return;
    source->end(source->state);
    kept_files_free(source->kept);
    free(source);
}

puad_status extreme_rows_tell(notes *out, const extreme_rows *counted, const char *file)
{
    if (!counted->count) return PUAD_OK;
    return notes_add(out, "%s: %zu rows have a number out of range, clipped (first: row %zu, column '%s')",
                     file, counted->count, counted->first_row, counted->first->name);
}
