/* Learns the statistics of derived columns from the training rows: counts of strings, medians of groups,
 * and the scale of the values. */
#include "base/sort.h"
#include "table/encoding/derived_rows.h"
#include "table/encoding/table_sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE_ROWS = 16384, MEDIAN_ROWS = 1000, LABELS_MIN = 3 };
#define BOUND_DISTANCE 10    /* in units of the distance from the median that includes nine of ten values */
#define CHANCE_MAX 0.2       /* that a fit keeps a derived column of noise */
#define COUNT_SPREAD_MIN 0.5 /* standard deviation of log2(count) */
#define POSITIVE_MIN 0.99    /* fraction of positive values above which a number is divided by the median */

puad_status group_map_new(group_maps *out, arena *memory, const table *source, const transform *encoding,
                          size_t groups)
{
    const derived_groups *derived = &encoding->derived.groups[groups];
    const dictionary *words = &source->columns[derived->column].words;
    TRY(arena_new(memory, &out->codes[groups], words->count, sizeof(uint32_t)));
    for (size_t k = 0; k < words->count; k++)
        out->codes[groups][k] =
            words->counts[k] ? dictionary_find(&derived->texts, words->texts[k]) : DERIVED_NO_TEXT;
    return PUAD_OK;
}

void derived_row(derived_cells *out, const table *source, const transform *encoding, const group_maps *maps,
                 const table_block *block, size_t row)
{
    const derivation *derived = &encoding->derived;
    const float *held = block->held + row * source->number_count;
    const uint32_t *codes = block->codes + row * source->category_count;
    for (size_t i = 0; i < derived->input_count; i++) {
        const table_column *column = &source->columns[derived->inputs[i]];
        out->numbers[i] = column->pivot + (double)held[column->slot] / column->factor;
    }
    for (size_t g = 0; g < derived->group_count; g++) {
        const table_column *column = &source->columns[derived->groups[g].column];
        uint32_t code = codes[column->slot];
        const uint32_t *map = maps->codes[g];
        out->groups[g] = code == CODE_MISSING                ? DERIVED_NO_TEXT
                         : map && code < column->words.count ? map[code]
                                                             : DICTIONARY_NONE;
    }
}

typedef struct coded_count {
    uint32_t code;
    uint64_t count;
} coded_count;

static int compare_counts(const void *a, const void *b)
{
    const coded_count *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return (x->code > y->code) - (x->code < y->code);
}

/* The strings that occur at least twice, the most frequent first. */
static puad_status learn_groups(derived_groups *out, arena *memory, const dictionary *words)
{
    AUTO_FREE coded_count *order = NULL;
    size_t count = 0;
    TRY(memory_new(&order, words->count, sizeof *order, "groups"));
    for (size_t i = 0; i < words->count; i++)
        if (words->counts[i] > 1) order[count++] = (coded_count){(uint32_t)i, words->counts[i]};
    qsort(order, count, sizeof *order, compare_counts);
    if (count > GROUPS_MAX) count = GROUPS_MAX;
    TRY(arena_new(memory, &out->counts, count + 1, sizeof *out->counts));
    for (size_t i = 0; i < count; i++) {
        uint32_t code;
        TRY(dictionary_add(&code, &out->texts, words->texts[order[i].code]));
        out->counts[i] = (double)order[i].count;
    }
    return PUAD_OK;
}

typedef struct learning {
    transform *encoding;
    const table *source;
    group_maps maps;
    arena memory;
} learning;

/* The value of column `index`, an input or derived, in the row with these cells. */
static double value_of(derived_cells *cells, const transform *encoding, size_t index)
{
    if (index < encoding->input_count) {
        for (size_t i = 0; i < encoding->derived.input_count; i++)
            if (encoding->derived.inputs[i] == index) return cells->numbers[i];
        return NAN;
    }
    const derived_column *column = &encoding->derived.columns[index - encoding->input_count];
    if (column->kind != DERIVED_COUNT && column->first >= encoding->input_count)
        value_of(cells, encoding, column->first);
    return derived_value(cells, encoding, index - encoding->input_count);
}

/* Values of a column in at most `max` rows, evenly spaced; missing values are skipped. */
static size_t sample_values(double *out, const learning *job, size_t index, size_t max)
{
    size_t stride = job->source->rows / max + 1, count = 0, first = 0, next = 0;
    derived_cells cells;
    for (size_t b = 0; b < job->source->block_count; first += job->source->blocks[b++].rows)
        for (; next - first < job->source->blocks[b].rows; next += stride) {
            derived_row(&cells, job->source, job->encoding, &job->maps, &job->source->blocks[b],
                        next - first);
            double value = value_of(&cells, job->encoding, index);
            if (!isnan(value)) out[count++] = value;
        }
    return count;
}

