/* puad data: describes an input. */
#include "base/file.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "cli/common/command.h"
#include "cli/common/print_warnings.h"
#include "cli/common/spinner.h"
#include "cli/common/table_print.h"
#include "cli/data_checks.h"
#include "cli/data_preview.h"
#include "cli/exec_sets.h"
#include "cli/library_values.h"

#include <math.h>
#include <puad/profile.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_SHOWN = 10, DATE_CAPACITY = 64 };

static const option options[] = {
    THREADS_OPTION("threads for reading; 0 for one per processor"),
    {.name = "preview",
     .type = OPTION_TEXT,
     .value = "FILE",
     .help = "draw example images, or a histogram of each column, into FILE (.png, .svg or .pdf)"},
    {.name = "data-dir",
     .type = OPTION_TEXT,
     .value = "DIR",
     .help = "the folder with one folder per dataset (default PUAD_DATA, then the user's data folder)"},
    OUTPUT_OPTION,
    FORMAT_OPTION,
    {.name = "json", .type = OPTION_FLAG, .help = "print one JSON object"},
    {.name = "quiet", .letter = 'q', .type = OPTION_FLAG, .help = "no notes"},
};

static double figure(const puad_profile *found, puad_profile_figure which)
{
    return puad_profile_number(found, which);
}
static double column_figure(const puad_profile *found, size_t column, puad_column_figure which)
{
    return puad_profile_column_number(found, column, which);
}

/* Prints strings with their counts, the most frequent first: of a column, or the classes. */
enum { CLASSES = -1 };
static const char *text_at(const puad_profile *found, long order, size_t rank, size_t *out_rows)
{
    return order == CLASSES ? puad_profile_class(found, rank, out_rows)
                            : puad_profile_column_text(found, (size_t)order, rank, out_rows);
}

static void add_counts(cJSON *object, const char *name, const puad_profile *found, long order, size_t max)
{
    size_t rows;
    const char *text;
    cJSON *counts = cJSON_AddObjectToObject(object, name);
    for (size_t i = 0; i < max && (text = text_at(found, order, i, &rows)); i++)
        cJSON_AddNumberToObject(counts, text, (double)rows);
}

static void column_json(cJSON *list, const puad_profile *found, size_t column)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(list, object);
    bool category = profile_at(found, column).category;
    cJSON_AddStringToObject(object, "name", profile_at(found, column).name);
    cJSON_AddStringToObject(object, "role", profile_at(found, column).role);
    cJSON_AddStringToObject(object, "type", profile_at(found, column).type);
    if (profile_at(found, column).format)
        cJSON_AddStringToObject(object, "form", profile_at(found, column).format);
    if (profile_at(found, column).encoding)
        cJSON_AddStringToObject(object, "fit", profile_at(found, column).encoding);
    cJSON_AddNumberToObject(object, "numbers", column_figure(found, column, PUAD_COLUMN_NUMBERS));
    cJSON_AddNumberToObject(object, "texts", column_figure(found, column, PUAD_COLUMN_TEXTS));
    cJSON_AddNumberToObject(object, "missing", column_figure(found, column, PUAD_COLUMN_MISSING));
    if (column_figure(found, column, PUAD_COLUMN_NUMBERS) > 0 && !category) {
        json_add_double(object, "min", column_figure(found, column, PUAD_COLUMN_MIN));
        json_add_double(object, "max", column_figure(found, column, PUAD_COLUMN_MAX));
        json_add_double(object, "mean", column_figure(found, column, PUAD_COLUMN_MEAN));
        json_add_double(object, "sd", column_figure(found, column, PUAD_COLUMN_SD));
    }
    double distinct = column_figure(found, column, PUAD_COLUMN_DISTINCT);
    if (distinct == 0) return;
    cJSON_AddNumberToObject(object, "distinct_texts", distinct);
    cJSON_AddBoolToObject(object, "distinct_exact", !profile_at(found, column).has_more);
    add_counts(object, "texts_most", found, (long)column, TEXTS_SHOWN);
}

