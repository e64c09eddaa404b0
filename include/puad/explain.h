/* Explanations: how much each column contributes to a score, and the typical values of a column.
 *
 *     puad_reason reasons[3] = {{.struct_size = sizeof *reasons}};
 *     size_t count;
 *     puad_scorer_reasons(scorer, reasons, 3, &count, row, columns);
 *
 * A row is the values that the model takes: of puad_scorer_take, puad_stream_take or puad_dataset_info.
 *
 * Ownership: strings belong to the model. Threads: as the scorer. */
#ifndef PUAD_EXPLAIN_H
#define PUAD_EXPLAIN_H

#include <puad/detector.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the columns that contribute to the score of a row, as puad_detector_explain does. `columns` is the
 * length of the row. Errors: PUAD_INVALID, PUAD_MEMORY. */
PUAD_API puad_status puad_scorer_reasons(puad_scorer *scorer, puad_reason *reasons, size_t capacity,
                                         size_t *out_count, const float *row, size_t columns);

/* Fills *out with the value of a row in a column of the training data, as a reason whose contribution is NaN;
 * for a window with its mean. Errors: PUAD_INVALID for a column past the end, or a row of another length. */
PUAD_API puad_status puad_detector_cell(const puad_detector *model, puad_reason *out, size_t column,
                                        const float *row, size_t columns);

/* Formats reasons for people, separated by "; "; reasons that do not fit are left out.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_reasons_text(const puad_reason *reasons, size_t count, char *text, size_t capacity);

/* Writes the contribution of each of the `columns` values of a row; they sum to 1, or are all 0 if no value
 * contributes more than another. A reconstruction head: the value's part of the squared error. Other
 * networks: |gradient x input|. Methods without a network: the change of the score when the value becomes a
 * typical one.
 * Errors: PUAD_INVALID, PUAD_NUMERIC, PUAD_MEMORY. */
PUAD_API puad_status puad_scorer_explain(puad_scorer *scorer, float *contributions, const float *row,
                                         size_t columns);

/* Writes the contribution of each column of the training data: `count` is the column_count of
 * puad_detector_info. Errors: PUAD_INVALID for images. */
PUAD_API puad_status puad_scorer_explain_columns(puad_scorer *scorer, float *contributions, size_t count,
                                                 const float *row, size_t columns);

/* Writes the name of an encoded value: "country=home", "x3 y4" for a pixel, "heat step 3" or "heat level" for
 * a window. Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_detector_value_name(const puad_detector *model, char *text, size_t capacity,
                                              size_t index);

/* A photograph and its heat map, by a model with a backbone: how unusual each place is, compared with the
 * unlabeled training photographs. The map has no labels in it. */
typedef struct puad_heat_map puad_heat_map;

typedef struct puad_heat_map_info {
    size_t struct_size;
    size_t height, width;        /* of the photograph, turned upright */
    const unsigned char *pixels; /* height x width x 3: red, green, blue */
    const float *heat;           /* height x width standard deviations above the mean of usual patches */
} puad_heat_map_info;

/* Make the heat map of an image file, or of height x width x channels bytes with 1 or 3 channels.
 * Errors: PUAD_INVALID without a backbone; PUAD_IO, PUAD_FORMAT, PUAD_MEMORY.
 * Ownership: *out is freed by puad_heat_map_free. */
PUAD_API puad_status puad_heat_map_read(puad_heat_map **out, const puad_detector *model, const char *path);
PUAD_API puad_status puad_heat_map_new(puad_heat_map **out, const puad_detector *model,
                                       const unsigned char *pixels, size_t height, size_t width,
                                       size_t channels);
/* Fills *out; its arrays belong to the map. Errors: PUAD_INVALID. */
PUAD_API puad_status puad_heat_map_get(const puad_heat_map *map, puad_heat_map_info *out);
PUAD_API void puad_heat_map_free(puad_heat_map *map); /* NULL is fine */

enum { PUAD_FORMAT_CAPACITY = 64 };

typedef enum puad_column_origin {
    PUAD_ORIGIN_CELL,
    PUAD_ORIGIN_DATE,    /* a part of a date */
    PUAD_ORIGIN_DERIVED, /* computed from other columns: new rows need not have it */
} puad_column_origin;

/* A column of the training data and how it is encoded. A date in the input makes several columns. The columns
 * that are used and not derived are the input schema of the model. */
typedef struct puad_column {
    size_t struct_size;
    const char *name;  /* "amount", "when (weekday)" */
    const char *input; /* the column of the input that it comes from: "when" */
    puad_column_kind kind;
    const char *reason;                /* why it is unused; else NULL */
    int optional;                      /* 1: training rows had missing cells */
    size_t values;                     /* encoded values that it becomes */
    double mean, sd;                   /* of a number, in units of the input */
    char format[PUAD_FORMAT_CAPACITY]; /* how a number is written: "date, day first"; "" for plain numbers */
    size_t category_count;             /* for puad_detector_category */
    puad_typical typical;
    puad_column_origin origin;
} puad_column;

/* Fills *out with column `index` of the training data, from 0 to column_count - 1 of puad_detector_info.
 * Errors: PUAD_INVALID past the end. */
PUAD_API puad_status puad_detector_column(const puad_detector *model, puad_column *out, size_t index);

/* Returns category `index` of a column, in the order of its encoded values; NULL past the end. */
PUAD_API const char *puad_detector_category(const puad_detector *model, size_t column, size_t index);

typedef enum puad_column_part {
    PUAD_COLUMN_ALL,     /* "number, mean 3, sd 1", "category, 4 columns", "dropped: constant" */
    PUAD_COLUMN_TYPICAL, /* as PUAD_REASON_TYPICAL */
} puad_column_part;

/* Formats a column for people.
 * Errors: PUAD_INVALID. */
PUAD_API puad_status puad_column_text(const puad_column *column, char *text, size_t capacity,
                                      puad_column_part part);

#ifdef __cplusplus
}
#endif
#endif
