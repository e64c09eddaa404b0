/* Converts the option table to the options of the readers. */
#include "dataset/data_options.h"

#include <string.h>

static const struct {
    char character;
    const char *name;
} delimiters[] = {{0, "auto"}, {',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {'|', "pipe"}};
enum { DELIMITERS = sizeof delimiters / sizeof *delimiters };

static puad_status read_delimiter(char *out, const char *text)
{
    for (size_t i = 0; i < DELIMITERS; i++)
        if (strcmp(delimiters[i].name, text) == 0) {
            *out = delimiters[i].character;
            return PUAD_OK;
        }
    *out = text[0];
    if (text[0] && !text[1] && !strchr("\"\r\n", text[0])) return PUAD_OK;
    FAIL(PUAD_INVALID,
         "option 'delimiter': '%s' is neither auto, comma, semicolon, tab, pipe nor a single character",
         text);
}

static void take_list(const char *const **out, size_t *out_count, const puad_options *options,
                      enum option_at which)
{
    const option_value *value = options_value(options, which);
    *out = value->list;
    *out_count = value->list_count;
}

puad_status data_options_of(data_options *out, const puad_options *given)
{
    *out = (data_options){0};
    out->max_rows = (size_t)OPTION_INTEGER_OF(given, max_rows);
    if (!given) return PUAD_OK;
    const char *header = OPTION_TEXT_OF(given, header), *decimal = OPTION_TEXT_OF(given, decimal);
    *out = (data_options){
        .label_column = OPTION_TEXT_OF(given, label_column),
        .id_column = OPTION_TEXT_OF(given, id_column),
        .anomalies = OPTION_TEXT_OF(given, anomalies),
        .normals = OPTION_TEXT_OF(given, normals),
        .time = OPTION_TEXT_OF(given, time_column),
        .group = OPTION_TEXT_OF(given, series_column),
        .intervals = OPTION_TEXT_OF(given, intervals),
        .backbone = OPTION_TEXT_OF(given, backbone),
        .side = OPTION_GIVEN(given, image_size) ? (int)OPTION_INTEGER_OF(given, image_size) : 0,
        .gap = OPTION_GIVEN(given, gap) ? OPTION_NUMBER_OF(given, gap) : 0,
        .x = OPTION_TEXT_OF(given, features),
        .y = OPTION_TEXT_OF(given, labels_array),
        .header = strcmp(header, "yes") == 0  ? HEADER_YES
                  : strcmp(header, "no") == 0 ? HEADER_NO
                                              : HEADER_DETECT,
        .decimal = strcmp(decimal, "comma") == 0   ? ','
                   : strcmp(decimal, "point") == 0 ? '.'
                                                   : 0,
        .seed = (uint64_t)OPTION_INTEGER_OF(given, seed),
        .keep_cells = OPTION_GIVEN(given, keep_cells),
        .want_labels = OPTION_GIVEN(given, read_labels) || OPTION_GIVEN(given, truth),
    };
    take_list(&out->ignore, &out->ignore_count, given, OPTION_AT_ignore);
    out->elapsed = OPTION_GIVEN(given, elapsed);
    take_list(&out->categorical, &out->categorical_count, given, OPTION_AT_categorical);
    take_list(&out->numeric, &out->numeric_count, given, OPTION_AT_numeric);
    take_list(&out->derive, &out->derive_count, given, OPTION_AT_derive);
    out->series =
        OPTION_GIVEN(given, time_column) || OPTION_GIVEN(given, series_column) || OPTION_GIVEN(given, window);
    bool complete = out->series || options_value(given, OPTION_AT_answers)->list_count;
    out->max_rows = complete ? 0 : (size_t)OPTION_INTEGER_OF(given, max_rows);
    out->day_first = strcmp(OPTION_TEXT_OF(given, dates), "day-first") == 0;
    out->month_first = strcmp(OPTION_TEXT_OF(given, dates), "month-first") == 0;
    take_list(&out->labels.positive, &out->labels.positive_count, given, OPTION_AT_positive);
    take_list(&out->labels.unlabeled, &out->labels.unlabeled_count, given, OPTION_AT_unlabeled);
    take_list(&out->labels.negative, &out->labels.negative_count, given, OPTION_AT_negative);
    out->labels.truth = OPTION_GIVEN(given, truth);
    if (OPTION_GIVEN(given, group_column)) { /* a source delivers only one extra string column */
        out->id_column = OPTION_TEXT_OF(given, group_column);
        out->id_option = "group_column";
    }
    return read_delimiter(&out->delimiter, OPTION_TEXT_OF(given, delimiter));
}
