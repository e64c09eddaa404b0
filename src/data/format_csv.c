/* CSV as a format: rows to score are parsed by several threads, encoded as they are asked for, and forgotten.
 */
#include "data/csv.h"
#include "data/csv_roles.h"
#include "data/format.h"
#include "data/number.h"
#include "data/table_csv.h"
#include "data/time_axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool format_csv_matches(const char *path, const unsigned char *head, size_t size)
{
    (void)path, (void)head, (void)size;
    return true;
}

puad_status format_csv_load(dataset *out, const char *path, const data_options *options)
{
    return table_from_csv(out, path, options);
}

puad_status format_csv_profile(profile *out, const char *path, const data_options *options)
{
    return profile_csv(out, path, options);
}

/* The rows of a parsed block as the model takes them. */
typedef struct encoded_block {
    float *values;
    size_t room; /* values */
    bool within; /* no number is beyond its column's bounds */
} encoded_block;

typedef struct scoring {
    const transform *how;
    data_options options;
    csv_reader *reader;
    arena memory;
    size_t *number_place,
        *text_place;       /* per column of the transform: where the reader gives it; SIZE_MAX if not */
    size_t *number_column; /* and back, for numbers */
    size_t number_count, text_count, label_text, id_text;
    size_t label_feature; /* the transform's column that is the label here; SIZE_MAX for none */
    size_t *unseen, *odd; /* per column of the transform */
    bool *absent;         /* the same */
    bool *at_once;        /* the same: numbers that are encoded when a block has been parsed */
    bool others;          /* some columns are not */
    double *before;       /* the dates of the row before, per column of the transform */
    axis_cells axis;      /* of a time series */
    extreme_rows beyond;
    csv_block *blocks;
    encoded_block encoded[CSV_BLOCKS_MOST];
    size_t block_count, block, row; /* the next row to hand out */
    bool ended;
    size_t short_rows;
    int8_t *labels; /* room for `room` rows */
    const char **ids;
    char *id_pool;
    size_t id_room, room;
} scoring;

static void scoring_end(void *state)
{
    scoring *job = state;
    csv_close(job->reader);
    for (size_t i = 0; i < CSV_BLOCKS_MOST; i++) free(job->encoded[i].values);
    free(job->labels);
    free(job->ids);
    free(job->id_pool);
    axis_cells_free(&job->axis);
    arena_free(&job->memory);
    free(job);
}

/* A list of the columns that the model was trained on, for a message. */
static void list_expected(char *out, size_t size, const transform *how)
{
    size_t used = 0;
    for (size_t i = 0; i < how->column_count && used < size; i++)
        if (!transform_goes_on(how, i))
            used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", how->columns[i].source);
    if (used >= size) memcpy(out + size - 4, "...", 4);
}

static puad_status wrong_count(const scoring *job, size_t columns, size_t features)
{
    char found[120] = "", expected[120] = "", among[60] = "";
    csv_list_columns(found, sizeof found, job->reader);
    list_expected(expected, sizeof expected, job->how);
    if (features != columns) snprintf(among, sizeof among, ", %zu of them features", features);
    FAIL(
        PUAD_FORMAT,
        "%s: %zu columns (%s)%s%s, but the model was trained on %zu (%s)%s; columns are taken by their place "
        "here: name those that are no features with option 'ignore', option 'label_column' or option "
        "'id_column'",
        csv_name(job->reader), columns, found, csv_dialect_of(job->reader).header ? "" : " without a header",
        among, transform_sources(job->how), expected, job->how->named ? "" : " of an array");
}

/* Where each column lay in training, if the file has as many columns and none of these is something else. */
static bool places_of_training(size_t *out, const transform *how, const column_role *roles, size_t count)
{
    if (!how->file_columns || how->file_columns != count) return false;
    for (size_t i = 0; i < how->column_count; i++) {
        out[i] = how->columns[i].place;
        if (roles[out[i]] == ROLE_LABEL || roles[out[i]] == ROLE_IGNORED) return false;
    }
    return true;
}

/* Without names: as in training, or the features in their order. An id column counts as a feature where the
 * others are one too few. */
