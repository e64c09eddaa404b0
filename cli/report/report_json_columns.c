/* Describes columns as JSON: encoding, typical values, contributions; and the differences between two
 * inputs. */
#include "cli/library_values.h"
#include "cli/report/report_values.h"

#include <math.h>

enum { BINS = 24, COLUMNS_MAX = 200, SAMPLE_MAX = 20000, TEXTS_SHOWN = 6, QUANTILES = 5 };

static void add_counts(cJSON *to, const char *name, const size_t counts[BINS])
{
    cJSON *list = cJSON_AddArrayToObject(to, name);
    for (int i = 0; i < BINS; i++) cJSON_AddItemToArray(list, cJSON_CreateNumber((double)counts[i]));
}

/* Counts of training rows around the typical values. */
static void add_bins(cJSON *to, const report *self, const char *name, double low, double high)
{
    size_t others[BINS], anomalies[BINS];
    double margin = 0.25 * (high - low);
    if (!self->train || puad_dataset_bins(self->train, name, low - margin, high + margin, SAMPLE_MAX, others,
                                          anomalies, BINS) != PUAD_OK)
        return;
    json_add_double(to, "from", low - margin);
    json_add_double(to, "to", high + margin);
    add_counts(to, "rows", others);
    add_counts(to, "anomalies", anomalies);
}

static puad_status add_column(cJSON *list, report *self, size_t index, const double *contributions)
{
    char what[512] = "", typical[256] = "";
    puad_column column = {.struct_size = sizeof column};
    TRY(puad_detector_column(self->model, &column, index));
    TRY(puad_column_text(&column, what, sizeof what, PUAD_COLUMN_ALL));
    TRY(puad_column_text(&column, typical, sizeof typical, PUAD_COLUMN_TYPICAL));
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(list, one);
    cJSON_AddStringToObject(one, "name", column.name);
    cJSON_AddStringToObject(one, "encoding", what);
    cJSON_AddStringToObject(one, "typical", typical);
    if (contributions) cJSON_AddNumberToObject(one, "contribution", round(contributions[index] * 1e4) / 1e4);
    if (isnan(column.typical.low)) return PUAD_OK;
    json_add_double(one, "low", column.typical.low);
    json_add_double(one, "median", column.typical.median);
    json_add_double(one, "high", column.typical.high);
    add_bins(one, self, column.name, column.typical.low, column.typical.high);
    return PUAD_OK;
}

puad_status report_json_columns(cJSON *to, report *self, const double *contributions)
{
    size_t columns = info_of(self->model).column_count;
    cJSON *list = cJSON_AddArrayToObject(to, "columns");
    for (size_t i = 0; i < columns && i < COLUMNS_MAX; i++) TRY(add_column(list, self, i, contributions));
    cJSON_AddNumberToObject(to, "column_count", (double)columns);
    return PUAD_OK;
}

/* Quantiles of the numbers, or the most frequent strings, of a column of an input. */
static void add_summary(cJSON *list, const column_values *values)
{
    static const double fractions[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    cJSON *one = cJSON_CreateObject();
    cJSON_AddItemToArray(list, one);
    cJSON_AddNumberToObject(one, "rows", (double)values->rows);
    cJSON_AddNumberToObject(one, "numbers", (double)values->number_count);
    if (values->number_count) {
        cJSON *quantiles = cJSON_AddArrayToObject(one, "quantiles");
        for (int i = 0; i < QUANTILES; i++)
            cJSON_AddItemToArray(
                quantiles, json_exact_number((double)(float)column_values_quantile(values, fractions[i])));
    }
    cJSON *texts = cJSON_AddArrayToObject(one, "texts");
    for (size_t i = 0; i < values->text_count && i < TEXTS_SHOWN; i++) {
        cJSON *pair = cJSON_CreateArray();
        cJSON_AddItemToArray(texts, pair);
        cJSON_AddItemToArray(pair, cJSON_CreateString(values->texts[i].text));
        cJSON_AddItemToArray(pair, cJSON_CreateNumber((double)values->texts[i].count));
    }
}

/* The largest difference of the two cumulative distributions, or of the frequencies of strings (total
 * variation): 0 if equal, 1 if disjoint. */
static double distance_of(const column_values *a, const column_values *b)
{
    double max = 0, apart = 0;
    size_t i = 0, k = 0;
    if (!a->rows || !b->rows) return NAN;
    while (i < a->number_count && k < b->number_count) {
        double at = fmin(a->numbers[i], b->numbers[k]);
        while (i < a->number_count && a->numbers[i] <= at) i++;
        while (k < b->number_count && b->numbers[k] <= at) k++;
        max = fmax(max, fabs((double)i / (double)a->number_count - (double)k / (double)b->number_count));
    }
    for (size_t t = 0; t < a->text_count; t++)
        apart += fabs((double)a->texts[t].count / (double)a->rows - column_values_share(b, a->texts[t].text));
    for (size_t t = 0; t < b->text_count; t++)
        if (!(column_values_share(a, b->texts[t].text) > 0))
            apart += (double)b->texts[t].count / (double)b->rows;
    double numbers =
        fabs((double)a->number_count / (double)a->rows - (double)b->number_count / (double)b->rows);
    return fmax(max, (apart + numbers) / 2);
}

static void add_score_bins(cJSON *to, const report *self)
{
    cJSON *list = cJSON_AddArrayToObject(to, "scores");
    for (size_t i = 0; i < 2; i++) {
        double counts[2 * BINS];
        score_sketch_bins(counts, 2 * BINS, (double)self->sketch.min, (double)self->sketch.max,
                          &self->inputs[i].sketch);
        cJSON *bins = cJSON_CreateArray();
        cJSON_AddItemToArray(list, bins);
        for (int b = 0; b < 2 * BINS; b++) cJSON_AddItemToArray(bins, cJSON_CreateNumber(counts[b]));
    }
    json_add_double(to, "from", (double)self->sketch.min);
    json_add_double(to, "to", (double)self->sketch.max);
}

puad_status report_json_compare(cJSON *to, report *self)
{
    size_t columns = info_of(self->model).column_count;
    if (!self->compares || self->input_count < 2) return PUAD_OK;
    cJSON *compare = cJSON_AddObjectToObject(to, "compare");
    add_score_bins(compare, self);
    cJSON *list = cJSON_AddArrayToObject(compare, "columns");
    for (size_t c = 0; c < columns && c < COLUMNS_MAX && !self->window; c++) {
        column_values before, after;
        TRY(column_values_read(&before, self, &self->inputs[0], c));
        TRY(column_values_read(&after, self, &self->inputs[1], c));
        cJSON *one = cJSON_CreateObject();
        cJSON_AddItemToArray(list, one);
        cJSON_AddNumberToObject(one, "column", (double)c);
        json_add_double(one, "distance", (double)(float)distance_of(&before, &after));
        cJSON *values = cJSON_AddArrayToObject(one, "values");
        add_summary(values, &before);
        add_summary(values, &after);
    }
    return PUAD_OK;
}