static void labels_json(cJSON *object, const puad_profile *found)
{
    if (!isnan(figure(found, PUAD_PROFILE_ANOMALIES))) {
        cJSON *labels = cJSON_AddObjectToObject(object, "labels");
        cJSON_AddNumberToObject(labels, "anomaly", figure(found, PUAD_PROFILE_ANOMALIES));
        cJSON_AddNumberToObject(labels, "unlabeled", figure(found, PUAD_PROFILE_UNLABELED));
        cJSON_AddNumberToObject(labels, "normal", figure(found, PUAD_PROFILE_NORMALS));
    }
    if (!profile_of(found).odd_label) return;
    cJSON *odd = cJSON_AddObjectToObject(object, "labels_unknown");
    cJSON_AddNumberToObject(odd, "rows", figure(found, PUAD_PROFILE_ODD_LABELS));
    cJSON_AddStringToObject(odd, "first", profile_of(found).odd_label);
}

static void checks_json(cJSON *object, const data_checks *checks)
{
    const struct {
        const char *name, *text;
    } members[] = {{"label_column", checks->label_column},
                   {"positive", checks->positive},
                   {"id_column", checks->id_column},
                   {"time_column", checks->time_column},
                   {"fit", checks->fit},
                   {"fit_series", checks->fit_series}};
    if (checks->refusal) cJSON_AddStringToObject(object, "refused", checks->refusal);
    warnings_add_json(object);
    cJSON *suggested = cJSON_AddObjectToObject(object, "suggested");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (members[i].text) cJSON_AddStringToObject(suggested, members[i].name, members[i].text);
}

static puad_status print_json(const invocation *call, const puad_profile *found, const data_checks *checks)
{
    AUTO_JSON cJSON *object = cJSON_CreateObject();
    char delimiter[2] = {profile_of(found).delimiter, 0}, decimal[2] = {profile_of(found).decimal, 0};
    double rows = figure(found, PUAD_PROFILE_ROWS), duplicates = figure(found, PUAD_PROFILE_DUPLICATES);
    puad_profile_info about = profile_of(found);
    int sizes[] = {about.height, about.width, about.channels};
    bool image = about.image;
    cJSON_AddStringToObject(object, "name", profile_of(found).name);
    cJSON_AddStringToObject(object, "format", profile_of(found).format);
    cJSON_AddStringToObject(object, "kind", image ? "images" : "table");
    if (profile_of(found).type) cJSON_AddStringToObject(object, "dtype", profile_of(found).type);
    cJSON_AddNumberToObject(object, "rows", rows);
    cJSON *shape = cJSON_AddArrayToObject(object, "shape");
    cJSON_AddItemToArray(shape, cJSON_CreateNumber(rows));
    for (int i = 0; i < 3 && image; i++) cJSON_AddItemToArray(shape, cJSON_CreateNumber(sizes[i]));
    if (!image) cJSON_AddItemToArray(shape, cJSON_CreateNumber(figure(found, PUAD_PROFILE_COLUMNS)));
    if (delimiter[0]) {
        cJSON_AddStringToObject(object, "delimiter", delimiter);
        cJSON_AddStringToObject(object, "decimal", decimal);
        cJSON_AddBoolToObject(object, "header", profile_of(found).has_header);
        cJSON_AddNumberToObject(object, "short_rows", figure(found, PUAD_PROFILE_SHORT_ROWS));
    }
    cJSON_AddNumberToObject(object, "missing", figure(found, PUAD_PROFILE_MISSING));
    if (image) {
        json_add_double(object, "min", figure(found, PUAD_PROFILE_MIN));
        json_add_double(object, "max", figure(found, PUAD_PROFILE_MAX));
    }
    if (isnan(duplicates))
        cJSON_AddNullToObject(object, "duplicates");
    else
        cJSON_AddNumberToObject(object, "duplicates", duplicates);
    labels_json(object, found);
    if (figure(found, PUAD_PROFILE_PASSED_OVER) > 0)
        cJSON_AddNumberToObject(object, "passed_over", figure(found, PUAD_PROFILE_PASSED_OVER));
    if (puad_profile_class(found, 0, NULL)) add_counts(object, "classes", found, CLASSES, SIZE_MAX);
    checks_json(object, checks);
    if (image) return result_print(call, object, NULL);
    cJSON *list = cJSON_AddArrayToObject(object, "columns");
    for (size_t i = 0; profile_at(found, i).name; i++) column_json(list, found, i);
    cJSON *reported = cJSON_AddArrayToObject(object, "notes");
    for (size_t i = 0; puad_profile_note(found, i); i++)
        cJSON_AddItemToArray(reported, cJSON_CreateString(puad_profile_note(found, i)));
    return result_print(call, object, "columns");
}