static puad_status find_by_place(size_t *out, const scoring *job, column_role *roles, size_t count)
{
    size_t features = 0, ids = 0, k = 0, sources = transform_sources(job->how);
    if (places_of_training(out, job->how, roles, count)) return PUAD_OK;
    for (size_t i = 0; i < count; i++) {
        features += roles[i] == ROLE_FEATURE;
        ids += roles[i] == ROLE_ID;
    }
    bool with_id = features + ids == sources;
    if (features != sources && !with_id) return wrong_count(job, count, features);
    for (size_t i = 0; i < count; i++) {
        if (roles[i] != ROLE_FEATURE && !(with_id && roles[i] == ROLE_ID)) continue;
        do out[k++] = i;
        while (k < job->how->column_count && transform_goes_on(job->how, k));
    }
    for (size_t i = 0; ids && with_id && job->options.id_optional && i < count; i++)
        if (roles[i] == ROLE_ID) roles[i] = ROLE_FEATURE; /* the model's id column: this file has none */
    return PUAD_OK;
}

/* The file's column for each column of the transform; SIZE_MAX where there is none. */
static puad_status find_columns(size_t *out, const scoring *job, column_role *roles)
{
    size_t count;
    const transform *how = job->how;
    const char *const *names = csv_columns(job->reader, &count);
    if (!how->named || !csv_dialect_of(job->reader).header) return find_by_place(out, job, roles, count);
    AUTO_DICTIONARY dictionary places = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t code;
        TRY(dictionary_add(&code, &places, (text_view){names[i], strlen(names[i])}));
    }
    for (size_t i = 0; i < how->column_count; i++) {
        const char *name = how->columns[i].source;
        text_view view = {name, strlen(name)};
        uint32_t place = dictionary_find(&places, view);
        if (place == DICTIONARY_NONE)
            place = dictionary_find(&places, view_trimmed(view)); /* an older model */
        out[i] = place == DICTIONARY_NONE ? SIZE_MAX : place;
    }
    return PUAD_OK;
}

static puad_status none_found(const scoring *job)
{
    char found[160] = "", expected[160] = "";
    csv_list_columns(found, sizeof found, job->reader);
    list_expected(expected, sizeof expected, job->how);
    FAIL(PUAD_FORMAT,
         "%s: none of the columns that the model was trained on: it has %s; the model expects %s (names are "
         "compared letter by letter, capitals too)",
         csv_name(job->reader), found, expected);
}

/* Which column of the transform each column of the file feeds, the first where it feeds several: 1 + its
 * number, or 0.
 */
static puad_status place_columns(scoring *job, size_t *out, size_t *where, column_role *roles)
{
    const transform *how = job->how;
    size_t found = 0;
    TRY(find_columns(where, job, roles));
    job->label_feature = SIZE_MAX;
    for (size_t i = 0; i < how->column_count; i++) {
        job->number_place[i] = job->text_place[i] = SIZE_MAX;
        if (how->columns[i].type == COLUMN_DROPPED || where[i] == SIZE_MAX) continue;
        found++;
        if (roles[where[i]] == ROLE_LABEL) /* the truth is not shown to the model */
            job->label_feature = i;
        else if (!out[where[i]])
            out[where[i]] = i + 1;
    }
    if (found == 0) return none_found(job);
    return PUAD_OK;
}

/* The place of a column of the axis; SIZE_MAX for none. */
static size_t axis_column(const scoring *job, const char *name)
{
    return name && axis_is_given(&job->how->axis) ? csv_find_column(job->reader, name) : SIZE_MAX;
}

/* What the reader shall give. The id column is read as text and may be a feature all the same. */
static puad_status plan_scoring(scoring *job)
{
    size_t count, columns = job->how->column_count;
    csv_columns(job->reader, &count);
    AUTO_FREE column_role *roles = NULL;
    AUTO_FREE cell_kind *kinds = NULL;
    AUTO_FREE cell_form *forms = NULL;
    AUTO_FREE size_t *where = NULL; /* of each column of the transform: the file's */
    AUTO_FREE size_t *feeds = NULL; /* of each column of the file: 1 + the transform's column */
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
        is_text = is_text || job->how->columns[feeds[i] - 1].type == COLUMN_CATEGORY;
        kinds[i] = is_text ? CELL_TEXT : CELL_NUMBER;
        if (feeds[i]) forms[i] = job->how->columns[feeds[i] - 1].form;
        if (is_text) {
            if (feeds[i]) job->text_place[feeds[i] - 1] = job->text_count;
            job->text_count++;
        } else {
            job->number_place[feeds[i] - 1] = job->number_count;
            job->number_column[job->number_count++] = feeds[i] - 1;
        }
    }
    for (size_t i = 1; i < columns; i++) { /* further parts of the same cells */
        if (where[i] == SIZE_MAX || job->how->columns[i].type == COLUMN_DROPPED || i == job->label_feature)
            continue;
        size_t first = feeds[where[i]];
        if (!first || first == i + 1) continue;
        job->number_place[i] = job->number_place[first - 1];
        job->text_place[i] = job->text_place[first - 1];
    }
    TRY(arena_new(&job->memory, &job->absent, columns, sizeof *job->absent));
    for (size_t i = 0; i < columns; i++)
        job->absent[i] = job->how->columns[i].type != COLUMN_DROPPED && job->label_feature != i &&
                         job->number_place[i] == SIZE_MAX && job->text_place[i] == SIZE_MAX;
    TRY(arena_new(&job->memory, &job->at_once, columns, sizeof *job->at_once));
    for (size_t i = 0; i < columns; i++) {
        const transform_column *column = &job->how->columns[i];
        job->at_once[i] =
            column->type == COLUMN_NUMBER && column->part == PART_VALUE && job->number_place[i] != SIZE_MAX;
        job->others |= column->type != COLUMN_DROPPED && !job->at_once[i];
    }
    TRY(csv_set_forms(job->reader, forms));
    return csv_plan(job->reader, kinds);
}

