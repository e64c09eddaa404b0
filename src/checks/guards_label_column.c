/* Before a fit without labels: checks whether a feature is a forgotten label column.
 *
 * A column gets points for its name, its values and its position. With LIKELY points the caller is warned.
 * With CERTAIN points, some of them for the name, the fit is refused: values alone never cause a refusal. */
#include "checks/guards.h"
#include "table/encoding/transform.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LIKELY = 3, CERTAIN = 4 };
enum { NAME_CLEAR = 3, NAME_VAGUE = 1, VALUE_BAD = 2 }; /* points; any other evidence gives one */
enum { VALUES_MAX = 32, WORD_SIZE = 24 };
enum { ROWS_MIN = 50 }; /* minimum number of rows if the name is no evidence */
#define RARE_MAX 0.2    /* fraction of the rows with the rarest value */

/* Words in names: clear ones that may occur anywhere as a prefix, clear ones that must be the whole name,
 * and words that are also common in names of features. */
static const char *const stems[] = {"abnormal",  "anomal",  "attack", "churn",   "defect",
                                    "failure",   "fault",   "fraud",  "intrusi", "malware",
                                    "malicious", "outlier", "spam"};
static const char *const label_words[] = {"class",  "ground", "label", "labels",
                                          "target", "true",   "truth", "y"};
static const char *const vague_words[] = {"changepoint", "decision", "default", "flag",
                                          "has",         "is",       "outcome", "response",
                                          "result",      "revenue",  "status",  "verdict"};

/* Label values. A message proposes those of anomalies. */
static const char *const bad_values[] = {"abnormal",   "anomalous", "anomaly", "attack", "defect",
                                         "defective",  "failure",   "fault",   "faulty", "fraud",
                                         "fraudulent", "malicious", "outlier", "spam"};
static const char *const good_values[] = {"benign", "genuine", "legit", "legitimate", "normal"};

#define IS_ONE_OF(list, word) is_one_of(list, sizeof(list) / sizeof *(list), word)

static bool is_one_of(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(words[i], word) == 0) return true;
    return false;
}

static bool has_stem(const char *word)
{
    if (strncmp(word, "is", 2) == 0 && has_stem(word + 2)) return true; /* "isfraud" */
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (strncmp(word, stems[i], strlen(stems[i])) == 0) return true;
    return false;
}

/* The next word in lower case: ASCII letters up to another character, or up to a capital after a small
 * letter. Returns its end, or NULL if there is none. */
static const char *next_word(char out[WORD_SIZE], const char *at)
{
    size_t length = 0;
    while (*at && !isalpha((unsigned char)*at)) at++;
    if (!*at) return NULL;
    for (bool small = false; isalpha((unsigned char)*at) && !(small && isupper((unsigned char)*at)); at++) {
        small = islower((unsigned char)*at);
        if (length < WORD_SIZE - 1) out[length++] = (char)tolower((unsigned char)*at);
    }
    out[length] = 0;
    return at;
}

static bool has_column(const transform *table, const char *name)
{
    for (size_t i = 0; i < table->input_count; i++)
        if (strcasecmp(table->columns[i].source, name) == 0) return true;
    return false;
}

static int points_of_name(const transform *table, const char *name)
{
    char word[WORD_SIZE];
    size_t words = 0, clear = 0, vague = 0;
    if (strcasecmp(name, "y") == 0 && has_column(table, "x")) return 0; /* a coordinate */
    for (const char *at = name; (at = next_word(word, at)); words++) {
        if (has_stem(word)) return NAME_CLEAR;
        clear += IS_ONE_OF(label_words, word);
        vague += IS_ONE_OF(vague_words, word);
    }
    return clear && clear + vague == words ? NAME_CLEAR : vague ? NAME_VAGUE : 0;
}

/* The values of a column; counting stops after VALUES_MAX distinct ones. */
typedef struct value_counts {
    size_t values, rows[VALUES_MAX], missing;
    float numbers[VALUES_MAX];
} value_counts;

