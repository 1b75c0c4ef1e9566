"""The pages of an evaluation, a comparison and a fusion; what they explore, against plain counts and intervals."""

import re
from dataclasses import replace
from datetime import date
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from fairtrial import Trials, compare, evaluate, fuse
from fairtrial.core.words import interval_text, wording
from fairtrial.counting.tallies import as_source, count_errors
from fairtrial.evaluation import alpha_grid
from fairtrial.inference import TrialSets, judge, judged_interval, make_blocks
from fairtrial.inference.estimates import intervals_along
from fairtrial.inference.people import Cluster
from fairtrial.pages import page_of
from fairtrial.pages.page import Repeat, render
from pages.pages import EVIL, REPEAT, Reader, check_self_contained, data_of, edges_of, references, two_systems


def test_evaluation_page_shows_the_numbers_of_the_evaluation() -> None:
    dev, test = two_systems(0), two_systems(1)
    results = evaluate(dev, test)
    text = render(page_of(results, REPEAT))
    check_self_contained(text)
    reader = Reader(text)
    for result in results:
        assert f"{100 * result.test.hter:.2f}" in reader.text
        assert f"{100 * result.interval().low:.2f} to {100 * result.interval().high:.2f} %" in reader.text
    assert "fairtrial evaluate" in reader.text
    for note in results.systems[0].notes:
        assert str(note) in reader.text


def test_names_with_markup_show_as_text() -> None:
    dev, test = two_systems(0), two_systems(1)
    results = evaluate(dev, test)
    for page in (
        page_of(results),
        page_of(compare(dev, test, n_resamples=50)),
    ):
        text = render(page)
        check_self_contained(text)
        assert EVIL in Reader(text).text
        assert "<script>alert" not in text


def test_cross_validated_evaluation_has_a_page_without_thresholds() -> None:
    trials = two_systems(3)
    blocks = make_blocks(trials, 4)
    results = evaluate(trials, folds=blocks)
    text = render(page_of(results, REPEAT))
    check_self_contained(text)
    systems = data_of(text)["systems"]
    assert isinstance(systems, list)
    assert systems[0]["threshold"][50] is None
    assert systems[0]["hter"][50] is not None


@pytest.mark.parametrize("cluster", [None, "none"])
def test_page_of_folds_cites_its_own_methods(cluster: Cluster | None) -> None:
    trials = two_systems(3)
    blocks = make_blocks(trials, 4)
    result = evaluate(trials, folds=blocks, systems="face", cluster=cluster)
    cited = references(page_of(result))
    assert "Stone" in cited
    assert "before the test trials are seen" not in cited
    assert ("Owen 2007" in cited) == (cluster is None)
    assert ("all trials taken as independent" in cited) == (cluster == "none")
    assert "the threshold chosen anew" not in cited
    assert "Threshold re-estimated" in cited


def test_page_of_the_same_trials_is_not_a_priori() -> None:
    trials = two_systems(3)
    page = page_of(evaluate(trials, trials, systems="face"))
    assert "a priori" not in references(page)
    assert "a posteriori" in references(page)
    assert "on the same trials" in page.asked


def test_trials_of_one_claim_have_a_page() -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(60) < 20
    dev, test = (Trials.from_arrays(rng.normal(2 * genuine, 1), genuine, claim=["a"] * 60) for _ in range(2))
    result = evaluate(dev, test, criterion="wer-min")
    view = page_of(result).explore["systems"][0]
    assert (view["low"][50], view["high"][50]) == tuple(result.interval().interval)
    assert any("same claim" in str(note) for note in result.notes)


