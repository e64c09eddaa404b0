/* The profile of a CSV file, streamed. */
#include "base/file.h"
#include "base/number.h"
#include "table/csv/csv_column_formats.h"
#include "table/csv/csv_roles.h"
#include "table/encoding/table_columns.h"
#include "table/profile/profile.h"

#include <math.h>
#include <stdlib.h>

typedef struct tally { /* of one number column in one block */
    size_t present, missing;
    double min, max, sum, squares; /* sums relative to the pivot, scaled */
} tally;

typedef struct survey {
    const data_options *options;
    profile *out;
    csv_reader *reader;
    column_role *roles;
    cell_kind *kinds;
    double *pivots, *scales; /* per column: sums are of (x - pivot) * scale */
    const bool *decided; /* per column: a category, judged by all rows; NULL: guess from the first block */
    size_t *numbers, *texts; /* columns that are read as numbers, as strings */
    size_t number_count, text_count;
    tally *tallies; /* CSV_BLOCKS_MAX x number_count */
    tally *totals;  /* number_count */
    uint64_t *hashes[CSV_BLOCKS_MAX];
    size_t hash_room[CSV_BLOCKS_MAX];
    fingerprints rows;
    csv_block *blocks;
    size_t block_count;
    puad_status failed;
    arena memory;
} survey;

static const char *const role_names[] = {
    [ROLE_FEATURE] = "feature", [ROLE_LABEL] = "label", [ROLE_ID] = "id", [ROLE_IGNORED] = "ignored"};

static bool is_forced(const survey *job, size_t column)
{
    const data_options *options = job->options;
    for (size_t k = 0; k < options->categorical_count; k++)
        if (strcmp(options->categorical[k], job->out->columns[column].name) == 0) return true;
    return false;
}

/* A power of two that scales the largest distance from the pivot to about 1, so that squares stay finite. */
static double scale_of(double away)
{
    int exponent = 0;
    if (away > 0 && isfinite(away)) frexp(away, &exponent);
    return ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}

/* Reads columns as numbers or strings by the rule of table_columns.h, as fit does; the label, ids and
 * ignored columns are strings. */
static puad_status plan_survey(survey *job)
{
    size_t count = job->out->column_count;
    const csv_block *sample;
    AUTO_FREE cell_form *forms = NULL;
    TRY(memory_new(&forms, count, sizeof *forms, "columns"));
    for (size_t i = 0; i < count; i++) forms[i] = job->out->columns[i].choice.form;
    TRY(csv_set_forms(job->reader, forms));
    TRY(arena_new(&job->memory, &job->kinds, count, sizeof *job->kinds));
    for (size_t i = 0; i < count; i++) job->kinds[i] = CELL_NUMBER;
    TRY(csv_plan(job->reader, job->kinds));
    TRY(csv_peek(job->reader, &sample));
    AUTO_FREE size_t *odd = NULL;
    TRY(memory_new(&odd, count, sizeof *odd, "columns"));
    TRY(arena_new(&job->memory, &job->pivots, count, sizeof *job->pivots));
    TRY(arena_new(&job->memory, &job->scales, count, sizeof *job->scales));
    TRY(arena_new(&job->memory, &job->numbers, count, sizeof *job->numbers));
    TRY(arena_new(&job->memory, &job->texts, count, sizeof *job->texts));
    for (size_t i = 0; i < sample->odd_count; i++) odd[sample->odd[i].number]++;
    for (size_t i = 0; i < count; i++) {
        size_t present = 0;
        double away = 0;
        for (size_t r = 0; r < sample->rows; r++) {
            double value = sample->numbers[r * count + i];
            if (isnan(value)) continue;
            if (present++ == 0) job->pivots[i] = value;
            away = fmax(away, fabs(value - job->pivots[i]));
        }
        job->scales[i] = scale_of(away);
        bool number = column_is_number(present, odd[i]) || present + odd[i] == 0;
        if (job->decided) number = !job->decided[i];
        if (job->out->columns[i].choice.code) number = false;
        if (forms[i].kind != FORM_PLAIN) number = true;
        number = number && job->roles[i] == ROLE_FEATURE && !is_forced(job, i);
        job->kinds[i] = number ? CELL_NUMBER : CELL_TEXT;
        if (number)
            job->numbers[job->number_count++] = i;
        else
            job->texts[job->text_count++] = i;
    }
    TRY(arena_new(&job->memory, &job->tallies, CSV_BLOCKS_MAX * (job->number_count + 1),
                  sizeof *job->tallies));
    TRY(arena_new(&job->memory, &job->totals, job->number_count + 1, sizeof *job->totals));
    for (size_t k = 0; k < job->number_count; k++)
        job->totals[k] = (tally){.min = INFINITY, .max = -INFINITY};
    return csv_plan(job->reader, job->kinds);
}

