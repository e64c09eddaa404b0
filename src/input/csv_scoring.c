/* Finds the columns of a file to score, by name or by position, and plans reading them. */
#include "input/csv_scoring.h"

#include "table/csv/csv_roles.h"
#include "table/encoding/dictionary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists the columns that the model was trained on, for a message. */
static void list_expected(char *out, size_t size, const transform *encoding)
{
    size_t used = 0;
    for (size_t i = 0; i < encoding->input_count && used < size; i++)
        if (!transform_goes_on(encoding, i))
            used +=
                (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", encoding->columns[i].source);
    if (used >= size) memcpy(out + size - 4, "...", 4);
}

static puad_status wrong_count(const csv_scoring *job, size_t columns, size_t features)
{
    char found[120] = "", expected[120] = "", among[60] = "";
    csv_list_columns(found, sizeof found, job->reader);
    list_expected(expected, sizeof expected, job->encoding);
    if (features != columns) snprintf(among, sizeof among, ", %zu of them features", features);
    FAIL(PUAD_FORMAT,
         "%s: %zu columns (%s)%s%s, the model has %zu (%s)%s; see option 'ignore', option 'id_column'",
         csv_name(job->reader), columns, found, csv_dialect_of(job->reader).header ? "" : " without a header",
         among, transform_sources(job->encoding), expected, job->encoding->named ? "" : " of an array");
}

/* The training position of each column, if the file has equally many columns and none of them has another
 * role. */
static bool places_of_training(size_t *out, const transform *encoding, const column_role *roles, size_t count)
{
    if (!encoding->file_columns || encoding->file_columns != count) return false;
    for (size_t i = 0; i < encoding->input_count; i++) {
        out[i] = encoding->columns[i].place;
        if (roles[out[i]] == ROLE_LABEL || roles[out[i]] == ROLE_IGNORED) return false;
    }
    return true;
}

/* Without names: positions as in training, or the features in order. If one feature is missing, an id
 * column counts as a feature. */
static puad_status find_by_place(size_t *out, const csv_scoring *job, column_role *roles, size_t count)
{
    size_t features = 0, ids = 0, k = 0, sources = transform_sources(job->encoding);
    if (places_of_training(out, job->encoding, roles, count)) return PUAD_OK;
    for (size_t i = 0; i < count; i++) {
        features += roles[i] == ROLE_FEATURE;
        ids += roles[i] == ROLE_ID;
    }
    bool with_id = features + ids == sources;
    if (features != sources && !with_id) return wrong_count(job, count, features);
    for (size_t i = 0; i < count; i++) {
        if (roles[i] != ROLE_FEATURE && !(with_id && roles[i] == ROLE_ID)) continue;
        do out[k++] = i;
        while (k < job->encoding->input_count && transform_goes_on(job->encoding, k));
    }
    for (size_t i = 0; ids && with_id && job->options.id_optional && i < count; i++)
        if (roles[i] == ROLE_ID) roles[i] = ROLE_FEATURE; /* the file lacks the model's id column */
    return PUAD_OK;
}

/* The file's column for each column of the encoding; SIZE_MAX if there is none. */
static puad_status find_columns(size_t *out, const csv_scoring *job, column_role *roles)
{
    size_t count;
    const transform *encoding = job->encoding;
    const char *const *names = csv_columns(job->reader, &count);
    if (!encoding->named || !csv_dialect_of(job->reader).header) return find_by_place(out, job, roles, count);
    AUTO_DICTIONARY dictionary places = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t code;
        TRY(dictionary_add(&code, &places, (text_view){names[i], strlen(names[i])}));
    }
    for (size_t i = 0; i < encoding->input_count; i++) {
        const char *name = encoding->columns[i].source;
        text_view view = {name, strlen(name)};
        uint32_t place = dictionary_find(&places, view);
        out[i] = place == DICTIONARY_NONE ? SIZE_MAX : place;
    }
    return PUAD_OK;
}

static puad_status none_found(const csv_scoring *job)
{
    char found[160] = "", expected[160] = "";
    csv_list_columns(found, sizeof found, job->reader);
    list_expected(expected, sizeof expected, job->encoding);
    FAIL(PUAD_FORMAT, "%s: no column of the model; it has %s, not %s (case matters)", csv_name(job->reader),
         found, expected);
}

