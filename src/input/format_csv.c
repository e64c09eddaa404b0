/* The format CSV: rows to score are parsed by several threads, encoded when requested, and discarded. */
#include "base/number.h"
#include "input/csv_scoring.h"
#include "table/csv/table_csv.h"
#include "table/encoding/encode_columns.h"

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

static void scoring_end(void *state)
{
    csv_scoring *job = state;
    csv_close(job->reader);
    for (size_t i = 0; i < CSV_BLOCKS_MAX; i++) free(job->encoded[i].values);
    free(job->labels);
    free(job->ids);
    free(job->id_pool);
    axis_cells_free(&job->axis);
    arena_free(&job->memory);
    free(job);
}

static puad_status make_room(csv_scoring *job, size_t rows)
{
    if (rows <= job->capacity) return PUAD_OK;
    TRY(memory_grow(&job->labels, rows, 1, "labels"));
    TRY(memory_grow(&job->ids, rows, sizeof *job->ids, "ids"));
    TRY(axis_cells_room(&job->axis, rows));
    job->capacity = rows;
    return PUAD_OK;
}

/* A number that is read as a string because its column is also the id. */
static double number_of(csv_scoring *job, size_t column, text_view text)
{
    double value;
    cell_form form = job->encoding->columns[column].form;
    if (form.kind == FORM_PLAIN) form.decimal = csv_dialect_of(job->reader).decimal;
    if (form_is_missing(&form, text)) return NAN;
    if (form_read(&value, &form, text)) return number_bounded(value);
    job->odd[column]++;
    return NAN;
}

/* Runs in the thread that parsed the block: encodes the plain number columns, one after another. */
static puad_status encode_block(void *context, csv_block *block, size_t index, int thread)
{
    (void)thread;
    const csv_scoring *job = context;
    encoded_block *to = &((csv_scoring *)context)->encoded[index];
    size_t width = job->encoding->encoded, cells;
    if (!size_multiply(&cells, block->rows, width) || cells > SIZE_MAX / sizeof *to->values)
        return PUAD_MEMORY;
    if (cells > to->capacity) {
        if (memory_grow(&to->values, cells, sizeof *to->values, "rows") != PUAD_OK) return PUAD_MEMORY;
        to->capacity = cells;
    }
    to->within = true;
    side_by_side plain;
    for (size_t first = 0; first < block->rows; first += ROWS_TOGETHER) {
        size_t rows = block->rows - first < ROWS_TOGETHER ? block->rows - first : ROWS_TOGETHER;
        side_by_side_begin(&plain, to->values + first * width, width, rows);
        for (size_t i = 0; i < job->encoding->input_count; i++) {
            double numbers[ROWS_TOGETHER];
            if (!job->at_once[i]) continue;
            const double *source = block->numbers + first * job->number_count + job->number_place[i];
            for (size_t r = 0; r < rows; r++) numbers[r] = source[r * job->number_count];
            to->within &= side_by_side_add(&plain, &job->encoding->columns[i], numbers);
        }
        side_by_side_end(&plain);
    }
    return PUAD_OK;
}

static void encode_derived(csv_scoring *job, float *out, const double *numbers, const text_view *texts)
{
    const derivation *derived = &job->encoding->derived;
    derived_cells cells;
    for (size_t i = 0; i < derived->input_count; i++) {
        size_t column = derived->inputs[i], odd = job->odd[column];
        bool number = job->number_place[column] != SIZE_MAX;
        double value = number ? numbers[job->number_place[column]]
                       : job->text_place[column] != SIZE_MAX
                           ? number_of(job, column, texts[job->text_place[column]])
                           : NAN;
        derived_take_number(&cells, job->encoding, i, value);
        job->odd[column] = odd; /* counted when the column itself is encoded */
    }
    for (size_t g = 0; g < derived->group_count; g++) {
        size_t place = job->text_place[derived->groups[g].column];
        derived_take_text(&cells, job->encoding, g, place == SIZE_MAX ? (text_view){"", 0} : texts[place]);
    }
    derived_encode(out, &cells, job->encoding);
}