/* Runs in a worker: sums of the numbers and fingerprints of the rows. */
static puad_status survey_block(void *context, csv_block *block, size_t index, int thread)
{
    (void)thread;
    survey *job = context;
    if (block->rows > job->hash_room[index]) {
        if (memory_grow(&job->hashes[index], block->rows, sizeof(uint64_t), "rows") != PUAD_OK)
            return PUAD_MEMORY;
        job->hash_room[index] = block->rows;
    }
    tally *tallies = job->tallies + index * job->number_count;
    for (size_t k = 0; k < job->number_count; k++) tallies[k] = (tally){.min = INFINITY, .max = -INFINITY};
    const odd_cell *odd = block->odd, *odd_end = block->odd + block->odd_count;
    for (size_t r = 0; r < block->rows; r++) {
        const double *numbers = block->numbers + r * job->number_count;
        const text_view *texts = block->texts + r * job->text_count;
        uint64_t hash = 0x243f6a8885a308d3u;
        for (size_t k = 0; k < job->number_count; k++) {
            double value = numbers[k] + 0.0; /* -0 and 0 are equal */
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            hash = hash_step(hash, isnan(value) ? 1 : bits);
            if (isnan(value)) {
                tallies[k].missing++;
                continue;
            }
            size_t column = job->numbers[k];
            double about = (value - job->pivots[column]) * job->scales[column];
            tallies[k].present++;
            tallies[k].sum += about;
            tallies[k].squares += about * about;
            if (value < tallies[k].min) tallies[k].min = value;
            if (value > tallies[k].max) tallies[k].max = value;
        }
        for (; odd < odd_end && odd->row == r; odd++)
            hash = hash_step(hash, text_hash(odd->view) + odd->number);
        for (size_t k = 0; k < job->text_count; k++)
            if (job->roles[job->texts[k]] == ROLE_FEATURE) hash = hash_step(hash, text_hash(texts[k]));
        job->hashes[index][r] = hash;
    }
    return PUAD_OK;
}

static puad_status count_word(profile_column *column, text_view view)
{
    uint32_t code;
    TRY(dictionary_add(&code, &column->words, view));
    column->more_words |= code == DICTIONARY_NONE;
    return PUAD_OK;
}

/* Runs in a worker: the strings of one column through all current blocks. */
static void survey_texts(void *context, size_t item, int thread)
{
    (void)thread;
    survey *job = context;
    profile_column *column = &job->out->columns[job->texts[item]];
    char decimal = job->out->dialect.decimal;
    for (size_t b = 0; b < job->block_count; b++) {
        for (size_t r = 0; r < job->blocks[b].rows; r++) {
            text_view view = job->blocks[b].texts[r * job->text_count + item];
            double value;
            if (cell_is_missing(view.text, view.length)) {
                column->missing++;
                column->nones += cell_is_none(view.text, view.length);
                continue;
            }
            if (number_parse(&value, view.text, view.length, decimal))
                profile_count_number(column, number_bounded(value));
            else
                column->texts++;
            if (count_word(column, view) != PUAD_OK) job->failed = PUAD_MEMORY;
        }
    }
}

static puad_status count_labels(survey *job, const csv_block *block)
{
    size_t place = 0;
    while (place < job->text_count && job->roles[job->texts[place]] != ROLE_LABEL) place++;
    if (place == job->text_count) return PUAD_OK;
    for (size_t r = 0; r < block->rows; r++) {
        text_view view = block->texts[r * job->text_count + place];
        int8_t label = 0;
        uint32_t code;
        TRY(dictionary_add(&code, &job->out->values, view));
        if (label_read(&label, &job->options->labels, view))
            job->out->labels[label + 1]++;
        else
            profile_odd_label(job->out, job->out->values.texts[code].text);
    }
    return PUAD_OK;
}

