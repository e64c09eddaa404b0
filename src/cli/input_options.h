/* The options about an input, the same rows in the tables of every command that reads one.
 *
 *     static const option options[] = {INPUT_OPTIONS, {"output", ...}};
 *     data_options data;
 *     input_options(&data, call);       texts are borrowed from the invocation
 */
#ifndef CLI_INPUT_OPTIONS_H
#define CLI_INPUT_OPTIONS_H

#include "base/memory.h"
#include "cli/command.h"
#include "data/options.h"

#define INPUT_OPTIONS                                                                                        \
    {.name = "label-column", .type = OPTION_TEXT, .value = "NAME", .help = "CSV column with the labels"},    \
        {.name = "positive",                                                                                 \
         .type = OPTION_LIST,                                                                                \
         .value = "VALUE",                                                                                   \
         .help = "label value of anomalies instead of 1; may be given more than once"},                      \
        {.name = "unlabeled",                                                                                \
         .type = OPTION_LIST,                                                                                \
         .value = "VALUE",                                                                                   \
         .help = "label value of unlabeled rows instead of 0; a row without a value is unlabeled too, in "   \
                 "eval left out"},                                                                           \
        {.name = "negative",                                                                                 \
         .type = OPTION_LIST,                                                                                \
         .value = "VALUE",                                                                                   \
         .help = "label value of labeled normal rows instead of -1"},                                        \
        {.name = "id-column",                                                                                \
         .type = OPTION_TEXT,                                                                                \
         .value = "NAME",                                                                                    \
         .help = "CSV column that names rows; no feature in training"},                                      \
        {.name = "ignore",                                                                                   \
         .type = OPTION_LIST,                                                                                \
         .value = "NAME",                                                                                    \
         .help = "CSV column that is no feature; may be given more than once"},                              \
        {.name = "categorical",                                                                              \
         .type = OPTION_LIST,                                                                                \
         .value = "NAME",                                                                                    \
         .help = "CSV column of categories even if it looks like numbers"},                                  \
        {.name = "x",                                                                                        \
         .type = OPTION_TEXT,                                                                                \
         .value = "NAME",                                                                                    \
         .help = "array with the rows in an NPZ file (default X)"},                                          \
        {.name = "y",                                                                                        \
         .type = OPTION_TEXT,                                                                                \
         .value = "NAME",                                                                                    \
         .help =                                                                                             \
             "array with the labels in an NPZ file (default y, if there is one); a file for NPY and IDX"},   \
        {.name = "header",                                                                                   \
         .type = OPTION_CHOICE,                                                                              \
         .standard = "auto",                                                                                 \
         .choices = "auto|yes|no",                                                                           \
         .help = "whether a CSV file begins with column names"},                                             \
        {.name = "decimal",                                                                                  \
         .type = OPTION_CHOICE,                                                                              \
         .standard = "auto",                                                                                 \
         .choices = "auto|point|comma",                                                                      \
         .help = "decimal mark of the numbers in a CSV file"},                                               \
    {                                                                                                        \
        .name = "delimiter", .type = OPTION_CHOICE, .standard = "auto",                                      \
        .choices = "auto|comma|semicolon|tab|pipe", .help = "what separates the cells of a CSV file"         \
    }

/* Rows of one label from files of their own; for commands that learn. */
#define INPUT_FILE_OPTIONS                                                                                   \
    {.name = "anomalies", .type = OPTION_TEXT, .value = "FILE", .help = "more rows, all labeled anomalies"}, \
    {                                                                                                        \
        .name = "normals", .type = OPTION_TEXT, .value = "FILE", .help = "more rows, all labeled normal"     \
    }

/* What the user said; the team stays NULL. */
void input_options(data_options *out, const invocation *call);

/* How the input was read, as the text a model keeps: the options given, by name. The caller frees *out. */
puad_status input_options_text(char **out, const invocation *call);

/* Sets the options about the input that are not given to those the model was trained with. Texts go to
 * `memory`, which must outlive the invocation's use. */
struct puad_detector;
puad_status input_options_of_model(const invocation *call, const struct puad_detector *model, arena *memory);

/* Fails where the model was trained with files of more rows (--anomalies, --normals) that are not given now.
 */
puad_status input_more_rows_again(const invocation *call, const struct puad_detector *model);

#endif
