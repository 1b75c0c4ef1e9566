"""The interval of devPAV, by leaving groups of people out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.calibration import calibration
from simulated import crossed, without_ids


def sets(seed: int, **options: float) -> tuple[ft.Trials, ft.Trials]:
    rng = np.random.default_rng(seed)
    dev, test = (crossed(rng, effect=0.5, start=start, **options) for start in (0, 1000))  # type: ignore[arg-type]
    return dev, test


def test_sigma_is_about_that_of_many_data_sets() -> None:
    found = [ft.calibrate(*sets(seed), systems=["a"]).dev_pav_interval for seed in range(30)]
    known = [own for own in found if own is not None]
    assert len(known) == len(found)
    sigma = np.sqrt(np.mean([own.sigma**2 for own in known]))
    assert 0.7 < sigma / np.std([own.estimate for own in known]) < 3  # rather wide, and never much too narrow
    mean = np.mean([own.estimate for own in known])
    assert np.mean([own.low <= mean <= own.high for own in known]) >= 0.9


def test_dev_counts_only_where_it_is_at_hand(tmp_path: Path) -> None:
    dev, test = map(without_ids, sets(1))
    found = ft.calibrate(dev, test, systems=["a"])
    found.calibration.save(tmp_path / "a.json")
    saved = ft.calibrate(None, test, model=tmp_path / "a.json")
    both = found.dev_pav_interval, saved.dev_pav_interval
    assert both[0] is not None
    assert both[1] is not None
    assert both[0].estimate == both[1].estimate == found.dev_pav
    assert (both[0].threshold, both[1].threshold) == ("re-estimated", "fixed")
    assert both[0].sigma > both[1].sigma > 0
    assert found["a"].to_dict()["test"]["dev_pav_interval"]["method"] == "student"


def test_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    apart = ft.calibrate(*sets(2, separation=60.0), systems=["a"])
    assert np.isnan(apart.dev_pav)
    assert apart.dev_pav_interval is None
    assert ft.calibrate(*sets(2, clients=5, impostors=3), systems=["a"]).dev_pav_interval is None
    monkeypatch.setattr(calibration, "_MOST", 100)
    many = ft.calibrate(*sets(2), systems=["a"])
    assert many.dev_pav > 0
    assert many.dev_pav_interval is None
    assert many["a"].to_dict()["test"]["dev_pav_interval"] is None
