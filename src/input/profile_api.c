/* Implements include/puad/profile.h: getters of the profile, with strings sorted by frequency. */
#include "base/number.h"
#include "input/input.h"

#include <math.h>
#include <puad/profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    uint64_t count;
    const char *text;
} ranked;

struct puad_profile {
    profile found;
    ranked **texts; /* per column */
    ranked *classes;
    char expected[300];
    arena memory;
};

/* Most frequent first; ties in alphabetical order. */
static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return strcmp(x->text, y->text);
}

static puad_status rank(ranked **out, arena *memory, const dictionary *words)
{
    if (!words->count) return PUAD_OK;
    TRY(arena_new(memory, out, words->count, sizeof **out));
    for (size_t i = 0; i < words->count; i++) (*out)[i] = (ranked){words->counts[i], words->texts[i].text};
    qsort(*out, words->count, sizeof **out, compare_ranked);
    return PUAD_OK;
}

static puad_status fill(puad_profile *made, const char *path, const puad_options *options)
{
    AUTO_TEAM team *workers = NULL;
    data_options given;
    TRY(data_options_of(&given, options));
    TRY(options_team(&workers, options));
    given.workers = workers;
    TRY(profile_read(&made->found, path, &given));
    label_rule_describe(made->expected, sizeof made->expected, &given.labels);
    const profile *found = &made->found;
    TRY(rank(&made->classes, &made->memory, &found->values));
    TRY(arena_new(&made->memory, &made->texts, found->column_count + 1, sizeof *made->texts));
    for (size_t i = 0; i < found->column_count; i++)
        TRY(rank(&made->texts[i], &made->memory, &found->columns[i].words));
    return PUAD_OK;
}

puad_status puad_profile_read(puad_profile **out, const char *path, const puad_options *options)
{
    NEED(out);
    *out = NULL;
    NEED(path);
    puad_profile *made = NULL;
    TRY(memory_new(&made, 1, sizeof *made, "a profile"));
    puad_status status = fill(made, path, options);
    if (status == PUAD_OK)
        *out = made;
    else
        puad_profile_free(made);
    return status;
}

void puad_profile_free(puad_profile *source)
{
    if (!source) return;
    profile_free(&source->found);
    arena_free(&source->memory);
    free(source);
}

double puad_profile_number(const puad_profile *source, puad_profile_figure which)
{
    if (!source) return NAN;
    const profile *found = &source->found;
    switch (which) {
    case PUAD_PROFILE_ROWS: return (double)found->rows;
    case PUAD_PROFILE_COLUMNS: return (double)found->column_count;
    case PUAD_PROFILE_MISSING: return (double)found->missing;
    case PUAD_PROFILE_SHORT_ROWS: return (double)found->short_rows;
    case PUAD_PROFILE_DUPLICATES: return found->duplicates_known ? (double)found->duplicates : NAN;
    case PUAD_PROFILE_PASSED_OVER: return (double)found->passed_over;
    case PUAD_PROFILE_ANOMALIES: return found->labeled ? (double)found->labels[2] : NAN;
    case PUAD_PROFILE_UNLABELED: return found->labeled ? (double)found->labels[1] : NAN;
    case PUAD_PROFILE_NORMALS: return found->labeled ? (double)found->labels[0] : NAN;
    case PUAD_PROFILE_ODD_LABELS: return (double)found->odd_labels;
    case PUAD_PROFILE_CLASSES: return (double)found->values.count;
    case PUAD_PROFILE_MIN: return found->image ? found->min : NAN;
    case PUAD_PROFILE_MAX: return found->image ? found->max : NAN;
    }
    return NAN;
}

static const char *ranked_text(const ranked *texts, size_t count, size_t rank, size_t *out_rows)
{
    bool there = texts && rank < count;
    if (out_rows) *out_rows = there ? (size_t)texts[rank].count : 0;
    return there ? texts[rank].text : NULL;
}