static void print_counts(const puad_profile *found, long order, size_t max)
{
    char buffer[SHOWN_CAPACITY];
    size_t rows;
    const char *text;
    bool more = order != CLASSES && profile_at(found, (size_t)order).has_more;
    double all = order == CLASSES ? figure(found, PUAD_PROFILE_CLASSES)
                                  : column_figure(found, (size_t)order, PUAD_COLUMN_DISTINCT);
    for (size_t i = 0; i < max && (text = text_at(found, order, i, &rows)); i++)
        printf("%s%.40s (%zu)", i ? ", " : "", text_shown(buffer, text), rows);
    if (all > (double)max)
        printf(", ... %s%.0f in all", more ? "more than " : "", all);
    else if (more)
        printf(", and others");
    printf("\n");
}

/* Enough digits to distinguish the ends of a range, such as the seconds of time stamps. */
static int digits_of(double min, double max)
{
    double size = fmax(fabs(min), fabs(max)), spread = max - min;
    if (!(spread > 0) || !isfinite(spread)) return 6;
    int digits = 3 + (int)ceil(log10(size / spread));
    if (digits <= 6) return 6;
    int whole = size < 1e15 ? 1 + (int)floor(log10(size)) : 0; /* avoid an exponent if possible */
    digits = digits > whole ? digits : whole;
    return digits > 17 ? 17 : digits;
}

static void print_numbers(const puad_profile *found, size_t column)
{
    double min = column_figure(found, column, PUAD_COLUMN_MIN),
           max = column_figure(found, column, PUAD_COLUMN_MAX),
           texts = column_figure(found, column, PUAD_COLUMN_TEXTS);
    const char *form = profile_at(found, column).format;
    if (strcmp(profile_at(found, column).type, "date") == 0) {
        char first[DATE_CAPACITY], last[DATE_CAPACITY];
        puad_profile_column_show(found, first, sizeof first, column, min);
        puad_profile_column_show(found, last, sizeof last, column, max);
        printf("%s to %s, %s", first, last, form);
        if (texts > 0) printf("; %.0f cells are not dates", texts);
        return;
    }
    int digits = digits_of(min, max);
    printf("%.*g to %.*g, mean %.*g, sd %.6g", digits, min, digits, max, digits,
           column_figure(found, column, PUAD_COLUMN_MEAN), column_figure(found, column, PUAD_COLUMN_SD));
    if (form && strcmp(profile_at(found, column).type, "number") == 0) printf("; %s", form);
    if (texts > 0) printf("; %.0f cells are not numbers", texts);
}

static void print_column(const puad_profile *found, size_t column, int width)
{
    char buffer[SHOWN_CAPACITY];
    const char *name = text_shown(buffer, profile_at(found, column).name),
               *role = profile_at(found, column).role;
    printf("  %s%*s  ", name, text_padding(name, (size_t)width), "");
    bool feature = strcmp(role, "feature") == 0, category = profile_at(found, column).category;
    printf("%-8s  %8.0f  ", feature ? profile_at(found, column).type : role,
           column_figure(found, column, PUAD_COLUMN_MISSING));
    bool filled = column_figure(found, column, PUAD_COLUMN_NUMBERS) > 0,
         number = filled && !category && feature, words = puad_profile_column_text(found, column, 0, NULL);
    if (number) print_numbers(found, column);
    if (number && words) printf(": ");
    if (words)
        print_counts(found, (long)column, number ? 3 : 5);
    else
        printf("%s\n", filled ? "" : "no values");
}