static puad_status open_scoring(scoring *job, const char *path)
{
    const data_options *options = &job->options;
    const transform *how = job->how;
    size_t known = csv_known_count(options);
    const char **names;
    TRY(arena_new(&job->memory, &names, known + how->column_count, sizeof *names));
    csv_known(names, options);
    for (size_t i = 0; how->named && i < how->column_count; i++) names[known++] = how->columns[i].source;
    csv_settings settings = {.kept = options->kept,
                             .live = options->live,
                             .delimiter = options->delimiter,
                             .decimal = options->decimal,
                             .usual_decimal = how->decimal,
                             .header = options->header,
                             .known = names,
                             .known_count = known};
    for (size_t i = 0; i < options->ignore_count; i++)
        for (size_t k = 0; how->named && k < how->column_count; k++)
            if (how->columns[k].type != COLUMN_DROPPED &&
                csv_list_names(options->ignore[i], how->columns[k].source))
                FAIL(PUAD_INVALID, "option 'ignore': '%s' is a column of the model; train it without",
                     how->columns[k].source);
    TRY(csv_open(&job->reader, path, &settings, options->workers));
    TRY(plan_scoring(job));
    if (axis_is_given(&how->axis)) job->axis.how = &how->axis;
    if (!options->intervals) return PUAD_OK;
    if (!how->axis.time)
        FAIL(PUAD_INVALID, "option 'intervals': the model knows no time stamps (option 'time' of its fit)");
    return intervals_read(&job->axis.intervals, options->intervals, &how->axis.form, options->group);
}

static puad_status make_room(scoring *job, size_t rows)
{
    if (rows <= job->room) return PUAD_OK;
    TRY(memory_grow(&job->labels, rows, 1, "labels"));
    TRY(memory_grow(&job->ids, rows, sizeof *job->ids, "ids"));
    TRY(axis_cells_room(&job->axis, rows));
    job->room = rows;
    return PUAD_OK;
}

/* A number that is read as text, because the column is the id as well. */
static double number_of(scoring *job, size_t column, text_view text)
{
    double value;
    cell_form form = job->how->columns[column].form;
    if (form.kind == FORM_PLAIN) form.decimal = csv_dialect_of(job->reader).decimal;
    if (cell_is_missing(text.text, text.length)) return NAN;
    if (form_read(&value, &form, text)) return isfinite(value) ? value : NAN;
    job->odd[column]++;
    return NAN;
}

/* In the thread that parsed the block: the columns that are numbers and nothing else, one after another. */
static puad_status encode_block(void *context, csv_block *block, size_t index, int thread)
{
    (void)thread;
    enum { ROWS_TOGETHER = 128 };
    const scoring *job = context;
    encoded_block *to = &((scoring *)context)->encoded[index];
    size_t width = job->how->encoded, cells;
    if (!size_multiply(&cells, block->rows, width) || cells > SIZE_MAX / sizeof *to->values)
        return PUAD_MEMORY;
    if (cells > to->room) {
        if (memory_grow(&to->values, cells, sizeof *to->values, "rows") != PUAD_OK) return PUAD_MEMORY;
        to->room = cells;
    }
    to->within = true;
    for (size_t first = 0; first < block->rows; first += ROWS_TOGETHER) {
        size_t rows = block->rows - first < ROWS_TOGETHER ? block->rows - first : ROWS_TOGETHER;
        for (size_t i = 0; i < job->how->column_count; i++) {
            double numbers[ROWS_TOGETHER];
            if (!job->at_once[i]) continue;
            const double *from = block->numbers + first * job->number_count + job->number_place[i];
            for (size_t r = 0; r < rows; r++) numbers[r] = from[r * job->number_count];
            to->within &=
                transform_numbers(to->values + first * width, width, &job->how->columns[i], numbers, rows);
        }
    }
    return PUAD_OK;
}

