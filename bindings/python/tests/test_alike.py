"""The same rows give the same scores as a frame, an Arrow table, an array and a file, alone and among others."""
import datetime
import decimal
import zoneinfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import puad
from conftest import program, program_scores


def both(tmp_path, frame, y, *options, **parameters):
    """Scores of a model of the frame, and of one that the program trains on its CSV file, of the same rows."""
    frame.assign(label=y).to_csv(tmp_path / "t.csv", index=False)
    program("fit", tmp_path / "t.csv", "--label-column", "label", "--method", "puforest", "-o", tmp_path / "m.safetensors", "--quiet", *options)
    mine = puad.Detector("puforest", **parameters).fit(frame, y)
    return mine.score_samples(frame), program_scores(tmp_path / "m.safetensors", tmp_path / "t.csv")


def rows(count=400, seed=0):
    generator = np.random.default_rng(seed)
    odd = np.arange(count) % 10 == 0
    return generator, odd, generator.normal(size=count) + 3 * odd, (np.arange(count) % 20 == 0).astype(int)


def test_codes_with_zeros_identifiers_and_times_since_1970_are_read_as_in_a_file(tmp_path):
    generator, odd, value, y = rows()
    frame = pd.DataFrame(
        {
            "account_id": generator.permutation(400) + 70000,
            "value": value,
            "zip": np.where(odd, "01234", np.array(["10115", "00501", "02134"])[np.arange(400) % 3]),
            "created_at": 1_700_000_000 + generator.integers(0, 10**7, 400),
        }
    )
    mine, theirs = both(tmp_path, frame, y)
    assert np.array_equal(mine, theirs)
    detector = puad.Detector("puforest").fit(frame, y)
    assert np.array_equal(detector.score_samples(frame.assign(account_id=0)), detector.score_samples(frame))
    assert np.array_equal(detector.score_samples(frame[7:8]), mine[7:8])
    kept = puad.Detector("puforest", numeric=["account_id", "zip", "created_at"]).fit(frame, y)
    assert not np.array_equal(kept.score_samples(frame.assign(account_id=0)), kept.score_samples(frame))


def test_ranges_are_read_as_in_a_file(tmp_path):
    generator, odd, value, y = rows()
    cars = np.where(odd, "more than 8", generator.choice(["1 vehicle", "2 vehicles", "3 to 4", "5-8"], 400))
    frame = pd.DataFrame({"value": value, "cars": cars})
    mine, theirs = both(tmp_path, frame, y)
    assert np.array_equal(mine, theirs)
    middle = {"1 vehicle": 1, "2 vehicles": 2, "3 to 4": 3.5, "5-8": 6.5, "more than 8": 8}
    numbers = frame.assign(cars=[middle[text] for text in cars])
    assert np.array_equal(mine, puad.Detector("puforest").fit(numbers, y).score_samples(numbers))


def test_special_words_are_read_as_in_a_file_in_every_kind_of_frame(tmp_path):
    generator, odd, value, y = rows()
    frame = pd.DataFrame(
        {
            "value": value,
            "claims": np.where(odd, "more than 4", generator.choice(["none", "1", "2 to 4"], 400)),
            "malware": np.where(odd, "worm", generator.choice(["none", "virus", "n/a"], 400)),
            "seldom": np.where(np.arange(400) == 7, "none", generator.choice(["a", "b"], 400)),
            "area": generator.choice(["007", "010", "123"], 400),
            "born": pd.to_datetime("1950-01-01") + pd.to_timedelta(generator.integers(0, 20000, 400), unit="D"),
            "paid": generator.random(400) < 0.5,
            "balance": np.where(odd, -0.0, value.round(2)),
            "shop_id": generator.integers(1000, 1100, 400),
        }
    )
    mine, theirs = both(tmp_path, frame, y)
    assert np.array_equal(mine, theirs)
    for other in (pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)):
        assert np.array_equal(puad.Detector("puforest").fit(other, y).score_samples(other), mine)
    detector = puad.Detector("puforest").fit(frame, y)
    for column, same in (("malware", False), ("claims", False), ("seldom", True)):
        changed = detector.score_samples(frame.assign(**{column: frame[column].replace("none", "n/a")}))
        assert np.array_equal(changed, mine) == same, column


def test_an_infinity_is_an_extreme_value_everywhere(tmp_path):
    _, _, value, y = rows()
    frame = pd.DataFrame({"value": value, "other": value[::-1]})
    frame.loc[[3, 5], "value"] = np.inf
    mine, theirs = both(tmp_path, frame, y)
    assert np.array_equal(mine, theirs)
    X = np.random.default_rng(0).normal(size=(500, 2))
    detector = puad.Detector("if").fit(X)
    at = np.array([[np.inf, 0], [40, 0], [np.nan, 0], [-np.inf, 0]])
    plus, large, missing, minus = detector.score_samples(at)
    assert plus == large > np.quantile(detector.score_samples(X), 0.95) and minus > np.median(detector.score_samples(X))
    assert missing < plus
    assert np.array_equal(detector.score_samples(at.astype(object)), detector.score_samples(at))
    pd.DataFrame(X, columns=["a", "b"]).to_csv(tmp_path / "x.csv", index=False)
    by_file = puad.Detector("if").fit(tmp_path / "x.csv")
    pd.DataFrame(at, columns=["a", "b"]).to_csv(tmp_path / "at.csv", index=False)
    assert np.array_equal(by_file.score_samples(tmp_path / "at.csv"), [plus, large, missing, minus])


