/* Shared by query, score and operate for audits: the scores of an input, and sentences about a decision. */
#ifndef CLI_AUDIT_AUDIT_SCORES_H
#define CLI_AUDIT_AUDIT_SCORES_H

#include "base/json.h"
#include "cli/common/command.h"

#include <puad/audit.h>
#include <puad/stream.h>

/* Scores of all rows, in a growing buffer; {0} is empty. */
typedef struct score_list {
    float *scores;
    size_t count, capacity;
} score_list;

puad_status score_list_add(score_list *to, const float *scores, size_t count);
puad_status score_list_read(score_list *to, const puad_detector *model, const char *path,
                            const puad_options *options, bool quiet);
void score_list_free(score_list *owner);

/* The audit in the files of --answers; it must have been made for these scores. */
puad_status audit_of_answers(puad_audit **out, const score_list *scores, const invocation *call);

/* The rate of --fdr, or 0 for the rate of the audit. */
double audit_rate(const invocation *call);

enum { AUDIT_CONFIDENCE_PERCENT = 90 };

/* Prints the guarantee, the estimates, and how many more checks would allow more, on standard error. */
void audit_tell(const invocation *call, const puad_audit_result *result);
void audit_add_json(cJSON *object, const puad_audit_result *result);

/* The operating table of an audit: one of its points, or all as an array "points". */
puad_status audit_point(puad_audit_point *out, const puad_audit *audit, size_t index);
puad_status audit_add_points(cJSON *object, const puad_audit *audit, size_t count);

#endif
