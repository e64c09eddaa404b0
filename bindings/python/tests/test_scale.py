"""The examples for partitioned tables give the scores of one call."""
import importlib.util
import os
import pathlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import puad
from conftest import payments

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
pytestmark = pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="other processes are not started under the sanitizers")


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale")
    frame, y, _ = payments(1200)
    detector = puad.Detector("puforest").fit(frame, y)
    detector.save(folder / "m.safetensors")
    return str(folder / "m.safetensors"), frame, detector.score_samples(frame)


def test_dask_scores_partitions_and_loads_the_model_once_per_worker(trained):
    import dask.dataframe as dd

    path, frame, expected = trained
    before = puad.detector._load_once.cache_info().misses
    scores = example("dask_table").score_table(dd.from_pandas(frame, npartitions=7), path).compute(scheduler="synchronous")
    assert np.array_equal(scores["score"].to_numpy(), expected)
    assert puad.detector._load_once.cache_info().misses == before + 1


def test_a_model_that_was_written_again_is_loaded_again(trained, tmp_path):
    path, frame, _ = trained
    copy = tmp_path / "m.safetensors"
    copy.write_bytes(pathlib.Path(path).read_bytes())
    first = puad.load_once(copy)
    assert puad.load_once(copy) is first
    puad.Detector("if").fit(frame).save(copy)
    assert puad.load_once(copy).method_ == "if"


def test_the_program_scores_a_file_in_worker_processes(trained, tmp_path):
    path, frame, expected = trained
    frame.to_csv(tmp_path / "rows.csv", index=False)
    subprocess.run([sys.executable, str(EXAMPLES / "score_joblib.py"), path, "rows.csv", "scores.csv"], check=True, cwd=tmp_path)
    found = pd.read_csv(tmp_path / "scores.csv")["score"].to_numpy(np.float32)
    assert np.allclose(found, expected, rtol=1e-6)


def test_a_folder_of_parquet_files_is_a_table(tmp_path):
    import pyarrow.dataset

    frame, y, _ = payments(1200)
    frame = frame[["amount", "hour", "country"]].assign(label=y.astype(int))
    (tmp_path / "rows").mkdir()
    frame[:700].to_parquet(tmp_path / "rows" / "1.parquet", index=False)
    frame[700:].to_parquet(tmp_path / "rows" / "2.parquet", index=False)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    table = pyarrow.dataset.dataset(tmp_path / "rows").to_table()
    detector = puad.Detector("puforest").fit(table, "label")
    expected = puad.Detector("puforest").fit(frame, "label").score_samples(frame)
    assert np.array_equal(detector.score_samples(table), expected)
    written = subprocess.run([sys.executable, str(EXAMPLES / "parquet_to_csv.py"), "rows"], check=True, cwd=tmp_path, capture_output=True).stdout
    fit = lambda path, name, text=None: subprocess.run([os.environ["PUAD"], "fit", path, "--label-column", "label", "-q", "-o", name], input=text,
                                                       check=True, cwd=tmp_path, capture_output=True)
    fit("-", "pipe.safetensors", written)
    fit("rows.csv", "file.safetensors")
    scores = [puad.load(tmp_path / name).score_samples(frame) for name in ("pipe.safetensors", "file.safetensors")]
    assert np.array_equal(*scores)


def test_a_large_file_is_trained_on_by_a_sample(tmp_path):
    frame, y, _ = payments(1200)
    frame.assign(label=(np.nan_to_num(np.asarray(y, float)) == 1).astype(int)).to_csv(tmp_path / "train.csv", index=False)
    whole = puad.Detector("if").fit(tmp_path / "train.csv", "label")
    part = puad.Detector("if", max_rows=300)
    flags = part.fit_predict(tmp_path / "train.csv", "label")
    anomalies = int((np.asarray(y, float) == 1).sum())
    assert whole.facts_["rows"] == 1200 and part.facts_["rows"] == 300 + min(anomalies, 300)
    assert any("max_rows" in note for note in part.notes_)
    assert len(flags) == 1200  # rows of the file, not of the sample
    with pytest.raises(AttributeError):
        part.decision_scores_
    with pytest.raises(ValueError, match="max_rows"):
        part.refit(tmp_path / "train.csv", "label", answers={3: 1})
