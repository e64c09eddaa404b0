/* Derived columns in ONNX: the formulas of table/encoding/derived.h in doubles. */
#include "export/onnx_parts.h"

#include <math.h>

static const char *number(graph *g, double value)
{
    return graph_double(g, value);
}

/* Clips; NaN stays NaN. */
static const char *limit(graph *g, const char *x)
{
    const char *limits = GRAPH_NODE(g, "Clip", x, number(g, -HELD_MAX), number(g, HELD_MAX));
    return GRAPH_NODE(g, "Where", GRAPH_NODE(g, "IsNaN", x), x, limits);
}

/* The held number of the model: rounded to a float relative to the pivot. */
static const char *held(graph *g, const char *x, const transform_column *column)
{
    x = GRAPH_NODE(g, "Mul", GRAPH_NODE(g, "Sub", x, number(g, column->pivot)), number(g, column->factor));
    x = graph_cast(g, graph_cast(g, limit(g, x), ONNX_FLOAT), ONNX_DOUBLE);
    return GRAPH_NODE(g, "Add", GRAPH_NODE(g, "Div", x, number(g, column->factor)), number(g, column->pivot));
}

static const char *is_positive(graph *g, const char *x)
{
    return GRAPH_NODE(g, "Greater", x, number(g, 0));
}

/* values[code]; the last two are for an unseen and a missing string. */
static puad_status look_up(const char **out, graph *g, const char *codes, const double *values, size_t count,
                           const double last[2])
{
    double *all;
    TRY(arena_new(g->memory, &all, count + 2, sizeof *all));
    for (size_t i = 0; i < count; i++) all[i] = values[i];
    all[count] = last[0];
    all[count + 1] = last[1];
    *out = GRAPH_NODE(g, "Gather", graph_doubles(g, all, &(int64_t){(int64_t)count + 2}, 1), codes);
    return PUAD_OK;
}

static puad_status by_group(const char **out, graph *g, const derived_column *column, const char *x,
                            const char *codes, size_t groups)
{
    const char *median, *nothing = number(g, NAN);
    TRY(look_up(&median, g, codes, column->medians, groups, (const double[]){NAN, NAN}));
    const char *unknown = GRAPH_NODE(g, "IsNaN", median);
    if (!column->ratio) {
        *out = GRAPH_NODE(g, "Where", unknown, number(g, 0), GRAPH_NODE(g, "Sub", x, median));
        *out = GRAPH_NODE(g, "Where", GRAPH_NODE(g, "IsNaN", x), nothing, *out);
        return PUAD_OK;
    }
    *out = GRAPH_NODE(g, "Where", unknown, number(g, 1), GRAPH_NODE(g, "Div", x, median));
    *out = GRAPH_NODE(g, "Where", is_positive(g, x), *out, nothing);
    return PUAD_OK;
}

static const char *log2_of(graph *g, const char *x)
{
    return GRAPH_NODE(g, "Div", GRAPH_NODE(g, "Log", x), number(g, log(2)));
}

static const char *coded(graph *g, number_coding coding, const char *x)
{
    if (coding == CODING_LOGARITHM) return log2_of(g, x);
    if (coding == CODING_PLAIN) return x;
    const char *size = log2_of(g, GRAPH_NODE(g, "Add", GRAPH_NODE(g, "Abs", x), number(g, 1)));
    return GRAPH_NODE(g, "Mul", GRAPH_NODE(g, "Sign", x), size);
}

puad_status export_derived(const char **numbers, graph *g, const char *const *inputs,
                           const transform *encoding)
{
    const derivation *derived = &encoding->derived;
    const char *values[DERIVE_INPUTS_MAX + DERIVED_MAX] = {0}, *codes[DERIVED_MAX];
    for (size_t i = 0; i < derived->input_count; i++)
        values[i] = held(g, inputs[derived->inputs[i]], &encoding->columns[derived->inputs[i]]);
    for (size_t i = 0; i < derived->group_count; i++)
        TRY(export_codes(&codes[i], g, inputs[derived->groups[i].column],
                         encoding->columns[derived->groups[i].column].name, &derived->groups[i].texts));
    for (size_t k = 0; k < derived->count; k++) {
        const derived_column *column = &derived->columns[k];
        const derived_groups *groups = &derived->groups[column->groups];
        const char *a = values[column->slots[0]], *b = values[column->slots[1]], *x = NULL, *both;
        switch (column->kind) {
        case DERIVED_COUNT:
            TRY(look_up(&x, g, codes[column->groups], groups->counts, groups->texts.count,
                        (const double[]){1, NAN}));
            break;
        case DERIVED_BY_GROUP:
            TRY(by_group(&x, g, column, a, codes[column->groups], groups->texts.count));
            break;
        case DERIVED_RATIO:
            both = GRAPH_NODE(g, "And", is_positive(g, a), is_positive(g, b));
            x = GRAPH_NODE(g, "Where", both, GRAPH_NODE(g, "Div", a, b), number(g, NAN));
            break;
        default: x = GRAPH_NODE(g, "Sub", a, b);
        }
        x = limit(g, x);
        values[DERIVE_INPUTS_MAX + k] = x;
        numbers[k] = coded(g, encoding->columns[encoding->input_count + k].coding, x);
    }
    return PUAD_OK;
}
