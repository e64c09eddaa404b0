"""The examples for Dask and Spark, on a local cluster of two workers and a local Spark: fit, score and audit give what one process gives."""
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import puad
from conftest import payments

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
sys.path.append(str(EXAMPLES))  # workers are started with this path
pytestmark = pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="other processes are not started under the sanitizers")


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed", reason="needs Dask's scheduler: tools/bootstrap cluster")
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        yield client


@pytest.fixture(scope="module")
def table():
    frame, y, truth = payments(4000)
    return frame.drop(columns="kind").assign(label=y), truth


def partitions(frame, count):
    import dask.dataframe as dd

    return dd.from_pandas(frame, npartitions=count)


def test_the_sample_is_drawn_by_two_workers_and_keeps_all_labels(client, table):
    import dask_table

    frame, _ = table
    assert len(client.has_what()) == 2
    sample = dask_table.sample(partitions(frame, 10), "label", 500, seed=3)
    anomalies = int((frame["label"] == 1).sum())
    assert anomalies < 500 and len(sample) == 500 + anomalies and (sample["label"] == 1).sum() == anomalies
    assert sample.index.is_monotonic_increasing and sample.index.is_unique
    pd.testing.assert_frame_equal(sample, frame.loc[sample.index], check_dtype=False)
    again = dask_table.sample(partitions(frame, 10), "label", 500, seed=3)
    assert again.index.equals(sample.index)
    assert not dask_table.sample(partitions(frame, 10), "label", 500, seed=4).index.equals(sample.index)
    quarters = np.bincount(sample.index[sample["label"] == 0] // 1000, minlength=4)
    assert (abs(quarters - 125) < 40).all(), quarters  # uniform: four standard deviations


def test_fit_score_and_audit_on_two_workers(client, table, tmp_path):
    import dask_table

    frame, truth = table
    detector = dask_table.fit(partitions(frame, 7), "label", method="puforest")
    alone = puad.Detector("puforest", seed=0).fit(frame, "label")  # the table is smaller than the sample
    path = str(tmp_path / "m.safetensors")
    detector.save(path)
    rows = frame.drop(columns="label")
    expected = alone.score_samples(rows)
    scores = dask_table.score_table(partitions(rows, 7), path).compute()
    assert np.array_equal(scores["score"].to_numpy(), expected)
    drawn = dask_table.audit(scores, path, checks=30, fdr=0.1, seed=5)
    reference = alone.audit(rows, 30, 0.1, seed=5)
    assert np.array_equal(drawn.rows, reference.rows) and np.array_equal(drawn.probability, reference.probability)
    audited = drawn.answer(truth[drawn.rows]).decide()
    assert audited.flags.sum() > 0 and (truth[audited.flags] == 0).mean() <= audited.limit


def test_the_program_fits_and_scores_files(client, table, tmp_path):
    frame, _ = table
    frame.to_csv(tmp_path / "train.csv", index=False)
    run = lambda *words: subprocess.run([sys.executable, str(EXAMPLES / "dask_table.py"), *words], check=True, cwd=tmp_path, capture_output=True)
    run("fit", "train.csv", "label", "m.safetensors")
    run("score", "m.safetensors", "train.csv", "scores.csv")
    expected = puad.load(tmp_path / "m.safetensors").score_samples(pd.read_csv(tmp_path / "train.csv"))
    assert np.allclose(pd.read_csv(tmp_path / "scores.csv")["score"], expected, rtol=1e-6)


def test_spark_scores_with_a_broadcast_model(table, monkeypatch):
    pytest.importorskip("pyspark", reason="needs PySpark: tools/bootstrap cluster")
    if not shutil.which("java"):
        pytest.skip("needs Java: apt-get install openjdk-17-jre-headless")
    import spark_score
    from pyspark.sql import SparkSession

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    frame, _ = table
    frame = frame.drop(columns=["day", "label"])
    detector = puad.Detector("puforest").fit(frame, table[0]["label"])
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2")
             .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate())
    try:
        rows = spark.createDataFrame(frame.assign(number=np.arange(len(frame)))).repartition(5)
        scored = spark_score.score_table(rows, detector.to_bytes()).toPandas().sort_values("number")
    finally:
        spark.stop()
    assert scored["country"].isna().sum() == frame["country"].isna().sum()
    assert np.array_equal(scored["score"].to_numpy(np.float32), detector.score_samples(frame))
