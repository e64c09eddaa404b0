/* Parses derived columns by name, as in option 'derive' and in messages. */
#include "table/encoding/derived_rows.h"

#include <string.h>

typedef struct parsing {
    derived_list *out;
    const table *source;
    const transform *encoding;
    text_view item; /* for messages */
} parsing;

static bool find_column(size_t *out, const parsing *job, text_view name, bool category)
{
    name = view_trimmed(name);
    for (size_t i = 0; i < job->encoding->input_count; i++) {
        const transform_column *column = &job->encoding->columns[i];
        bool value = column->part == PART_VALUE || column->part == PART_STAMP;
        *out = i;
        if (value && view_is(name, column->source) && category == job->source->columns[i].category)
            return true;
    }
    return false;
}

/* The index of a column in the list; new columns are appended. */
static puad_status place_of(size_t *out, parsing *job, derived_column column)
{
    derived_list *list = job->out;
    for (size_t k = 0; k < list->count; k++) {
        const derived_column *other = &list->list[k];
        bool same = other->kind == column.kind && other->second == column.second &&
                    (column.kind == DERIVED_COUNT || other->first == column.first);
        *out = job->encoding->input_count + k;
        if (same) return PUAD_OK;
    }
    if (list->count == DERIVED_MAX) FAIL(PUAD_INVALID, "option 'derive': more than %d columns", DERIVED_MAX);
    *out = job->encoding->input_count + list->count;
    list->list[list->count++] = column;
    return PUAD_OK;
}

/* A / B, A - B. */
static puad_status parse_pair(size_t *out, bool *out_found, parsing *job, text_view text)
{
    *out_found = false;
    for (size_t at = 1; at + 1 < text.length; at++) {
        char mark = text.text[at];
        size_t first, second;
        text_view left = {text.text, at}, right = {text.text + at + 1, text.length - at - 1};
        if (mark != '/' && mark != '-') continue;
        if (!find_column(&first, job, left, false) || !find_column(&second, job, right, false)) continue;
        bool times = job->encoding->columns[first].part == PART_STAMP;
        if (times != (job->encoding->columns[second].part == PART_STAMP) || (times && mark == '/'))
            FAIL(PUAD_INVALID,
                 "option 'derive': '%.*s' mixes dates and numbers; use two dates with '-', or two numbers",
                 (int)text.length, text.text);
        *out_found = true;
        derived_kind kind = mark == '/' ? DERIVED_RATIO : times ? DERIVED_TIME : DERIVED_DIFFERENCE;
        return place_of(out, job, (derived_column){.kind = kind, .first = first, .second = second});
    }
    return PUAD_OK;
}

/* A by G. */
static puad_status parse_by_group(size_t *out, bool *out_found, parsing *job, text_view text)
{
    *out_found = false;
    for (size_t at = 1; at + 4 < text.length; at++) {
        size_t group, number;
        text_view left = view_trimmed((text_view){text.text, at}),
                  right = {text.text + at + 4, text.length - at - 4};
        if (strncmp(text.text + at, " by ", 4) != 0 || !find_column(&group, job, right, true)) continue;
        bool found = find_column(&number, job, left, false);
        if (!found) TRY(parse_pair(&number, &found, job, left));
        if (!found) continue;
        *out_found = true;
        return place_of(out, job,
                        (derived_column){.kind = DERIVED_BY_GROUP, .first = number, .second = group});
    }
    return PUAD_OK;
}

static puad_status parse(parsing *job, text_view text)
{
    static const char count_of[] = "count of ";
    size_t index = 0;
    bool found = false;
    if (text.length > strlen(count_of) && strncmp(text.text, count_of, strlen(count_of)) == 0) {
        text_view name = {text.text + strlen(count_of), text.length - strlen(count_of)};
        found = find_column(&index, job, name, true);
        if (found) return place_of(&index, job, (derived_column){.kind = DERIVED_COUNT, .second = index});
    }
    TRY(parse_by_group(&index, &found, job, text));
    if (!found) TRY(parse_pair(&index, &found, job, text));
    if (found) return PUAD_OK;
    FAIL(
        PUAD_INVALID,
        "option 'derive': '%.*s' is not 'count of TEXT', 'NUMBER by TEXT', 'NUMBER / NUMBER' or 'NUMBER - NUMBER'",
        (int)text.length, text.text);
}

puad_status derived_parse(derived_list *out, const table *source, const transform *encoding)
{
    parsing job = {.out = out, .source = source, .encoding = encoding};
    *out = (derived_list){0};
    for (size_t i = 0; i < source->derive.count; i++) {
        const char *next = source->derive.list[i];
        while (next) {
            const char *comma = strchr(next, ',');
            text_view item = {next, comma ? (size_t)(comma - next) : strlen(next)};
            next = comma ? comma + 1 : NULL;
            TRY(parse(&job, view_trimmed(item)));
        }
    }
    return PUAD_OK;
}

derive_wish derive_wish_of(const data_options *options, bool named)
{
    derive_wish wish = {.named = named, .list = options->derive, .count = options->derive_count};
    bool one = wish.count == 1;
    wish.no = one ? strcmp(*wish.list, "no") == 0 : !wish.count && options->series;
    if (wish.no || (one && strcmp(*wish.list, "auto") == 0)) wish.count = 0;
    return wish;
}
