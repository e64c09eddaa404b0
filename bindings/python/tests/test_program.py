"""For the same model and the same rows the program and the package give the same bits."""
import numpy as np
import pytest

import puad
from conftest import numbers, payments, program, program_scores


@pytest.mark.parametrize("method", ["committee", "puae"])
def test_scores_of_a_frame_are_those_of_the_program_on_its_csv(tmp_path, method):
    frame, y, _ = payments()
    detector = puad.Detector(method, steps=40, calibrate=0.2, seed=3).fit(frame, y)
    detector.save(tmp_path / "m.safetensors")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    assert np.array_equal(program_scores(tmp_path / "m.safetensors", tmp_path / "rows.csv"), detector.score_samples(frame))


def test_a_frame_trains_the_model_that_the_program_trains_on_its_csv(tmp_path):
    frame, y, _ = payments()
    frame = frame.drop(columns="kind")  # a CSV file cannot mark it as a category
    frame.assign(label=y.astype(int)).to_csv(tmp_path / "train.csv", index=False)
    program("fit", tmp_path / "train.csv", "--label-column", "label", "--seed", 5, "-o", tmp_path / "m.safetensors", "--quiet")
    mine = puad.Detector(seed=5).fit(frame, y)
    by_path = puad.Detector(seed=5).fit(tmp_path / "train.csv", "label")
    expected = program_scores(tmp_path / "m.safetensors", tmp_path / "train.csv")
    assert np.array_equal(mine.score_samples(frame), expected)
    assert np.array_equal(by_path.score_samples(tmp_path / "train.csv"), expected)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "f2"])
def test_an_array_is_read_as_the_program_reads_its_npy(tmp_path, dtype):
    X, y, _ = numbers()
    X = np.round(10 * X + 50).clip(0, 255).astype(dtype)
    detector = puad.Detector("puforest").fit(X, y)
    detector.save(tmp_path / "m.safetensors")
    np.save(tmp_path / "rows.npy", X)
    assert np.array_equal(program_scores(tmp_path / "m.safetensors", tmp_path / "rows.npy"), detector.score_samples(X))


def test_a_model_of_the_program_is_loaded_and_scores_frames(tmp_path):
    frame, y, _ = payments()
    frame.assign(label=y.astype(int)).to_csv(tmp_path / "train.csv", index=False)
    program("fit", tmp_path / "train.csv", "--label-column", "label", "--calibrate", "-o", tmp_path / "m.safetensors", "--quiet")
    loaded = puad.load(tmp_path / "m.safetensors")
    assert np.array_equal(loaded.score_samples(frame), program_scores(tmp_path / "m.safetensors", tmp_path / "train.csv"))
    assert loaded.predict(frame).mean() < 0.5 and loaded.method_ == "committee"
    with pytest.raises(AttributeError, match="training rows"):
        loaded.decision_scores_


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8", "i4"])
def test_images_are_read_as_the_program_reads_them(tmp_path, dtype):
    generator = np.random.default_rng(0)
    images = generator.integers(0, 80, (60, 16, 16)).astype(dtype)
    images[:6, 5:15, 5:15] = 250
    if dtype == "f4":
        images /= 255
    if dtype == "u2":
        images *= 257
    labels = (np.arange(60) < 3).astype(int)
    detector = puad.Detector("puae", epochs=1, pretrain_epochs=0, force=True).fit(images, labels)
    detector.save(tmp_path / "m.safetensors")
    np.save(tmp_path / "images.npy", images)
    np.save(tmp_path / "labels.npy", labels)
    scores = detector.score_samples(images)
    assert np.array_equal(program_scores(tmp_path / "m.safetensors", tmp_path / "images.npy"), scores)
    assert np.array_equal(detector.score_samples(images[..., None]), scores)
    if dtype in ("f4", "u2"):  # and used in training as by the program
        same = puad.Detector("puae", epochs=1, pretrain_epochs=0, force=True, labels_array=str(tmp_path / "labels.npy")).fit(tmp_path / "images.npy")
        assert np.array_equal(same.score_samples(images), scores)
