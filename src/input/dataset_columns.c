/* Implements parts of include/puad/dataset.h: decoded numbers of an input's column, and the classes of
 * rows. */
#include "input/dataset_api.h"

#include <math.h>
#include <string.h>

static const transform_column *find(const puad_dataset *data, const char *name)
{
    const transform *encoding = data && name ? data->data.transform : NULL;
    for (size_t i = 0; encoding && i < encoding->column_count; i++)
        if (strcmp(encoding->columns[i].name, name) == 0) return &encoding->columns[i];
    return NULL;
}

puad_column_kind puad_dataset_column_kind(const puad_dataset *data, const char *column)
{
    const transform_column *found = find(data, column);
    if (!found || found->type == COLUMN_DROPPED) return PUAD_COLUMN_UNUSED;
    return found->type == COLUMN_NUMBER ? PUAD_COLUMN_NUMBER : PUAD_COLUMN_CATEGORY;
}

/* Inverts transform_held and transform_hold. */
static double decoded(const float *row, const transform_column *column)
{
    if (column->indicator && row[column->first + 1] != 0) return NAN;
    double value = (double)row[column->first];
    if (column->spread > 0) value = value * column->spread + column->shift;
    return column->pivot + (value / column->scale * column->sd + column->mean) / column->factor;
}

puad_status puad_dataset_numbers(const puad_dataset *data, const char *column, double *out, size_t rows)
{
    NEED(data);
    NEED(column);
    if (rows) NEED(out);
    const transform_column *found = find(data, column);
    if (!found || found->type != COLUMN_NUMBER)
        FAIL(PUAD_INVALID, "%s: '%s' is not a numeric column", data->data.name, column);
    if (rows != data->data.rows)
        FAIL(PUAD_INVALID, "puad_dataset_numbers: capacity for %zu rows, but there are %zu", rows,
             data->data.rows);
    for (size_t r = 0; r < rows; r++) out[r] = decoded(data->data.values + r * data->data.columns, found);
    return PUAD_OK;
}

puad_status puad_dataset_bins(const puad_dataset *data, const char *column, double start, double to,
                              size_t max, size_t *out_others, size_t *out_anomalies, size_t bins)
{
    NEED(data);
    NEED(column);
    NEED(out_others);
    NEED(out_anomalies);
    const transform_column *found = find(data, column);
    if (!found || found->type != COLUMN_NUMBER)
        FAIL(PUAD_INVALID, "%s: '%s' is not a numeric column", data->data.name, column);
    if (bins == 0 || max == 0 || !(to > start) || !isfinite(to - start))
        FAIL(PUAD_INVALID, "puad_dataset_bins: no intervals from %g to %g", start, to);
    const dataset *rows = &data->data;
    size_t stride = rows->rows / max + 1;
    memset(out_others, 0, bins * sizeof *out_others);
    memset(out_anomalies, 0, bins * sizeof *out_anomalies);
    for (size_t r = 0; r < rows->rows; r++) {
        bool anomaly = rows->labels && rows->labels[r] == PUAD_LABEL_ANOMALY;
        if (!anomaly && r % stride) continue;
        double value = decoded(rows->values + r * rows->columns, found);
        if (isnan(value)) continue;
        double place = fmax((value - start) / (to - start), 0) * (double)bins;
        (anomaly ? out_anomalies : out_others)[place < (double)bins ? (size_t)place : bins - 1]++;
    }
    return PUAD_OK;
}

const char *puad_dataset_class_name(const puad_dataset *data, size_t number)
{
    return data && number < data->data.class_count ? data->data.class_names[number] : NULL;
}
