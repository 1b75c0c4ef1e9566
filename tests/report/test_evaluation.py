"""The page of an evaluation: what it says, that names are text, that it needs nothing else."""

import re

import numpy as np
import pytest

from fairtrial import (
    Trials,
    compare,
    cross_validate,
    evaluate,
    make_blocks,
)
from fairtrial.people import Cluster
from fairtrial.report.comparison import comparison_page
from fairtrial.report.evaluation import evaluation_page
from fairtrial.report.page import render
from report.pages import EVIL, REPEAT, Reader, check_self_contained, data_of, references, two_systems


def test_evaluation_page_shows_the_numbers_of_the_evaluation() -> None:
    dev, test = two_systems(0), two_systems(1)
    results = [evaluate(dev, test, system=name) for name in test.systems]
    text = render(evaluation_page(results, REPEAT))
    check_self_contained(text)
    reader = Reader(text)
    for result in results:
        assert f"{100 * result.test.hter:.2f}" in reader.text
        assert f"{100 * result.interval.low:.2f} and {100 * result.interval.high:.2f} %" in reader.text
    assert "fairtrial evaluate" in reader.text
    for note in results[0].notes:
        assert note in reader.text


def test_names_with_markup_show_as_text() -> None:
    dev, test = two_systems(0), two_systems(1)
    results = [evaluate(dev, test, system=name) for name in test.systems]
    for page in (
        evaluation_page(results, REPEAT),
        comparison_page(compare(dev, test, n_resamples=50), REPEAT),
    ):
        text = render(page)
        check_self_contained(text)
        assert EVIL in Reader(text).text
        assert "<script>alert" not in text


def test_cross_validated_evaluation_has_a_page_without_thresholds() -> None:
    trials = two_systems(3)
    blocks = make_blocks(trials, 4)
    results = [cross_validate(trials, blocks, system=name) for name in trials.systems]
    text = render(evaluation_page(results, REPEAT))
    check_self_contained(text)
    systems = data_of(text)["systems"]
    assert isinstance(systems, list)
    assert systems[0]["threshold"][50] is None
    assert systems[0]["hter"][50] is not None


@pytest.mark.parametrize("cluster", [None, "none"])
def test_page_of_folds_cites_its_own_methods(cluster: Cluster | None) -> None:
    trials = two_systems(3)
    blocks = make_blocks(trials, 4)
    result = cross_validate(trials, blocks, system="face", cluster=cluster)
    cited = references(evaluation_page([result], REPEAT))
    assert "Stone" in cited
    assert "before the test trials are seen" not in cited
    assert ("Fafchamps & Gubert" in cited) == (cluster is None)
    assert ("all trials taken as independent" in cited) == (cluster == "none")
    assert "the threshold chosen anew" not in cited
    assert "Threshold re-estimated" in cited


def test_page_of_the_same_trials_is_not_a_priori() -> None:
    trials = two_systems(3)
    page = evaluation_page([evaluate(trials, trials, system="face")], REPEAT)
    assert "a priori" not in references(page)
    assert "a posteriori" in references(page)
    assert "on the same trials" in page.asked


def test_trials_of_one_claim_have_a_page() -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(60) < 20
    dev, test = (Trials.from_arrays(rng.normal(2 * genuine, 1), genuine, claim=["a"] * 60) for _ in range(2))
    result = evaluate(dev, test, criterion="wer-min")
    view = evaluation_page([result], REPEAT).explore["systems"][0]
    assert (view["low"][50], view["high"][50]) == tuple(result.interval.interval)
    assert any("same claim" in note for note in result.notes)


def test_pages_can_speak_the_terms_of_iso() -> None:
    dev, test = two_systems(0, ("FAR", "FRR")), two_systems(1, ("FAR", "FRR"))
    results = [evaluate(dev, test, system=name) for name in test.systems]
    for page in (
        evaluation_page(results, REPEAT, terms="iso"),
        comparison_page(compare(dev, test, measure="far", n_resamples=50), REPEAT, terms="iso"),
    ):
        text = Reader(render(page)).text
        assert "FMR" in text
        assert "FNMR" in text
        assert (page.explore["det"]["x"]["label"], page.explore["det"]["y"]["label"]) == ("FMR (%)", "FNMR (%)")
        # FAR and FRR are left as names of systems only
        assert not re.search(r"(FAR|FRR) (%|on test|and weight)|weight of FAR", text)
        assert {"FAR", "FRR"} <= set(page.title.split())