/* Medians of the groups, each from at most MEDIAN_ROWS rows, evenly spaced. */
static puad_status learn_medians(learning *job, derived_column *column)
{
    AUTO_ARENA arena memory = {0};
    const derived_groups *groups = &job->encoding->derived.groups[column->groups];
    const table_column *texts = &job->source->columns[groups->column];
    const uint32_t *group_of = job->maps.codes[column->groups];
    size_t count = groups->texts.count, total = 0, *begin, *seen, *taken;
    uint64_t *kept_of_text, *kept;
    double *values;
    derived_cells cells;
    TRY(table_kept_counts(&kept_of_text, &memory, job->source, texts));
    TRY(arena_new(&memory, &kept, count + 1, sizeof *kept));
    for (size_t k = 0; k < texts->words.count; k++)
        if (group_of[k] < count) kept[group_of[k]] += kept_of_text[k];
    TRY(arena_new(&memory, &begin, count + 1, sizeof *begin));
    TRY(arena_new(&memory, &seen, count + 1, sizeof *seen));
    TRY(arena_new(&memory, &taken, count + 1, sizeof *taken));
    for (size_t g = 0; g < count; g++) {
        begin[g] = total;
        total += kept[g] < MEDIAN_ROWS ? kept[g] : MEDIAN_ROWS;
    }
    TRY(arena_new(&memory, &values, total + 1, sizeof *values));
    TRY(arena_new(&job->encoding->memory, &column->medians, count + 1, sizeof *column->medians));
    for (size_t b = 0; b < job->source->block_count; b++)
        for (size_t r = 0; r < job->source->blocks[b].rows; r++) {
            derived_row(&cells, job->source, job->encoding, &job->maps, &job->source->blocks[b], r);
            uint32_t group = cells.groups[column->groups];
            if (group >= count || seen[group]++ % (kept[group] / MEDIAN_ROWS + 1)) continue;
            double value = value_of(&cells, job->encoding, column->first);
            if (!isnan(value)) values[begin[group] + taken[group]++] = value;
        }
    for (size_t g = 0; g < count; g++) {
        column->medians[g] = NAN;
        if (taken[g] < GROUP_ROWS_MIN) continue;
        sort_doubles(values + begin[g], taken[g]);
        double median = values[begin[g] + taken[g] / 2];
        if (!column->ratio || median > 0) column->medians[g] = median;
    }
    return PUAD_OK;
}

/* Median and bounds of sorted values; see table_bounds.c. */
static void learn_bounds(transform_column *out, float *held, size_t count)
{
    float middle = held[count / 2];
    size_t apart = 0;
    AUTO_FREE double *away = NULL;
    out->low = out->high = (double)middle;
    if (memory_new(&away, count, sizeof *away, "bounds") != PUAD_OK) return;
    for (size_t i = 0; i < count; i++) away[i] = fabs((double)held[i] - (double)middle);
    sort_doubles(away, count);
    while (apart < count && !(away[apart] > 0)) apart++;
    double reach = away[(count - 1) * 9 / 10];
    if (!(reach > 0) && apart < count) reach = away[apart + (count - 1 - apart) * 9 / 10];
    out->low = (double)(float)((double)middle - BOUND_DISTANCE * reach);
    out->high = (double)(float)((double)middle + BOUND_DISTANCE * reach);
}

/* Learns the encoding of a derived column. False if its values do not differ. */
static puad_status learn_scale(bool *out_differs, learning *job, size_t index)
{
    AUTO_FREE double *values = NULL;
    AUTO_FREE float *held = NULL;
    transform_column *out = &job->encoding->columns[index];
    table_column scale = {0};
    TRY(memory_new(&values, SCALE_ROWS + 1, sizeof *values, "a derived column"));
    TRY(memory_new(&held, SCALE_ROWS + 1, sizeof *held, "a derived column"));
    size_t count = sample_values(values, job, index, SCALE_ROWS);
    for (size_t i = 0; i < count; i++) values[i] = number_coded(out->coding, values[i]);
    *out_differs = false;
    if (count < 2) return PUAD_OK;
    table_column_center(&scale, values, count);
    out->pivot = scale.pivot;
    out->factor = scale.factor;
    for (size_t i = 0; i < count; i++) held[i] = transform_hold(values[i], out->pivot, out->factor);
    learn_bounds(out, held, count);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double value = fmin(fmax((double)held[i], out->low), out->high);
        sum += value;
        squares += value * value;
    }
    out->mean = sum / (double)count;
    out->sd = sqrt(fmax(squares / (double)count - out->mean * out->mean, 0));
    *out_differs = out->sd > 1e-6;
    return PUAD_OK;
}

