"""Metrics of scores of the rows of a time series.

VUS-PR (Paparrizos et al., 2022, as computed by the benchmark TSB-AD): the area under a precision-recall curve with soft borders, averaged over buffers
of 0 to L rows. With a buffer of l rows, a row k rows outside of an anomaly, k <= l/2, counts sqrt(1 - k/l) as an anomaly. At a threshold, TP is the sum of
these labels over the flagged rows, precision is TP / flagged rows, and recall is min(1, TP / P) times the fraction of anomalies (with their buffers) in
which any row is flagged, where P is the number of anomalous rows plus half of the buffers' labels that are flagged. 250 thresholds are used, evenly spaced
by rank. L is the lag of the highest local maximum of the first channel's autocorrelation (3 to 300 rows; 125 if there is none)."""
import numpy as np

THRESHOLDS = 250


def rank_metrics(truth, scores):
    """AUROC (ties count half) and average precision."""
    order = np.argsort(-scores, kind="stable")
    sorted_scores, sorted_truth = scores[order], truth[order].astype(bool)
    last = np.append(sorted_scores[1:] != sorted_scores[:-1], True)
    hits = np.cumsum(sorted_truth)[last]
    seen = (np.arange(len(scores)) + 1)[last]
    positives, negatives = hits[-1], seen[-1] - hits[-1]
    recall = np.append(0, hits) / positives
    false = np.append(0, seen - hits) / negatives
    auroc = float(np.sum(np.diff(false) * (recall[1:] + recall[:-1]) / 2))
    return auroc, float(np.sum(np.diff(recall) * hits / seen))


def f1(truth, flagged):
    hit = np.sum(flagged & truth)
    return float(2 * hit / max(1, np.sum(flagged) + np.sum(truth)))


def best_f1(truth, scores):
    return max(f1(truth, scores >= cut) for cut in np.quantile(scores, np.linspace(0, 1, 201)))


def buffer_length(channel, lags=400, first=3):
    values = np.asarray(channel, float)[:20000]
    values = values - values.mean()
    spectrum = np.fft.rfft(values, 2 * len(values))
    found = np.fft.irfft(spectrum * np.conj(spectrum))[:min(lags, len(values) - 1) + 1]
    if found[0] <= 0:
        return 125
    found = found[first:]
    peaks = np.flatnonzero((found[1:-1] > found[:-2]) & (found[1:-1] > found[2:])) + 1
    if not len(peaks):
        return 125
    best = peaks[np.argmax(found[peaks])]
    return int(best + first) if 3 <= best <= 300 else 125


def intervals_of(labels):
    steps = np.diff(np.concatenate([[0], (np.asarray(labels) > 0).astype(int), [0]]))
    return list(zip(np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)))


def vus_pr(truth, scores, length, buffers=None):
    """`buffers`: number of the buffers 0 ... length to average over; default all."""
    truth, scores = np.asarray(truth).astype(int), np.asarray(scores, float)
    rows, positives, anomalies = len(truth), int(truth.sum()), intervals_of(truth)
    order = np.argsort(-scores, kind="stable")
    at = np.linspace(0, rows - 1, THRESHOLDS).astype(int)
    thresholds = scores[order][at]
    flagged = np.searchsorted(-scores[order], -thresholds, side="right")
    areas = []
    for size in np.unique(np.linspace(0, length, buffers or length + 1).astype(int)):
        soft = truth.astype(float)
        for begin, end in anomalies:
            after, before = np.arange(end, min(end + size // 2, rows)), np.arange(max(begin - size // 2, 0), begin)
            soft[after] += np.sqrt(1 - (after - end + 1) / max(size, 1))
            soft[before] += np.sqrt(1 - (begin - before) / max(size, 1))
        soft = np.minimum(soft, 1)
        hits = np.cumsum(soft[order])[flagged - 1]
        beside = np.cumsum((soft * (truth == 0))[order])[flagged - 1]
        highest = np.array([scores[begin:end].max() for begin, end in intervals_of(soft)])
        found = np.mean(highest[None, :] >= thresholds[:, None], axis=1)
        recall = np.minimum(hits / (positives + beside / 2), 1) * found
        areas.append(np.dot(np.diff(np.append(0, recall)), hits / flagged))
    return float(np.mean(areas))