static value_counts count_values(const dataset *rows, const transform_column *column)
{
    value_counts out = {.values = column->type == COLUMN_CATEGORY ? column->distinct : 0};
    for (size_t i = 0; i < rows->rows && out.values <= VALUES_MAX; i++) {
        const float *cells = rows->values + i * rows->columns + column->first;
        size_t k = 0, categories = column->width - column->indicator;
        if (column->indicator && cells[column->width - 1] != 0) {
            out.missing++;
            continue;
        }
        if (column->type == COLUMN_CATEGORY) {
            while (k < categories && cells[k] == 0) k++;
        } else {
            while (k < out.values && out.numbers[k] != cells[0]) k++;
            if (k == out.values && out.values++ < VALUES_MAX) out.numbers[k] = cells[0];
        }
        if (k < VALUES_MAX) out.rows[k]++;
    }
    return out;
}

typedef struct label_likeness {
    const transform_column *column;
    int points, name_points;
    size_t values;
    double rarest;       /* fraction of the rows */
    const char *anomaly; /* a value that means anomaly, or NULL */
} label_likeness;

static void add_points_of_values(label_likeness *look, const dataset *rows, const value_counts *counts)
{
    const dictionary *words = &look->column->categories;
    size_t rarest = counts->rows[0];
    bool good = false;
    look->values = counts->values;
    for (size_t i = 1; i < counts->values; i++)
        if (counts->rows[i] < rarest) rarest = counts->rows[i];
    if (counts->values == 1 && counts->missing) { /* a single value, and other rows are empty */
        look->values = 2;
        if (counts->missing < rarest) rarest = counts->missing;
    }
    for (size_t i = 0; look->column->type == COLUMN_CATEGORY && i < words->count; i++) {
        if (IS_ONE_OF(bad_values, words->texts[i].text)) look->anomaly = words->texts[i].text;
        good |= IS_ONE_OF(good_values, words->texts[i].text);
    }
    look->rarest = (double)rarest / (double)rows->rows;
    bool rare = look->rarest <= RARE_MAX && look->values <= 3;
    look->points +=
        (look->anomaly ? VALUE_BAD : good) + rare + (look->values == 2 || (look->values == 3 && rare));
}

static label_likeness likeness(const dataset *rows, size_t index)
{
    const transform *table = rows->transform;
    const transform_column *column = &table->columns[index];
    label_likeness look = {.column = column};
    if (column->type == COLUMN_DROPPED || column->part != PART_VALUE) return look;
    look.name_points = points_of_name(table, column->source);
    if (!look.name_points && rows->rows < ROWS_MIN) return look;
    value_counts counts = count_values(rows, column);
    if (counts.values == 0 || counts.values > VALUES_MAX) return look;
    bool last =
        table->file_columns ? column->place + 1 == table->file_columns : index + 1 == table->input_count;
    look.points = look.name_points + last;
    add_points_of_values(&look, rows, &counts);
    return look;
}

/* Names the options to add. */
static puad_status refuse_column(const label_likeness *look)
{
    const char *name = look->column->source, *anomaly = look->anomaly;
    FAIL(PUAD_INVALID,
         "column '%s' looks like the label; add option 'label_column=%s'%s%s%s or option "
         "'no_labels'",
         name, name, anomaly ? " option 'positive=" : "", anomaly ? anomaly : "", anomaly ? "'" : "");
}

static int compare_likely(const void *left, const void *right)
{
    const label_likeness *a = left, *b = right;
    if (a->points != b->points) return a->points < b->points ? 1 : -1;
    return a->column < b->column ? -1 : a->column > b->column;
}

puad_status guards_check_label_column(const puad_options *options, warning_list *list, const dataset *rows,
                                      bool refuse)
{
    AUTO_ARENA arena memory = {0};
    label_likeness *likely, best = {0};
    size_t count = 0;
    if (!transform_of_table(rows->transform)) return PUAD_OK;
    TRY(arena_new(&memory, &likely, rows->transform->input_count, sizeof *likely));
    for (size_t i = 0; i < rows->transform->input_count; i++) {
        label_likeness look = likeness(rows, i);
        if (look.points >= LIKELY) likely[count++] = look;
        if (look.points >= CERTAIN && look.name_points && look.points > best.points) best = look;
    }
    if (best.column && refuse) return refuse_column(&best);
    qsort(likely, count, sizeof *likely, compare_likely);
    for (size_t i = 0; i < count; i++)
        TRY(guard_warn(options, list, likely[i].column->source, GUARD_likely_label, (double)likely[i].values,
                       100 * likely[i].rarest));
    return PUAD_OK;
}
