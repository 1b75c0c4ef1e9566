"""Scores that are ratios already, reversed scores, bounds of ratios, folds and limits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import fairtrial as ft
from fairtrial.cli.app import main
from fairtrial.core.notes import Note
from simulated import crossed


def sets() -> tuple[ft.Trials, ft.Trials]:
    dev, test = (crossed(np.random.default_rng(k), effect=0.5, start=1000 * k) for k in (1, 2))
    return dev, test


def codes(notes: tuple[Note | str, ...]) -> list[str]:
    return [note.code for note in notes if isinstance(note, Note)]


def ratios(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Ratios of normal scores of known separation, as given to `lir.algorithms.bayeserror.elub`."""
    genuine, impostor, apart = [(100, 300, 2), (50, 50, 1), (1000, 20000, 3), (30, 400, 4), (500, 500, 0.5)][seed]
    rng = np.random.default_rng(seed)
    pair = rng.normal(apart, 1, genuine), rng.normal(0, 1, impostor)
    sign = -1 if seed == 4 else 1  # misleading ratios
    return sign * (apart * pair[0] - apart**2 / 2), sign * (apart * pair[1] - apart**2 / 2)


@pytest.mark.parametrize(
    ("seed", "low", "high"),
    [
        (0, -3.3157225339114267, 3.2926966829814854),
        (1, -1.2894476520766656, 1.4045769067263683),
        (2, -5.7794885834150564, 7.391298148510888),
        (3, -3.2926966829814854, 5.733436881555174),
        (4, 0.0, 0.0),
    ],
)
def test_elub_bounds_against_lir_1_3_1(seed: int, low: float, high: float) -> None:
    assert ft.calibration.elub_bounds(ratios(seed)) == pytest.approx((low, high), abs=1e-12)


def test_bounds_hold_on_test_and_are_saved(tmp_path: Path) -> None:
    dev, test = sets()
    (free,), (found,) = (ft.calibrate(dev, test, systems="a", bounds=bounds) for bounds in ("none", "elub"))
    bounds = ft.calibration.elub_bounds(free.calibration.apply(dev))
    assert found.calibration.bounds == bounds
    assert found.evidence.ratios == pytest.approx(np.clip(free.evidence.ratios, *bounds))
    found.calibration.save(tmp_path / "c.json")
    again = ft.calibration.Calibration.load(tmp_path / "c.json")
    assert np.array_equal(again.ratios(test), found.evidence.ratios)


@pytest.mark.parametrize("method", ["logistic", "gaussian", "kde", "pav", "none"])
def test_min_cllr_is_that_of_the_scores_as_given(method: str) -> None:
    dev, test = sets()
    turned = [ft.Trials.from_arrays(-own.column("a"), own.genuine) for own in (dev, test)]
    (found,) = ft.calibrate(*turned, method=method)
    least = ft.calibration.min_cllr(turned[1])
    assert 0.99 < least <= 1
    assert found.test[1] == pytest.approx(least, rel=1e-12)
    assert ft.evaluate(*turned, measures=["cllr-min"]).measures["cllr-min"] == pytest.approx(least, rel=1e-12)
    assert ("below-minimum" in codes(found.notes)) == (found.test[0] < least)


def test_ratios_need_no_dev(tmp_path: Path) -> None:
    dev, test = sets()
    calibrated = ft.calibrate(dev, test, systems="a")
    llr = calibrated.calibration.apply(test)
    (found,) = ft.calibrate(None, llr, method="none")
    assert found.test == pytest.approx(calibrated.test)
    assert (found.dev, found.intervals[0].threshold) == (None, "fixed")
    with pytest.raises(ft.ParameterError) as error:
        ft.calibrate(None, llr)
    assert error.value.code == "needs-dev"
    ft.write_trials(llr, tmp_path / "llr.csv")
    run = CliRunner().invoke(main, ["calibrate", "--method", "none", "--test", str(tmp_path / "llr.csv"), "--json"])
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["systems"][0]["test"]["cllr"] == pytest.approx(found.test[0])


def test_raw_cost_is_at_the_bayes_threshold_of_the_scores() -> None:
    dev, test = sets()
    found = ft.evaluate(dev, test, systems="a", measures=["act-dcf-raw@.1"])
    wrong = (test.column("a") > np.log(9)) != test.genuine
    expected = wrong[test.genuine].mean() + 9 * wrong[~test.genuine].mean()
    assert found.measures["act-dcf-raw@0.1"] == pytest.approx(expected)
    assert found.measure_intervals["act-dcf-raw@0.1"].threshold == "fixed"


def test_folds_are_those_of_evaluate() -> None:
    trials, _ = sets()
    blocks = ft.inference.make_blocks(trials, 4)
    (found,) = ft.calibrate(trials, folds=blocks, systems="a")
    same = ft.evaluate(trials, folds=blocks, systems="a", measures=["cllr"]).measure_intervals["cllr"]
    assert found.intervals[0] == same
    assert found.sets.kind == "a priori (cross-validated)"


def test_ratios_of_folds_are_those_that_were_held_out() -> None:
    trials, _ = sets()
    result = ft.calibrate(trials, folds=4)
    of_dev, held_out = result.scores
    assert of_dev is held_out
    for system in result:
        assert ft.calibration.cllr(held_out, system=system.calibration.name) == system.test[0]
        assert ft.calibration.cllr(system.calibration.apply(trials)) != system.test[0]


def test_limits_at_the_end_of_their_range_are_that_end() -> None:
    """Without an error the lower limit is 0, and no upper limit of a minimum stops short of 1."""
    genuine = np.arange(12) % 2 == 0
    trials = ft.Trials.from_arrays(np.random.default_rng(3).normal(size=12), genuine)
    for name in ("cllr-min", "min-dcf@.5", "min-dcf@.01"):
        (interval,) = ft.evaluate(trials, trials, measures=[name]).measure_intervals.values()
        assert interval.low == 0 or interval.low > 1e-9
        assert interval.high == 1 or interval.high < 1 - 1e-9


def test_precision_of_nobody_accepted_is_noted() -> None:
    dev, test = ([5.0, 6.0], [1.0, 7.0]), ([1.0, 2.0], [0.0, 0.5])
    result = ft.evaluate(dev, test, threshold=9.0, measures=["precision"])
    assert result.measures["precision"] == 0
    assert "undefined-measure" in codes(result.notes)


def test_evaluate_loads_no_calibration() -> None:
    code = "import sys, fairtrial as ft; ft.evaluate(([2.0, 3.0], [0.0, 1.0]), ([2.0], [1.0])).answer(); "
    code += "print([name for name in sys.modules if name.startswith('fairtrial.calibration.')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
