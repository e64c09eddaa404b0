/* The columns of a table as ONNX inputs, and their encoding (table/encoding/transform.h). Numbers are
 * doubles, encoded together with the same roundings. */
#include "base/utf8.h"
#include "export/onnx_parts.h"

#include <string.h>

typedef struct number_columns {
    size_t count;
    double *pivot, *factor, *low, *high, *mean, *sd, *shift, *spread; /* `count` values each */
    const transform_column **columns;
} number_columns;

static bool is_taken(const char *const *taken, size_t count, const char *name)
{
    static const char *const outputs[] = {OUTPUT_SCORE, OUTPUT_P, OUTPUT_PROBABILITY, OUTPUT_THRESHOLD,
                                          OUTPUT_FLAG};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (strcmp(outputs[i], name) == 0) return true;
    for (size_t i = 0; i < count; i++)
        if (strcmp(taken[i], name) == 0) return true;
    return strncmp(name, "puad:", 5) == 0;
}

/* The column's name, with "_input" appended if an output or another input has that name. */
static puad_status input_name(const char **out, graph *g, const char *const *taken, size_t count,
                              const char *name)
{
    *out = name;
    if (!text_is_utf8((text_view){name, strlen(name)}))
        FAIL(PUAD_INVALID, "the name of column '%s' is not UTF-8, which ONNX requires", name);
    while (is_taken(taken, count, *out)) TRY(arena_print(g->memory, out, "%s_input", *out));
    return PUAD_OK;
}

static puad_status gather_numbers(number_columns *out, graph *g, const transform *encoding)
{
    double **arrays[] = {&out->pivot, &out->factor, &out->low,   &out->high,
                         &out->mean,  &out->sd,     &out->shift, &out->spread};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        TRY(arena_new(g->memory, arrays[i], encoding->column_count, sizeof(double)));
    TRY(arena_new(g->memory, &out->columns, encoding->column_count, sizeof *out->columns));
    for (size_t i = 0; i < encoding->column_count; i++) {
        const transform_column *column = &encoding->columns[i];
        if (column->type != COLUMN_NUMBER) continue;
        size_t at = out->count++;
        out->columns[at] = column;
        out->pivot[at] = column->pivot;
        out->factor[at] = column->factor;
        out->low[at] = column->low;
        out->high[at] = column->high;
        out->mean[at] = column->mean;
        out->sd[at] = column->sd;
        bool twice = column->spread > 0;
        out->shift[at] = twice ? column->shift : 0;
        out->spread[at] = twice ? column->spread : 1;
    }
    return PUAD_OK;
}

static bool all_are(const double *values, size_t count, double value)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != value) return false;
    return true;
}

/* Whether all encoded numbers are below ENCODED_MAX. */
static bool stays_small(const number_columns *columns, double scale)
{
    for (size_t i = 0; i < columns->count; i++)
        for (int end = 0; end < 2; end++) {
            double bound =
                ((end ? columns->high[i] : columns->low[i]) - columns->mean[i]) / columns->sd[i] * scale;
            double again = (bound - columns->shift[i]) / columns->spread[i];
            if (!(fabs(bound) < ENCODED_MAX / 2 && fabs(again) < ENCODED_MAX / 2)) return false;
        }
    return true;
}

static const char *constants(graph *g, const double *values, size_t count)
{
    return graph_doubles(g, values, &(int64_t){(int64_t)count}, 1);
}

static const char *bounded(graph *g, const char *x, bool small)
{
    return small ? x : GRAPH_NODE(g, "Clip", x, graph_double(g, -ENCODED_MAX), graph_double(g, ENCODED_MAX));
}