def test_pages_can_speak_the_terms_of_iso() -> None:
    dev, test = two_systems(0, ("FAR", "FRR")), two_systems(1, ("FAR", "FRR"))
    results = evaluate(dev, test)
    with wording(terms="iso"):
        pages = (
            page_of(results),
            page_of(compare(dev, test, measure="far", n_resamples=50)),
        )
        texts = [Reader(render(page)).text for page in pages]
    for page, text in zip(pages, texts, strict=True):
        assert "FMR" in text
        assert "FNMR" in text
        assert (page.explore["det"]["x"]["label"], page.explore["det"]["y"]["label"]) == ("FMR (%)", "FNMR (%)")
        # FAR and FRR are left as names of systems only
        assert not re.search(r"(FAR|FRR) (%|on test|and weight)|weight of FAR", text)
        assert {"FAR", "FRR"} <= set(page.title.split())


def test_view_of_a_system_against_plain_counts_and_intervals() -> None:
    dev, test = two_systems(0), two_systems(1)
    page = page_of(evaluate(dev, test, systems="face"))
    view = page.explore["systems"][0]
    trials = test.select(["face"])
    for k in range(0, 101, 20):
        counts = count_errors(as_source(trials), view["threshold"][k]).scalar()
        assert (view["far"][k], view["frr"][k]) == (counts.far, counts.frr)
        judgement = judge(TrialSets(dev, test), system="face", criterion="wer-equal", alphas=view["alpha"][k])
        assert view["threshold"][k] == judgement.test.threshold[0]
        expected = judged_interval(judgement)
        assert expected.threshold == "re-estimated"
        assert (view["low"][k], view["high"][k]) == pytest.approx((expected.low, expected.high), rel=0.05)
    edges = edges_of(view["density"])
    for name, flags in (("genuine", test.genuine), ("impostor", ~test.genuine)):
        shown = np.histogram(trials.scores[flags, 0], edges)[0] / np.count_nonzero(flags) / np.diff(edges)
        assert np.allclose(view["density"][name], shown)


def test_det_curve_is_drawn_at_normal_deviates_on_its_axes() -> None:
    dev, test = two_systems(0), two_systems(1)
    explore = page_of(evaluate(dev, test, systems="face")).explore
    view, axes = explore["systems"][0], explore["det"]
    scores = test.column("face")

    def deviate(rate: float) -> float:
        return NormalDist().inv_cdf(min(max(rate, 1e-9), 1 - 1e-9))

    def place(axis: dict[str, Any], rate: float) -> float:
        return round(min(max(deviate(rate), float(axis["low"])), float(axis["high"])), 9)

    operating = {
        (
            round(deviate(float(np.mean(scores[~test.genuine] > s))), 9),
            round(deviate(float(np.mean(scores[test.genuine] <= s))), 9),
        )
        for s in [-np.inf, *scores]
    }
    drawn = {(round(x, 9), round(y, 9)) for x, y in zip(view["det"]["x"], view["det"]["y"], strict=True)}
    assert drawn <= operating
    assert len(drawn) > 20
    # the frame cuts the curve off: what lies beyond is not moved onto it
    assert min(view["det"]["x"]) < axes["x"]["low"]
    assert min(view["det"]["y"]) < axes["y"]["low"]
    for k in range(0, 101, 10):
        assert round(view["at"]["x"][k], 9) == place(axes["x"], view["far"][k])
        assert round(view["at"]["y"][k], 9) == place(axes["y"], view["frr"][k])
    for place_of, label in axes["x"]["ticks"]:
        assert place_of == pytest.approx(NormalDist().inv_cdf(float(label) / 100))


def test_without_ids_intervals_are_those_of_independent_trials() -> None:
    rng = np.random.default_rng(0)
    genuine = np.arange(300) < 100
    dev, test = (Trials.from_arrays(rng.normal(2 * genuine, 1), genuine) for _ in range(2))
    result = evaluate(dev, test)
    view = page_of(result).explore["systems"][0]
    assert (view["threshold"][50], result.interval().method) == (result.threshold, "wilson")
    assert (view["low"][50], view["high"][50]) == tuple(result.interval().interval)


