/* Columns that are computed from other columns of the same row and from statistics of the training rows.
 *
 *     count of X   training rows with the same string as this row in column X; 1 for an unseen string
 *     A by G       A divided by the median of A in the rows with the same string in column G; A minus that
 *                  median if A has values that are not positive. 1 or 0 for groups of fewer than
 *                  GROUP_ROWS_MIN training rows
 *     A / B, A - B of numbers; the second also of dates, in seconds
 *
 * A may be a derived column. Counts and ratios are encoded by log2(x), times by sign(x) log2(1 + |x|). A
 * value without its sources is missing and is encoded as 0, the mean. Numbers are computed from held
 * values (transform.h), so that training and scoring give the same bits. */
#ifndef TABLE_ENCODING_DERIVED_H
#define TABLE_ENCODING_DERIVED_H

#include "base/json.h"
#include "table/encoding/dictionary.h"

enum {
    DERIVED_MAX = 16,     /* derived columns of a model */
    GROUPS_MAX = 1 << 16, /* strings of one column with separate statistics */
    GROUP_ROWS_MIN = 5,
    DERIVE_INPUTS_MAX = 2 * DERIVED_MAX
};

typedef enum derived_kind {
    DERIVED_COUNT,
    DERIVED_BY_GROUP,
    DERIVED_RATIO,
    DERIVED_DIFFERENCE,
    DERIVED_TIME
} derived_kind;

typedef enum number_coding { CODING_PLAIN, CODING_LOGARITHM, CODING_SIGNED_LOGARITHM } number_coding;

typedef struct derived_column {
    derived_kind kind;
    /* columns of the encoding: numbers; for DERIVED_COUNT and DERIVED_BY_GROUP `second` is the category */
    size_t first, second;
    bool ratio;      /* for DERIVED_BY_GROUP: divided by the median instead of minus it */
    double *medians; /* for DERIVED_BY_GROUP, by group code; NaN for small groups */
    size_t groups;   /* index of the groups of `second` */
    size_t slots[2]; /* slots of the numbers `first` and `second` in derived_cells */
} derived_column;

/* The strings of a category that occur at least twice in the training rows. */
typedef struct derived_groups {
    size_t column;
    dictionary texts;
    double *counts;
} derived_groups;

typedef struct derivation {
    size_t count;
    derived_column columns[DERIVED_MAX];
    size_t group_count;
    derived_groups groups[DERIVED_MAX];
    size_t input_count; /* number columns of the file that feed derived ones */
    size_t inputs[DERIVE_INPUTS_MAX];
} derivation;

/* The values of one row that derived columns need: numbers of `inputs` in file units, then the derived
 * values; and the group codes, DICTIONARY_NONE for an unseen string, DERIVED_NO_TEXT for none. */
#define DERIVED_NO_TEXT (UINT32_MAX - 1)
typedef struct derived_cells {
    double numbers[DERIVE_INPUTS_MAX + DERIVED_MAX];
    uint32_t groups[DERIVED_MAX];
} derived_cells;

struct transform;
struct transform_column;

/* Sets slots, `inputs` and the `feeds` of the columns, after the kinds and columns have been set. */
void derived_wire(struct transform *owner);

/* The number of input `index` in file units. */
void derived_take_number(derived_cells *cells, const struct transform *encoding, size_t index, double value);

/* The code of a string, which may be missing, in groups `index`. */
void derived_take_text(derived_cells *cells, const struct transform *encoding, size_t index, text_view text);

/* The value of derived column `index`; those before it must have been computed. NaN if it is missing. */
double derived_value(derived_cells *cells, const struct transform *encoding, size_t index);

/* Encodes all derived columns of a row. */
void derived_encode(float *row, derived_cells *cells, const struct transform *encoding);

/* Conversion between a derived value and the number that is encoded. */
number_coding derived_coding(const derived_column *column);
double number_coded(number_coding coding, double value);
double number_decoded(number_coding coding, double coded);

/* "count of device", "price by product": the syntax of option 'derive'. */
puad_status derived_name(const char **out, arena *memory, const struct transform *encoding,
                         const derived_column *column);

/* Appends a derived column with its name and sources; its statistics are learned later. */
puad_status derived_append(struct transform *encoding, const derived_column *column);

bool derived_to_json(cJSON *object, const struct transform *owner); /* false when memory ran out */
puad_status derived_from_json(struct transform *out, const cJSON *object);

#endif
