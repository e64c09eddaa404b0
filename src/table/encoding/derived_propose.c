/* Proposes derived columns without using labels: a ratio of two related numbers that vary together, a
 * number that differs less within groups than between them, the frequency of a string. */
#include "base/sort.h"
#include "table/cells/column_names.h"
#include "table/encoding/derived_rows.h"
#include "table/encoding/table_sample.h"

#include <math.h>
#include <stdlib.h>

enum {
    SAMPLE_ROWS = 8192,
    DISTINCT_MIN = 10, /* minimum number of distinct values for a comparison */
    PAIRS_MAX = 4,     /* ratios and differences */
    BY_GROUP_MAX = 6,
    COUNTS_MAX = 4,
    TIMES_MAX = 3,
    COMMON_WORD = 4, /* a word in more names than this is too common to relate columns */
    GROUPS_SAMPLED = 512,
    GROUP_ROWS_SAMPLED = 48, /* of a group */
    PROPOSED_ROWS_MIN = 10,
    ROWS_COVERED = 2 /* at least one of this many rows is in a group that is large enough */
};
#define CORRELATION_MIN 0.3
#define WITHIN_MAX 0.7 /* median distance from the group's median relative to that from the overall median */
#define SPREAD_OF_LEVEL 0.3 /* numbers with a smaller coefficient of variation are subtracted, not divided */
#define SAME_SCALE 0.5

/* A number, of the file or derived, with some of its values. */
typedef struct candidate {
    size_t index; /* in the encoding */
    const char *name;
    name_words words;
    float *values; /* in the rows of the sample; NaN if missing */
    bool positive;
    double median, spread; /* standard deviation */
} candidate;

typedef struct proposing {
    const table *source;
    const transform *encoding;
    arena memory;
    derived_list *out;
    candidate *numbers;
    size_t number_count, rows; /* rows of the sample */
} proposing;

static float median_of(float *values, size_t count)
{
    sort_floats(values, count);
    return count ? values[count / 2] : 0;
}

/* The values of a number column of the file in about SAMPLE_ROWS rows, evenly spaced. */
static void sample_column(float *out, const table *source, const table_column *column)
{
    size_t stride = source->rows / SAMPLE_ROWS + 1, next = 0, first = 0, count = 0;
    for (size_t b = 0; b < source->block_count; first += source->blocks[b++].rows)
        for (; next - first < source->blocks[b].rows; next += stride) {
            float held = source->blocks[b].held[(next - first) * source->number_count + column->slot];
            out[count++] = (float)(column->pivot + (double)held / column->factor);
        }
}

/* False for a number with few distinct values. */
static puad_status describe_candidate(bool *out_useful, candidate *choice, size_t rows)
{
    AUTO_FREE float *sorted = NULL;
    size_t count = 0, positive = 0, distinct = 0;
    double sum = 0, squares = 0;
    TRY(memory_new(&sorted, rows + 1, sizeof *sorted, "columns"));
    for (size_t i = 0; i < rows; i++)
        if (!isnan(choice->values[i])) sorted[count++] = choice->values[i];
    choice->median = (double)median_of(sorted, count);
    for (size_t i = 0; i < count; i++) {
        distinct += i == 0 || sorted[i] != sorted[i - 1];
        positive += sorted[i] > 0;
        sum += (double)sorted[i];
        squares += (double)sorted[i] * (double)sorted[i];
    }
    double mean = count ? sum / (double)count : 0;
    choice->spread = count ? sqrt(fmax(squares / (double)count - mean * mean, 0)) : 0;
    choice->positive = (double)positive >= 0.99 * (double)count;
    *out_useful = distinct >= DISTINCT_MIN && 2 * count >= rows && choice->spread > 0;
    return PUAD_OK;
}

static puad_status gather_numbers(proposing *job)
{
    const transform *encoding = job->encoding;
    job->rows = (job->source->rows + job->source->rows / SAMPLE_ROWS) / (job->source->rows / SAMPLE_ROWS + 1);
    TRY(arena_new(&job->memory, &job->numbers, encoding->input_count + DERIVED_MAX, sizeof *job->numbers));
    for (size_t i = 0; i < encoding->input_count; i++) {
        const transform_column *column = &encoding->columns[i];
        candidate *choice = &job->numbers[job->number_count];
        bool useful;
        if (column->type != COLUMN_NUMBER || column->part != PART_VALUE || column->form.kind == FORM_BOOLEAN)
            continue;
        *choice = (candidate){.index = i, .name = column->name};
        TRY(arena_new(&job->memory, &choice->values, job->rows, sizeof *choice->values));
        sample_column(choice->values, job->source, &job->source->columns[i]);
        name_split(&choice->words, column->name);
        TRY(describe_candidate(&useful, choice, job->rows));
        job->number_count += useful;
    }
    return PUAD_OK;
}

