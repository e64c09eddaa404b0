/* puad data: what an input holds. */
#include "base/file.h"
#include "base/json.h"
#include "base/padding.h"
#include "base/plain_text.h"
#include "base/threads.h"
#include "cli/command.h"
#include "cli/data_parts.h"
#include "cli/json_line.h"
#include "data/input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_SHOWN = 10 };

static const option options[] = {
    THREADS_OPTION("threads to read with; 0 for one per processor"),
    {.name = "preview",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "draw example images, or a histogram of each column, into FILE (.png, .svg or .pdf)"},
    {.name = "data-dir",
     .type = OPTION_TEXT,
     .value = "DIR",
     .help = "the folder with one folder per data set (default PUAD_DATA, then the user's data folder)"},
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "no notes"},
};

typedef struct ranked {
    uint64_t count;
    const char *text;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return strcmp(x->text, y->text);
}

/* The most frequent texts first; the caller frees them. */
static puad_status rank(ranked **out, const dictionary *words)
{
    TRY(memory_new(out, words->count, sizeof **out, "texts"));
    for (size_t i = 0; i < words->count; i++) (*out)[i] = (ranked){words->counts[i], words->texts[i].text};
    qsort(*out, words->count, sizeof **out, compare_ranked);
    return PUAD_OK;
}

static puad_status add_counts(cJSON *object, const char *name, const dictionary *words, size_t most)
{
    AUTO_FREE ranked *order = NULL;
    TRY(rank(&order, words));
    cJSON *counts = cJSON_AddObjectToObject(object, name);
    for (size_t i = 0; i < words->count && i < most; i++)
        cJSON_AddNumberToObject(counts, order[i].text, (double)order[i].count);
    return PUAD_OK;
}

static puad_status column_json(cJSON *list, const profile_column *column)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(list, object);
    cJSON_AddStringToObject(object, "name", column->name);
    cJSON_AddStringToObject(object, "role", column->role);
    cJSON_AddStringToObject(object, "type", column->category ? "category" : "number");
    cJSON_AddNumberToObject(object, "numbers", (double)column->numbers);
    cJSON_AddNumberToObject(object, "texts", (double)column->texts);
    cJSON_AddNumberToObject(object, "missing", (double)column->missing);
    if (column->numbers && !column->category) {
        json_add_double(object, "min", column->least);
        json_add_double(object, "max", column->most);
        json_add_double(object, "mean", column->mean);
        json_add_double(object, "sd", column->sd);
    }
    if (column->words.count == 0) return PUAD_OK;
    cJSON_AddNumberToObject(object, "distinct_texts", (double)column->words.count);
    cJSON_AddBoolToObject(object, "distinct_exact", !column->more_words);
    return add_counts(object, "texts_most", &column->words, TEXTS_SHOWN);
}

static puad_status fill_json(cJSON *object, const profile *found)
{
    char delimiter[2] = {found->dialect.delimiter, 0}, decimal[2] = {found->dialect.decimal, 0};
    cJSON_AddStringToObject(object, "name", found->name);
    cJSON_AddStringToObject(object, "format", found->format);
    cJSON_AddStringToObject(object, "kind", found->image ? "images" : "table");
    if (found->type) cJSON_AddStringToObject(object, "dtype", found->type);
    cJSON_AddNumberToObject(object, "rows", (double)found->rows);
    cJSON *shape = cJSON_AddArrayToObject(object, "shape");
    cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)found->rows));
    const double sizes[] = {found->height, found->width, found->channels};
    for (int i = 0; i < 3 && found->image; i++) cJSON_AddItemToArray(shape, cJSON_CreateNumber(sizes[i]));
    if (!found->image) cJSON_AddItemToArray(shape, cJSON_CreateNumber((double)found->column_count));
    if (found->is_text) {
        cJSON_AddStringToObject(object, "delimiter", delimiter);
        cJSON_AddStringToObject(object, "decimal", decimal);
        cJSON_AddBoolToObject(object, "header", found->dialect.header);
        cJSON_AddNumberToObject(object, "short_rows", (double)found->short_rows);
    }
    cJSON_AddNumberToObject(object, "missing", (double)found->missing);
    if (found->image) {
        json_add_double(object, "min", found->least);
        json_add_double(object, "max", found->most);
    }
    if (found->duplicates_known)
        cJSON_AddNumberToObject(object, "duplicates", (double)found->duplicates);
    else
        cJSON_AddNullToObject(object, "duplicates");
    if (found->labeled) {
        cJSON *labels = cJSON_AddObjectToObject(object, "labels");
        cJSON_AddNumberToObject(labels, "anomaly", (double)found->labels[2]);
        cJSON_AddNumberToObject(labels, "unlabeled", (double)found->labels[1]);
        cJSON_AddNumberToObject(labels, "normal", (double)found->labels[0]);
    }
    if (found->odd_labels) {
        cJSON *odd = cJSON_AddObjectToObject(object, "labels_unknown");
        cJSON_AddNumberToObject(odd, "rows", (double)found->odd_labels);
        cJSON_AddStringToObject(odd, "first", found->odd_label);
    }
    if (found->passed_over) cJSON_AddNumberToObject(object, "passed_over", (double)found->passed_over);
    if (found->values.count) TRY(add_counts(object, "classes", &found->values, found->values.count));
    if (found->image) return PUAD_OK;
    cJSON *list = cJSON_AddArrayToObject(object, "columns");
    for (size_t i = 0; i < found->column_count; i++) TRY(column_json(list, &found->columns[i]));
    return PUAD_OK;
}

