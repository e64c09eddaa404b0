/* Tests whether the labeled anomalies are a random sample of the anomalies that an audit found.
 *
 * If so, the rank of a found anomaly among the scores of the labeled ones, weighted by the probability of
 * being checked, is uniform, and the mean of m ranks has variance 1 / (12 m) + 1 / (12 n), where n is the
 * effective number of labels. Only low ranks are tested: fold models score labels a little lower than
 * other anomalies, and labels that are hard to find cannot be distinguished from that. */
#include "audit/audit.h"
#include "checks/guards.h"
#include "detector/model/model.h"

#include <math.h>

enum { FOUND_MIN = 5, LABELS_MIN = 8 };
#define BIASED_BELOW (-1.9) /* at most 3.5% false warnings in audits of ADBench tables with random labels */

/* The probability that a row with this score is checked. */
static double chance_of_score(const puad_audit *audit, const audit_law *law, float score)
{
    size_t low = 0, high = audit->design.rows;
    while (low < high) { /* rows with larger scores rank first */
        size_t middle = (low + high) / 2;
        if (audit->scores[audit->order[middle]] > score)
            low = middle + 1;
        else
            high = middle;
    }
    size_t stratum = audit_stratum_of(&audit->design, low);
    return stratum < audit->design.strata ? law->probability[stratum] : 0;
}

puad_status puad_audit_check_labels(const puad_audit *audit, const puad_detector *model,
                                    const puad_options *options)
{
    NEED(audit);
    NEED(model);
    const calibration *held = &model->held_out;
    audit_law law;
    double sum = 0, weights = 0, squares = 0;
    size_t found = 0;
    if (held->anomaly_count < LABELS_MIN) return PUAD_OK;
    TRY(audit_law_of(&law, &audit->design, &audit->drawn[audit->drawn_count - 1], audit->drawn_count - 1));
    for (size_t k = 0; k < held->anomaly_count; k++) {
        double weight = chance_of_score(audit, &law, held->anomalies[k]);
        weights += weight;
        squares += weight * weight;
    }
    if (!(weights > 0)) return PUAD_OK;
    for (size_t i = 0; i < audit->drawn_count; i++) {
        size_t row = audit->drawn[i].row;
        double below = 0;
        if (audit->labels[row] != PUAD_LABEL_ANOMALY) continue;
        for (size_t k = 0; k < held->anomaly_count; k++) {
            double weight = chance_of_score(audit, &law, held->anomalies[k]);
            below += held->anomalies[k] < audit->scores[row]    ? weight
                     : held->anomalies[k] == audit->scores[row] ? weight / 2
                                                                : 0;
        }
        sum += below / weights;
        found++;
    }
    if (found < FOUND_MIN) return PUAD_OK;
    double mean = sum / (double)found, labels = weights * weights / squares;
    double error = sqrt((1 / (double)found + 1 / labels) / 12);
    if ((mean - 0.5) / error > BIASED_BELOW) return PUAD_OK;
    return guard_warn(options, NULL, NULL, GUARD_labels_biased, (double)found, 100 * mean);
}