static void add(proposing *job, derived_column column)
{
    if (job->out->count < DERIVED_MAX) job->out->list[job->out->count++] = column;
}

static double correlation(const candidate *a, const candidate *b, size_t rows, bool logarithms)
{
    double n = 0, sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
    for (size_t i = 0; i < rows; i++) {
        double x = (double)a->values[i], y = (double)b->values[i];
        if (isnan(x) || isnan(y) || (logarithms && !(x > 0 && y > 0))) continue;
        if (logarithms) x = log(x), y = log(y);
        n++, sa += x, sb += y, saa += x * x, sbb += y * y, sab += x * y;
    }
    double va = saa - sa * sa / n, vb = sbb - sb * sb / n;
    return n > DISTINCT_MIN && va > 0 && vb > 0 ? (sab - sa * sb / n) / sqrt(va * vb) : 0;
}

/* The number of names that contain a word. */
static size_t names_with(const proposing *job, const char *word)
{
    size_t count = 0;
    for (size_t i = 0; i < job->number_count; i++)
        for (size_t k = 0; k < job->numbers[i].words.count; k++)
            if (strcmp(job->numbers[i].words.list[k], word) == 0) {
                count++;
                break;
            }
    return count;
}

static bool share_word(const proposing *job, const candidate *a, const candidate *b)
{
    for (size_t i = 0; i < a->words.count; i++)
        for (size_t k = 0; k < b->words.count; k++)
            if (strlen(a->words.list[i]) >= 3 && strcmp(a->words.list[i], b->words.list[k]) == 0 &&
                names_with(job, a->words.list[i]) <= COMMON_WORD)
                return true;
    return false;
}

typedef struct pair {
    derived_column column;
    double strength;
} pair;

/* Whether two numbers should be compared, and whether as a ratio or a difference. */
static bool pair_of(pair *out, const proposing *job, const candidate *a, const candidate *b)
{
    bool amount = words_are_amount(&a->words) && words_are_quantity(&b->words),
         turned = words_are_amount(&b->words) && words_are_quantity(&a->words);
    if (!share_word(job, a, b) && amount == turned) return false;
    bool vary =
        a->spread > SPREAD_OF_LEVEL * fabs(a->median) && b->spread > SPREAD_OF_LEVEL * fabs(b->median);
    bool ratio = a->positive && b->positive && (vary || amount != turned);
    double larger = fmax(fabs(a->median), fabs(b->median));
    if (!ratio && (amount != turned || fabs(a->median - b->median) > SAME_SCALE * larger)) return false;
    out->strength = fabs(correlation(a, b, job->rows, ratio));
    out->column = (derived_column){.kind = ratio ? DERIVED_RATIO : DERIVED_DIFFERENCE,
                                   .first = turned && !amount ? b->index : a->index,
                                   .second = turned && !amount ? a->index : b->index};
    return out->strength >= CORRELATION_MIN;
}

static void insert(pair *best, size_t *count, size_t max, const pair *one)
{
    size_t at = *count;
    while (at > 0 && best[at - 1].strength < one->strength) at--;
    if (at == max) return;
    if (*count < max) ++*count;
    memmove(best + at + 1, best + at, (*count - 1 - at) * sizeof *best);
    best[at] = *one;
}

static puad_status add_derived_number(proposing *job, const pair *source)
{
    candidate *made = &job->numbers[job->number_count];
    const candidate *a = NULL, *b = NULL;
    bool useful;
    for (size_t i = 0; i < job->number_count; i++) {
        if (job->numbers[i].index == source->column.first) a = &job->numbers[i];
        if (job->numbers[i].index == source->column.second) b = &job->numbers[i];
    }
    *made = (candidate){.index = job->encoding->input_count + job->out->count, .name = ""};
    TRY(arena_new(&job->memory, &made->values, job->rows, sizeof *made->values));
    for (size_t i = 0; a && b && i < job->rows; i++) {
        float x = a->values[i], y = b->values[i];
        made->values[i] = source->column.kind == DERIVED_DIFFERENCE ? x - y : x > 0 && y > 0 ? x / y : NAN;
    }
    TRY(describe_candidate(&useful, made, job->rows));
    job->number_count += useful;
    add(job, source->column);
    return PUAD_OK;
}