/* The other columns; all of them again where a number beyond its bounds has to be counted. */
static void encode_row(scoring *job, const csv_block *block, size_t row, float *out, bool again)
{
    const transform_column *beyond = NULL;
    const double *numbers = block->numbers + row * job->number_count;
    const text_view *texts = block->texts + row * job->text_count;
    for (size_t i = 0; i < job->how->column_count; i++) {
        const transform_column *column = &job->how->columns[i];
        if (job->at_once[i] && !again) continue;
        if (column->type == COLUMN_NUMBER) {
            double value = job->number_place[i] != SIZE_MAX ? numbers[job->number_place[i]]
                           : job->text_place[i] != SIZE_MAX ? number_of(job, i, texts[job->text_place[i]])
                                                            : NAN;
            bool within = transform_dated(out, column, value, job->before[i]);
            if (!within && !beyond && column->part != PART_SINCE) beyond = column;
            job->before[i] = value;
        } else if (column->type == COLUMN_CATEGORY) {
            size_t place = job->text_place[i];
            text_view text = place == SIZE_MAX ? (text_view){"", 0} : texts[place];
            job->unseen[i] += !transform_text(out, column, text);
        }
    }
    extreme_rows_add(&job->beyond, beyond, block->first_row + row);
}

static puad_status read_label(scoring *job, const csv_block *block, size_t row, int8_t *out)
{
    text_view view = block->texts[row * job->text_count + job->label_text];
    if (label_read(out, &job->options.labels, view)) return PUAD_OK;
    char expected[300];
    label_rule_describe(expected, sizeof expected, &job->options.labels);
    stream_place at = csv_place(job->reader, csv_line(job->reader, block, row));
    FAIL(PUAD_FORMAT, "%s: line %llu (row %zu): the label '%.*s' in column '%s' is unknown; %s", at.name,
         at.line, block->first_row + row, (int)(view.length < 60 ? view.length : 60), view.text,
         job->options.label_column, expected);
}

static puad_status copy_ids(scoring *job, const csv_block *block, size_t rows)
{
    size_t bytes = 0, used = 0;
    const text_view *texts = block->texts + job->row * job->text_count + job->id_text;
    for (size_t r = 0; r < rows; r++) bytes += texts[r * job->text_count].length + 1;
    if (bytes > job->id_room) {
        TRY(memory_grow(&job->id_pool, bytes, 1, "ids"));
        job->id_room = bytes;
    }
    for (size_t r = 0; r < rows; r++) {
        text_view text = texts[r * job->text_count];
        job->ids[r] = job->id_pool + used;
        if (text.length) memcpy(job->id_pool + used, text.text, text.length);
        job->id_pool[used + text.length] = 0;
        used += text.length + 1;
    }
    return PUAD_OK;
}

/* Time and group of row `r` of those to hand out, and its label where intervals tell it. */
static puad_status read_axis(scoring *job, const csv_block *block, size_t r)
{
    bool labeled;
    TRY(axis_cells_read(&job->axis, &labeled, r, job->reader, block, job->row + r, job->text_count));
    if (!job->options.intervals) return PUAD_OK;
    if (job->label_text == SIZE_MAX)
        job->labels[r] = job->options.labels.truth ? LABEL_NORMAL : LABEL_UNLABELED;
    if (labeled) job->labels[r] = LABEL_ANOMALY;
    return PUAD_OK;
}

static void count_odd_cells(scoring *job, const csv_block *block)
{
    job->short_rows += block->short_rows;
    for (size_t k = 0; k < block->odd_count; k++) job->odd[job->number_column[block->odd[k].number]]++;
}

