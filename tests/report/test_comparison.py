"""The page of a comparison."""

import numpy as np

from fairtrial import (
    Trials,
    compare,
)
from fairtrial.report.comparison import comparison_page
from fairtrial.report.page import render
from fairtrial.tables import interval_text
from report.pages import REPEAT, two_systems


def test_one_sided_and_equivalence_are_told() -> None:
    dev, test = two_systems(0, ("a", "b")), two_systems(1, ("a", "b"))
    found = compare(dev, test, n_resamples=50, alternative="less", margin=0.2)
    sentences = comparison_page(found, REPEAT).answer
    assert "one-sided" in sentences[0]
    assert any("equivalent" in sentence and "within 20.00 %" in sentence for sentence in sentences)


def test_interval_of_each_difference_is_told_and_drawn() -> None:
    dev, test = two_systems(0, ("a", "b")), two_systems(1, ("a", "b"))
    found = compare(dev, test, n_resamples=50)
    (pair,) = found.pairs
    page = comparison_page(found, REPEAT)
    sign = -1 if pair.headline.estimate < 0 else 1
    ends = sorted(sign * end for end in pair.interval)
    assert f"95 % interval {interval_text(*ends)}" in page.answer[0]
    (drawn,) = page.explore["differences"]["pairs"]
    assert (drawn["low"], drawn["high"]) == pair.interval
    assert drawn["estimate"] == pair.headline.estimate
    axis = page.explore["differences"]["x"]
    assert axis["low"] < min(0, drawn["low"])
    assert max(0, drawn["high"]) < axis["high"]


def test_difference_of_a_cost_is_not_in_percent() -> None:
    dev, test = two_systems(0, ("a", "b")), two_systems(1, ("a", "b"))
    page = comparison_page(compare(dev, test, n_resamples=50, measure="dcf"), REPEAT)
    assert "percentage points" not in page.answer[0]
    assert page.explore["differences"]["x"]["label"] == "difference A - B in DCF"


def test_systems_that_do_not_differ_on_any_trial_have_a_page() -> None:
    sets = [two_systems(seed, ("a", "b")) for seed in (0, 1)]
    dev, test = (
        Trials.from_arrays(
            np.column_stack([own.column("a"), 2 * own.column("a") + 1]),
            own.genuine,
            systems=["a", "b"],
            claim=own.ids["claim"].decode(),
            subject=own.ids["subject"].decode(),
        )
        for own in sets
    )
    page = comparison_page(compare(dev, test, n_resamples=50, margin=0.1), REPEAT)
    assert page.answer[0].startswith(
        "a and b cannot be told apart: they differ by 0.000 percentage points (no interval"
    )
    assert "p = 1" in page.answer[0]
    assert "are not shown to be equivalent" in page.answer[1]
    (drawn,) = page.explore["differences"]["pairs"]
    assert (drawn["low"], drawn["high"]) == (None, None)
    assert '"low":null' in render(page)


def test_the_better_system_is_the_one_with_more_recall_or_fewer_errors() -> None:
    rng = np.random.default_rng(0)
    claim, subject = np.divmod(np.arange(900), 30)
    genuine = claim == subject
    dev, test = (
        Trials.from_arrays(
            np.outer(genuine, [1.0, 6.0]) + rng.normal(size=(900, 2)),
            genuine,
            systems=["poor", "good"],
            claim=claim,
            subject=subject,
        )
        for _ in range(2)
    )
    for measure in ("frr", "recall"):
        found = compare(dev, test, n_resamples=50, measure=measure)
        assert comparison_page(found, REPEAT).answer[0].startswith("good is better than poor")
    claimed = compare(dev, test, n_resamples=50, measure="recall", alternative="less")
    assert "poor has a lower Recall than good is shown" in comparison_page(claimed, REPEAT).answer[0]