static puad_status print_json(const profile *found)
{
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    TRY(fill_json(object, found));
    return json_line(object);
}

static puad_status print_counts(const dictionary *words, size_t most, bool more)
{
    AUTO_FREE ranked *order = NULL;
    char room[SHOWN_ROOM];
    TRY(rank(&order, words));
    for (size_t i = 0; i < words->count && i < most; i++)
        printf("%s%.40s (%llu)", i ? ", " : "", text_shown(room, order[i].text),
               (unsigned long long)order[i].count);
    if (words->count > most)
        printf(", ... %s%zu in all", more ? "more than " : "", words->count);
    else if (more)
        printf(", and others");
    printf("\n");
    return PUAD_OK;
}

/* So many digits that the ends of a range can be told apart: a time stamp's seconds show. */
static int digits_of(const profile_column *column)
{
    double size = fmax(fabs(column->least), fabs(column->most)), spread = column->most - column->least;
    if (!(spread > 0) || !isfinite(spread)) return 6;
    int digits = 3 + (int)ceil(log10(size / spread));
    if (digits <= 6) return 6;
    int whole = size < 1e15 ? 1 + (int)floor(log10(size)) : 0; /* no exponent where it can be done without */
    digits = digits > whole ? digits : whole;
    return digits > 17 ? 17 : digits;
}

static void print_numbers(const profile_column *column)
{
    int digits = digits_of(column);
    printf("%.*g to %.*g, mean %.*g, sd %.6g", digits, column->least, digits, column->most, digits,
           column->mean, column->sd);
    if (column->texts) printf("; %zu cells are not numbers", column->texts);
}

static puad_status print_column(const profile_column *column, int width)
{
    char room[SHOWN_ROOM];
    const char *name = text_shown(room, column->name);
    printf("  %s%*s  ", name, text_padding(name, (size_t)width), "");
    bool feature = strcmp(column->role, "feature") == 0;
    printf("%-8s  %8zu  ", feature ? column->category ? "category" : "number" : column->role,
           column->missing);
    bool number = column->numbers && !column->category && feature;
    if (number) print_numbers(column);
    if (number && column->words.count) printf(": ");
    if (column->words.count) return print_counts(&column->words, number ? 3 : 5, column->more_words);
    printf("%s\n", column->numbers ? "" : "no values");
    return PUAD_OK;
}

/* Labels that do not fit: what there is and what to say. */
static void print_odd_labels(const invocation *call, const profile *found, const label_rule *rule)
{
    char described[300], said[SPOKEN_ROOM];
    label_rule_describe(described, sizeof described, rule);
    const char *expected = speak(said, call->command, described);
    printf("labels: not usable, 'puad fit' would refuse them: %zu rows hold a value that fits no class, the "
           "first is '%s'; %s%s\n",
           found->odd_labels, found->odd_label, expected,
           label_rule_is_given(rule) ? "; name the others with --positive, --unlabeled or --negative" : "");
}

