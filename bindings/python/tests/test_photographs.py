"""A pretrained backbone in Python: arrays and folders give the program's scores."""
import os
import sys

import numpy as np
import pytest
from conftest import program, program_scores

import puad

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "helpers"))
import tiny_backbone  # noqa: E402


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("photographs")
    tiny_backbone.make(str(folder / "tiny.safetensors"))
    images = np.random.default_rng(3).integers(100, 160, (60, 48, 40, 3), dtype=np.uint8)
    images[:8, 10:30, 10:30] //= 4
    np.savez(folder / "images.npz", X=images, y=(np.arange(60) < 4).astype(int))
    return folder, images


def test_arrays_are_scored_as_by_the_program(photographs):
    folder, images = photographs
    detector = puad.Detector(backbone=str(folder / "tiny.safetensors"), image_size=40).fit(images, np.arange(60) < 4)
    assert detector.method_ == "pulinear"
    program("fit", folder / "images.npz", "--backbone", folder / "tiny.safetensors", "--image-size", 40, "-o", folder / "m.safetensors", "--quiet")
    scores = detector.score_samples(images)
    assert np.array_equal(scores, program_scores(folder / "m.safetensors", folder / "images.npz"))
    assert scores[:8].min() > np.median(scores[8:])
    assert np.array_equal(puad.loads(detector.to_bytes()).score_samples(images), scores)


def test_folders_hold_images_of_any_size(photographs):
    Image = pytest.importorskip("PIL.Image")
    folder, images = photographs
    (folder / "files").mkdir()
    for i, pixels in enumerate(images):
        Image.fromarray(pixels[: 30 + i % 9]).save(folder / "files" / f"{i:03}.png")
    detector = puad.Detector(backbone=str(folder / "tiny.safetensors"), image_size=40).fit(folder / "files")
    scores = detector.score_samples(folder / "files")
    assert len(scores) == 60 and scores[:8].min() > np.median(scores[8:])
    with open(folder / "files" / "zz.png", "wb") as out:
        out.write(b"nothing")
    with pytest.warns(puad.PuadWarning) as caught:
        assert np.array_equal(detector.score_samples(folder / "files"), scores)
    assert [one.message.name for one in caught] == ["unreadable_images"]
    with pytest.raises(ValueError):
        detector.score_samples([str(folder / "files" / "000.png")])


def test_heat_maps_show_where_an_image_is_unusual(photographs, tmp_path):
    Image = pytest.importorskip("PIL.Image")
    folder, images = photographs
    detector = puad.Detector(backbone=str(folder / "tiny.safetensors"), image_size=48).fit(images)
    heat = detector.heat_map(images[2])
    assert heat.shape == (48, 40) and heat.dtype == np.float32
    assert heat[12:28, 12:28].mean() > heat[34:].mean() + 1
    Image.fromarray(images[2]).save(tmp_path / "one.png")
    assert np.array_equal(detector.heat_map(tmp_path / "one.png"), heat)
    assert detector.heat_map(images[2, :, :, 0]).shape == (48, 40)
    for wrong in (images[2] / 255.0, images[2, 0, 0], images[:, :, :, :2][0]):
        with pytest.raises(ValueError):
            detector.heat_map(wrong)
    with pytest.raises(ValueError):
        puad.Detector().fit(np.random.default_rng(1).normal(size=(80, 3))).heat_map(images[2])


def test_a_missing_backbone_is_an_error(photographs):
    with pytest.raises((OSError, ValueError)):
        puad.Detector(backbone=str(photographs[0] / "none.safetensors")).fit(photographs[1])