const char *puad_profile_class(const puad_profile *source, size_t rank, size_t *out_rows)
{
    return ranked_text(source ? source->classes : NULL, source ? source->found.values.count : 0, rank,
                       out_rows);
}

static const profile_column *column_of(const puad_profile *source, size_t column)
{
    return source && column < source->found.column_count ? &source->found.columns[column] : NULL;
}

static const char *type_of(const profile_column *found)
{
    if (found->category) return "category";
    if (found->choice.form.kind == FORM_DATE) return "date";
    if (found->choice.form.kind == FORM_RANGE) return "range";
    return found->choice.form.kind == FORM_BOOLEAN ? "yes/no" : "number";
}

const char *puad_profile_note(const puad_profile *source, size_t index)
{
    return source && index < source->found.notes.count ? source->found.notes.texts[index] : NULL;
}

puad_status puad_profile_column_show(const puad_profile *source, char *text, size_t capacity, size_t column,
                                     double value)
{
    NEED(text);
    NEED(source);
    const profile_column *found = column_of(source, column);
    char shown[DATE_TEXT + NUMBER_TEXT];
    if (found && found->choice.form.kind == FORM_DATE)
        date_text(shown, value, found->choice.form.order);
    else
        number_text(shown, value);
    snprintf(text, capacity, "%s", shown);
    return PUAD_OK;
}

double puad_profile_column_number(const puad_profile *source, size_t column, puad_column_figure which)
{
    const profile_column *found = column_of(source, column);
    if (!found) return NAN;
    switch (which) {
    case PUAD_COLUMN_NUMBERS: return (double)found->numbers;
    case PUAD_COLUMN_TEXTS: return (double)found->texts;
    case PUAD_COLUMN_MISSING: return (double)found->missing;
    case PUAD_COLUMN_MIN: return found->numbers ? found->min : NAN;
    case PUAD_COLUMN_MAX: return found->numbers ? found->max : NAN;
    case PUAD_COLUMN_MEAN: return found->numbers ? found->mean : NAN;
    case PUAD_COLUMN_SD: return found->numbers ? found->sd : NAN;
    case PUAD_COLUMN_DISTINCT: return (double)found->words.count;
    }
    return NAN;
}

const char *puad_profile_column_text(const puad_profile *source, size_t column, size_t rank, size_t *out_rows)
{
    const profile_column *found = column_of(source, column);
    return ranked_text(found ? source->texts[column] : NULL, found ? found->words.count : 0, rank, out_rows);
}

puad_status puad_profile_column_at(const puad_profile *source, puad_profile_column *out, size_t index)
{
    NEED(source);
    NEED(out);
    const profile_column *found = column_of(source, index);
    if (!found) FAIL(PUAD_INVALID, "there is no column %zu", index);
    puad_profile_column made = {.name = found->name,
                                .role = found->role,
                                .category = found->category,
                                .type = type_of(found),
                                .format = found->choice.form.kind != FORM_PLAIN ? found->form_words : NULL,
                                .encoding = found->fate,
                                .has_more = found->more_words};
    return struct_write(out, &made, sizeof made, "puad_profile_column");
}

puad_status puad_profile_input(const puad_profile *source, puad_profile_info *out)
{
    NEED(source);
    NEED(out);
    const profile *found = &source->found;
    puad_profile_info made = {.name = found->name,
                              .format = found->format,
                              .type = found->type,
                              .image = found->image,
                              .height = found->height,
                              .width = found->width,
                              .channels = found->channels,
                              .delimiter = found->is_text ? found->dialect.delimiter : 0,
                              .decimal = found->is_text ? found->dialect.decimal : 0,
                              .has_header = found->is_text && found->dialect.header,
                              .odd_label = found->odd_labels ? found->odd_label : NULL,
                              .labels_expected = source->expected,
                              .refusal = found->refusal};
    return struct_write(out, &made, sizeof made, "puad_profile_info");
}