static puad_status take_blocks(survey *job)
{
    profile *out = job->out;
    team_run(job->options->workers, job->text_count, survey_texts, job);
    if (job->failed != PUAD_OK) FAIL(job->failed, "%s: no memory for strings", csv_name(job->reader));
    for (size_t b = 0; b < job->block_count; b++) {
        const csv_block *block = &job->blocks[b];
        for (size_t k = 0; k < job->number_count; k++) {
            const tally *counts = &job->tallies[b * job->number_count + k];
            tally *to = &job->totals[k];
            to->present += counts->present;
            to->missing += counts->missing;
            to->sum += counts->sum;
            to->squares += counts->squares;
            to->min = fmin(to->min, counts->min);
            to->max = fmax(to->max, counts->max);
        }
        for (size_t i = 0; i < block->odd_count; i++) {
            profile_column *column = &out->columns[job->numbers[block->odd[i].number]];
            column->texts++;
            TRY(count_word(column, block->odd[i].view));
        }
        TRY(count_labels(job, block));
        TRY(fingerprints_add(&job->rows, job->hashes[b], block->rows));
        out->rows += block->rows;
        out->short_rows += block->short_rows;
    }
    return PUAD_OK;
}

static void finish_number(profile_column *column, const tally *total, double pivot, double scale)
{
    double count = (double)total->present, mean = total->present ? total->sum / count : 0;
    double sd = total->present ? sqrt(fmax(total->squares / count - mean * mean, 0)) : 0;
    column->numbers = total->present;
    column->missing = total->missing - column->texts; /* the reader returns NaN for strings too */
    column->min = total->min;
    column->max = total->max;
    column->mean = pivot + mean / scale;
    column->sd = sd / scale;
    if (isfinite(total->squares)) return;
    double away = fmax(column->max - column->mean, column->mean - column->min);
    column->sd = away / sqrt(count); /* a single extreme value dominates the deviation */
}

/* Decides the types from all rows. */
/* In a category column "none" is a value if it is frequent, as in training. */
static void count_nones(survey *job, profile_column *column)
{
    uint32_t code;
    size_t present = column->numbers + column->texts + column->nones;
    if (!column->nones || NONE_FREQUENT * column->nones < present) return;
    if (dictionary_add(&code, &column->words, (text_view){"none", 4}) != PUAD_OK) {
        job->failed = PUAD_MEMORY;
        return;
    }
    if (code != DICTIONARY_NONE) column->words.counts[code] += column->nones - 1;
    column->texts += column->nones;
    column->missing -= column->nones;
}

static void finish(survey *job)
{
    profile *out = job->out;
    for (size_t k = 0; k < job->number_count; k++) {
        size_t i = job->numbers[k];
        finish_number(&out->columns[i], &job->totals[k], job->pivots[i], job->scales[i]);
    }
    for (size_t i = 0; i < out->column_count; i++) {
        profile_column *column = &out->columns[i];
        bool any = column->texts + column->numbers > 0;
        column->category = is_forced(job, i) || column->choice.code ||
                           (any && column->choice.form.kind == FORM_PLAIN &&
                            !column_is_number(column->numbers, column->texts));
        if (column->category) count_nones(job, column);
        if (job->roles[i] == ROLE_FEATURE) out->missing += column->missing;
    }
    out->labeled = job->options->label_column && out->odd_labels == 0;
    out->duplicates_known = !job->rows.overflow;
    if (out->duplicates_known) out->duplicates = fingerprints_repeated(&job->rows);
}

static void survey_end(survey *job)
{
    for (size_t i = 0; i < CSV_BLOCKS_MAX; i++) free(job->hashes[i]);
    fingerprints_free(&job->rows);
    free(job->roles);
    csv_close(job->reader);
    arena_free(&job->memory);
}

