/* include/puad/profile.h over the library's own profile: what the readers counted, behind getters, with texts
 * in the order of their frequency. */
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

/* The most frequent first, equals by their text. */
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
    data_options how;
    TRY(data_options_of(&how, options));
    TRY(team_new(&workers, (int)OPTION_INTEGER_OF(options, threads)));
    how.workers = workers;
    TRY(profile_read(&made->found, path, &how));
    label_rule_describe(made->expected, sizeof made->expected, &how.labels);
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

void puad_profile_free(puad_profile *of)
{
    if (!of) return;
    profile_free(&of->found);
    arena_free(&of->memory);
    free(of);
}

const char *puad_profile_name(const puad_profile *of)
{
    return of ? of->found.name : NULL;
}
const char *puad_profile_format(const puad_profile *of)
{
    return of ? of->found.format : NULL;
}
const char *puad_profile_type(const puad_profile *of)
{
    return of ? of->found.type : NULL;
}
int puad_profile_is_image(const puad_profile *of)
{
    return of && of->found.image;
}

void puad_profile_shape(const puad_profile *of, int *out_height, int *out_width, int *out_channels)
{
    if (out_height) *out_height = of ? of->found.height : 0;
    if (out_width) *out_width = of ? of->found.width : 0;
    if (out_channels) *out_channels = of ? of->found.channels : 0;
}

char puad_profile_delimiter(const puad_profile *of)
{
    return of && of->found.is_text ? of->found.dialect.delimiter : 0;
}
char puad_profile_decimal(const puad_profile *of)
{
    return of && of->found.is_text ? of->found.dialect.decimal : 0;
}
int puad_profile_has_header(const puad_profile *of)
{
    return of && of->found.is_text && of->found.dialect.header;
}

double puad_profile_number(const puad_profile *of, puad_profile_figure which)
{
    if (!of) return NAN;
    const profile *found = &of->found;
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
    case PUAD_PROFILE_LEAST: return found->image ? found->least : NAN;
    case PUAD_PROFILE_MOST: return found->image ? found->most : NAN;
    }
    return NAN;
}

const char *puad_profile_odd_label(const puad_profile *of)
{
    return of && of->found.odd_labels ? of->found.odd_label : NULL;
}
const char *puad_profile_labels_expected(const puad_profile *of)
{
    return of ? of->expected : NULL;
}

static const char *ranked_text(const ranked *texts, size_t count, size_t rank, size_t *out_rows)
{
    bool there = texts && rank < count;
    if (out_rows) *out_rows = there ? (size_t)texts[rank].count : 0;
    return there ? texts[rank].text : NULL;
}

const char *puad_profile_class(const puad_profile *of, size_t rank, size_t *out_rows)
{
    return ranked_text(of ? of->classes : NULL, of ? of->found.values.count : 0, rank, out_rows);
}

static const profile_column *column_of(const puad_profile *of, size_t column)
{
    return of && column < of->found.column_count ? &of->found.columns[column] : NULL;
}

const char *puad_profile_column_name(const puad_profile *of, size_t column)
{
    const profile_column *found = column_of(of, column);
    return found ? found->name : NULL;
}
const char *puad_profile_column_role(const puad_profile *of, size_t column)
{
    const profile_column *found = column_of(of, column);
    return found ? found->role : NULL;
}
int puad_profile_column_is_category(const puad_profile *of, size_t column)
{
    const profile_column *found = column_of(of, column);
    return found && found->category;
}

const char *puad_profile_column_type(const puad_profile *of, size_t column)
{
    const profile_column *found = column_of(of, column);
    if (!found) return NULL;
    if (found->category) return "category";
    if (found->choice.form.kind == FORM_DATE) return "date";
    return found->choice.form.kind == FORM_BOOLEAN ? "yes/no" : "number";
}

const char *puad_profile_column_form(const puad_profile *of, size_t column)
{
    const profile_column *found = column_of(of, column);
    return found && found->choice.form.kind != FORM_PLAIN ? found->form_words : NULL;
}

const char *puad_profile_column_fate(const puad_profile *of, size_t column)
{
    const profile_column *found = column_of(of, column);
    return found ? found->fate : NULL;
}

const char *puad_profile_note(const puad_profile *of, size_t index)
{
    return of && index < of->found.notes.count ? of->found.notes.texts[index] : NULL;
}

const char *puad_profile_refusal(const puad_profile *of)
{
    return of ? of->found.refusal : NULL;
}

puad_status puad_profile_column_show(char *text, size_t room, const puad_profile *of, size_t column,
                                     double value)
{
    NEED(text);
    NEED(of);
    const profile_column *found = column_of(of, column);
    char shown[DATE_TEXT + NUMBER_TEXT];
    if (found && found->choice.form.kind == FORM_DATE)
        date_text(shown, value, found->choice.form.order);
    else
        number_text(shown, value);
    snprintf(text, room, "%s", shown);
    return PUAD_OK;
}

double puad_profile_column_number(const puad_profile *of, size_t column, puad_column_figure which)
{
    const profile_column *found = column_of(of, column);
    if (!found) return NAN;
    switch (which) {
    case PUAD_COLUMN_NUMBERS: return (double)found->numbers;
    case PUAD_COLUMN_TEXTS: return (double)found->texts;
    case PUAD_COLUMN_MISSING: return (double)found->missing;
    case PUAD_COLUMN_LEAST: return found->numbers ? found->least : NAN;
    case PUAD_COLUMN_MOST: return found->numbers ? found->most : NAN;
    case PUAD_COLUMN_MEAN: return found->numbers ? found->mean : NAN;
    case PUAD_COLUMN_SD: return found->numbers ? found->sd : NAN;
    case PUAD_COLUMN_DISTINCT: return (double)found->words.count;
    }
    return NAN;
}

const char *puad_profile_column_text(const puad_profile *of, size_t column, size_t rank, size_t *out_rows)
{
    const profile_column *found = column_of(of, column);
    return ranked_text(found ? of->texts[column] : NULL, found ? found->words.count : 0, rank, out_rows);
}

int puad_profile_column_has_more(const puad_profile *of, size_t column)
{
    const profile_column *found = column_of(of, column);
    return found && found->more_words;
}