/* rows x count doubles -> floats, 0 for missing numbers. */
static const char *encode_numbers(graph *g, const char *raw, const char *missing,
                                  const number_columns *columns, double scale)
{
    size_t count = columns->count;
    bool small = stays_small(columns, scale);
    const char *x = raw;
    if (!all_are(columns->pivot, count, 0)) x = GRAPH_NODE(g, "Sub", x, constants(g, columns->pivot, count));
    if (!all_are(columns->factor, count, 1))
        x = GRAPH_NODE(g, "Mul", x, constants(g, columns->factor, count));
    x = graph_cast(g, graph_cast(g, x, ONNX_FLOAT), ONNX_DOUBLE); /* the held number is a float */
    x = GRAPH_NODE(g, "Max", x, constants(g, columns->low, count));
    x = GRAPH_NODE(g, "Min", x, constants(g, columns->high, count));
    x = GRAPH_NODE(g, "Div", GRAPH_NODE(g, "Sub", x, constants(g, columns->mean, count)),
                   constants(g, columns->sd, count));
    x = GRAPH_NODE(g, "Mul", x, graph_double(g, scale));
    x = graph_cast(g, bounded(g, x, small), ONNX_FLOAT);
    if (!all_are(columns->shift, count, 0) || !all_are(columns->spread, count, 1)) {
        x = GRAPH_NODE(g, "Sub", graph_cast(g, x, ONNX_DOUBLE), constants(g, columns->shift, count));
        x = GRAPH_NODE(g, "Div", x, constants(g, columns->spread, count));
        x = graph_cast(g, bounded(g, x, small), ONNX_FLOAT);
    }
    return GRAPH_NODE(g, "Where", missing, graph_float(g, 0), x);
}

/* The missing-value columns that the model uses, as 0 and 1; NULL if there are none. */
static puad_status encode_indicators(const char **out, graph *g, const char *missing,
                                     const number_columns *columns)
{
    int64_t *places;
    size_t count = 0;
    *out = NULL;
    TRY(arena_new(g->memory, &places, columns->count, sizeof *places));
    for (size_t i = 0; i < columns->count; i++)
        if (columns->columns[i]->indicator) places[count++] = (int64_t)i;
    if (count == 0) return PUAD_OK;
    const char *which = graph_vector(g, places, count);
    *out =
        graph_cast(g, graph_along(g, "Gather", 1, (const char *const[]){missing, which, NULL}), ONNX_FLOAT);
    return PUAD_OK;
}

/* Concatenated values, and the destination of each of their columns. */
typedef struct pieces {
    const char **values; /* ends with NULL */
    size_t count;
    int64_t *source; /* per encoded column: its index in the pieces */
    size_t columns;
} pieces;

static void add_piece(pieces *all, const char *value)
{
    all->values[all->count++] = value;
}

static void add_numbers(pieces *all, const number_columns *columns, const char *numbers,
                        const char *indicators)
{
    add_piece(all, numbers);
    for (size_t i = 0; i < columns->count; i++)
        all->source[columns->columns[i]->first] = (int64_t)all->columns++;
    if (!indicators) return;
    add_piece(all, indicators);
    for (size_t i = 0; i < columns->count; i++)
        if (columns->columns[i]->indicator)
            all->source[columns->columns[i]->first + 1] = (int64_t)all->columns++;
}

static const char *join(graph *g, pieces *all)
{
    bool ordered = true;
    const char *joined = all->values[0];
    if (all->count > 1) joined = graph_along(g, "Concat", 1, all->values);
    for (size_t i = 0; i < all->columns; i++) ordered &= all->source[i] == (int64_t)i;
    if (ordered) return joined;
    const char *order = graph_vector(g, all->source, all->columns);
    return graph_along(g, "Gather", 1, (const char *const[]){joined, order, NULL});
}