/* Undoes derived_append(). */
static void remove_last(transform *encoding, size_t groups)
{
    encoding->derived.count--;
    encoding->column_count--;
    for (; encoding->derived.group_count > groups; encoding->derived.group_count--)
        dictionary_free(&encoding->derived.groups[encoding->derived.group_count - 1].texts);
    derived_wire(encoding);
}

/* The logarithm of the probability that the values of column `index` differ so between the labeled anomalies and a
 * sample of the unlabeled rows by chance. */
static puad_status measure_evidence(double *out, const learning *job, size_t index, size_t anomalies)
{
    AUTO_FREE double *values = NULL;
    AUTO_FREE bool *labeled = NULL;
    size_t stride = job->source->rows / SCALE_ROWS + 1, count = 0, seen = 0;
    derived_cells cells;
    TRY(memory_new(&values, SCALE_ROWS + 1 + anomalies, sizeof *values, "a derived column"));
    TRY(memory_new(&labeled, SCALE_ROWS + 1 + anomalies, sizeof *labeled, "a derived column"));
    for (size_t b = 0; b < job->source->block_count; b++)
        for (size_t r = 0; r < job->source->blocks[b].rows; r++) {
            int8_t label = job->source->blocks[b].labels[r];
            if (label == PUAD_LABEL_NORMAL || (label != PUAD_LABEL_ANOMALY && seen++ % stride)) continue;
            derived_row(&cells, job->source, job->encoding, &job->maps, &job->source->blocks[b], r);
            double value = value_of(&cells, job->encoding, index);
            labeled[count] = label == PUAD_LABEL_ANOMALY;
            if (!isnan(value)) values[count++] = value;
        }
    return derived_evidence(out, values, labeled, count);
}

/* Whether the labels support derived column `k`, and more than for each of the columns it is made of. */
static puad_status check_support(bool *out, const learning *job, size_t k, size_t anomalies)
{
    const derived_column *column = &job->encoding->derived.columns[k];
    double log_p, source;
    TRY(measure_evidence(&log_p, job, job->encoding->input_count + k, anomalies));
    *out = log_p + log((double)job->encoding->derived.count) < log(CHANCE_MAX);
    if (!*out || column->kind == DERIVED_COUNT) return PUAD_OK;
    TRY(measure_evidence(&source, job, column->first, anomalies));
    *out = log_p < source;
    if (!*out || column->kind == DERIVED_BY_GROUP) return PUAD_OK;
    TRY(measure_evidence(&source, job, column->second, anomalies));
    *out = log_p < source;
    return PUAD_OK;
}

/* *out_index is SIZE_MAX if all values are equal. */
static puad_status learn_column(size_t *out_index, learning *job, const derived_column *given)
{
    transform *encoding = job->encoding;
    bool differs;
    size_t groups = encoding->derived.group_count, index = encoding->derived.count;
    TRY(derived_append(encoding, given));
    derived_column *column = &encoding->derived.columns[index];
    if (encoding->derived.group_count > groups) {
        TRY(learn_groups(&encoding->derived.groups[groups], &encoding->memory,
                         &job->source->columns[encoding->derived.groups[groups].column].words));
        TRY(group_map_new(&job->maps, &job->memory, job->source, encoding, groups));
    }
    if (column->kind == DERIVED_BY_GROUP) {
        AUTO_FREE double *values = NULL;
        TRY(memory_new(&values, SCALE_ROWS + 1, sizeof *values, "a derived column"));
        size_t count = sample_values(values, job, column->first, SCALE_ROWS), positive = 0;
        for (size_t i = 0; i < count; i++) positive += values[i] > 0;
        column->ratio = (double)positive >= POSITIVE_MIN * (double)count;
        TRY(learn_medians(job, column));
    }
    encoding->columns[encoding->input_count + index].coding = derived_coding(column);
    TRY(learn_scale(&differs, job, encoding->input_count + index));
    *out_index = differs ? encoding->input_count + index : SIZE_MAX;
    if (!differs) remove_last(encoding, groups);
    return PUAD_OK;
}