/* Label values that belong to no class, with advice. */
static void print_odd_labels(const invocation *call, const puad_profile *found)
{
    char message[SPOKEN_CAPACITY];
    const char *expected = speak(message, call->command, profile_of(found).labels_expected);
    bool given = is_given(call, "positive") || is_given(call, "unlabeled") || is_given(call, "negative");
    printf("labels: not usable, 'puad fit' would reject them: %.0f rows have a value that belongs to no "
           "class, the first is '%s'; %s%s\n",
           figure(found, PUAD_PROFILE_ODD_LABELS), profile_of(found).odd_label, expected,
           given ? "; name the others with --positive, --unlabeled or --negative" : "");
}

static void print_kind(const puad_profile *found)
{
    char buffer[SHOWN_CAPACITY], delimiter = profile_of(found).delimiter;
    bool image = profile_of(found).image;
    int height = profile_of(found).height, width = profile_of(found).width,
        channels = profile_of(found).channels;
    printf("%s: %s, %s, %.0f rows", text_shown(buffer, profile_of(found).name), profile_of(found).format,
           image ? "images" : "a table", figure(found, PUAD_PROFILE_ROWS));
    if (image && height) printf(" of %d x %d pixels", height, width);
    if (image && !height) printf(" of different sizes");
    if (image)
        printf(", %s, values %g to %g", channels == 1 ? "gray" : "color", figure(found, PUAD_PROFILE_MIN),
               figure(found, PUAD_PROFILE_MAX));
    else
        printf(", %.0f columns", figure(found, PUAD_PROFILE_COLUMNS));
    if (profile_of(found).type) printf(", %s", profile_of(found).type);
    printf("\n");
    if (delimiter)
        printf("cells are separated by %s%s%s\n",
               delimiter == '\t' ? "tabs" : (char[]){'\'', delimiter, '\'', 0},
               profile_of(found).decimal == ',' ? ", numbers have a decimal comma" : "",
               profile_of(found).has_header ? "" : "; there is no header, so columns are numbered");
}

/* Describes what 'puad fit' would do. */
static void print_fates(const invocation *call, const puad_profile *found, int width)
{
    char buffer[SHOWN_CAPACITY], message[SPOKEN_CAPACITY];
    bool any = false;
    const char *name;
    for (size_t i = 0; profile_at(found, i).name; i++) any |= profile_at(found, i).encoding != NULL;
    if (!any || profile_of(found).refusal) return;
    printf("'puad fit' would use\n");
    for (size_t i = 0; (name = profile_at(found, i).name); i++) {
        const char *fate = profile_at(found, i).encoding;
        name = text_shown(buffer, name);
        printf("  %s%*s  %s\n", name, text_padding(name, (size_t)width), "",
               fate ? speak(message, call->command, fate) : "");
    }
    for (size_t i = 0; puad_profile_note(found, i); i++)
        printf("note: %s\n", speak(message, call->command, puad_profile_note(found, i)));
}

static void print_checks(const invocation *call, const data_checks *checks)
{
    char buffer[SHOWN_CAPACITY], message[SPOKEN_CAPACITY];
    const struct {
        const char *role, *name;
    } columns[] = {{"label", checks->label_column}, {"id", checks->id_column}, {"time", checks->time_column}};
    if (checks->refusal)
        printf("'puad fit' would reject it: %s\n", speak(message, call->command, checks->refusal));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].name)
            printf("likely %s column: %s\n", columns[i].role, text_shown(buffer, columns[i].name));
    /* A command with control characters is not printed, since the user could not copy it; --json has it. */
    if (checks->fit && text_is_plain(checks->fit)) printf("to train:\n  %s\n", checks->fit);
    if (checks->fit_series && text_is_plain(checks->fit_series))
        printf("to train, if each row is a measurement of a time series:\n  %s\n", checks->fit_series);
}

