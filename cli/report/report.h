/* A report about a model and the rows it ranks: what 'puad report' and 'puad score --html' write.
 *
 * report_rank computes what the page needs, the report_json_* functions describe it as one JSON object
 * (docs/reference/report-json.md), and report_page_write embeds that in the page, whose script draws it. */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include "base/json.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/report/report_top.h"
#include "plot/page.h"

#include <puad/advanced.h>

enum {
    REPORT_DRIFT_MAX = 16,
    REPORT_SAMPLE = 2000,      /* rows of an input whose values are compared */
    REPORT_MORE_MAX = 20000,   /* flagged rows kept by score, row and id alone */
    REPORT_NOVEL_MAX = 200,    /* rows of a new kind kept past the listed rows */
    REPORT_LISTED_MAX = 10000, /* --top */
};

typedef struct report_input {
    const char *path;
    puad_dataset *data; /* of a time series; else NULL: its rows are streamed */
    float *scores;      /* of a time series, owned */
    size_t rows, flagged;
    const char *drift[REPORT_DRIFT_MAX]; /* how it differs from the training rows */
    size_t drift_count;
    const char **notes;
    size_t note_count;
    const char *id_name;         /* or NULL */
    const char **cell_names;     /* columns of a CSV file; NULL-terminated, or NULL */
    size_t label_cell;           /* the column with the labels; SIZE_MAX without */
    float *sample;               /* values of sampled rows, sampled x columns, owned */
    size_t sampled, sample_step; /* every sample_step-th row */
    score_sketch sketch;         /* its scores */
} report_input;

typedef struct report_stop { /* a threshold */
    double threshold;
    size_t flagged; /* ranked rows */
    bool judged;    /* by the operating table */
    puad_figure recall, precision;
} report_stop;

typedef struct report {
    arena memory;
    bool lacks_memory; /* for a text: the page must not be written */
    const invocation *call;
    puad_options *options; /* as given */
    puad_detector *model;
    const char *model_path;   /* where it is, or NULL */
    const char *command;      /* that repeats it; NULL: the one that runs, and the page has a date */
    const char *train_path;   /* what it was trained on here, or NULL */
    puad_dataset *train;      /* its rows; or NULL */
    const char *uncalibrated; /* why no rows were held out, or NULL */
    bool ranks_training;      /* the ranked rows are the training rows */
    bool compares;            /* the page compares the first two inputs */
    bool told_before;         /* notes and drift have been printed already */
    bool image;
    size_t columns; /* that the model takes for a row */
    size_t window;  /* of a time series; else 0 */
    report_input *inputs;
    size_t input_count;
    size_t top; /* rows to list, at most */
    /* What report_rank finds. */
    puad_scorer *scorer;
    puad_decider *decider;   /* p-values, probabilities and kinds */
    puad_decider *asked;     /* decides as the options say; or NULL */
    bool kinds;              /* the decider has them */
    double cut;              /* the threshold, where it is known before the rows are scored; else NaN */
    puad_operating *table;   /* or NULL: */
    const char *table_lacks; /* why not */
    report_top *listed, *novel, *more; /* rows in the order of their scores */
    score_sketch sketch;               /* of all ranked rows */
    size_t ranked_count;
    report_stop *stops; /* from the strictest */
    size_t stop_count, suggested;
    const char *suggestion; /* how the threshold was chosen: "asked", "no_row", "best_f1", "alpha", "top" */
    puad_groups *groups;    /* of flagged rows; or NULL */
    size_t *grouped;        /* their places among the listed */
    unsigned char *grouped_known;
    size_t grouped_count;
} report;

/* Names the files of rows to rank; their labels are not read, unless they are the training rows. */
puad_status report_open(report *of, const char *const *paths, size_t count);
puad_status report_input_options(puad_options **out, const report *of);
puad_status report_rank(report *of);
puad_status report_scan(report *of, report_input *about); /* scores one input */
void report_free(report *owner); /* its inputs and what report_rank found, not what the caller brought */

/* 'puad score --html': the page of MODEL and the rows of all INPUTs. */
puad_status report_of_model(const invocation *call, puad_detector *model, puad_options *options,
                            const char *path);
puad_status report_page_write(report *of, const char *path, const char *title);
size_t report_drift_count(const report *of);
bool report_is_drift(const report *of, const char *text); /* whether a warning was about that */

/* Parts of the JSON object. */
puad_status report_json_thresholds(cJSON *to, report *of);
puad_status report_json_rows(cJSON *to, report *of);
puad_status report_json_groups(cJSON *to, report *of);
puad_status report_json_inputs(cJSON *to, report *of);
puad_status report_json_quality(cJSON *to, report *of);
puad_status report_json_baseline(cJSON *to, report *of);
puad_status report_json_columns(cJSON *to, report *of, const double *contributions);
puad_status report_json_compare(cJSON *to, report *of);
puad_status report_json_model(cJSON *to, report *of);
puad_status report_json_figure(cJSON *to, const char *name, puad_figure figure); /* [value, low, high] */

/* Sections drawn by the program, as markup. */
puad_status report_add_pictures(page *on, report *of);
puad_status report_add_series(page *on, report *of);

/* A listed row by its rank. */
const report_row *report_listed_row(const report *of, size_t rank);
void report_row_name(char *text, size_t room, const report *of, const report_row *row); /* "row 12" */
size_t report_flagged(const report *of);        /* at the suggested threshold */
size_t report_flagged_listed(const report *of); /* of the listed rows */
bool report_is_declined(const report *of);      /* alpha is not identifiable, so there are no probabilities */

/* Texts in the report's memory; "" when it runs out. */
const char *report_text(report *of, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *report_count_text(report *of, size_t count); /* "1,234" */

#endif
