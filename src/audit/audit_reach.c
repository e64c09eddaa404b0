/* How many rows an audit can be expected to flag, which decides where its checks are placed.
 *
 * Each state of the anomaly posterior (prior/anomaly_posterior.h) gives the fraction of anomalies above any
 * rank. The expected number of anomalies flagged down to a rank is their number there times the probability
 * that 3 / rate checks find at most two normal rows. The rank with the largest mean over the states is
 * chosen. New rows are assumed to be like all training rows, the labeled anomalies included. */
#include "audit/audit.h"
#include "decide/calibrate.h"
#include "prior/anomaly_posterior.h"

#include <math.h>

enum { NORMALS_MAX = 2, ROWS_MIN = 3 };
#define CHECKS_TIMES_RATE 3.0
/* Without calibration, of the alpha that the model was trained with (default 0.1): alpha is unknown then, and
 * a region that is too small costs less than one that is too large. */
#define PART_OF_ALPHA 0.5
#define DEFAULT_FLAG_RATE 0.05

/* The probability that `checks` random rows include at most NORMALS_MAX normal ones. */
static double supported(double checks, double normals)
{
    double chance = pow(1 - normals, checks), sum = chance;
    if (normals >= 1) return 0;
    for (int i = 0; i < NORMALS_MAX; i++) sum += chance *= (checks - i) / (i + 1) * normals / (1 - normals);
    return fmin(1, sum);
}

/* Labeled anomalies per bin, each worth `weight` held-out unlabeled rows. */
static void count_labeled(double *labeled, const purity *bounds, const pu_sample *sample, double weight)
{
    for (size_t i = 0; i < sample->anomalies; i++) {
        size_t rank = 1;
        for (size_t k = 0; k < sample->rows; k++) rank += sample->unlabeled[k] > sample->anomaly[i];
        labeled[purity_bin(bounds, rank < sample->rows ? rank : sample->rows)] += weight;
    }
}

static puad_status best_reach(double *out, const pu_sample *sample, double weight, double rate)
{
    AUTO_ARENA arena memory = {0};
    AUTO_PURITY purity found = {0};
    double *labeled, *value, *rows, best = 0;
    TRY(purity_new(&found, sample, &purity_for_decisions, 1));
    TRY(arena_new(&memory, &labeled, found.bins, sizeof *labeled));
    TRY(arena_new(&memory, &value, found.bins, sizeof *value));
    TRY(arena_new(&memory, &rows, found.bins, sizeof *rows));
    count_labeled(labeled, &found, sample, weight);
    for (size_t s = 0; s < found.states; s++) {
        double anomalies = 0, all = 0;
        for (size_t bin = 0; bin < found.bins; bin++) {
            double here = (double)(found.to[bin] - (bin ? found.to[bin - 1] : 0));
            anomalies += (double)found.hidden[s * found.bins + bin] * here + labeled[bin];
            all += here + labeled[bin];
            rows[bin] = all;
            double normals = fmin(1, fmax(0, 1 - anomalies / all));
            value[bin] += found.weight[s] * anomalies * supported(CHECKS_TIMES_RATE / rate, normals);
        }
    }
    for (size_t bin = 0; bin < found.bins; bin++) {
        if (value[bin] <= best || rows[bin] < ROWS_MIN) continue;
        best = value[bin];
        *out = rows[bin] / rows[found.bins - 1];
    }
    return PUAD_OK;
}

double audit_flag_rate(const puad_detector *model, double rate)
{
    if (!model) return DEFAULT_FLAG_RATE;
    const calibration *held = &model->held_out;
    double reach = PART_OF_ALPHA * model->config.objective.alpha;
    if (held->anomaly_count >= PURITY_LABELS_MIN) {
        double labeled = (double)(model->anomalies + (held->folded ? 0 : held->anomaly_count));
        double unlabeled = (double)(model->rows - model->anomalies - model->normals + held->unlabeled_count);
        double held_part = (double)held->unlabeled_count / unlabeled;
        pu_sample sample = calibration_sample(held);
        /* it affects the placement of checks only: an error leaves the default */
        (void)best_reach(&reach, &sample, held_part * labeled / (double)held->anomaly_count,
                         rate > 0 && rate < 1 ? rate : AUDIT_DEFAULT_RATE);
    }
    return reach > 0 && reach < 1 ? reach : DEFAULT_FLAG_RATE;
}
