"""bench/adbench.py: its splits are the published ones (sizes, labels, no test row in training), and its file of results resumes."""
import contextlib
import io
import os
import sys
import tempfile

SOURCE = os.environ.get("SOURCE", ".")
sys.path[:0] = [os.path.join(SOURCE, "bench"), os.path.join(SOURCE, "tests", "helpers")]
try:
    import numpy
    import sklearn.ensemble
    import scipy.stats
except ImportError as missing_package:
    print(f"skipped: {missing_package}")
    sys.exit(77)
import adbench
import adbench_methods
import adbench_protocol as protocol
import adbench_report
import adbench_results
from checks import check, finish, test


def table(rows, anomalies, seed=0):
    """Distinct rows, so that a row is known by its values; the anomalies are two clumps of 2/3 and 1/3."""
    draw = numpy.random.default_rng(seed)
    values, truth = draw.standard_normal((rows, 4)), numpy.zeros(rows, int)
    truth[draw.permutation(rows)[:anomalies]] = 1
    where = numpy.flatnonzero(truth)
    values[where] += numpy.where(numpy.arange(anomalies)[:, None] % 3 == 0, -6, 6)
    return values, truth


def published_code(rows, truth, share, seed):
    """Section 9 line by line, with numpy's global generator."""
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import MinMaxScaler
    numpy.random.seed(seed)
    n_label = int(numpy.ceil(share * 0.7 * truth.sum()))
    if len(truth) < 1000 or len(truth) > 10000:
        numpy.random.seed(seed)
        size, again = (1000, True) if len(truth) < 1000 else (10000, False)
        index = numpy.random.choice(numpy.arange(len(truth)), size, replace=again)
        rows, truth = rows[index], truth[index]
    train, test, truth_train, truth_test = train_test_split(rows, truth, test_size=0.3, shuffle=True, stratify=truth)
    scaler = MinMaxScaler().fit(train)
    anomalies, labels = numpy.where(truth_train == 1)[0], numpy.zeros(len(train), int)
    labels[numpy.random.choice(anomalies, min(n_label, len(anomalies)), replace=False)] = 1
    return scaler.transform(train), labels, truth_train, scaler.transform(test), truth_test


def shared_rows(first, second):
    return len({row.tobytes() for row in first} & {row.tobytes() for row in second})


@test
def splits_are_those_of_the_published_code():
    for rows, anomalies, share in ((300, 40, .1), (2000, 100, .05), (12000, 240, .01)):
        values, truth = table(rows, anomalies)
        for mine, theirs in zip(protocol.split_few_labels(values, truth, share, 2), published_code(values, truth, share, 2)):
            assert numpy.array_equal(mine, theirs.astype(mine.dtype)), (rows, share)


@test
def sizes_and_labels_are_those_of_the_protocol():
    for rows, drawn, anomalies, share, labels in ((300, 1000, 40, .1, 3), (2000, 2000, 100, .05, 4), (2000, 2000, 100, .25, 18), (2000, 2000, 100, 0, 0),
                                                  (12000, 10000, 240, .01, 2)):
        split = protocol.split_few_labels(*table(rows, anomalies), share, 1)
        assert (len(split.train), len(split.test)) == (round(.7 * drawn), round(.3 * drawn)), rows
        assert split.labels.sum() == labels, (rows, share, split.labels.sum())
        assert (split.truth[split.labels == 1] == 1).all()
        assert abs(split.truth.mean() - split.test_truth.mean()) < .002
        assert split.train.min() == 0 and split.train.max() == 1


@test
def labels_never_exceed_the_anomalies_left_in_training():
    values, truth = table(40000, 400)  # 100 of them are drawn, 70 of those train; half of all would be 140
    split = protocol.split_few_labels(values, truth, .5, 1)
    assert split.labels.sum() == split.truth.sum() and protocol.hidden_share(split) == 0


@test
def the_published_count_is_of_the_training_part():
    for rows, anomalies, share, labels in ((2000, 100, .05, 4), (2000, 100, .1, 7), (40000, 400, .1, 7)):
        values, truth = table(rows, anomalies)
        split = protocol.split_few_labels(values, truth, share, 1, "training")
        assert split.labels.sum() == numpy.ceil(share * split.truth.sum()) and abs(split.labels.sum() - labels) <= 2, (rows, split.labels.sum())
        if rows == 2000:
            assert numpy.array_equal(split.labels, protocol.split_few_labels(values, truth, share, 1).labels)