/* Without labels: counts that hardly differ and ages, which repeat the date of birth, are left out. */
static bool stands_out(const learning *job, size_t k)
{
    const derived_column *column = &job->encoding->derived.columns[k];
    const transform_column *coded = &job->encoding->columns[job->encoding->input_count + k];
    if (column->kind == DERIVED_COUNT) return coded->sd >= COUNT_SPREAD_MIN * coded->factor;
    return column->kind != DERIVED_TIME ||
           (!job->source->columns[column->first].begins && !job->source->columns[column->second].begins);
}

/* Frees groups that no derived column uses. */
static void drop_groups(derivation *derived)
{
    size_t count = 0;
    for (size_t g = 0; g < derived->group_count; g++) {
        bool used = false;
        for (size_t k = 0; k < derived->count; k++)
            used |=
                (derived->columns[k].kind == DERIVED_COUNT || derived->columns[k].kind == DERIVED_BY_GROUP) &&
                derived->columns[k].second == derived->groups[g].column;
        if (used)
            derived->groups[count++] = derived->groups[g];
        else
            dictionary_free(&derived->groups[g].texts);
    }
    derived->group_count = count;
}

/* Removes, from last to first, columns that neither the labels support nor another derived column uses. */
static puad_status prune(learning *job)
{
    transform *encoding = job->encoding;
    bool needed[DERIVED_MAX] = {false}, supported;
    derived_column kept[DERIVED_MAX];
    transform_column columns[DERIVED_MAX];
    size_t place[DERIVED_MAX], count = 0, anomalies = 0;
    for (size_t b = 0; job->source->labeled && b < job->source->block_count; b++)
        for (size_t r = 0; r < job->source->blocks[b].rows; r++)
            anomalies += job->source->blocks[b].labels[r] == PUAD_LABEL_ANOMALY;
    for (size_t k = encoding->derived.count; k-- > 0;) {
        const derived_column *column = &encoding->derived.columns[k];
        if (anomalies < LABELS_MIN)
            supported = stands_out(job, k);
        else
            TRY(check_support(&supported, job, k, anomalies));
        needed[k] |= supported;
        if (needed[k] && column->kind != DERIVED_COUNT && column->first >= encoding->input_count)
            needed[column->first - encoding->input_count] = true;
    }
    for (size_t k = 0; k < encoding->derived.count; k++) {
        if (!needed[k]) continue;
        place[k] = encoding->input_count + count;
        kept[count] = encoding->derived.columns[k];
        if (kept[count].kind != DERIVED_COUNT && kept[count].first >= encoding->input_count)
            kept[count].first = place[kept[count].first - encoding->input_count];
        columns[count++] = encoding->columns[encoding->input_count + k];
    }
    memcpy(encoding->derived.columns, kept, count * sizeof *kept);
    memcpy(encoding->columns + encoding->input_count, columns, count * sizeof *columns);
    encoding->derived.count = count;
    encoding->column_count = encoding->input_count + count;
    drop_groups(&encoding->derived);
    derived_wire(encoding);
    return PUAD_OK;
}

static puad_status tell(notes *messages, const transform *encoding)
{
    char list[400] = "";
    size_t used = 0;
    for (size_t i = encoding->input_count; i < encoding->column_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                 encoding->columns[i].name);
    if (used >= sizeof list) memcpy(list + sizeof list - 4, "...", 4);
    return used ? notes_add(messages, "derived columns: %s (option 'derive=no' leaves them out)", list)
                : PUAD_OK;
}

static void learning_end(learning *job)
{
    arena_free(&job->memory);
}

puad_status derived_learn(transform *out, const table *source, notes *messages)
{
    __attribute__((cleanup(learning_end))) learning job = {.encoding = out, .source = source};
    derived_list wanted = {0};
    if (source->derive.no) return PUAD_OK;
    if (source->derive.count)
        TRY(derived_parse(&wanted, source, out));
    else
        TRY(derived_propose(&wanted, source, out));
    size_t learned[DERIVED_MAX]; /* indices of the list's columns in the encoding */
    for (size_t k = 0; k < wanted.count; k++) {
        derived_column *column = &wanted.list[k];
        learned[k] = SIZE_MAX;
        if (column->kind != DERIVED_COUNT && column->first >= out->input_count)
            column->first = learned[column->first - out->input_count];
        if (column->first == SIZE_MAX) continue;
        TRY(learn_column(&learned[k], &job, column));
    }
    if (!source->derive.count) TRY(prune(&job));
    return tell(messages, out);
}