/* The encoding column that each file column feeds (the first one of several), as 1 + index, or 0. */
static puad_status place_columns(csv_scoring *job, size_t *out, size_t *where, column_role *roles)
{
    const transform *encoding = job->encoding;
    size_t found = 0;
    TRY(find_columns(where, job, roles));
    job->label_feature = SIZE_MAX;
    for (size_t i = 0; i < encoding->input_count; i++) {
        job->number_place[i] = job->text_place[i] = SIZE_MAX;
        if (!transform_reads(&encoding->columns[i]) || where[i] == SIZE_MAX) continue;
        found++;
        if (roles[where[i]] == ROLE_LABEL) /* never pass the truth to the model */
            job->label_feature = i;
        else if (!out[where[i]])
            out[where[i]] = i + 1;
    }
    if (found == 0) return none_found(job);
    return PUAD_OK;
}

/* Whether the training file had the column as a non-feature. */
static bool was_idle(const data_options *options, const char *name)
{
    for (size_t i = 0; i < options->idle_count; i++)
        if (csv_list_names(options->idle[i], name)) return true;
    return false;
}

/* Lists columns that are neither in the model nor in the options. */
static puad_status list_added(csv_scoring *job, const size_t *where, const column_role *roles, size_t count)
{
    AUTO_FREE bool *known = NULL;
    const char *const *names = csv_columns(job->reader, &count);
    const transform *encoding = job->encoding;
    if (!job->options.idle || !encoding->file_columns || !encoding->named ||
        !csv_dialect_of(job->reader).header)
        return PUAD_OK;
    TRY(memory_new(&known, count, sizeof *known, "columns"));
    TRY(arena_new(&job->memory, &job->added, count, sizeof *job->added));
    for (size_t i = 0; i < encoding->input_count; i++)
        if (where[i] != SIZE_MAX) known[where[i]] = true;
    for (size_t i = 0; i < count; i++)
        if (!known[i] && roles[i] == ROLE_FEATURE && *names[i] && !was_idle(&job->options, names[i]))
            job->added[job->added_count++] = names[i];
    return PUAD_OK;
}

/* The index of a time or group column; SIZE_MAX if there is none. */
static size_t axis_column(const csv_scoring *job, const char *name)
{
    return name && axis_is_given(&job->encoding->axis) ? csv_find_column(job->reader, name) : SIZE_MAX;
}

