"""The page of calibrated systems."""

from dataclasses import replace

import pytest

import fairtrial as ft
from fairtrial.core.words import number_text
from fairtrial.figures.calibration import evidence_charts
from fairtrial.pages import page_of
from fairtrial.pages.page import render
from pages.pages import EVIL, REPEAT, check_self_contained, data_of, references, two_systems, without_libraries


@pytest.fixture(scope="module")
def result() -> ft.calibration.CalibratedSystems:
    return ft.calibrate(two_systems(0), two_systems(1))


def test_page_says_cllr_what_dev_cost_and_who_is_better(result: ft.calibration.CalibratedSystems) -> None:
    page = page_of(result)
    assert page.answer == (result.answer(), *(each.answer() for each in (*result.pairs, *result)))
    assert [number.value for number in page.numbers] == [number_text(system.test[0]) for system in result]
    assert [table.name for table in page.tables] == ["evidence", "costs", "parameters", "tests"]
    assert "Holm" in references(page)
    text = render(replace(page, repeat=REPEAT))
    check_self_contained(text)
    assert len(without_libraries(text).encode()) < 150_000
    assert EVIL not in text
    shown = data_of(text)["evidence"]
    assert isinstance(shown, dict)
    assert [system["name"] for system in shown["systems"]] == ["face", EVIL]


def test_page_of_one_system_and_of_the_same_trials(result: ft.calibration.CalibratedSystems) -> None:
    dev = result["face"].dev_trials
    page = page_of(ft.calibrate(dev, dev, systems=["face"], correction="none"))
    assert "Holm" not in references(page)
    text = render(page)
    assert "calibrated on the same trials, a posteriori" in text
    assert "calibrated on dev, a priori" not in text


def test_many_systems_stay_below_a_megabyte(result: ft.calibration.CalibratedSystems) -> None:
    page = page_of(result)
    charts = evidence_charts(40 * [result["face"]], confidence=0.95, rng=0)
    text = render(replace(page, explore={"evidence": charts}))
    assert len(text.encode()) < 2**20


def test_page_of_a_saved_calibration(result: ft.calibration.CalibratedSystems) -> None:
    applied = ft.calibrate(None, result["face"].evidence.test, model=result["face"].calibration)
    page = page_of(applied)
    assert page.answer == (applied.answer(),)
    text = render(page)
    assert "calibrated before, a priori" in text
    assert 'id="llr-map"' not in text