@pytest.mark.parametrize(
    ("criterion", "alpha", "expected"),
    [("wer-min", 0.95, 0.95), ("eer", 0.5, 0.5), ("far", 0.1, None), ("f1", 0.5, None)],
)
def test_what_was_asked_stands_where_it_belongs(criterion: str, alpha: float, expected: float | None) -> None:
    dev, test = two_systems(0), two_systems(1)
    result = evaluate(dev, test, systems="face", criterion=criterion, alpha=alpha)
    page = page_of(result)
    view = page.explore["systems"][0]
    asked = view["asked"]
    assert asked["alpha"] == expected
    assert (asked["low"], asked["high"]) == tuple(result.interval().interval)
    assert asked["threshold"] == result.threshold
    if criterion == "wer-min":
        assert view["hter"][95] == asked["hter"]
        assert "alpha 0.95" in page.asked


def test_curve_of_a_cross_validation_moves_with_alpha() -> None:
    trials = two_systems(3)
    blocks = make_blocks(trials, 4)
    result = evaluate(trials, folds=blocks, systems="face")
    page = page_of(result)
    view = page.explore["systems"][0]
    assert len(set(view["hter"])) > 3
    assert view["asked"]["threshold"] == result.threshold
    text = Reader(render(page)).text
    assert "on held-out trials, each judged by a threshold from other folds" in str(page.tables[0].caption)
    assert "test trials" not in text
    assert "from dev" not in text
    assert page.explore["systems"][0]["axis"]["label"] == "HTER on held-out trials (%)"


def test_intervals_along_alpha_are_made_like_the_one_that_leads() -> None:
    dev, test = two_systems(0), two_systems(1)
    result = evaluate(dev, test, systems="face", criterion="wer-min", alpha=0.5, cluster="none")
    page = page_of(result)
    view = page.explore["systems"][0]
    assert (view["low"][50], view["high"][50]) == tuple(result.interval().interval)
    assert page.tables[0].column("interval")[-1] == result.interval().interval
    assert "Owen 2007" not in references(page)
    # beside it the same is computed along alpha
    along = intervals_along(
        judge(TrialSets(dev, test, "none"), system="face", criterion="wer-min", alphas=alpha_grid())
    )
    assert view["low"][51] == pytest.approx(along[51].low)
    assert view["low"][50] == pytest.approx(along[50].low, rel=0.02)


def test_scores_far_from_zero_keep_their_digits() -> None:
    dev, test = two_systems(0), two_systems(1)
    dev, test = (Trials.from_arrays(t.scores + 1e6, t.genuine, systems=["a", "b"]) for t in (dev, test))
    result = evaluate(dev, test, systems="a")
    text = render(page_of(result))
    systems = data_of(text)["systems"]
    assert isinstance(systems, list)
    assert systems[0]["asked"]["threshold"] == result.threshold
    assert len(set(edges_of(systems[0]["density"]))) == 61


def test_of_many_pairs_a_page_tells_those_of_the_best_system() -> None:
    rng = np.random.default_rng(3)
    genuine, names = np.arange(600) < 200, "abcde"
    dev, test = (
        Trials.from_arrays(
            np.outer(genuine, [1.0, 1.2, 3.0, 1.4, 2.0]) + rng.normal(size=(600, 5)), genuine, systems=names
        )
        for _ in range(2)
    )
    comparison = compare(dev, test, n_resamples=50)
    best, *rivals = (rank.system for rank in comparison.ranking)
    answer, *sentences = page_of(comparison).answer
    assert answer == comparison.answer()
    assert len(sentences) == 4
    assert set(sentences) < set(comparison.sentences())
    for sentence, rival in zip(sentences, rivals, strict=True):
        assert re.search(rf"\b{best}\b.*\b{rival}\b|\b{rival}\b.*\b{best}\b", sentence)


def test_one_sided_and_equivalence_are_told() -> None:
    dev, test = two_systems(0, ("a", "b")), two_systems(1, ("a", "b"))
    comparison = compare(dev, test, n_resamples=50, alternative="less", margin=0.2)
    sentences = page_of(comparison).answer
    assert "one-sided" in sentences[0]
    assert any("equivalent" in sentence and "within 20.00 %" in sentence for sentence in sentences)


