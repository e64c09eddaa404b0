/* Decisions of `puad score`: p-values and probabilities against a model's held-out rows, which rows are
 * flagged, and what that rests on.
 *
 * Benjamini-Hochberg must have seen every row before it can flag one. A row's p-value is known by its level
 * (conformal.h), so one counter per level is kept, and the rows wait in a temporary file: memory does not
 * grow with the input. */
#ifndef CLI_SCORE_DECIDE_H
#define CLI_SCORE_DECIDE_H

#include "cli/command.h"
#include "decide/conformal.h"
#include "decide/calibrate.h"
#include "detector/model.h"

#include <stdio.h>

/* The options of score that decide. */
#define DECIDE_OPTIONS                                                                                       \
    {.name = "p",                                                                                            \
     .type = OPTION_CHOICE,                                                                                  \
     .standard = "corrected",                                                                                \
     .choices = "corrected|plain",                                                                           \
     .help = "p-values of a calibrated model: 'corrected' for the anomalies hidden among the held-out rows " \
             "(asymptotic), or plain conformal ones (valid but conservative)"},                              \
        {.name = "fdr",                                                                                      \
         .type = OPTION_NUMBER,                                                                              \
         .min = 1e-9,                                                                                        \
         .max = 0.999,                                                                                       \
         .value = "Q",                                                                                       \
         .help = "adds 'decision': flags rows so that at most a share Q of them is expected to be normal "   \
                 "(Benjamini-Hochberg with Storey's share of normal rows; never a row of p above 0.5)"},     \
        {.name = "flag-rate",                                                                                \
         .type = OPTION_TEXT,                                                                                \
         .value = "SHARE|alpha",                                                                             \
         .help = "adds 'decision': flags what scores like the top SHARE of the held-out unlabeled rows; "    \
                 "'alpha' is the model's estimate of the share of anomalies"},                               \
        {.name = "threshold",                                                                                \
         .type = OPTION_NUMBER,                                                                              \
         .min = -1e300,                                                                                      \
         .max = 1e300,                                                                                       \
         .value = "S",                                                                                       \
         .help = "adds 'decision': 1 where the score is at least S, else 0"},                                \
        {.name = "kind",                                                                                     \
         .type = OPTION_FLAG,                                                                                \
         .help = "adds 'kind' to flagged rows: 'known' where it lies like the labeled anomalies, else "      \
                 "'novel'"},                                                                                 \
    {                                                                                                        \
        .name = "alpha", .type = OPTION_NUMBER, .min = 0, .max = 0.999, .value = "SHARE",                    \
        .help = "alpha_U for p-values and probabilities instead of the one in the model"                     \
    }

typedef enum decide_how { DECIDE_NOT, DECIDE_THRESHOLD, DECIDE_FDR } decide_how;

/* A row on its way to the output. Texts and values are borrowed. */
typedef struct scored_row {
    float score;
    size_t row;
    const char *id, *because; /* or NULL */
    const float *values;      /* for its heat map, or NULL */
    bool known;               /* lies where labeled anomalies lie */
} scored_row;

typedef struct decider {
    const calibration *held; /* NULL for a model without one */
    conformal by;
    conformal_kind p;
    double alpha;       /* in force: given, or the model's */
    bool alpha_unknown; /* neither */
    decide_how how;
    double threshold, rate; /* of DECIDE_THRESHOLD, of DECIDE_FDR */
    double flag_rate;       /* what the threshold comes from; 0: given */
    bool kinds;
    uint64_t *counts; /* rows at each level */
    size_t rows, flagged, flagged_levels;
    FILE *spool; /* of DECIDE_FDR */
    char *texts; /* of the row read from the spool last */
    size_t text_room;
} decider;

/* Reads the options; fails where they ask for what the model does not have. */
puad_status decider_new(decider *out, const invocation *call, const puad_detector *model);
void decider_free(decider *owner); /* {0} is fine */

/* Counts a row, in the order of the input. */
void decider_count(decider *by, float score);

/* For --fdr: keeps a row until all are counted, and gives them back in order; false at the end. */
puad_status decider_keep(decider *by, const scored_row *row, size_t columns);
puad_status decider_rewind(decider *by);
puad_status decider_take(bool *out_more, scored_row *out, decider *by);

/* All rows are counted: which levels are flagged. */
void decider_settle(decider *by);
bool decider_flags(const decider *by, float score);

/* The names of the columns, and the cells of a row; each with a comma before it. */
void decider_print_header(const decider *by);
void decider_print_cells(const decider *by, const scored_row *row);

/* What was decided and what that assumes, on standard error. */
void decider_report(const decider *by);

#endif
