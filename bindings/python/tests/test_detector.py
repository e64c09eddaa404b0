"""Training, predicting, saving, and stopping."""
import copy
import io
import os
import pickle
import signal
import threading
import time

import joblib
import numpy as np
import pytest

import puad
from conftest import numbers, payments


def test_hidden_anomalies_are_found_and_predicted():
    X, y, truth = numbers(1000)
    detector = puad.Detector(contamination=0.1).fit(X, y)
    assert puad.metrics.auroc(truth[y == 0], detector.score_samples(X)[y == 0]) > 0.95
    assert detector.labels_.sum() == 100 and np.array_equal(detector.labels_, detector.predict(X))
    assert np.array_equal(detector.decision_scores_, detector.score_samples(X))
    assert np.array_equal(detector.decision_function(X) > 0, detector.predict(X) == 1)
    assert np.array_equal(puad.Detector(contamination=0.1).fit_predict(X, y), detector.labels_)


@pytest.mark.parametrize("again", [lambda d: pickle.loads(pickle.dumps(d)), copy.deepcopy, lambda d: joblib_round(d), lambda d: file_round(d)])
def test_a_copy_scores_the_same(again):
    frame, y, _ = payments()
    detector = puad.Detector("puae", steps=30, calibrate=0.2).fit(frame, y)
    made = again(detector)
    assert np.array_equal(made.score_samples(frame), detector.score_samples(frame))
    assert made.threshold_ == detector.threshold_
    assert np.array_equal(made.predict_proba(frame), detector.predict_proba(frame))


def joblib_round(detector):
    file = io.BytesIO()
    joblib.dump(detector, file)
    file.seek(0)
    return joblib.load(file)


def file_round(detector):
    return puad.loads(detector.to_bytes())


def test_history_and_facts_describe_the_training():
    X, y, _ = numbers()
    detector = puad.Detector("puae", epochs=3).fit(X, y)
    assert list(detector.history_["epoch"]) == [0, 1, 2] and np.isfinite(detector.history_["train_loss"]).all()
    assert detector.facts_["rows"] == 600 and "method" in detector._repr_html_()
    assert "Detector" in puad.Detector()._repr_html_()


def test_warnings_of_the_library_are_python_warnings():
    X, _, _ = numbers()
    y = np.zeros(600)
    y[:3] = 1
    with pytest.warns(puad.PuadWarning):
        puad.Detector("puae", epochs=2, force=True).fit(X, y)


def test_progress_is_reported_and_can_end_the_training():
    X, y, _ = numbers()
    seen = []
    detector = puad.Detector("puae", epochs=50, progress=lambda now: seen.append(now.epoch) or now.epoch < 2).fit(X, y)
    assert max(seen) == 2 and len(detector.history_) == 3
    with pytest.raises(ZeroDivisionError):
        puad.Detector("puae", epochs=5, progress=lambda now: 1 / 0).fit(X, y)


def test_a_tqdm_bar_counts_epochs(capsys):
    X, y, _ = numbers()
    puad.Detector("puae", epochs=4, progress=True).fit(X, y)
    assert "4/4" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["puae", "committee"])
def test_control_c_stops_a_training(method):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as for a shell's background process
    X = np.random.default_rng(0).normal(size=(20000, 20))
    y = (np.arange(20000) % 100 == 0).astype(int)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        puad.Detector(method, epochs=100000).fit(X, y)
    assert time.monotonic() - begin < 30
    time.sleep(0.5)
    assert not any(thread.name == "puad" for thread in threading.enumerate())  # it has ended; it was not merely abandoned


def test_two_threads_train_and_score_at_once_without_the_interpreter_lock():
    X, y, _ = numbers(2000)
    expected = puad.Detector("puae", steps=60, threads=1, seed=1).fit(X, y)
    found, turns = {}, [0]

    def work(name):
        mine = puad.Detector("puae", steps=60, threads=1, seed=1).fit(X, y)
        found[name] = [mine.score_samples(X), expected.score_samples(X)]

    workers = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        turns[0] += 1  # this thread continues while the library works
    assert turns[0] > 1000
    for scores in found.values():
        assert np.array_equal(scores[0], expected.score_samples(X)) and np.array_equal(scores[1], expected.score_samples(X))


@pytest.mark.skipif(os.environ.get("SANITIZE") == "ON", reason="the sanitizer slows the two sides by different factors")
@pytest.mark.parametrize("method", ["puae", "committee"])
def test_one_row_costs_little_more_than_the_call_of_the_library(method):
    import ctypes

    from puad import _library as c

    X, y, _ = numbers()
    detector = puad.Detector(method, steps=10, threads=1).fit(X, y)
    row, score = X[:1].copy(), np.empty(1, np.float32)
    scorer, table = detector._model.borrow(), ctypes.c_void_p()

    def library():
        c.table_new(ctypes.byref(table), 1)
        c.table_add_double_matrix(table, None, row.ctypes.data, 4, 0, 0)
        c.scorer_run_table(scorer.pointer, score.ctypes.data, 1, table, None)
        c.table_free(table)

    def fastest(call):
        times = []
        for _ in range(60):
            begin = time.thread_time()
            for _ in range(20):
                call()
            times.append((time.thread_time() - begin) / 20)
        return min(times)

    extra = fastest(lambda: detector.score_samples(row)) - fastest(library)
    assert extra < 30e-6, f"{extra * 1e6:.1f} microseconds"
