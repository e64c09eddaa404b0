/* Warnings before a fit, and guesses of the label, id and time columns of a table. */
#include "cli/data_checks.h"

#include "base/file.h"
#include "cli/common/print_warnings.h"
#include "cli/library_values.h"

#include <math.h>
#include <puad/dataset.h>
#include <puad/detector.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MIN = 20 };    /* minimum to call a column an id */
enum { LABEL_VALUES = 3 }; /* with more values none are assigned to anomalies or unlabeled rows */

typedef struct collector {
    data_checks *checks;
    const command *who;
    puad_status status;
} collector;

static puad_status keep_text(data_checks *checks, const char **out, const char *text)
{
    if (*out) return PUAD_OK;
    *out = arena_text(&checks->memory, text);
    return *out ? PUAD_OK : status_fail(PUAD_MEMORY, "no memory for a suggestion");
}

static void collect(void *context, const puad_warning *warning)
{
    collector *to = context;
    warning_print(to->who, warning);
    if (!warning->column || to->status != PUAD_OK) return;
    if (strcmp(warning->name, "likely_label") == 0)
        to->status = keep_text(to->checks, &to->checks->label_column, warning->column);
    if (strcmp(warning->name, "identifier_column") == 0)
        to->status = keep_text(to->checks, &to->checks->id_column, warning->column);
}

static void dataset_freed(puad_dataset **owner)
{
    puad_dataset_free(*owner);
}

/* Opens the input as fit does and runs its checks. Labels that belong to no class are reported elsewhere;
 * their column is then left out. */
static puad_status check(data_checks *out, const command *who, const char *input, const puad_profile *found,
                         const puad_options *options)
{
    __attribute__((cleanup(dataset_freed))) puad_dataset *rows = NULL;
    AUTO_CALL_OPTIONS puad_options *used = NULL;
    collector to = {out, who, PUAD_OK};
    bool odd = profile_of(found).odd_label != NULL;
    TRY(puad_options_copy(&used, options));
    puad_options_set_note(used, NULL, NULL);
    puad_options_set_warning(used, collect, &to);
    if (odd && puad_options_get(options, "label_column")) {
        TRY(puad_options_add(used, "ignore", puad_options_get(options, "label_column")));
        TRY(puad_options_set(used, "label_column", NULL));
        TRY(puad_options_set(used, "no_labels", "yes"));
    }
    puad_status status = puad_dataset_open(&rows, input, NULL, used);
    if (status == PUAD_OK) status = puad_dataset_check(rows, used);
    if (status == PUAD_MEMORY || status == PUAD_IO) return status;
    if (status != PUAD_OK) TRY(keep_text(out, &out->refusal, puad_last_error()));
    return to.status;
}

static double figure(const puad_profile *found, size_t column, puad_column_figure which)
{
    return puad_profile_column_number(found, column, which);
}

/* Each string occurs once, or integers count the rows in any order: n numbers with the range n - 1 and the
 * variance (n^2 - 1) / 12. */
static bool is_id(const puad_profile *found, size_t column)
{
    double rows = puad_profile_number(found, PUAD_PROFILE_ROWS), sd = figure(found, column, PUAD_COLUMN_SD);
    double range = figure(found, column, PUAD_COLUMN_MAX) - figure(found, column, PUAD_COLUMN_MIN);
    size_t often;
    if (rows < ROWS_MIN || figure(found, column, PUAD_COLUMN_MISSING) > 0) return false;
    if (profile_at(found, column).category)
        return puad_profile_column_text(found, column, 0, &often) && often == 1;
    return strcmp(profile_at(found, column).type, "number") == 0 &&
           figure(found, column, PUAD_COLUMN_NUMBERS) == rows && range == rows - 1 &&
           fabs(12 * sd * sd / (rows * rows - 1) - 1) < 1e-3;
}

/* Columns that can be recognized from the profile. */
static puad_status find_columns(data_checks *out, const puad_profile *found, const puad_options *options)
{
    const char *name;
    bool named = puad_options_entry(options, "id_column", 0) != NULL,
         series = puad_options_entry(options, "time_column", 0) != NULL;
    for (size_t i = 0; (name = profile_at(found, i).name); i++) {
        if (strcmp(profile_at(found, i).role, "feature") != 0) continue;
        if (!series && strcmp(profile_at(found, i).type, "date") == 0)
            TRY(keep_text(out, &out->time_column, name));
        if (!named && is_id(found, i)) TRY(keep_text(out, &out->id_column, name));
    }
    return PUAD_OK;
}

static bool is_usual(const char *value)
{
    return strcmp(value, "1") == 0 || strcmp(value, "0") == 0 || strcmp(value, "-1") == 0;
}

/* `rare` means anomaly, `others` unlabeled; nothing is set if these are the defaults 1 and 0. */
static puad_status set_values(data_checks *out, puad_options *to, const char *rare, const char *const *others,
                              size_t count)
{
    size_t usual = is_usual(rare);
    for (size_t i = 0; i < count; i++) usual += is_usual(others[i]);
    if (usual == count + 1 && (count == 2 || strcmp(rare, "1") == 0)) return PUAD_OK;
    TRY(keep_text(out, &out->positive, rare));
    TRY(puad_options_add(to, "positive", rare));
    for (size_t i = 0; i < count; i++) TRY(puad_options_add(to, "unlabeled", others[i]));
    return PUAD_OK;
}

/* A column of two numbers, low in a fraction 1 - p of the rows: its mean is low + p (high - low), its
 * variance (mean - low) (high - mean). */
