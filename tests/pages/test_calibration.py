"""The page of calibrated systems."""

from dataclasses import replace

import pytest

import fairtrial as ft
from fairtrial.core.words import number_text
from fairtrial.figures.calibration import EvidenceCurves, evidence_charts
from fairtrial.pages.page import render
from fairtrial.pages.results import calibration_page
from pages.pages import EVIL, REPEAT, check_self_contained, data_of, references, two_systems, without_libraries


@pytest.fixture(scope="module")
def results() -> list[ft.calibration.CalibratedSystem]:
    dev, test = two_systems(0), two_systems(1)
    return [ft.calibrate(dev, test, systems=[name]) for name in test.systems]


def test_page_says_cllr_what_dev_cost_and_who_is_better(results: list[ft.calibration.CalibratedSystem]) -> None:
    dev, test = results[0].dev_trials, results[0].test_trials
    pairs = ft.calibration.compare_evidence(dev, test, results)
    page = calibration_page(results, REPEAT, pairs=pairs)
    assert page.answer == (*(result.answer() for result in results), *(pair.answer() for pair in pairs))
    assert [number.value for number in page.numbers] == [number_text(result.test[0]) for result in results]
    assert [table.name for table in page.tables] == ["evidence", "costs", "parameters", "tests"]
    assert "Holm" in references(page)
    text = render(page)
    check_self_contained(text)
    assert len(without_libraries(text).encode()) < 150_000
    assert EVIL not in text
    shown = data_of(text)["evidence"]
    assert isinstance(shown, dict)
    assert [system["name"] for system in shown["systems"]] == ["face", EVIL]


def test_page_of_one_system_and_of_the_same_trials(results: list[ft.calibration.CalibratedSystem]) -> None:
    dev = results[0].dev_trials
    page = calibration_page([ft.calibrate(dev, dev, systems=["face"])], REPEAT, correction="none")
    assert "Holm" not in references(page)
    text = render(page)
    assert "calibrated on the same trials, a posteriori" in text
    assert "calibrated on dev, a priori" not in text


def test_many_systems_stay_below_a_megabyte(results: list[ft.calibration.CalibratedSystem]) -> None:
    page = calibration_page(results[:1], REPEAT)
    curves = EvidenceCurves.of(results[0], confidence=0.95, rng=0)
    text = render(replace(page, explore={"evidence": evidence_charts([curves] * 40)}))
    assert len(text.encode()) < 1_000_000


def test_page_of_a_saved_calibration(results: list[ft.calibration.CalibratedSystem]) -> None:
    found = ft.calibration.judge_calibration(results[0].calibration, results[0].test_trials)
    page = calibration_page([found], REPEAT)
    assert page.answer == (found.answer(),)
    text = render(page)
    assert "calibrated before, a priori" in text
    assert 'id="llr-map"' not in text