def zoned(count=400):
    generator, odd, value, y = rows(count)
    hour = np.where(odd, 3, generator.integers(8, 20, count))
    local = pd.to_datetime("2024-01-01") + pd.to_timedelta(generator.integers(0, 300, count), unit="D") + pd.to_timedelta(hour, unit="h")
    return pd.DataFrame({"when": pd.Series(local).dt.tz_localize("Europe/Berlin"), "flag": odd ^ (generator.random(count) < 0.1), "value": value}), y


def test_times_with_zones_and_booleans_are_equal_in_pandas_and_arrow():
    frame, y = zoned()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for options in ({}, {"categorical": ["flag"]}):
        detector = puad.Detector("puforest", **options).fit(frame, y)
        scores = detector.score_samples(frame)
        assert np.array_equal(detector.score_samples(table), scores)
        assert np.array_equal(detector.score_samples(pl.from_arrow(table)), scores)
        assert np.array_equal(puad.Detector("puforest", **options).fit(table, y).score_samples(frame), scores)
    fixed = frame.assign(when=frame.when.dt.tz_convert("UTC").dt.tz_convert(datetime.timezone(datetime.timedelta(hours=5, minutes=30))))
    detector = puad.Detector("puforest").fit(fixed, y)
    assert np.array_equal(detector.score_samples(pa.Table.from_pandas(fixed, preserve_index=False)), detector.score_samples(fixed))


def test_durations_and_decimals_are_numbers():
    _, _, value, y = rows()
    frame = pd.DataFrame({"lasted": pd.to_timedelta(np.round(value, 3), unit="s"), "price": [decimal.Decimal(f"{one:.2f}") for one in value]})
    plain = pd.DataFrame({"lasted": np.round(value, 3), "price": np.round(value, 2)})
    frame.loc[5, "lasted"], plain.loc[5, "lasted"] = pd.NaT, np.nan
    expected = puad.Detector("puforest").fit(plain, y).score_samples(plain)
    assert np.array_equal(puad.Detector("puforest").fit(frame, y).score_samples(frame), expected)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    assert pa.types.is_decimal(table.schema.field("price").type) and pa.types.is_duration(table.schema.field("lasted").type)
    assert np.array_equal(puad.Detector("puforest").fit(table, y).score_samples(table), expected)


def test_the_score_of_a_row_does_not_depend_on_the_rows_around_it(tmp_path):
    generator, _, value, y = rows()
    frame = pd.DataFrame({"when": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.cumsum(generator.exponential(1000, 400)).round(), unit="s"), "value": value})
    mine, theirs = both(tmp_path, frame, y)
    detector = puad.Detector("puforest").fit(frame, y)
    alone = np.concatenate([detector.score_samples(frame[i : i + 1]) for i in range(0, 400, 5)])
    assert np.array_equal(alone, mine[::5]) and np.array_equal(mine, theirs)
    asked, theirs = both(tmp_path, frame, y, "--elapsed", elapsed=True)
    assert np.array_equal(asked, theirs) and not np.array_equal(asked, mine)


def images(brightest, dtype, count=60):
    generator = np.random.default_rng(0)
    made = generator.random((count, 8, 8)) * 0.3
    made[:6, 2:6, 2:6] = 1
    return (made * brightest).astype(dtype)


def test_images_of_another_range_are_refused():
    settings = {"epochs": 1, "pretrain_epochs": 0, "force": True}
    y = (np.arange(60) < 3).astype(int)
    detector = puad.Detector("puae", **settings).fit(images(255, "u1"), y)
    scores = detector.score_samples(images(255, "u1"))
    assert np.array_equal(detector.score_samples(images(255, "u1").astype("f4")), scores)
    with pytest.raises(puad.InvalidError, match="pixel"):
        detector.score_samples(images(1, "f4"))
    with pytest.raises(puad.InvalidError, match="brightest pixel is 16"):
        puad.Detector("puae", **settings).fit(images(16, "f8"), y)
    shares = puad.Detector("puae", **settings).fit(images(16, "f8") / 16, y)
    assert np.isfinite(shares.score_samples(images(1, "f8"))).all()


def test_rows_of_a_series_that_are_out_of_order_are_warned_of(tmp_path):
    i = np.arange(600)
    frame = pd.DataFrame({"when": pd.Timestamp("2024-03-01") + pd.to_timedelta(i, unit="min"), "heat": np.sin(i / 5)})
    detector = puad.Detector("pca", time_column="when", window=16).fit(frame)
    mixed = frame.sample(frac=1, random_state=1)
    mixed.to_csv(tmp_path / "mixed.csv", index=False)
    for given in (mixed, tmp_path / "mixed.csv"):
        with pytest.warns(puad.PuadWarning) as caught:
            detector.score_samples(given)
        assert "time_order" in [one.message.name for one in caught]


def test_derived_columns_and_identifiers_are_the_same_from_a_file(tmp_path):
    generator, odd, _, y = rows()
    product, quantity = generator.integers(0, 12, 400), generator.integers(1, 90, 400)
    price = np.exp(generator.normal(3, 1, 12))[product] * np.where(odd, 4, 1)
    frame = pd.DataFrame({"product": [f"p{one}" for one in product], "quantity": quantity, "value": np.round(quantity * price, 2),
                          "shop_id": np.where(odd, 7, generator.integers(1000, 1300, 400))})
    mine, theirs = both(tmp_path, frame, y)
    plain, _ = both(tmp_path, frame, y, "--derive", "no", derive=["no"])
    assert np.array_equal(mine, theirs) and not np.array_equal(mine, plain)