static puad_status set_numbers(data_checks *out, puad_options *to, const puad_profile *found, size_t column)
{
    double low = figure(found, column, PUAD_COLUMN_MIN), high = figure(found, column, PUAD_COLUMN_MAX),
           mean = figure(found, column, PUAD_COLUMN_MEAN), sd = figure(found, column, PUAD_COLUMN_SD);
    const char *texts[2];
    if (fabs(sd * sd - (mean - low) * (high - mean)) > 1e-6 * (high - low) * (high - low)) return PUAD_OK;
    TRY(arena_print(&out->memory, &texts[0], "%.15g", low));
    TRY(arena_print(&out->memory, &texts[1], "%.15g", high));
    bool first = mean - low > high - mean; /* most rows have the high value */
    return set_values(out, to, texts[!first], &texts[first], low < high);
}

/* The values of the label column: for a feature from the column, for labels that belong to no class from
 * the classes. */
static puad_status set_label_values(data_checks *out, puad_options *to, const puad_profile *found,
                                    const char *label)
{
    const char *texts[LABEL_VALUES + 1];
    size_t column = 0, count = 0, rows[LABEL_VALUES + 1];
    const char *name;
    while ((name = profile_at(found, column).name) && strcmp(name, label) != 0) column++;
    if (!name || puad_options_entry(to, "positive", 0) || puad_options_entry(to, "unlabeled", 0) ||
        puad_options_entry(to, "negative", 0))
        return PUAD_OK;
    bool classes = profile_of(found).odd_label != NULL;
    while (count <= LABEL_VALUES &&
           (texts[count] = classes ? puad_profile_class(found, count, &rows[count])
                                   : puad_profile_column_text(found, column, count, &rows[count])))
        count++;
    if (count == 0) return set_numbers(out, to, found, column);
    bool tie = count > 1 && rows[count - 1] == rows[count - 2]; /* no value is the rarest */
    return tie || count > LABEL_VALUES ? PUAD_OK : set_values(out, to, texts[count - 1], texts, count - 1);
}

static puad_status write_command(data_checks *out, const char **line, const char *input,
                                 const puad_options *options)
{
    const char *quoted;
    char *names = arena_text(&out->memory, input), *rest = names;
    if (!names) FAIL(PUAD_MEMORY, "no memory for a command");
    TRY(arena_print(&out->memory, line, "puad fit"));
    for (char *name; (name = strsep(&rest, "\n"));) {
        TRY(arena_shell_word(&out->memory, &quoted, name));
        TRY(arena_print(&out->memory, line, "%s %s", *line, quoted));
    }
    TRY(options_write_words(&out->memory, line, options));
    return arena_print(&out->memory, line, "%s -o model.safetensors", *line);
}

/* Each column has one role. */
static void drop_repeated(data_checks *out)
{
    if (out->label_column && out->id_column && strcmp(out->label_column, out->id_column) == 0)
        out->id_column = NULL;
    if (out->time_column && out->id_column && strcmp(out->time_column, out->id_column) == 0)
        out->id_column = NULL;
}

static void profile_freed(puad_profile **owner)
{
    puad_profile_free(*owner);
}

/* A column of yes and no is a number to the profile; read as the label column, it shows its two strings. */
static puad_status set_yes_and_no(data_checks *out, puad_options *to, const char *input,
                                  const puad_profile *found)
{
    __attribute__((cleanup(profile_freed))) puad_profile *again = NULL;
    AUTO_CALL_OPTIONS puad_options *options = NULL;
    size_t column = 0;
    const char *name;
    while ((name = profile_at(found, column).name) && strcmp(name, out->label_column) != 0) column++;
    if (!name || strcmp(profile_at(found, column).role, "feature") != 0 || !profile_at(found, column).format)
        return PUAD_OK;
    TRY(puad_options_copy(&options, to));
    puad_options_set_note(options, NULL, NULL);
    puad_options_set_warning(options, NULL, NULL);
    TRY(puad_profile_read(&again, input, options));
    return profile_of(again).odd_label ? set_label_values(out, to, again, out->label_column) : PUAD_OK;
}

static puad_status suggest(data_checks *out, const char *input, const puad_profile *found,
                           const puad_options *options)
{
    AUTO_CALL_OPTIONS puad_options *used = NULL;
    const char *label = profile_of(found).odd_label ? puad_options_get(options, "label_column") : NULL;
    if (label) TRY(keep_text(out, &out->label_column, label));
    drop_repeated(out);
    TRY(puad_options_copy(&used, options));
    if (out->label_column) TRY(puad_options_set(used, "label_column", out->label_column));
    if (out->label_column) TRY(set_yes_and_no(out, used, input, found));
    if (out->label_column) TRY(set_label_values(out, used, found, out->label_column));
    if (out->id_column) TRY(puad_options_set(used, "id_column", out->id_column));
    if (out->label_column || out->id_column) TRY(write_command(out, &out->fit, input, used));
    if (!out->time_column) return PUAD_OK;
    TRY(puad_options_set(used, "time_column", out->time_column));
    return write_command(out, &out->fit_series, input, used);
}

puad_status data_checks_make(data_checks *out, const invocation *call, const char *input,
                             const puad_profile *found, const puad_options *options)
{
    bool known = false;
    const char *refusal = profile_of(found).refusal;
    *out = (data_checks){0};
    if (refusal) TRY(keep_text(out, &out->refusal, refusal));
    for (size_t i = 0; profile_at(found, i).name; i++)
        known |= strcmp(profile_at(found, i).role, "feature") == 0 && profile_at(found, i).encoding != NULL;
    if (refusal || !known || file_is_pipe(input)) return PUAD_OK;
    TRY(find_columns(out, found, options));
    TRY(check(out, call->command, input, found, options));
    return suggest(out, input, found, options);
}

void data_checks_free(data_checks *checks)
{
    arena_free(&checks->memory);
}
