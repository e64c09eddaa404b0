"""How decisions are judged, on tables and on images: what --fdr 0.1 promises and finds, and whether the operating table's bands
hold the truth.

Decisions are judged on all new rows, and so are the operating table's recall and AUROC, which do not depend on how many anomalies
there are. Its precision speaks of rows like the unlabeled ones, so it is judged on new rows of whose anomalies a part is taken
out, as labeling took a part of them out of the training rows."""
from checks import check
from tables import *

RATE = 0.1
RECALL_MIN = 0.5  # of the recall of the best threshold in hindsight
HELD_MIN = 0.9  # fraction of the draws in which a band holds the truth
FIGURES = ("auroc", "precision", "recall")


def best_recall(scores, truth, rate):
    """Of the threshold that finds most with a false discovery rate of at most `rate`, in hindsight."""
    order = numpy.argsort(-scores, kind="stable")
    wrong = numpy.cumsum(truth[order] == 0)
    ends = numpy.r_[numpy.diff(scores[order]) != 0, True]  # a threshold takes all rows of equal score
    fits = numpy.flatnonzero(ends & (wrong <= rate * numpy.arange(1, len(order) + 1)))
    return ((truth[order] == 1)[: fits[-1] + 1].sum() / (truth == 1).sum()) if len(fits) else 0.0


def judge_line(point, scores, truth, like):
    """Whether the bands of a line of the operating table hold what the new rows say; `like`: rows as the unlabeled ones are."""
    flagged = scores >= point["threshold"]
    recall = flagged[truth == 1].mean()
    held = {"recall": point["recall"]["low"] <= recall <= point["recall"]["high"]}
    if flagged[like].any() and not numpy.isnan(point["precision"]["low"]):
        held["precision"] = point["precision"]["low"] <= (truth[flagged & like] == 1).mean() <= point["precision"]["high"]
    return held


def judge(rows, seed, *options, kept):
    """One draw: fit, decide, operate. `rows` as tables.draw gives them; `kept` is the share of new anomalies that are like the
    unlabeled ones."""
    values, labels, truth, new, new_truth = rows
    model = fit(save("train.npz", values, labels), "m.safetensors", "--seed", seed, *options)
    found, _ = score(model, save("new.npz", new), "--fdr", str(RATE), "--quiet")
    flagged, table = found["flag"] == 1, operate(model)
    like = new_truth == 0
    anomalies = numpy.flatnonzero(new_truth == 1)  # in random order
    like[anomalies[: int(kept * len(anomalies) + 0.5)]] = True
    held = judge_line(table["points"][table["best_f1_index"]], found["score"], new_truth, like)
    held["auroc"] = table["auroc"]["low"] <= auroc(found["score"], new_truth) <= table["auroc"]["high"]
    lines = [judge_line(point, found["score"], new_truth, like) for point in table["points"]]
    return {
        "alpha": (table["alpha"], hidden_share(labels, truth)),
        "fdr": (new_truth[flagged] == 0).mean() if flagged.any() else 0.0,
        "recall": flagged[new_truth == 1].mean(),
        "best": best_recall(found["score"], new_truth, RATE),
        "held": held,
        "lines": {key: numpy.mean([line[key] for line in lines if key in line] or [numpy.nan]) for key in ("recall", "precision")},
    }


def report(name, results):
    """Prints the means of a table's draws and checks the two promises of --fdr."""
    rates = numpy.array([result["fdr"] for result in results])
    error = rates.std(ddof=1) / len(rates) ** 0.5
    recall, best = (numpy.mean([result[key] for result in results]) for key in ("recall", "best"))
    alphas, truths = numpy.array([result["alpha"] for result in results]).T
    lines = {key: numpy.nanmean([result["lines"][key] for result in results]) for key in ("recall", "precision")}
    print(f"{name}: false discoveries {rates.mean():.3f} +- {error:.3f}, recall {recall:.3f} of {best:.3f} at best; "
          f"alpha {numpy.nanmean(alphas):.3f}, in truth {truths.mean():.3f}; lines in their bands: recall {lines['recall']:.2f}, "
          f"precision {lines['precision']:.2f}", flush=True)
    check(rates.mean() <= RATE + 2 * error, f"{name}: the false discovery rate is at most {RATE} (+ 2 standard errors)")
    check(recall >= RECALL_MIN * best, f"{name}: the recall is at least {RECALL_MIN} of that of the best threshold")


def report_bands(results):
    """Checks the bands at the best F1 over all draws."""
    for figure in FIGURES:
        held = [result["held"][figure] for result in results if figure in result["held"]]
        print(f"{figure} at the best F1 within its band: {sum(held)} of {len(held)}")
        check(sum(held) >= HELD_MIN * len(held), f"{figure}: the band holds the truth in {HELD_MIN:.0%} of the draws")