/* Plans what to read. The id column is read as a string, and may also be a feature. */
static puad_status plan_scoring(csv_scoring *job)
{
    size_t count, columns = job->encoding->input_count; /* those of the file */
    csv_columns(job->reader, &count);
    AUTO_FREE column_role *roles = NULL;
    AUTO_FREE cell_kind *kinds = NULL;
    AUTO_FREE cell_form *forms = NULL;
    AUTO_FREE size_t *where = NULL; /* per column of the encoding: the file's column */
    AUTO_FREE size_t *feeds = NULL; /* per column of the file: 1 + the encoding's column */
    TRY(csv_roles(&roles, job->reader, &job->options, false));
    TRY(memory_new(&kinds, count, sizeof *kinds, "columns"));
    TRY(memory_new(&feeds, count, sizeof *feeds, "columns"));
    TRY(memory_new(&forms, count, sizeof *forms, "columns"));
    TRY(memory_new(&where, columns, sizeof *where, "columns"));
    TRY(arena_new(&job->memory, &job->before, columns, sizeof *job->before));
    for (size_t i = 0; i < columns; i++) job->before[i] = NAN;
    TRY(arena_new(&job->memory, &job->number_place, columns, sizeof(size_t)));
    TRY(arena_new(&job->memory, &job->text_place, columns, sizeof(size_t)));
    TRY(arena_new(&job->memory, &job->number_column, columns, sizeof(size_t)));
    TRY(arena_new(&job->memory, &job->unseen, columns, sizeof(size_t)));
    TRY(arena_new(&job->memory, &job->odd, columns, sizeof(size_t)));
    TRY(place_columns(job, feeds, where, roles));
    TRY(list_added(job, where, roles, count));
    job->label_text = job->id_text = job->axis.time_text = job->axis.group_text = SIZE_MAX;
    size_t time = axis_column(job, job->options.time), group = axis_column(job, job->options.group);
    for (size_t i = 0; i < count; i++) {
        bool is_text = job->options.keep_cells || roles[i] == ROLE_LABEL || roles[i] == ROLE_ID ||
                       i == time || i == group;
        if (i == time) job->axis.time_text = job->text_count;
        if (i == group) job->axis.group_text = job->text_count;
        if (roles[i] == ROLE_LABEL) job->label_text = job->text_count;
        if (roles[i] == ROLE_ID) job->id_text = job->text_count;
        kinds[i] = CELL_SKIP;
        if (!is_text && feeds[i] == 0) continue;
        is_text = is_text || job->encoding->columns[feeds[i] - 1].type == COLUMN_CATEGORY;
        kinds[i] = is_text ? CELL_TEXT : CELL_NUMBER;
        if (feeds[i]) forms[i] = job->encoding->columns[feeds[i] - 1].form;
        if (is_text) {
            if (feeds[i]) job->text_place[feeds[i] - 1] = job->text_count;
            job->text_count++;
        } else {
            job->number_place[feeds[i] - 1] = job->number_count;
            job->number_column[job->number_count++] = feeds[i] - 1;
        }
    }
    for (size_t i = 1; i < columns; i++) { /* further parts of the same cells */
        if (where[i] == SIZE_MAX || !transform_reads(&job->encoding->columns[i]) || i == job->label_feature)
            continue;
        size_t first = feeds[where[i]];
        if (!first || first == i + 1) continue;
        job->number_place[i] = job->number_place[first - 1];
        job->text_place[i] = job->text_place[first - 1];
    }
    TRY(arena_new(&job->memory, &job->absent, job->encoding->column_count, sizeof *job->absent));
    for (size_t i = 0; i < columns; i++)
        job->absent[i] = transform_reads(&job->encoding->columns[i]) && job->label_feature != i &&
                         job->number_place[i] == SIZE_MAX && job->text_place[i] == SIZE_MAX;
    TRY(arena_new(&job->memory, &job->at_once, columns, sizeof *job->at_once));
    for (size_t i = 0; i < columns; i++) {
        const transform_column *column = &job->encoding->columns[i];
        job->at_once[i] =
            column->type == COLUMN_NUMBER && column->part == PART_VALUE && job->number_place[i] != SIZE_MAX;
        job->others |= column->type != COLUMN_DROPPED && !job->at_once[i];
    }
    job->others |= job->encoding->derived.count > 0;
    TRY(csv_set_forms(job->reader, forms));
    return csv_plan(job->reader, kinds);
}

puad_status csv_scoring_open(csv_scoring *job, const char *path)
{
    const data_options *options = &job->options;
    const transform *encoding = job->encoding;
    size_t known = csv_known_count(options);
    const char **names;
    TRY(arena_new(&job->memory, &names, known + encoding->input_count, sizeof *names));
    csv_known(names, options);
    for (size_t i = 0; encoding->named && i < encoding->input_count; i++)
        names[known++] = encoding->columns[i].source;
    csv_settings settings = {.kept = options->kept,
                             .live = options->live,
                             .delimiter = options->delimiter,
                             .decimal = options->decimal,
                             .usual_decimal = encoding->decimal,
                             .header = options->header,
                             .known = names,
                             .known_count = known};
    for (size_t i = 0; i < options->ignore_count; i++)
        for (size_t k = 0; encoding->named && k < encoding->input_count; k++)
            if (transform_reads(&encoding->columns[k]) &&
                csv_list_names(options->ignore[i], encoding->columns[k].source))
                FAIL(PUAD_INVALID, "option 'ignore': '%s' is a column of the model; train it without",
                     encoding->columns[k].source);
    TRY(csv_open(&job->reader, path, &settings, options->workers));
    TRY(plan_scoring(job));
    if (axis_is_given(&encoding->axis)) job->axis.axis = &encoding->axis;
    if (!options->intervals) return PUAD_OK;
    if (!encoding->axis.time)
        FAIL(PUAD_INVALID,
             "option 'intervals': the model has no time stamps (option 'time_column' of its fit)");
    return intervals_read(&job->axis.intervals, options->intervals, &encoding->axis.form, options->group);
}