@test
def no_test_row_is_trained_on_from_1000_rows():
    for rows in (1000, 12000):
        split = protocol.split_few_labels(*table(rows, rows // 10), .1, 3)
        assert shared_rows(split.train, split.test) == 0, rows
    small = protocol.split_few_labels(*table(300, 40), .1, 3)
    assert shared_rows(small.train, small.test) > 0


@test
def alpha_is_the_share_of_anomalies_among_unlabeled_rows():
    split = protocol.split_few_labels(*table(2000, 100), .1, 1)
    assert protocol.hidden_share(split) == (70 - 7) / (1400 - 7)


@test
def the_novel_kind_is_only_tested():
    for rows, anomalies, drawn in ((2000, 90, 2000), (600, 60, 600), (12000, 900, 10000)):
        values, truth = table(rows, anomalies)
        kinds = protocol.two_kinds(values, truth)
        assert sorted(numpy.bincount(kinds)) == sorted([rows - anomalies, 2 * anomalies // 3, anomalies // 3]) and (kinds == 1).sum() > (kinds == 2).sum()
        split = protocol.split_novel(values, truth, kinds, 1)
        known = split.truth.sum()
        assert len(split.train) + len(split.test) == drawn and shared_rows(split.train, split.test) == 0
        assert split.labels.sum() == numpy.ceil(.3 * known) and (split.truth[split.labels == 1] == 1).all()
        novel = split.test[split.test_truth == 2]
        assert len(novel) >= .8 * drawn / rows * anomalies / 3
        center = split.train[split.truth == 1].mean(axis=0)
        assert (center > .5).all() and (novel.mean(axis=0) < .5).all()  # the clump at +6 trains, the one at -6 does not


@test
def tables_without_a_second_kind_are_left_out():
    values, truth = table(2000, 27)
    try:
        protocol.split_novel(values, truth, protocol.two_kinds(values, truth), 1)
    except protocol.LeftOut as why:
        assert "9 anomalies of the smaller kind" in str(why), why
    else:
        raise AssertionError("not left out")


@test
def methods_are_read_as_documented():
    found = adbench_methods.parse_all("default,if,extratrees,default+alpha")
    assert found == {"default": "", "if": "--method if", "extratrees": None, "default+alpha": "--alpha {alpha}"}
    assert adbench_methods.parse_all("short:--method pusvdd --epochs 4; if")["short"] == "--method pusvdd --epochs 4"
    assert adbench_methods.needs_labels("extratrees", None) and not adbench_methods.needs_labels("iforest", None)


def row(method, seed=1, auroc=.5, arguments=""):
    return {**dict.fromkeys(adbench_results.FEW_LABELS, 0), "table": "t", "share": .01, "seed": seed, "method": method, "auroc": auroc, "arguments": arguments}


@test
def results_keep_rows_of_other_processes_and_replace_their_own():
    with tempfile.TemporaryDirectory() as folder:
        first, second = (adbench_results.Results(os.path.join(folder, "r.csv"), adbench_results.FEW_LABELS) for _ in range(2))
        first.add(row("a"))
        second.add(row("b"))
        first.add(row("a", auroc=.75))
        assert {key[3]: float(found["auroc"]) for key, found in second.read().items()} == {"a": .75, "b": .5}
        assert os.listdir(folder) == ["r.csv"]


@test
def only_what_is_missing_or_asked_for_again_runs():
    with tempfile.TemporaryDirectory() as folder:
        results = adbench_results.Results(os.path.join(folder, "r.csv"), adbench_results.FEW_LABELS)
        results.add(row("a", arguments="--x 1"))
        wanted, methods = [("t", .01, seed, "a") for seed in (1, 2)], {"a": "--x 1"}
        assert adbench_results.missing(results.read(), wanted, methods) == wanted[1:]
        assert adbench_results.missing(results.read(), wanted, methods, ["a"]) == wanted
        try:
            adbench_results.missing(results.read(), wanted, {"a": "--x 2"})
        except SystemExit as refused:
            assert "--again a" in str(refused)
        else:
            raise AssertionError("rows made with other arguments were taken")


def bench(folder, *more):
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        code = adbench.main(["--data", folder, "--csv", os.path.join(folder, "r.csv"), "--tables", "toy", "--seeds", "1,2", "--puad",
                             os.environ.get("PUAD", "build/puad"), "--published", os.path.join(folder, "anchors.csv"), *more])
    return code, shown.getvalue()


@test
def the_bench_runs_resumes_and_reports():
    with tempfile.TemporaryDirectory() as folder:
        values, truth = table(1000, 60)
        numpy.savez(os.path.join(folder, "7_toy.npz"), X=values, y=truth)
        with open(os.path.join(folder, "anchors.csv"), "w") as anchors:
            anchors.write("table,metric,labeled_anomaly_pct,dataset,model,value\nD6,AUCROC,10,toy,CatB,61.25\nD7,AUCPR,10,toy,CatB,N/A\n")
        code, shown = bench(folder, "--methods", "if,iforest", "--shares", "0,10")
        assert code == 0 and shown.count("iforest: auroc") == 4, shown
        assert "0.613 /" in shown or "0.612 /" in shown, shown
        code, again = bench(folder, "--methods", "if,iforest", "--shares", "0,10")
        assert code == 0 and "iforest: auroc" not in again, again
        code, novel = bench(folder, "--methods", "if", "--protocol", "novel", "--csv", os.path.join(folder, "n.csv"))
        assert code == 0 and "auroc_known" in novel and novel.count("auroc_novel") >= 2, novel
        code, broken = bench(folder, "--methods", "wrong:--method nonsense", "--shares", "10")
        assert code != 0 and "nonsense" in broken, broken


check(adbench_report.compare(numpy.array([.9, .8, .7, numpy.nan]), numpy.array([.8, .8, .8, .8]))[2:5] == (1, 1, 1), "a win, a loss, a tie")
finish()