static puad_status open_survey(survey *job, const char *path)
{
    const data_options *options = job->options;
    profile *out = job->out;
    const char **known;
    TRY(arena_new(&job->memory, &known, csv_known_count(options), sizeof *known));
    csv_known(known, options);
    csv_settings settings = {.kept = options->kept,
                             .delimiter = options->delimiter,
                             .decimal = options->decimal,
                             .header = options->header,
                             .known = known,
                             .known_count = csv_known_count(options)};
    csv_decimal decimal;
    TRY(csv_decimal_settle(&decimal, path, &settings, options->workers));
    settings.decimal = decimal.mark;
    AUTO_FORMS form_set forms = {0};
    TRY(csv_forms_settle(&forms, path, &settings, options, job->decided != NULL));
    TRY(csv_open(&job->reader, path, &settings, options->workers));
    TRY(csv_roles(&job->roles, job->reader, options, false));
    TRY(csv_check_categorical(job->reader, options));
    const char *const *names = csv_columns(job->reader, &out->column_count);
    out->dialect = csv_dialect_of(job->reader);
    out->is_text = true;
    TRY(arena_new(&out->memory, &out->columns, out->column_count, sizeof *out->columns));
    for (size_t i = 0; i < out->column_count; i++) {
        out->columns[i] = (profile_column){.name = arena_text(&out->memory, names[i]),
                                           .role = role_names[job->roles[i]],
                                           .min = INFINITY,
                                           .max = -INFINITY,
                                           .words.max = PROFILE_TEXTS_MAX};
        if (!out->columns[i].name) FAIL(PUAD_MEMORY, "no memory for column names");
    }
    if (!forms.known) TRY(csv_forms_peek(&forms, job->reader, options));
    for (size_t i = 0; i < out->column_count; i++) {
        out->columns[i].choice = forms.list[i];
        form_describe(out->columns[i].form_words, &forms.list[i].form);
    }
    return plan_survey(job);
}

/* Columns whose type, judged by all rows, differs from the guess. Their statistics are incomplete: the
 * strings of a category lack its numbers, those of a number column contain them. */
static bool types_differ(survey *job, bool *categories)
{
    bool differ = false;
    for (size_t i = 0; i < job->out->column_count; i++) {
        profile_column *column = &job->out->columns[i];
        bool was = job->kinds[i] == CELL_TEXT, any = column->numbers + column->texts > 0;
        categories[i] = any ? column->category : was;
        if (job->roles[i] != ROLE_FEATURE || categories[i] == was) continue;
        if (column->choice.form.kind != FORM_PLAIN) continue;
        differ = true;
        column->more_words = true;
        if (was) dictionary_free(&column->words);
    }
    return differ;
}

static puad_status survey_once(profile *out, const char *path, const data_options *options,
                               const bool *decided, bool **out_categories, bool *out_differ)
{
    __attribute__((cleanup(survey_end))) survey job = {.options = options, .out = out, .decided = decided};
    TRY(open_survey(&job, path));
    do {
        TRY(csv_next(&job.blocks, &job.block_count, job.reader, survey_block, &job));
        TRY(take_blocks(&job));
    } while (job.block_count);
    finish(&job);
    if (job.failed != PUAD_OK) FAIL(job.failed, "%s: no memory for texts", csv_name(job.reader));
    TRY(memory_new(out_categories, out->column_count, sizeof **out_categories, "columns"));
    *out_differ = types_differ(&job, *out_categories);
    return PUAD_OK;
}

/* If the first rows were misleading, the file is read again; for a pipe a note says so. */
puad_status profile_csv(profile *out, const char *path, const data_options *options)
{
    AUTO_FREE bool *categories = NULL;
    AUTO_FREE bool *again = NULL;
    bool differ = false;
    TRY(survey_once(out, path, options, NULL, &categories, &differ));
    if (!differ || file_is_pipe(path)) return PUAD_OK;
    const char *format = out->format, *name = out->name;
    profile second = {.format = format};
    if (name) second.name = arena_text(&second.memory, name);
    puad_status status = name && !second.name
                             ? status_fail(PUAD_MEMORY, "no memory for a name")
                             : survey_once(&second, path, options, categories, &again, &differ);
    profile *old = status == PUAD_OK ? out : &second;
    profile_free(old);
    if (status == PUAD_OK) *out = second;
    return status;
}
