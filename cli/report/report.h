/* A report about a model and the rows it ranks, written by 'puad report' and 'puad score --html'.
 *
 * report_rank computes the contents, the report_json_* functions describe them as one JSON object
 * (docs/reference/report-json.md), and report_page_write embeds that in the page, whose script draws it. */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include "base/json.h"
#include "base/memory.h"
#include "cli/audit/audit_scores.h"
#include "cli/common/command.h"
#include "cli/report/report_top.h"
#include "plot/page.h"

#include <puad/advanced.h>

enum {
    REPORT_DRIFT_MAX = 16,
    REPORT_SAMPLE = 2000,      /* sampled rows per input for comparing values */
    REPORT_MORE_MAX = 20000,   /* flagged rows stored with only score, row and id */
    REPORT_NOVEL_MAX = 200,    /* rows of a new kind stored in addition to the listed rows */
    REPORT_LISTED_MAX = 10000, /* maximum of --top */
};

typedef struct report_input {
    const char *path;
    puad_dataset *data; /* for a time series; else NULL: its rows are streamed */
    float *scores;      /* for a time series, owned */
    size_t rows, flagged;
    const char *drift[REPORT_DRIFT_MAX]; /* differences from the training rows */
    size_t drift_count;
    const char **notes;
    size_t note_count;
    const char *id_name;         /* or NULL */
    const char **cell_names;     /* columns of a CSV file; NULL-terminated, or NULL */
    size_t label_cell;           /* the column with the labels; SIZE_MAX if none */
    float *sample;               /* values of sampled rows, sampled x columns, owned */
    size_t sampled, sample_step; /* every sample_step-th row */
    score_sketch sketch;         /* distribution of its scores */
} report_input;

typedef struct report_stop { /* A threshold of the slider. */
    double threshold;
    size_t flagged; /* number of ranked rows */
    bool judged;    /* the operating table has estimates for it */
    puad_figure recall, precision;
} report_stop;

typedef struct report {
    arena memory;
    bool lacks_memory; /* for a string: the page must not be written */
    const invocation *call;
    puad_options *options; /* as given */
    puad_detector *model;
    const char *model_path; /* path of the model, or NULL */
    /* command that reproduces the report; NULL: the running one, and the page has a date */
    const char *command;
    const char *train_path;   /* training file of this run, or NULL */
    puad_dataset *train;      /* its rows; or NULL */
    const char *uncalibrated; /* why no rows were held out, or NULL */
    bool ranks_training;      /* the ranked rows are the training rows */
    bool compares;            /* the page compares the first two inputs */
    bool told_before;         /* notes and drift warnings have already been printed */
    bool image;
    size_t columns; /* of the model's input */
    size_t window;  /* for a time series; else 0 */
    report_input *inputs;
    size_t input_count;
    size_t top; /* maximum number of rows to list */
    /* An audit: how many rows to draw, or files of answers. */
    size_t audit_checks;
    const char *const *answers;
    size_t answer_count;
    double audit_rate;       /* 0: that of the audit */
    score_list audit_scores; /* of all rows */
    puad_audit *audit;
    puad_audit_row *audit_rows; /* drawn, in input order */
    size_t audit_row_count;
    puad_audit_result audited;
    /* Results of report_rank. */
    puad_scorer *scorer;
    puad_decider *decider;             /* computes p-values, probabilities and kinds */
    puad_decider *asked;               /* decides by the given options; or NULL */
    bool kinds;                        /* the decider determines kinds */
    double cut;                        /* the threshold if it is known before the rows are scored; else NaN */
    puad_operating *table;             /* or NULL: */
    const char *table_lacks;           /* the reason */
    report_top *listed, *novel, *more; /* rows in order of score */
    score_sketch sketch;               /* of all ranked rows */
    size_t ranked_count;
    report_stop *stops; /* from the highest threshold */
    size_t stop_count, suggested;
    const char *
        suggestion; /* how the threshold was chosen: "asked", "audit", "no_row", "best_f1", "best_youden", "alpha",
                        "top" */
    puad_groups *groups; /* of flagged rows; or NULL */
    size_t *grouped;     /* their indices among the listed rows */
    unsigned char *grouped_known;
    size_t grouped_count;
} report;

/* Sets the files to rank; their labels are not read, unless they are the training rows. */
puad_status report_open(report *self, const char *const *paths, size_t count);
puad_status report_input_options(puad_options **out, const report *self);
puad_status report_rank(report *self);
puad_status report_scan(report *self, report_input *about); /* scores one input */
void report_free(report *owner); /* frees its inputs and results, but not those of the caller */

/* 'puad score --html': the page of MODEL and the rows of all INPUTs. */
puad_status report_of_model(const invocation *call, puad_detector *model, puad_options *options,
                            const char *path);
puad_status report_page_write(report *self, const char *path, const char *title);
bool report_is_drift(const report *self, const char *text); /* whether a warning is about drift */

/* --audit and --audit-answers; the model and the inputs are known. */
puad_status report_audit_prepare(report *self, const invocation *call);
bool report_is_audited(const report *self);
puad_status report_audit_settle(report *self); /* after all rows have been scored */

/* Parts of the JSON object. */
puad_status report_json_audit(cJSON *to, report *self);
puad_status report_json_thresholds(cJSON *to, report *self);
puad_status report_json_rows(cJSON *to, report *self);
puad_status report_json_groups(cJSON *to, report *self);
puad_status report_json_inputs(cJSON *to, report *self);
puad_status report_json_quality(cJSON *to, report *self);
puad_status report_json_baseline(cJSON *to, report *self);
puad_status report_json_columns(cJSON *to, report *self, const double *contributions);
puad_status report_json_compare(cJSON *to, report *self);
puad_status report_json_model(cJSON *to, report *self);
puad_status report_json_figure(cJSON *to, const char *name, puad_figure figure); /* [value, low, high] */

/* Sections drawn by the program, as markup. */
puad_status report_add_pictures(page *on, report *self);
puad_status report_add_series(page *on, report *self);

/* A listed row by its rank. */
const report_row *report_listed_row(const report *self, size_t rank);
void report_row_name(char *text, size_t capacity, const report *self, const report_row *row); /* "row 12" */
size_t report_flagged(const report *self);        /* at the suggested threshold */
size_t report_flagged_listed(const report *self); /* among the listed rows */
bool report_is_declined(const report *self); /* alpha is not identifiable, so there are no probabilities */

/* Strings in the report's memory; "" when memory ran out. */
const char *report_text(report *self, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *report_count_text(report *self, size_t count); /* "1,234" */

#endif
