"""What the figures of evidence on a page draw, against the curves themselves."""

import math

import numpy as np
import pytest

import fairtrial as ft
from fairtrial.report.evidence import evidence_view, shown_evidence
from simulated import crossed


@pytest.fixture(scope="module")
def sets() -> tuple[ft.Trials, ft.Trials]:
    dev, test = (crossed(np.random.default_rng(k), effect=0.5, start=1000 * k) for k in (1, 2))
    return dev, test


def test_page_gets_the_curves(sets: tuple[ft.Trials, ft.Trials]) -> None:
    found = ft.calibrate(*sets, systems=["a"])
    shown = shown_evidence([evidence_view(found, confidence=0.9, rng=3)])
    (system,) = shown["systems"]
    bayes, ece = ft.bayes_error_curve(found, confidence=0.9), ft.ece_curve(found)
    assert bayes.band is not None
    assert system["bayes"]["band"]["high"] == bayes.band.high.tolist()
    assert system["bayes"]["calibrated"] == bayes.calibrated.rates.tolist()
    assert system["bayes"]["supported"] == bayes.calibrated.supported.tolist()
    assert system["ece"]["minimum"] == ece.minimum.tolist()
    assert shown["neutral"] == ece.neutral.tolist()
    assert shown["priors"] == pytest.approx([1 / (1 + math.exp(-odds)) for odds in shown["log_odds"]])
    pav = ft.pav_curve(found, confidence=0.9, n_resamples=400, rng=3)
    drawn = system["pav"]
    low, high = drawn["y"]["low"], drawn["y"]["high"]
    left, right = drawn["x"]["low"], drawn["x"]["high"]
    assert drawn["steps"] == np.clip(pav.ratios, low, high).tolist()
    assert drawn["at"] == np.clip([pav.start, *pav.ends], left, right).tolist()
    assert drawn["low"] == np.clip(pav.low, low, high).tolist()
    assert drawn["places"] == np.clip([pav.start, *pav.places], left, right).tolist()
    assert "90 % band, people resampled" in shown["captions"]["pav"]
    fitted, tippett = ft.llr_map(found, points=121), ft.tippett_curve(found, points=161)
    assert system["map"]["llr"] == fitted.ratios.tolist()
    assert system["tippett"]["genuine"] == tippett.genuine.tolist()
    for axis, places in ((system["map"]["scores"], fitted.scores), (system["tippett"]["x"], tippett.ratios)):
        assert np.linspace(axis["low"], axis["high"], len(places)) == pytest.approx(places)
    assert shown["maps"]


def test_a_fusion_has_no_map(sets: tuple[ft.Trials, ft.Trials]) -> None:
    shown = shown_evidence([evidence_view(ft.calibrate(*sets), confidence=0.95, rng=0)])
    assert shown["systems"][0]["map"] is None
    assert not shown["maps"]


def test_infinite_evidence_can_be_shown() -> None:
    genuine = np.arange(200) < 100
    scores = np.random.default_rng(0).normal(2.0 * genuine)
    dev = ft.Trials.from_arrays(scores, genuine)
    test = ft.Trials.from_arrays(np.where(np.arange(200) == 0, -np.inf, scores), genuine)
    found = ft.calibrate(dev, test)
    assert found.test[0] == np.inf
    shown = shown_evidence([evidence_view(found, confidence=0.95, rng=0)])
    assert shown["bits"]["high"] == 1.3
    assert shown["systems"][0]["ece"]["band"]["high"] == [1000.0] * 25


def test_axes_hold_evidence_that_misleads(sets: tuple[ft.Trials, ft.Trials]) -> None:
    dev, test = sets
    turned = ft.Trials.from_arrays(-test.scores, test.genuine, systems=test.systems)
    shown = shown_evidence([evidence_view(ft.calibrate(dev, turned, systems=["a"]), confidence=0.95, rng=0)])
    assert shown["rates"]["high"] == shown["bits"]["high"] == 1.3