static puad_status print_text(const invocation *call, const puad_profile *found, const data_checks *checks)
{
    print_kind(found);
    if (isnan(figure(found, PUAD_PROFILE_DUPLICATES)))
        printf("repeated rows were not counted: there are too many rows\n");
    else
        printf("%.0f rows repeat an earlier one\n", figure(found, PUAD_PROFILE_DUPLICATES));
    printf("%.0f cells are missing", figure(found, PUAD_PROFILE_MISSING));
    if (figure(found, PUAD_PROFILE_SHORT_ROWS) > 0)
        printf("; %.0f rows are too short", figure(found, PUAD_PROFILE_SHORT_ROWS));
    printf("\n");
    if (!isnan(figure(found, PUAD_PROFILE_ANOMALIES)))
        printf("labels: %.0f anomalies, %.0f unlabeled, %.0f normal\n", figure(found, PUAD_PROFILE_ANOMALIES),
               figure(found, PUAD_PROFILE_UNLABELED), figure(found, PUAD_PROFILE_NORMALS));
    if (profile_of(found).odd_label) print_odd_labels(call, found);
    if (figure(found, PUAD_PROFILE_PASSED_OVER) > 0)
        printf("%.0f images in unsupported formats (such as .webp or .gif) are skipped\n",
               figure(found, PUAD_PROFILE_PASSED_OVER));
    if (puad_profile_class(found, 0, NULL)) {
        printf("classes: ");
        print_counts(found, CLASSES, 20);
    }
    int width = 6;
    const char *name;
    for (size_t i = 0; (name = profile_at(found, i).name); i++) {
        int length = (int)text_characters(name);
        if (length > width) width = length > 40 ? 40 : length;
    }
    if (profile_at(found, 0).name) printf("  %-*s  %-8s  %8s\n", width, "column", "type", "missing");
    for (size_t i = 0; profile_at(found, i).name; i++) print_column(found, i, width);
    print_fates(call, found, width);
    print_checks(call, checks);
    return PUAD_OK;
}

static void profile_freed(puad_profile **owner)
{
    puad_profile_free(*owner);
}

static puad_status run(const invocation *call)
{
    const char *input = call->arguments[0], *picture = value_of(call, "preview")->text;
    bool file = strcmp(input, "-") == 0 || *input == '\n' || file_exists(input);
    if (!file && !strpbrk(input, "./")) return exec_sets(call, input);
    AUTO_CALL_OPTIONS puad_options *given = NULL;
    __attribute__((cleanup(profile_freed))) puad_profile *found = NULL;
    __attribute__((cleanup(data_checks_free))) data_checks checks = {0};
    TRY(call_options(&given, call));
    TRY(puad_options_set_number(given, "threads", (double)value_of(call, "threads")->integer));
    activity_begin_reading("reading", is_given(call, "quiet"), call->arguments, 1, 2);
    puad_status status = puad_profile_read(&found, input, given);
    activity_end();
    TRY(status);
    if (picture) TRY(preview_input(picture, input, found, given));
    activity_begin_reading("checking", is_given(call, "quiet"), call->arguments, 1, READ_AND_ENCODE);
    status = data_checks_make(&checks, call, input, found, given);
    activity_end();
    TRY(status);
    return prints_text(call) ? print_text(call, found, &checks) : print_json(call, found, &checks);
}

const command command_data = {
    .name = "data",
    .alias = "describe",
    .summary = "describe a file and how it would be read",
    .usage = "INPUT...|NAME [OPTIONS]",
    .description =
        "Reads INPUT and prints its rows, shape, column types, labels, missing values, "
        "ranges and repeated rows, and what 'puad fit' would do with each column. Prints the warnings of 'puad fit' about labels and "
        "columns, and a command to train with if a column looks like the label, an id or a time. INPUT is a table (CSV, "
        "TSV or Excel, plain or packed by gzip, zstd or xz), NPY, NPZ, IDX, a folder of images, "
        "or - for CSV on standard input. NAME is a dataset of 'puad list datasets' (puad-lab); then its "
        "parts and classes are printed. --preview draws example images, or the distribution of each column.",
    .example = "puad data train.csv --label-column label\npuad data images/ --json\n"
               "puad data glyphs --preview glyphs.png",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints = true,
    .groups = GROUP(INPUT),
    .arguments_least = 1,
    .arguments_most = COMMAND_ARGUMENTS_MAX,
    .joins = true,
    .run = run,
};
