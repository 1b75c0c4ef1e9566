"""Calibrations are what other implementations fit, and are saved and read back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import fairtrial as ft
from fairtrial.counting.tallies import as_source


def make(seed: int, size: int = 2000) -> ft.Trials:
    rng = np.random.default_rng(seed)
    genuine = rng.random(size) < 0.3
    scores = rng.normal(size=(size, 2)) * [3, 0.1] + np.array([5, 0.2]) * genuine[:, None] + [100, -3]
    return ft.Trials.from_arrays(scores, genuine, systems=["face", "voice"])


@pytest.mark.parametrize(
    ("file", "slope", "offset", "cost"),
    [
        ("face-C", 42.714, -25.711, 0.274990),
        ("face-G", 0.79086, -57.2212, 0.253173),
        ("finger-left", 0.290441, -4.516725, 0.272582),
        ("finger-right", 0.315875, -5.339981, 0.176153),
    ],
)
def test_bssr1(real_data: Path, file: str, slope: float, offset: float, cost: float) -> None:
    trials = ft.read_trials(real_data / "bssr1_set1" / f"{file}.csv.gz")
    found = ft.calibration.fit_calibration(trials)
    assert found.parameters["weights"][0] == pytest.approx(slope, rel=2e-5)
    assert found.parameters["offset"] == pytest.approx(offset, rel=2e-5)
    assert ft.calibration.cllr(found.apply(trials)) == pytest.approx(cost, abs=1e-6)


@pytest.mark.parametrize("prior", [0.5, 0.1])
@pytest.mark.parametrize("systems", [("face",), ("face", "voice")])
def test_logistic_is_that_of_scikit_learn(systems: tuple[str, ...], prior: float) -> None:
    dev = make(1)
    found = ft.calibration.fit_calibration(dev, systems=systems, prior=prior)
    weights = np.where(dev.genuine, prior / dev.genuine.sum(), (1 - prior) / (~dev.genuine).sum()) * len(dev)
    table = np.column_stack([dev.column(name) for name in systems])
    middle, scale = table.mean(axis=0), table.std(axis=0)
    peer = LogisticRegression(C=1e12, tol=1e-12, max_iter=10_000)
    peer.fit((table - middle) / scale, dev.genuine, sample_weight=weights)
    expected = ((table - middle) / scale) @ peer.coef_[0] + peer.intercept_[0] - np.log(prior / (1 - prior))
    assert found.ratios(dev) == pytest.approx(expected, abs=1e-3)


def test_sources_of_one_system_and_data_frames_are_calibrated_like_trials() -> None:
    rng = np.random.default_rng(3)
    classes = rng.normal(2.0, 1.0, 50), rng.normal(0.0, 1.0, 200)
    frame = pa.table({"score": np.concatenate(classes), "label": np.repeat([1, 0], [50, 200])})
    whole = ft.calibration.fit_calibration(classes)
    for data in (as_source(classes), frame):
        fitted = ft.calibration.fit_calibration(data)
        assert fitted.parameters["weights"] == pytest.approx(whole.parameters["weights"])
        assert ft.calibrate(data, data).test == pytest.approx(ft.calibrate(classes, classes).test)


def test_steps_are_those_of_isotonic_regression_with_two_trials_at_each_end() -> None:
    rng = np.random.default_rng(3)
    genuine = rng.random(300) < 0.4
    scores = np.round(rng.normal(1.5 * genuine), 1)  # with ties
    found = ft.calibration.fit_calibration(ft.Trials.from_arrays(scores, genuine), method="pav")
    padded = np.concatenate([[-99, -99], scores, [99, 99]])
    labels = np.concatenate([[True, False], genuine, [True, False]])
    weights = np.where(labels, 0.5 / labels.sum(), 0.5 / (~labels).sum())
    posterior = IsotonicRegression().fit(padded, labels.astype(float), sample_weight=weights).predict(scores)
    expected = np.log(posterior / (1 - posterior))
    trials = ft.Trials.from_arrays(scores, genuine)
    assert found.ratios(trials) == pytest.approx(expected, abs=1e-9)
    beyond = found.ratios(ft.Trials.from_arrays([-1000.0, 1000.0], [False, True]))
    assert np.isfinite(beyond).all()
    assert beyond[0] <= expected.min() + 1e-9
    assert beyond[1] >= expected.max() - 1e-9


@pytest.mark.parametrize("method", ["logistic", "pav", "gaussian", "kde"])
def test_a_saved_calibration_is_the_same(tmp_path: Path, method: str) -> None:
    dev, test = make(1), make(2)
    found = ft.calibration.fit_calibration(dev, systems=("face",), method=method)
    found.save(tmp_path / "c.json")
    again = ft.calibration.Calibration.load(tmp_path / "c.json")
    assert np.array_equal(again.ratios(test), found.ratios(test))
    assert again.apply(test).systems == (f"{method}(face)",)
    (tmp_path / "c.json").write_text((tmp_path / "c.json").read_text().replace("calibration", "something"))
    with pytest.raises(ft.InputError, match="is not a fairtrial calibration"):
        ft.calibration.Calibration.load(tmp_path / "c.json")
    (tmp_path / "c.json").write_text("{")
    with pytest.raises(ft.InputError) as error:
        ft.calibration.Calibration.load(tmp_path / "c.json")
    assert error.value.code == "not-a-model"


def test_a_calibration_that_was_changed_by_hand(tmp_path: Path) -> None:
    """The checksum says so; without it, numbers that are none are refused."""
    ft.calibration.fit_calibration(make(1), systems=("face",)).save(tmp_path / "c.json")
    content = json.loads((tmp_path / "c.json").read_text())
    for key, value in (("prior", 10**400), ("prior", float("nan")), ("systems", 3), ("parameters", [])):
        changed = {**content, key: value}
        (tmp_path / "c.json").write_text(json.dumps(changed))
        with pytest.raises(ft.InputError) as error:
            ft.calibration.Calibration.load(tmp_path / "c.json")
        assert error.value.code == "model-checksum"
        del changed["sha256"]
        (tmp_path / "c.json").write_text(json.dumps(changed))
        with pytest.raises(ft.InputError) as error:
            ft.calibration.Calibration.load(tmp_path / "c.json")
        assert error.value.code == "value"
    for weights in ([10**400], [float("nan")], ["x"], [1.0, 2.0], None):
        changed = {**content, "parameters": {**content["parameters"], "weights": weights}}
        del changed["sha256"]
        (tmp_path / "c.json").write_text(json.dumps(changed))
        with pytest.raises(ft.InputError):
            ft.calibration.Calibration.load(tmp_path / "c.json")


@pytest.mark.parametrize("entry", ["weights", "offset"])
def test_ratios_beyond_the_range_of_floats_are_refused(tmp_path: Path, entry: str) -> None:
    path = tmp_path / "model.json"
    ft.calibration.fit_calibration(make(1), systems=["face"]).save(path)
    content = json.loads(path.read_text())
    del content["sha256"]
    content["parameters"][entry] = [1e308] if entry == "weights" else 1e308
    path.write_text(json.dumps(content))
    with pytest.raises(ft.FairtrialError) as caught:
        ft.calibration.Calibration.load(path).apply(make(1))
    assert caught.value.code == "overflow"


def test_separated_equal_infinite_and_reversed_scores() -> None:
    genuine = np.array([True] * 5 + [False] * 20)
    apart = ft.Trials.from_arrays(np.where(genuine, 2.0, 1.0) + 0.01 * np.arange(25), genuine)
    found = ft.calibration.fit_calibration(apart)
    assert np.abs(found.ratios(apart)).max() < 20
    assert found.notes[0].code == "separated-classes"
    dev = make(1)
    for trials, code in (
        (ft.Trials.from_arrays(np.ones(25), genuine), "equal-scores"),
        (ft.Trials.from_arrays(np.where(genuine, np.inf, 0.1 * np.arange(25)), genuine), "infinite-scores"),
    ):
        with pytest.raises(ft.TrialsError) as error:
            ft.calibration.fit_calibration(trials)
        assert error.value.code == code
    with pytest.raises(ft.ParameterError) as refused:
        ft.calibration.fit_calibration(dev, method="pav")
    assert refused.value.code == "one-system"
    with pytest.raises(ft.TrialsError, match="there is no impostor trial"):
        ft.calibration.fit_calibration(ft.Trials.from_arrays([1.0, 2.0], [True, True]))
    turned = ft.Trials.from_arrays(-dev.column("face"), dev.genuine)
    assert [note.code for note in ft.calibration.fit_calibration(turned).notes] == ["reversed-scores"]
