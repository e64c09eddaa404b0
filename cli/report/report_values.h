/* The values of one column in the sampled rows of an input. */
#ifndef CLI_REPORT_REPORT_VALUES_H
#define CLI_REPORT_REPORT_VALUES_H

#include "cli/report/report.h"

enum { TEXTS_MAX = 100 };

typedef struct value_count {
    const char *text;
    size_t count;
} value_count;

typedef struct column_values {
    bool numeric;
    double *numbers; /* ascending */
    size_t number_count;
    value_count *texts; /* most frequent first; at most TEXTS_MAX distinct ones are counted */
    size_t text_count, rows;
} column_values;

puad_status column_values_read(column_values *out, report *self, const report_input *about, size_t column);
double column_values_share(const column_values *values, const char *text); /* fraction of the sampled rows */
double column_values_quantile(const column_values *values, double fraction);

/* Whether the model has a range of typical numbers for the column. */
bool column_is_numeric(const report *self, size_t column);
/* A row's value in a column; false if the model does not have this column. */
bool column_cell(puad_reason *out, const report *self, size_t column, const float *values);
/* The same, formatted into text[capacity]. */
void column_text(char *text, size_t capacity, const report *self, size_t column, const float *values);
/* Its number; NaN if it is missing or not a number. */
double column_number(const report *self, size_t column, const float *values);

#endif