static puad_status propose_pairs(proposing *job)
{
    pair best[PAIRS_MAX + 1], one;
    size_t count = 0, numbers = job->number_count;
    if (!job->source->derive.named) return PUAD_OK;
    for (size_t i = 0; i < numbers; i++)
        for (size_t k = i + 1; k < numbers; k++)
            if (pair_of(&one, job, &job->numbers[i], &job->numbers[k])) insert(best, &count, PAIRS_MAX, &one);
    for (size_t k = 0; k < count; k++) TRY(add_derived_number(job, &best[k]));
    return PUAD_OK;
}

/* The rows of some groups: group by group, at most GROUP_ROWS_SAMPLED each. */
typedef struct grouped_rows {
    size_t groups, *begin; /* groups + 1 */
    size_t *block, *row;
} grouped_rows;

/* Groups with enough rows, evenly chosen; none if they cover few rows. */
static puad_status choose_groups(uint32_t **out_chosen, size_t *out_groups, arena *memory,
                                 const table *source, const table_column *column, const uint64_t *counts)
{
    size_t count = 0, covered = 0, taken = 0;
    for (size_t k = 0; k < column->words.count; k++) {
        bool enough = counts[k] >= PROPOSED_ROWS_MIN;
        count += enough;
        covered += enough ? counts[k] : 0;
    }
    *out_groups = 0;
    if (count < 2 || covered * ROWS_COVERED < source->rows) return PUAD_OK;
    TRY(arena_new(memory, out_chosen, column->words.count, sizeof **out_chosen));
    size_t wanted = count < GROUPS_SAMPLED ? count : GROUPS_SAMPLED, seen = 0;
    for (size_t k = 0; k < column->words.count; k++) {
        (*out_chosen)[k] = UINT32_MAX;
        if (counts[k] < PROPOSED_ROWS_MIN) continue;
        if (seen++ == taken * count / wanted && taken < wanted) (*out_chosen)[k] = (uint32_t)taken++;
    }
    *out_groups = taken;
    return PUAD_OK;
}

static puad_status group_rows(grouped_rows *out, arena *memory, const table *source,
                              const table_column *column)
{
    uint32_t *chosen;
    uint64_t *counts;
    size_t groups, *seen, *used, *stride;
    TRY(table_kept_counts(&counts, memory, source, column));
    TRY(choose_groups(&chosen, &groups, memory, source, column, counts));
    *out = (grouped_rows){.groups = groups};
    if (!groups) return PUAD_OK;
    TRY(arena_new(memory, &out->begin, groups + 1, sizeof *out->begin));
    TRY(arena_new(memory, &seen, groups, sizeof *seen));
    TRY(arena_new(memory, &used, groups, sizeof *used));
    TRY(arena_new(memory, &stride, groups, sizeof *stride));
    for (size_t k = 0; k < column->words.count; k++)
        if (chosen[k] < groups) stride[chosen[k]] = counts[k] / GROUP_ROWS_SAMPLED + 1;
    TRY(arena_new(memory, &out->block, groups * GROUP_ROWS_SAMPLED, sizeof *out->block));
    TRY(arena_new(memory, &out->row, groups * GROUP_ROWS_SAMPLED, sizeof *out->row));
    for (size_t b = 0; b < source->block_count; b++)
        for (size_t r = 0; r < source->blocks[b].rows; r++) {
            uint32_t code = source->blocks[b].codes[r * source->category_count + column->slot];
            uint32_t group = code < column->words.count ? chosen[code] : UINT32_MAX;
            if (group >= groups || seen[group]++ % stride[group] || used[group] == GROUP_ROWS_SAMPLED)
                continue;
            out->block[group * GROUP_ROWS_SAMPLED + used[group]] = b;
            out->row[group * GROUP_ROWS_SAMPLED + used[group]++] = r;
        }
    for (size_t g = 0; g < groups; g++) out->begin[g] = used[g];
    return PUAD_OK;
}

static float number_at(const proposing *job, size_t index, size_t block, size_t row)
{
    if (index >= job->encoding->input_count) {
        const derived_column *column = &job->out->list[index - job->encoding->input_count];
        float a = number_at(job, column->first, block, row), b = number_at(job, column->second, block, row);
        if (column->kind == DERIVED_DIFFERENCE) return a - b;
        return a > 0 && b > 0 ? a / b : NAN;
    }
    const table_column *column = &job->source->columns[index];
    float held = job->source->blocks[block].held[row * job->source->number_count + column->slot];
    return (float)(column->pivot + (double)held / column->factor);
}