@pytest.mark.parametrize("systems", [("a", "b"), ("b", "a")])
def test_interval_of_each_difference_is_told_and_drawn(systems: tuple[str, str]) -> None:
    dev, test = two_systems(0, ("a", "b")), two_systems(1, ("a", "b"))
    comparison = compare(dev, test, systems=systems, n_resamples=50)
    (pair,) = comparison.pairs
    page = page_of(comparison)
    assert page.numbers[-1].detail == f"95 % interval {interval_text(*pair.interval)} points"
    (drawn,) = page.explore["differences"]["pairs"]
    assert (drawn["low"], drawn["high"]) == pair.interval
    assert drawn["estimate"] == pair.difference
    tabled = {name for table in page.tables if table.columns[0].key == "pair" for name in table.column("pair")}
    assert {drawn["name"], page.numbers[-1].name} == tabled == {" - ".join(systems)}
    axis = page.explore["differences"]["x"]
    assert axis["low"] < min(0, drawn["low"])
    assert max(0, drawn["high"]) < axis["high"]


def test_difference_of_a_cost_is_not_in_percent() -> None:
    dev, test = two_systems(0, ("a", "b")), two_systems(1, ("a", "b"))
    page = page_of(compare(dev, test, n_resamples=50, measure="dcf"))
    assert "percentage points" not in page.answer[0]
    assert page.explore["differences"]["x"]["label"] == "difference in DCF"


def test_systems_that_do_not_differ_on_any_trial_have_a_page() -> None:
    sets = [two_systems(seed, ("a", "b")) for seed in (0, 1)]
    dev, test = (
        Trials.from_arrays(
            np.column_stack([trials.column("a"), 2 * trials.column("a") + 1]),
            trials.genuine,
            systems=["a", "b"],
            claim=trials.ids["claim"].decode(),
            subject=trials.ids["subject"].decode(),
        )
        for trials in sets
    )
    page = page_of(compare(dev, test, n_resamples=50, margin=0.1))
    assert page.answer[0].startswith(
        "a and b cannot be told apart: their HTER differs by 0.000 percentage points (no interval"
    )
    assert "p = 1" in page.answer[0]
    assert "they are not shown to be equivalent" in page.answer[0]
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
        comparison = compare(dev, test, n_resamples=50, measure=measure)
        assert page_of(comparison).answer[0].startswith("good is better than poor")
    claimed = compare(dev, test, n_resamples=50, measure="recall", alternative="less")
    assert "poor has a lower Recall than good is shown" in page_of(claimed).answer[0]


def test_page_shows_the_fusion_beside_its_systems() -> None:
    result = fuse(two_systems(0), two_systems(1))
    page = page_of(result)
    assert [view["name"] for view in page.explore["systems"]] == [f"mean(face + {EVIL})", "face", EVIL]
    assert page.answer == (result.answer(),)
    assert page.numbers[0].value == f"{100 * result.evaluation.test.hter:.2f} %"
    text = render(page)
    check_self_contained(text)
    assert "<caption>Gain of the fusion</caption>" in text
    assert text.count("FRR at FAR 0.1 %") == 3


def test_saved_fusion_has_a_page_without_anything_to_move() -> None:
    model = fuse(two_systems(0), two_systems(1)).model
    page = page_of(fuse(None, two_systems(2), model=model))
    assert page.explore == {}
    text = render(page)
    check_self_contained(text)
    assert 'id="epc"' not in text
    assert "thresholds saved with it" in text


def test_date_and_title() -> None:
    result = fuse(two_systems(0), two_systems(1))
    repeat = Repeat("fairtrial fuse", {}, made=date(2026, 3, 5))
    text = render(replace(page_of(result, repeat), heading="<Face> & voice"))
    assert '<time datetime="2026-03-05">5 March 2026</time>' in text
    assert "<h1>&lt;Face&gt; &amp; voice</h1>" in text
    assert "Fusion of face and" in text
    assert "<time" not in render(page_of(result))
