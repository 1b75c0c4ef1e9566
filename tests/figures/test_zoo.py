"""People in the zoo, against brute force."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

from fairtrial import Trials
from fairtrial.core.words import use_distances, wording
from fairtrial.counting import count_errors
from fairtrial.figures.style import GREY
from fairtrial.figures.zoo import zoo_chart, zoo_plot
from fairtrial.groups.zoo import improbable, zoo_data
from fairtrial.rules import choose_thresholds
from figures.drawn import caption, refused


@pytest.mark.parametrize("by", ["claim", "subject"])
def test_zoo_means_by_brute_force(test: Trials, by: str) -> None:
    zoo = zoo_data(test, system="face", by=by)  # type: ignore[arg-type]
    names = test.ids[by].decode()
    for place, name in enumerate(zoo.names):
        part = test.column("face")[names == name], test.genuine[names == name]
        assert zoo.genuine[place] == pytest.approx(part[0][part[1]].mean())
        assert zoo.impostor[place] == pytest.approx(part[0][~part[1]].mean())


def test_zoo_names_goats_and_lambs(test: Trials, ax: Axes) -> None:
    zoo = zoo_data(test, system="face")
    names = np.array(zoo.names)
    assert "p00" in names[zoo.goats]
    assert names[zoo.lambs].tolist() == ["p01"]
    zoo_plot(zoo, ax=ax)
    assert {"p00", "p01"} <= {text.get_text() for text in ax.texts}
    assert ax.get_legend_handles_labels()[1][1] == "lambs: 1"
    assert "wolves" in zoo_plot(zoo_data(test, system="face", by="subject")).get_legend_handles_labels()[1][1]


def test_chart_of_distances_is_as_in_their_files(test: Trials) -> None:
    zoo = zoo_data(test, system="face")
    scores = zoo_chart(zoo)
    with wording():
        use_distances(["face"])
        distances = zoo_chart(zoo)
    for axis in "xy":
        assert distances[axis]["low"] == pytest.approx(-scores[axis]["high"])
        assert [point[axis] for point in distances["points"]] == [-point[axis] for point in scores["points"]]


def test_zoo_of_errors(dev: Trials, test: Trials, ax: Axes) -> None:
    threshold = float(choose_thresholds(dev, "eer", 0.5, system="face").threshold[0])
    zoo = zoo_data(test, system="face", shows="errors", threshold=threshold)
    names = np.array(zoo.names)
    assert names[zoo.goats & (zoo.genuine == 1)].tolist() in ([], ["p00"])
    assert names[zoo.lambs].tolist() == ["p01"]
    whole = count_errors(test.select(["face"]), [threshold])[0]
    assert zoo.impostor.mean() == pytest.approx(float(whole.far))
    zoo_plot(zoo, ax=ax)
    assert ax.get_xlabel() == "FRR of genuine trials (%)"
    with wording(terms="iso"):
        assert zoo_plot(zoo).get_ylabel() == "FMR of impostor trials against the claim (%)"
    dots = ax.collections[0]
    plain = ~zoo.goats & ~zoo.lambs
    assert sum(np.asarray(dots.get_sizes())) == 16 * plain.sum()  # type: ignore[attr-defined]


@pytest.mark.parametrize("apart", [0.0, 0.02, 1.0])
def test_zoo_labels_are_few_and_within_the_axes_and_apart(apart: float) -> None:
    people = 60
    claim, subject = np.divmod(np.arange(people * people), people)
    scores = np.where(claim == subject, 4.0, 0.0) + np.random.default_rng(6).normal(0, 0.1, len(claim))
    for k in range(12):
        scores[(claim == subject) & (claim == k)] -= 3 + apart * k
        scores[(claim != subject) & (claim == 20 + k)] += 2 + apart * k
    names = np.array([f"speaker_{k:04d}" for k in range(people)])
    trials = Trials.from_arrays(scores, claim == subject, claim=names[claim], subject=names[subject])
    figure = Figure(figsize=(6.0, 5.4), layout="constrained")
    ax = zoo_plot(zoo_data(trials), ax=figure.add_subplot())
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in ax.texts]
    assert 2 <= len(boxes) <= 8
    inside = ax.get_window_extent()
    for place, box in enumerate(boxes):
        assert inside.x0 <= box.x0 < box.x1 <= inside.x1
        assert inside.y0 <= box.y0 < box.y1 <= inside.y1
        assert not any(box.overlaps(other) for other in boxes[:place])


def test_who_stands_out_against_sums_of_binomial_probabilities() -> None:
    trials = np.array([20, 20, 50, 3, 20, 30])
    errors = np.array([0.0, 10.0, 1.0, 2.0, 1.0, 3.0])
    rate = errors.sum() / trials.sum()
    tails = [
        sum(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(int(x), n + 1))
        for x, n in zip(errors, trials.tolist(), strict=True)
    ]
    expected = [tail < 0.05 / 6 for tail in tails]
    assert improbable(errors, trials).tolist() == expected
    assert 0 < sum(expected) < 6
    assert not improbable(np.zeros(6), trials).any()


def test_zoo_needs_ids_and_a_threshold(test: Trials) -> None:
    bare = Trials.from_arrays(test.scores, test.genuine, systems=test.systems)
    for trials, settings, code in (
        (bare, {}, "no-ids"),
        (test, {"shows": "errors"}, "no-threshold"),
        (test, {"by": "model"}, "unknown"),
        (test.rows(np.arange(30)), {}, "few-people"),
    ):
        with refused(code):
            zoo_data(trials, system="face", **settings)  # type: ignore[arg-type]


def test_chart_shows_everybody_by_kind(test: Trials) -> None:
    zoo = zoo_data(test, system="face", by="subject")
    chart = zoo_chart(zoo)
    assert [kind["name"] for kind in chart["kinds"]] == ["sheep", "goat", "wolf", "goat and wolf"]
    # the colours of the picture
    assert [kind["colour"] for kind in chart["kinds"]] == [GREY, "var(--c1)", "var(--c0)", "var(--c2)"]
    assert [point["name"] for point in chart["points"]] == list(zoo.names)
    for point, goat, wolf in zip(chart["points"], zoo.goats, zoo.lambs, strict=True):
        assert point["kind"] == {(0, 0): "sheep", (1, 0): "goat", (0, 1): "wolf", (1, 1): "goat and wolf"}[goat, wolf]
        assert chart["x"]["low"] < point["x"] < chart["x"]["high"]
        assert chart["y"]["low"] < point["y"] < chart["y"]["high"]


def test_wolves_beside_lambs_and_subjects_without_genuine_trials(ax: Axes) -> None:
    """As in the demo files: impostors are nobody's clients."""
    rng = np.random.default_rng(3)
    clients, impostors = 12, 30
    claim = np.repeat(np.arange(clients), 2 + impostors)
    subject = np.where(
        np.arange(len(claim)) % (2 + impostors) < 2, claim, clients + np.arange(len(claim)) % (2 + impostors)
    )
    scores = rng.normal(4.0 * (claim == subject), 0.1)
    scores[subject == subject.max()] += 3
    names = np.array([f"s{k:02d}" for k in range(int(subject.max()) + 1)])
    trials = Trials.from_arrays(scores, claim == subject, claim=names[claim], subject=names[subject])
    zoo = zoo_data(trials)
    wolves = zoo_data(trials, by="subject")
    assert np.isnan(wolves.genuine).all()
    assert (len(wolves.names), wolves.left_out) == (impostors, clients)
    assert [name for name, wolf in zip(wolves.names, wolves.lambs, strict=True) if wolf] == [names[-1]]
    assert zoo.subjects is not None
    assert zoo.subjects.names == wolves.names
    for place, name in enumerate(wolves.names):
        assert wolves.impostor[place] == pytest.approx(scores[names[subject] == name].mean())
    zoo_plot(zoo, ax=ax)
    assert "wolves, by subject: 1" in ax.get_legend_handles_labels()[1]
    assert names[-1] in caption("zoo", zoo)
    drawn = zoo_plot(wolves)
    assert "rank" in drawn.get_xlabel()
    assert zoo_chart(wolves)["points"][0]["x"] == wolves.places[0]
    np.testing.assert_array_equal(np.sort(wolves.places), 1 + np.arange(impostors))
