/* DEDPUL (Ivanov, 2020): the ratio of two one-dimensional densities instead of two tails.
 *
 * With f_A and f_U the densities of the logit of P(labeled | row), a row's posterior under a candidate
 * alpha is min(1, alpha r), r = f_A / f_U. Its mean over U is alpha until values are clipped at 1; it is
 * smaller once alpha exceeds the true fraction. */
#include "base/sort.h"
#include "prior/prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 512, ALPHAS = 400, SMOOTH = 5 };
#define RATIO_MOST 50.0
#define TOLERANCE 0.002

static double logit_of(float probability)
{
    double p = fmin(1 - 1e-6, fmax(1e-6, (double)probability));
    return log(p / (1 - p));
}

static void mean_and_spread(double *out_mean, double *out_spread, const double *values, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - sum / (double)count) * (values[i] - sum / (double)count);
    *out_mean = sum / (double)count;
    *out_spread = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

/* A Gaussian kernel density at the points of the grid; values are binned first. */
static void density(double out[GRID], const double *values, size_t count, double least, double step,
                    double width)
{
    double cells[GRID] = {0}, kernel[GRID];
    for (size_t i = 0; i < count; i++) {
        double place = (values[i] - least) / step;
        size_t cell = (size_t)fmin(GRID - 2, fmax(0, place));
        double share = fmin(1, fmax(0, place - (double)cell));
        cells[cell] += 1 - share;
        cells[cell + 1] += share;
    }
    for (int i = 0; i < GRID; i++) kernel[i] = exp(-0.5 * (i * step / width) * (i * step / width));
    for (int i = 0; i < GRID; i++) {
        double sum = 0;
        for (int j = 0; j < GRID; j++) sum += cells[j] * kernel[abs(i - j)];
        out[i] = sum / ((double)count * width * 2.5066282746310002);
    }
}

/* Running median, then isotonic: a row with higher probability cannot have a smaller ratio. Pools
 * violating neighbors by their weight in U. */
static void smooth_and_raise(double ratio[GRID], const double weight[GRID])
{
    double smooth[GRID], mean[GRID], mass[GRID];
    int length[GRID], blocks = 0;
    for (int i = 0; i < GRID; i++) {
        int first = i - SMOOTH < 0 ? 0 : i - SMOOTH, last = i + SMOOTH >= GRID ? GRID - 1 : i + SMOOTH;
        double window[2 * SMOOTH + 1];
        size_t count = (size_t)(last - first) + 1;
        memcpy(window, ratio + first, count * sizeof *window);
        sort_doubles(window, count);
        smooth[i] = window[(last - first) / 2];
    }
    for (int i = 0; i < GRID; i++) {
        mean[blocks] = smooth[i];
        mass[blocks] = weight[i] + 1e-12;
        length[blocks++] = 1;
        for (; blocks > 1 && mean[blocks - 2] > mean[blocks - 1]; blocks--) {
            double sum = mass[blocks - 2] + mass[blocks - 1];
            mean[blocks - 2] =
                (mean[blocks - 2] * mass[blocks - 2] + mean[blocks - 1] * mass[blocks - 1]) / sum;
            mass[blocks - 2] = sum;
            length[blocks - 2] += length[blocks - 1];
        }
    }
    for (int block = 0, i = 0; block < blocks; block++)
        for (int k = 0; k < length[block]; k++) ratio[i++] = mean[block];
}

/* The largest alpha that loses nothing to clipping; else the point of largest curvature. */
static double read_alpha(const double ratio[GRID], const double weight[GRID])
{
    double missing[ALPHAS + 1], bend = -1;
    int loss_free = -1, bent = 0;
    for (int a = 0; a <= ALPHAS; a++) {
        double alpha = (double)a / ALPHAS, sum = 0;
        for (int i = 0; i < GRID; i++) sum += weight[i] * fmin(1, alpha * ratio[i]);
        missing[a] = alpha - sum;
        if (missing[a] <= TOLERANCE) loss_free = a;
    }
    if (loss_free > (int)(ALPHAS * TOLERANCE) + 1) return (double)loss_free / ALPHAS;
    for (int a = 1; a < ALPHAS; a++) {
        double second = missing[a - 1] - 2 * missing[a] + missing[a + 1];
        if (second > bend) {
            bend = second;
            bent = a;
        }
    }
    return (double)bent / ALPHAS;
}

puad_status prior_dedpul(double *out, const float *anomaly, size_t anomalies, const float *unlabeled,
                         size_t unlabeled_count)
{
    *out = NAN;
    size_t rows = anomalies + unlabeled_count;
    AUTO_FREE double *logits = NULL;
    if (anomalies < 2 || unlabeled_count < 2) return PUAD_OK;
    TRY(memory_new(&logits, rows, sizeof *logits, "densities"));
    for (size_t i = 0; i < rows; i++)
        logits[i] = logit_of(i < anomalies ? anomaly[i] : unlabeled[i - anomalies]);
    double least = INFINITY, most = -INFINITY, mean, spread_a, spread_u;
    for (size_t i = 0; i < rows; i++) {
        least = fmin(least, logits[i]);
        most = fmax(most, logits[i]);
    }
    if (!(most > least)) return PUAD_OK;
    mean_and_spread(&mean, &spread_a, logits, anomalies);
    mean_and_spread(&mean, &spread_u, logits + anomalies, unlabeled_count);
    /* The same width for both, so that smoothing creates no difference between them. */
    double width = 1.06 * fmax(spread_a, 0.05 * spread_u) * pow((double)anomalies, -0.2);
    double step = (most - least + 2 * width) / (GRID - 1), start = least - width;
    if (width < step) width = step;
    double f_a[GRID], f_u[GRID], weight[GRID] = {0};
    density(f_a, logits, anomalies, start, step, width);
    density(f_u, logits + anomalies, unlabeled_count, start, step, width);
    for (size_t i = anomalies; i < rows; i++)
        weight[(size_t)fmin(GRID - 1, fmax(0, (logits[i] - start) / step + 0.5))] +=
            1.0 / (double)unlabeled_count;
    for (int i = 0; i < GRID; i++) f_a[i] = f_u[i] > 0 ? fmin(RATIO_MOST, f_a[i] / f_u[i]) : RATIO_MOST;
    smooth_and_raise(f_a, weight);
    *out = read_alpha(f_a, weight);
    return PUAD_OK;
}