/* Encodes the other columns; all of them again if a number outside its bounds must be counted. */
static void encode_row(csv_scoring *job, const csv_block *block, size_t row, float *out, bool again)
{
    const transform_column *beyond = NULL;
    const double *numbers = block->numbers + row * job->number_count;
    const text_view *texts = block->texts + row * job->text_count;
    for (size_t i = 0; i < job->encoding->input_count; i++) {
        const transform_column *column = &job->encoding->columns[i];
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
    if (job->encoding->derived.count) encode_derived(job, out, numbers, texts);
    extreme_rows_add(&job->beyond, beyond, block->first_row + row);
}

static puad_status read_label(csv_scoring *job, const csv_block *block, size_t row, int8_t *out)
{
    text_view view = block->texts[row * job->text_count + job->label_text];
    if (label_read(out, &job->options.labels, view)) return PUAD_OK;
    char expected[300];
    label_rule_describe(expected, sizeof expected, &job->options.labels);
    stream_place at = csv_place(job->reader, csv_line(job->reader, block, row));
    FAIL(PUAD_FORMAT, "%s: line %llu (row %zu): label '%.*s' in '%s'; %s", at.name, at.line,
         block->first_row + row, (int)(view.length < 60 ? view.length : 60), view.text,
         job->options.label_column, expected);
}

static puad_status copy_ids(csv_scoring *job, const csv_block *block, size_t rows)
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

/* Time and group of row `r` of the current rows, and its label if intervals determine it. */
static puad_status read_axis(csv_scoring *job, const csv_block *block, size_t r)
{
    int8_t label;
    TRY(axis_cells_read(&job->axis, &label, r, job->reader, block, job->row + r, job->text_count));
    if (!job->options.intervals) return PUAD_OK;
    if (job->label_text == SIZE_MAX)
        job->labels[r] = job->options.labels.truth ? PUAD_LABEL_NORMAL : PUAD_LABEL_UNLABELED;
    if (label != PUAD_LABEL_UNLABELED) job->labels[r] = label;
    return PUAD_OK;
}

static void count_odd_cells(csv_scoring *job, const csv_block *block)
{
    job->short_rows += block->short_rows;
    for (size_t k = 0; k < block->odd_count; k++) job->odd[job->number_column[block->odd[k].number]]++;
}

static puad_status next_rows(row_block *out, void *state, size_t rows_most)
{
    csv_scoring *job = state;
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
    float *values = made->values + job->row * job->encoding->encoded;
    TRY(make_room(job, rows));
    for (size_t r = 0; r < rows; r++) {
        if (job->others || !made->within)
            encode_row(job, block, job->row + r, values + r * job->encoding->encoded, !made->within);
        if (job->label_text != SIZE_MAX) TRY(read_label(job, block, job->row + r, &job->labels[r]));
        if (job->axis.axis) TRY(read_axis(job, block, r));
    }
    if (job->id_text != SIZE_MAX) TRY(copy_ids(job, block, rows));
    *out = (row_block){.rows = rows, .first_row = block->first_row + job->row, .values = values};
    if (job->label_text != SIZE_MAX || job->options.intervals) out->labels = job->labels;
    if (job->id_text != SIZE_MAX) out->ids = job->ids;
    if (job->axis.axis) {
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

/* Whether no earlier column in use reads the same cells. */
static bool is_first(const transform *encoding, size_t index)
{
    while (transform_goes_on(encoding, index))
        if (transform_reads(&encoding->columns[--index])) return false;
    return true;
}

static puad_status tell(notes *out, const void *state)
{
    const csv_scoring *job = state;
    const char *name = csv_name(job->reader);
    for (size_t i = 0; i < job->encoding->input_count; i++) {
        const transform_column *column = &job->encoding->columns[i];
        if (!transform_reads(column)) continue;
        if (job->label_feature == i)
            TRY(notes_add(out,
                          "%s: column '%s' is a feature of the model, but the label here; its values count "
                          "as missing",
                          name, column->name));
        else if (job->number_place[i] == SIZE_MAX && job->text_place[i] == SIZE_MAX &&
                 is_first(job->encoding, i))
            TRY(notes_add(out, "%s has no column '%s'; its values count as missing", name, column->source));
        if (job->unseen[i])
            TRY(notes_add(out, "%s: column '%s': %zu cells hold a category that was not seen in training",
                          name, column->name, job->unseen[i]));
        if (job->odd[i] && is_first(job->encoding, i))
            TRY(notes_add(out, "%s: column '%s': %zu cells are not %s and count as missing", name,
                          column->source, job->odd[i], form_noun(&column->form)));
    }
    TRY(extreme_rows_tell(out, &job->beyond, name));
    csv_dialect dialect = csv_dialect_of(job->reader);
    if (dialect.decimal_seen && dialect.likely_decimal != dialect.decimal && !job->options.decimal)
        TRY(notes_add(
            out,
            "%s seems to have a decimal %s, but the model's %s is used; option 'decimal=%s' overrules it",
            name, mark_name(dialect.likely_decimal), mark_name(dialect.decimal),
            mark_name(dialect.likely_decimal)));
    if (job->short_rows)
        TRY(notes_add(out, "%s: %zu rows have fewer cells than columns; the rest counts as missing", name,
                      job->short_rows));
    return PUAD_OK;
}

puad_status format_csv_rows(row_source *out, const char *path, const transform *encoding,
                            const data_options *options)
{
    csv_scoring *job = NULL;
    TRY(memory_new(&job, 1, sizeof *job, path));
    job->encoding = encoding;
    job->options = *options;
    if (!job->options.time) job->options.time = encoding->axis.time; /* use the model's time column */
    if (!job->options.group) job->options.group = encoding->axis.group;
    puad_status status = csv_scoring_open(job, path);
    if (status != PUAD_OK) {
        scoring_end(job);
        return status;
    }
    const char *id = job->id_text == SIZE_MAX ? NULL : options->id_column;
    *out = (row_source){.next = next_rows,
                        .tell = tell,
                        .end = scoring_end,
                        .id_name = id,
                        .state = job,
                        .absent = job->absent,
                        .added = job->added,
                        .added_count = job->added_count};
    if (options->keep_cells) out->cell_names = csv_columns(job->reader, &out->cell_count);
    return PUAD_OK;
}
