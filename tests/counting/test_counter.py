"""A counter holds what it was given, and nothing else matters: order, chunks, merging, saving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fairtrial as ft
from fairtrial.counting import cells as accumulator
from fairtrial.counting.cells import CountedCells
from fairtrial.counting.counter import Counter, load_counters
from strategies import score_arrays

SMALL = 0.05
"""A precision for which 4096 cells are kept."""


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays of some hundred scores are counted as millions would be: in tables, by threads."""
    monkeypatch.setattr(accumulator, "_PENDING", 64)
    monkeypatch.setattr(accumulator, "_BY_THREAD", 32)


def crowd(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores of one of the kinds there are: even, likelihoods, posteriors, far from zero, rounded, with sentinels."""
    genuine = rng.random(size) < 0.3
    scores = rng.normal(size=size) + 2 * genuine
    kind = int(rng.integers(7))
    if kind == 1:
        scores = 10.0 ** (30 * scores - 50)
    elif kind == 2:
        scores = 1 / (1 + np.exp(-8 * scores))
    elif kind == 3:
        scores = 1000 + scores / 100
    elif kind == 4:
        scores = np.round(scores, 2)
    elif kind == 5:
        scores[rng.integers(size, size=size // 50 + 1)] = rng.choice([np.inf, -np.inf, 0.0, -0.0, 1e300, -9999.0])
    elif kind == 6:
        scores = np.where(rng.random(size) < 0.5, scores * 1e-9 + 7.5, scores * 1e5)
    with np.errstate(over="ignore"):
        return scores.astype(np.float32) if rng.random() < 0.3 else scores, genuine


@pytest.mark.usefixtures("small_steps")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), size=st.integers(1, 20_000), data=st.data())
def test_order_chunks_and_merging_give_the_same_bits(seed: int, size: int, data: st.DataObject) -> None:
    rng = np.random.default_rng(seed)
    scores, genuine = crowd(rng, size)
    expected = CountedCells.of(scores, genuine, floor=2).settled(4096)
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=6)))
    order = rng.permutation(size)
    parts = []
    for rows in np.split(order, cuts):
        part = Counter(precision=SMALL)
        for piece in np.array_split(rows, data.draw(st.integers(1, 3))):
            part.update(scores[piece], genuine[piece])
        parts.append(part)
    whole = Counter(precision=SMALL)
    for k in rng.permutation(len(parts)).tolist():
        whole.merge(parts[k])
        if data.draw(st.booleans()):
            whole.cells()
    assert whole.cells() == expected
    assert (whole.genuine, whole.impostor) == (int(genuine.sum()), int((~genuine).sum()))


@pytest.mark.usefixtures("small_steps")
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(score_arrays())
def test_odd_scores_are_counted_as_they_are(data: tuple[np.ndarray, np.ndarray]) -> None:
    counter = Counter()
    for _ in range(3):
        counter.update(data[0], True)
        counter.update(data[1], False)
    scores = np.concatenate([*data] * 3)
    genuine = np.tile(np.arange(len(scores) // 3) < len(data[0]), 3)
    assert counter.cells() == CountedCells.of(scores, genuine, floor=10)


def test_merging_is_associative_and_commutative() -> None:
    rng = np.random.default_rng(0)
    parts = [crowd(rng, 3000) for _ in range(3)]

    def counter(*which: int) -> Counter:
        found = Counter(precision=SMALL)
        for k in which:
            found.update(*parts[k])
        return found

    left, right, other = counter(0), counter(1), counter(2)
    left.merge(counter(1))
    left.merge(counter(2))
    right.merge(counter(2))
    one = counter(0)
    one.merge(right)
    other.merge(counter(1))
    other.merge(counter(0))
    assert left == one == other == counter(2, 0, 1)
    assert left != counter(0, 1)


def people(rng: np.random.Generator, size: int) -> tuple[list[str], list[str], np.ndarray]:
    claim, subject = rng.integers(9, size=(2, size))
    names = [f"p{k}" for k in range(9)]
    genuine = claim == subject
    return [names[k] for k in claim], [names[k] if k % 2 else names[k].upper() for k in subject], genuine


def test_errors_at_given_thresholds_by_person(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    claim, subject, genuine = people(rng, 500)
    scores = np.round(np.stack([rng.normal(size=500) + 2 * genuine, rng.normal(size=500) + genuine], axis=1), 1)
    asked: Any = {"systems": ["face", "voice"], "thresholds": {"face": [1.0, 0.5], "voice": [np.inf, -np.inf, 0.0]}}
    whole, parts = Counter(**asked), [Counter(**asked) for _ in range(3)]
    whole.update(scores, genuine, claim=claim, subject=subject)
    for k, part in enumerate(parts):
        rows = np.arange(k, 500, 3)
        part.update(scores[rows], genuine[rows], claim=[claim[j] for j in rows], subject=[subject[j] for j in rows])
        part.save(tmp_path / f"{k}.ftc")
    merged = load_counters([tmp_path / f"{k}.ftc" for k in (2, 0, 1)])
    assert merged == whole
    for system, threshold in (("face", 0.5), ("face", 1.0), ("voice", 0.0), ("voice", -np.inf), ("voice", np.inf)):
        expected = ft.counting.count_errors(
            ft.Trials.from_arrays(scores, genuine, systems=["face", "voice"]), threshold, system=system
        )
        assert merged.errors_at(threshold, system=system) == expected.scalar()
    names, order, links = merged._roster.ordered()
    counts = merged._watched[0].renumbered(order)["claim"]
    for k, name in enumerate(names):
        mine = np.array([one == name for one in claim])
        for row, group in enumerate((~genuine, genuine)):
            own = scores[mine & group, 0]
            assert counts[row, k].tolist() == [
                np.sum(own <= 0.5),
                np.sum((own > 0.5) & (own <= 1.0)),
                np.sum(own > 1.0),
            ]
    assert {(names[a], names[b]) for a, b in links.tolist()} == {(f"P{k}", f"p{k}") for k in range(0, 9, 2)}


@pytest.mark.parametrize(
    ("scores", "genuine", "more", "message"),
    [
        ([0.1, np.nan], [True, False], {}, "index 1 is NaN"),
        ([0.1], [1], {}, "boolean"),
        ([0.1, 0.2], [True], {}, "one entry per trial"),
        ([[0.1, 0.2]], [True], {}, "shape"),
        (["a"], [True], {}, "numbers"),
        ([0.1], None, {}, "genuine must say"),
        ([0.1], True, {"claim": ["a", "b"]}, "one entry per trial"),
        (
            [0.1],
            True,
            {"claim": ["a"], "subject": ["a"]},
            "with claim and subject ids, those counted",
        ),
        ([0.1], True, {}, "with no ids"),
    ],
)
def test_update_of_what_does_not_fit_counts_nothing(scores: Any, genuine: Any, more: Any, message: str) -> None:
    counter = Counter(thresholds=[0.5])
    counter.update([0.7, 0.2], [True, False], claim=["a", "b"])
    before = counter.arrays()
    with pytest.raises(ft.TrialsError, match=message):
        counter.update(scores, genuine, **more)
    assert all(np.array_equal(values, before[name]) for name, values in counter.arrays().items())
    assert len(counter) == 2


def test_nan_in_the_last_system_counts_nothing() -> None:
    counter = Counter(["a", "b"])
    with pytest.raises(ft.TrialsError, match="scores of b: the score at index 0 is NaN"):
        counter.update([[0.5, np.nan]], [True])
    assert len(counter.cells("a")) == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"systems": ["a", "a"]}, "names of their own"),
        ({"systems": []}, "names of their own"),
        ({"precision": 0}, "between 0 and 1"),
        ({"thresholds": [np.nan]}, "NaN"),
        ({"thresholds": {"face": [1.0]}}, "thresholds are given for face"),
        ({"thresholds": "x"}, "must be numbers"),
    ],
)
def test_settings_that_make_no_sense(given: Any, message: str) -> None:
    with pytest.raises(ft.ParameterError, match=message):
        Counter(**given)


@pytest.mark.parametrize(
    "other", [{"systems": "b"}, {"precision": 0.01}, {"thresholds": [2.0]}, {"distances": ["system"]}]
)
def test_counters_of_other_settings_are_not_merged(other: Any, tmp_path: Path) -> None:
    one, two = Counter(), Counter(**other)
    one.update([1.0], True)
    with pytest.raises(ft.ParameterError, match=f"different {next(iter(other))}"):
        one.merge(two)
    one.save(tmp_path / "one.ftc")
    two.save(tmp_path / "two.ftc")
    assert Counter.load(tmp_path / "two.ftc") == two == two.emptied()
    with pytest.raises(ft.InputError, match=r"two\.ftc: does not fit .*one\.ftc: counters of different"):
        load_counters([tmp_path / "one.ftc", tmp_path / "two.ftc"])


def test_errors_at_a_threshold_that_was_not_given() -> None:
    with pytest.raises(ft.ParameterError, match=r"not counted at 0\.3"):
        Counter(thresholds=[0.5]).errors_at(0.3)


def test_same_trials_give_the_same_file_and_it_can_be_fed_on(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    scores, genuine = crowd(rng, 6000)
    one, two = Counter(precision=SMALL), Counter(precision=SMALL)
    one.update(scores, genuine)
    two.update(scores[3000:], genuine[3000:])
    two.save(tmp_path / "half.ftc")
    two = Counter.load(tmp_path / "half.ftc")
    two.update(scores[:3000], genuine[:3000])
    for name, counter in (("one", one), ("two", two)):
        counter.save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_trials_are_counted_with_their_ids() -> None:
    trials = ft.Trials.from_arrays(
        [[0.9, 2.0], [0.1, 3.0]], [True, False], systems=["a", "b"], claim=["x", "y"], probe=["1", "2"]
    )
    counter = Counter("b", thresholds=[2.5])
    counter.update(trials)
    assert counter.roles == ("claim",)
    assert counter.errors_at(2.5).hter == 1.0
    with pytest.raises(ft.TrialsError, match="no scores of c"):
        Counter("c").update(trials)