/* One input per file column used, rows x 1: the numbers joined to a matrix, and the strings. */
static puad_status column_inputs(const char **out_numbers, const char **texts, graph *g,
                                 const transform *encoding)
{
    const char **taken, **numbers, **inputs, *input = NULL;
    size_t count = 0, number_count = 0;
    const int64_t one_column[] = {-1, 1};
    TRY(arena_new(g->memory, &taken, encoding->column_count, sizeof *taken));
    TRY(arena_new(g->memory, &numbers, encoding->column_count + 1, sizeof *numbers));
    TRY(arena_new(g->memory, &inputs, encoding->column_count, sizeof *inputs));
    for (size_t i = 0; i < encoding->input_count; i++) {
        const transform_column *column = &encoding->columns[i];
        bool number = column->type != COLUMN_CATEGORY;
        if (!transform_goes_on(encoding, i)) input = NULL;
        if (!transform_reads(column)) continue;
        if (!input) {
            TRY(input_name(&taken[count], g, taken, count, column->source));
            input = graph_input(g, taken[count++], number ? ONNX_DOUBLE : ONNX_STRING, one_column, 2);
        }
        inputs[i] = number ? export_date_part(g, column->part, input) : input;
        if (column->type == COLUMN_NUMBER) numbers[number_count++] = inputs[i];
        if (!number) texts[i] = input;
    }
    TRY(export_derived(numbers + number_count, g, inputs, encoding));
    number_count += encoding->derived.count;
    *out_numbers = number_count > 1 ? graph_along(g, "Concat", 1, numbers) : numbers[0];
    return PUAD_OK;
}

/* Whether the input is one matrix: all columns are unnamed plain numbers. */
static bool is_matrix(const transform *encoding)
{
    bool matrix = !encoding->named && !transform_has_forms(encoding) && !encoding->derived.count;
    for (size_t i = 0; i < encoding->column_count; i++)
        matrix &= encoding->columns[i].type != COLUMN_CATEGORY;
    return matrix;
}

static puad_status matrix_input(const char **out, graph *g, const transform *encoding)
{
    int64_t *used;
    size_t count = 0;
    TRY(arena_new(g->memory, &used, encoding->column_count, sizeof *used));
    for (size_t i = 0; i < encoding->column_count; i++)
        if (encoding->columns[i].type != COLUMN_DROPPED) used[count++] = (int64_t)i;
    const int64_t sizes[] = {-1, (int64_t)encoding->column_count};
    *out = graph_input(g, "rows", ONNX_DOUBLE, sizes, 2);
    if (count < encoding->column_count)
        *out = graph_along(g, "Gather", 1, (const char *const[]){*out, graph_vector(g, used, count), NULL});
    return PUAD_OK;
}

puad_status export_table(const char **out, graph *g, const transform *encoding)
{
    number_columns numbers = {0};
    pieces all = {0};
    const char **texts, *raw = NULL;
    TRY(gather_numbers(&numbers, g, encoding));
    TRY(arena_new(g->memory, &texts, encoding->column_count, sizeof *texts));
    TRY(arena_new(g->memory, &all.values, encoding->column_count + 3, sizeof *all.values));
    TRY(arena_new(g->memory, &all.source, encoding->encoded, sizeof *all.source));
    TRY(is_matrix(encoding) ? matrix_input(&raw, g, encoding) : column_inputs(&raw, texts, g, encoding));
    if (numbers.count) {
        const char *missing = GRAPH_NODE(g, "IsNaN", raw);
        const char *indicators;
        TRY(encode_indicators(&indicators, g, missing, &numbers));
        add_numbers(&all, &numbers, encode_numbers(g, raw, missing, &numbers, encoding->scale), indicators);
    }
    for (size_t i = 0; i < encoding->column_count; i++) {
        const transform_column *column = &encoding->columns[i];
        if (column->type != COLUMN_CATEGORY || column->width == 0) continue;
        const char *encoded;
        TRY(export_category(&encoded, g, texts[i], column));
        add_piece(&all, encoded);
        for (size_t k = 0; k < column->width; k++) all.source[column->first + k] = (int64_t)all.columns++;
    }
    *out = join(g, &all);
    return PUAD_OK;
}