/* Median distance of values from their group's median, relative to that from the overall median. */
static double within(const proposing *job, const candidate *number, const grouped_rows *rows, float *buffer)
{
    size_t all = 0, far = 0;
    float *values = buffer, *apart = buffer + rows->groups * GROUP_ROWS_SAMPLED,
          *group = apart + rows->groups * GROUP_ROWS_SAMPLED;
    for (size_t g = 0; g < rows->groups; g++) {
        size_t count = 0;
        for (size_t k = 0; k < rows->begin[g]; k++) {
            size_t at = g * GROUP_ROWS_SAMPLED + k;
            float value = number_at(job, number->index, rows->block[at], rows->row[at]);
            if (number->positive) value = value > 0 ? logf(value) : NAN;
            if (!isnan(value)) group[count++] = value;
        }
        if (count < PROPOSED_ROWS_MIN) continue;
        float median = median_of(group, count);
        for (size_t k = 0; k < count; k++) {
            values[all++] = group[k];
            apart[far++] = fabsf(group[k] - median);
        }
    }
    if (all < SAMPLE_ROWS / 64) return 1;
    float middle = median_of(values, all), inside = median_of(apart, far);
    for (size_t i = 0; i < all; i++) values[i] = fabsf(values[i] - middle);
    float outside = median_of(values, all);
    return outside > 0 && inside > 0 ? (double)inside / (double)outside : 1;
}

static puad_status propose_by_group(proposing *job)
{
    pair best[BY_GROUP_MAX + 1];
    size_t count = 0;
    for (size_t i = 0; i < job->encoding->input_count; i++) {
        const table_column *column = &job->source->columns[i];
        AUTO_ARENA arena memory = {0};
        grouped_rows rows;
        float *buffer;
        if (job->encoding->columns[i].type != COLUMN_CATEGORY) continue;
        TRY(group_rows(&rows, &memory, job->source, column));
        if (!rows.groups) continue;
        TRY(arena_new(&memory, &buffer, (2 * rows.groups + 1) * GROUP_ROWS_SAMPLED, sizeof *buffer));
        for (size_t k = 0; k < job->number_count; k++) {
            pair one = {.column = {.kind = DERIVED_BY_GROUP, .first = job->numbers[k].index, .second = i}};
            one.strength = 1 - within(job, &job->numbers[k], &rows, buffer);
            if (one.strength >= 1 - WITHIN_MAX) insert(best, &count, BY_GROUP_MAX, &one);
        }
    }
    for (size_t k = 0; k < count; k++) add(job, best[k].column);
    return PUAD_OK;
}

/* Whether some frequent strings have no encoded column. */
static bool is_counted(const transform_column *column, const table_column *source)
{
    size_t max = 0;
    for (size_t k = 0; k < source->words.count; k++)
        if (source->words.counts[k] > max) max = source->words.counts[k];
    return column->type == COLUMN_CATEGORY && column->distinct > CATEGORIES_MAX && max > 1;
}

static void propose_counts(proposing *job)
{
    size_t count = 0;
    for (size_t i = 0; i < job->encoding->input_count && count < COUNTS_MAX; i++) {
        if (!is_counted(&job->encoding->columns[i], &job->source->columns[i])) continue;
        add(job, (derived_column){.kind = DERIVED_COUNT, .second = i});
        count++;
    }
}

/* Between the dates of events, and from each beginning to the first event. */
static void propose_times(proposing *job)
{
    size_t dates[TIMES_MAX], count = 0, event = SIZE_MAX;
    for (size_t i = 0; i < job->encoding->input_count && count < TIMES_MAX; i++) {
        if (job->source->columns[i].part != PART_STAMP || !job->source->columns[i].present) continue;
        if (!job->source->columns[i].begins && event == SIZE_MAX) event = i;
        dates[count++] = i;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            const table_column *a = &job->source->columns[dates[i]], *b = &job->source->columns[dates[k]];
            if (a->begins && b->begins) continue;
            if ((a->begins && dates[k] != event) || (b->begins && dates[i] != event)) continue;
            bool later = b->pivot >= a->pivot; /* by their medians */
            add(job, (derived_column){.kind = DERIVED_TIME,
                                      .first = dates[later ? k : i],
                                      .second = dates[later ? i : k]});
        }
}

static void proposing_end(proposing *job)
{
    arena_free(&job->memory);
}

puad_status derived_propose(derived_list *out, const table *source, const transform *encoding)
{
    __attribute__((cleanup(proposing_end)))
    proposing job = {.source = source, .encoding = encoding, .out = out};
    *out = (derived_list){0};
    TRY(gather_numbers(&job));
    TRY(propose_pairs(&job));
    TRY(propose_by_group(&job));
    propose_counts(&job);
    propose_times(&job);
    return PUAD_OK;
}