static puad_status print_text(const invocation *call, const profile *found, const label_rule *rule)
{
    char room[SHOWN_ROOM];
    printf("%s: %s, %s, %zu rows", text_shown(room, found->name), found->format,
           found->image ? "images" : "a table", found->rows);
    if (found->image && found->height) printf(" of %d x %d pixels", found->height, found->width);
    if (found->image && !found->height) printf(" of different sizes");
    if (found->image)
        printf(", %s, values %g to %g", found->channels == 1 ? "gray" : "colour", found->least, found->most);
    else
        printf(", %zu columns", found->column_count);
    if (found->type) printf(", %s", found->type);
    printf("\n");
    if (found->is_text)
        printf("cells are separated by %s%s%s\n",
               found->dialect.delimiter == '\t' ? "tabs" : (char[]){'\'', found->dialect.delimiter, '\'', 0},
               found->dialect.decimal == ',' ? ", numbers have a decimal comma" : "",
               found->dialect.header ? "" : "; there is no header, so columns are numbered");
    if (found->duplicates_known)
        printf("%zu rows repeat an earlier one\n", found->duplicates);
    else
        printf("repeated rows were not counted: there are too many rows\n");
    printf("%zu cells are missing", found->missing);
    if (found->short_rows) printf("; %zu rows are too short", found->short_rows);
    printf("\n");
    if (found->labeled)
        printf("labels: %zu anomalies, %zu unlabeled, %zu normal\n", found->labels[2], found->labels[1],
               found->labels[0]);
    if (found->odd_labels) print_odd_labels(call, found, rule);
    if (found->passed_over)
        printf(
            "%zu pictures of kinds that are not read (such as .bmp, .tif, .webp or .gif) are passed over\n",
            found->passed_over);
    if (found->values.count) {
        printf("classes: ");
        TRY(print_counts(&found->values, 20, false));
    }
    int width = 6;
    for (size_t i = 0; i < found->column_count; i++) {
        int length = (int)text_characters(found->columns[i].name);
        if (length > width) width = length > 40 ? 40 : length;
    }
    if (found->column_count) printf("  %-*s  %-8s  %8s\n", width, "column", "type", "missing");
    for (size_t i = 0; i < found->column_count; i++) TRY(print_column(&found->columns[i], width));
    return PUAD_OK;
}

/* The rows themselves, for a picture. Labels that the options do not explain are left out. */
static puad_status preview(const char *picture, const char *path, const profile *found, data_options data)
{
    AUTO_DATASET dataset rows = {0};
    const char *ignored[OPTION_LIST_MOST + 1];
    if (file_is_pipe(path))
        FAIL(PUAD_INVALID, "--preview needs a file: %s can be read only once", found->name);
    if (data.label_column && !found->labeled) {
        for (size_t i = 0; i < data.ignore_count; i++) ignored[i] = data.ignore[i];
        ignored[data.ignore_count++] = data.label_column;
        data.ignore = ignored;
        data.label_column = NULL;
    }
    TRY(data_open(&rows, path, &data));
    return preview_dataset(picture, &rows, found);
}

static puad_status run(const invocation *call)
{
    const char *input = call->arguments[0], *picture = value_of(call, "preview")->text;
    const set_row *about = NULL;
    bool file = strcmp(input, "-") == 0 || file_exists(input);
    if (!file && set_find(&about, input) == PUAD_OK) return data_named(call, about);
    if (!file && !strpbrk(input, "./"))
        FAIL(PUAD_IO, "%s: neither a file nor a data set ('puad list' names them)", input);
    AUTO_CALL_OPTIONS puad_options *said = NULL;
    data_options data;
    profile found = {0};
    TRY(call_options(&said, call));
    TRY(data_options_of(&data, said));
    TRY(team_new(&data.workers, (int)value_of(call, "threads")->integer));
    puad_status status = profile_read(&found, input, &data);
    if (status == PUAD_OK && picture) status = preview(picture, input, &found, data);
    if (status == PUAD_OK)
        status = is_given(call, "json") ? print_json(&found) : print_text(call, &found, &data.labels);
    profile_free(&found);
    team_free(data.workers);
    return status;
}

const command command_data = {
    .name = "data",
    .summary = "what a data source holds",
    .usage = "INPUT|NAME [OPTIONS]",
    .description =
        "Reads INPUT and prints its rows, shape, column types, labels, missing values, ranges and "
        "repeated rows. INPUT is a CSV or TSV file (plain or gzip), NPY, NPZ, IDX, a folder of PNG or JPEG "
        "files, or - for CSV on standard input. NAME is a data set of 'puad list'; then its parts and "
        "classes "
        "are printed. --preview draws example images, or the distribution of each column.",
    .example = "puad data train.csv --label-column label\npuad data images/ --json\n"
               "puad data glyphs --preview glyphs.png",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .groups = GROUP(INPUT),
    .arguments_least = 1,
    .arguments_most = 1,
    .run = run,
};