static puad_status next_rows(row_block *out, void *state, size_t rows_most)
{
    scoring *job = state;
    while (!job->ended && (job->block == job->block_count || job->row == job->blocks[job->block].rows)) {
        job->row = 0;
        if (job->block < job->block_count && ++job->block < job->block_count) {
            count_odd_cells(job, &job->blocks[job->block]);
            continue;
        }
        TRY(csv_next(&job->blocks, &job->block_count, job->reader, encode_block, job));
        job->block = 0;
        job->ended = job->block_count == 0;
        if (!job->ended) count_odd_cells(job, &job->blocks[0]);
    }
    if (job->ended) return PUAD_OK;
    const csv_block *block = &job->blocks[job->block];
    size_t rows = block->rows - job->row < rows_most ? block->rows - job->row : rows_most;
    const encoded_block *made = &job->encoded[job->block];
    float *values = made->values + job->row * job->how->encoded;
    TRY(make_room(job, rows));
    for (size_t r = 0; r < rows; r++) {
        if (job->others || !made->within)
            encode_row(job, block, job->row + r, values + r * job->how->encoded, !made->within);
        if (job->label_text != SIZE_MAX) TRY(read_label(job, block, job->row + r, &job->labels[r]));
        if (job->axis.how) TRY(read_axis(job, block, r));
    }
    if (job->id_text != SIZE_MAX) TRY(copy_ids(job, block, rows));
    *out = (row_block){.rows = rows, .first_row = block->first_row + job->row, .values = values};
    if (job->label_text != SIZE_MAX || job->options.intervals) out->labels = job->labels;
    if (job->id_text != SIZE_MAX) out->ids = job->ids;
    if (job->axis.how) {
        out->times = job->axis.times;
        out->regroup = job->axis.regroup;
    }
    if (job->options.keep_cells) out->cells = block->texts + job->row * job->text_count;
    job->row += rows;
    return PUAD_OK;
}

static const char *mark_name(char decimal)
{
    return decimal == ',' ? "comma" : "point";
}

/* Whether no column in use before this one is made of the same cells. */
static bool is_first(const transform *how, size_t index)
{
    while (transform_goes_on(how, index))
        if (how->columns[--index].type != COLUMN_DROPPED) return false;
    return true;
}

static puad_status tell(notes *out, const void *state)
{
    const scoring *job = state;
    const char *name = csv_name(job->reader);
    for (size_t i = 0; i < job->how->column_count; i++) {
        const transform_column *column = &job->how->columns[i];
        if (column->type == COLUMN_DROPPED) continue;
        if (job->label_feature == i)
            TRY(notes_add(out,
                          "%s: column '%s' is a feature of the model, but the label here; for the model its "
                          "values count as missing",
                          name, column->name));
        else if (job->number_place[i] == SIZE_MAX && job->text_place[i] == SIZE_MAX && is_first(job->how, i))
            TRY(notes_add(out, "%s has no column '%s'; its values count as missing", name, column->source));
        if (job->unseen[i])
            TRY(notes_add(out, "%s: column '%s': %zu cells hold a category that was not seen in training",
                          name, column->name, job->unseen[i]));
        if (job->odd[i] && is_first(job->how, i))
            TRY(notes_add(out, "%s: column '%s': %zu cells are not %s and count as missing", name,
                          column->source, job->odd[i], form_noun(&column->form)));
    }
    TRY(extreme_rows_tell(out, &job->beyond, name));
    csv_dialect dialect = csv_dialect_of(job->reader);
    if (dialect.decimal_seen && dialect.likely_decimal != dialect.decimal && !job->options.decimal)
        TRY(notes_add(out,
                      "%s seems to have a decimal %s, but its numbers are read with the decimal %s that the "
                      "model was trained on; option 'decimal=%s' overrules it",
                      name, mark_name(dialect.likely_decimal), mark_name(dialect.decimal),
                      mark_name(dialect.likely_decimal)));
    if (job->short_rows)
        TRY(notes_add(out, "%s: %zu rows have fewer cells than there are columns; the rest counts as missing",
                      name, job->short_rows));
    return PUAD_OK;
}

puad_status format_csv_rows(row_source *out, const char *path, const transform *how,
                            const data_options *options)
{
    scoring *job = NULL;
    TRY(memory_new(&job, 1, sizeof *job, path));
    job->how = how;
    job->options = *options;
    if (!job->options.time) job->options.time = how->axis.time; /* the model's */
    if (!job->options.group) job->options.group = how->axis.group;
    puad_status status = open_scoring(job, path);
    if (status != PUAD_OK) {
        scoring_end(job);
        return status;
    }
    const char *id = job->id_text == SIZE_MAX ? NULL : options->id_column;
    *out = (row_source){next_rows, tell, scoring_end, id, job, job->absent, NULL, 0};
    if (options->keep_cells) out->cell_names = csv_columns(job->reader, &out->cell_count);
    return PUAD_OK;
}
