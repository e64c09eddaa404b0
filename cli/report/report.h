/* A page about a model and the rows it ranks: what 'puad report' and 'puad score --html' write.
 *
 * report_rank fills in what the sections need; report_page_write makes the page of it. */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include "base/memory.h"
#include "cli/common/command.h"
#include "plot/page.h"

#include <puad/advanced.h>

enum { REPORT_DRIFT_MOST = 16 };

typedef struct report_input {
    const char *path;
    puad_dataset *rows;                   /* encoded for the model */
    const char *drift[REPORT_DRIFT_MOST]; /* how they differ from those of training */
    size_t drift_count;
    float *scores; /* of all rows, of a time series; owned */
} report_input;

typedef struct report_stop { /* of the slider */
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
    const char *model_path; /* where it is, or NULL */
    const char *command;    /* that repeats it; NULL: the one that runs, and the page has a date */
    const char *train_path; /* what it was trained on here, or NULL */
    puad_dataset *train;    /* its rows; or NULL */
    bool ranks_training;    /* the ranked rows are those of training */
    bool told_before;       /* notes and drift have been printed already */
    bool image;
    size_t columns; /* that the model takes for a row */
    size_t window;  /* of a time series; else 0 */
    report_input *inputs;
    size_t input_count;
    size_t top; /* rows to list, at most */
    /* What report_rank finds. */
    puad_scorer *scorer;
    puad_decider *decider;   /* p-values, probabilities and kinds, at the threshold that is suggested */
    bool kinds;              /* the decider tells them */
    puad_operating *table;   /* or NULL: */
    const char *table_lacks; /* why not */
    puad_ranking *ranking;   /* of the inputs' rows, without labeled anomalies of training */
    size_t ranked_count;
    report_stop *stops; /* from the strictest */
    size_t stop_count, suggested;
    const char *suggestion; /* what the suggested threshold is */
    puad_groups *groups;    /* of flagged rows; or NULL */
    size_t *grouped;        /* their places among the ranked */
    unsigned char *grouped_known;
    size_t grouped_count;
    double seconds;
} report;

/* Opens files of rows to rank; their labels are not read. */
puad_status report_open(report *of, const char *const *paths, size_t count);
puad_status report_rank(report *of);

/* Compares rows with those of training, and keeps what differs. */
puad_status report_find_drift(report *of, report_input *about, const float *scores);
bool report_is_drift(const report *of, const char *text); /* whether a warning was about that */
size_t report_drift_count(const report *of);

void report_free(report *owner); /* its inputs and what report_rank found, not what the caller brought */

/* 'puad score --html': the page of MODEL and the rows of all INPUTs. */
puad_status report_of_model(const invocation *call, puad_detector *model, puad_options *options,
                            const char *path);
puad_status report_page_write(report *of, const char *path, const char *title);

/* The sections, in their order on the page; report_add has all of them. */
puad_status report_add(page *on, report *of);
puad_status report_add_operating(page *on, report *of);
puad_status report_add_rows(page *on, report *of);
puad_status report_add_pictures(page *on, report *of);
puad_status report_add_series(page *on, report *of);
puad_status report_add_groups(page *on, report *of);
puad_status report_add_drift(page *on, report *of);
puad_status report_add_quality(page *on, report *of);
puad_status report_add_alpha(page *on, report *of);
puad_status report_add_columns(page *on, report *of);
puad_status report_add_training(page *on, report *of);
puad_status report_add_settings(page *on, report *of);

/* The score and the encoded values of a ranked row, how it is named ("row 12", "b.csv row 12"), and its id or
 * NULL. */
double report_score(const report *of, size_t rank);
const float *report_values(const report *of, size_t rank);
void report_row_name(char *text, size_t room, const report *of, size_t rank);
const char *report_id(const report *of, size_t rank);
size_t report_listed(const report *of);    /* rows that are listed */
size_t report_flagged(const report *of);   /* at the suggested threshold */
bool report_is_declined(const report *of); /* alpha is not identifiable, so there are no probabilities */

/* "1,234" and "3.4%". Texts in the report's memory; "" when it runs out. */
const char *report_count_text(report *of, size_t count);
const char *report_percent(report *of, double share);
const char *report_text(report *of, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
